//! Certificates and keys in files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use super::Authority;
use crate::certificate::{
    CertificatePair, FileStore, MemoryStore, PairStore, PrivateKey, StoreError, Template,
};
use crate::controller::WallClock;

/// A directory that goes away with the test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let name = format!("rhumb-certificates-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Directory(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn store(&self) -> FileStore {
        let clock = WallClock::new(|| UNIX_EPOCH + Duration::from_secs(1_800_000_000));
        FileStore::new("kubelet-client", &self.0, clock).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A certificate of a name, and its key.
fn issue(name: &str) -> (Vec<u8>, Vec<u8>) {
    let key = PrivateKey::generate().unwrap();
    let template = Template { common_name: name.to_owned(), ..Template::default() };
    (Authority::new().sign(&template.request(&key).unwrap(), 1_000, 2_000), key.pem())
}

fn name_of(pair: Option<CertificatePair>) -> Option<String> {
    pair.map(|pair| pair.common_name().to_owned())
}

#[test]
fn each_certificate_gets_a_file_and_the_link_leads_to_the_last() {
    let directory = Directory::new("links");
    let store = directory.store();
    assert!(store.current().unwrap().is_none());
    for name in ["one", "two"] {
        let (certificate, key) = issue(name);
        assert_eq!(store.update(&certificate, &key).unwrap().common_name(), name);
        assert_eq!(name_of(store.current().unwrap()).as_deref(), Some(name));
    }
    let first = "kubelet-client-2027-01-15-08-00-00.pem";
    let second = "kubelet-client-2027-01-15-08-00-00-1.pem";
    assert_eq!(directory.names(), [second, first, "kubelet-client-current.pem"]);
    assert_eq!(fs::read_link(store.current_path()).unwrap(), Path::new(second));
    // Another process finds what this one has kept.
    assert_eq!(name_of(directory.store().current().unwrap()).as_deref(), Some("two"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(directory.0.join(first)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // What doesn't go together changes nothing.
    let ((certificate, _), (_, key)) = (issue("three"), issue("four"));
    assert!(matches!(store.update(&certificate, &key), Err(StoreError::Pair(_))));
    assert_eq!(name_of(store.current().unwrap()).as_deref(), Some("two"));
}

#[test]
fn a_link_that_was_made_and_not_put_in_place_is_put_there() {
    let directory = Directory::new("interrupted");
    let (certificate, key) = issue("one");
    directory.store().update(&certificate, &key).unwrap();
    let current = directory.store().current_path();
    fs::rename(&current, directory.0.join("kubelet-client-updated.pem")).unwrap();
    assert_eq!(name_of(directory.store().current().unwrap()).as_deref(), Some("one"));
    // And one that is left over beside the current one is in nobody's way.
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", directory.0.join("kubelet-client-updated.pem")).unwrap();
    let (certificate, key) = issue("two");
    directory.store().update(&certificate, &key).unwrap();
    assert_eq!(name_of(directory.store().current().unwrap()).as_deref(), Some("two"));
    assert!(!directory.names().contains(&"kubelet-client-updated.pem".to_owned()));
}

#[test]
fn files_of_others_are_read_and_never_replaced() {
    let directory = Directory::new("others");
    let store = directory.store();
    fs::create_dir_all(&directory.0).unwrap();
    let put = |name: &str, content: &[u8]| fs::write(directory.0.join(name), content).unwrap();
    let ((certificate, key), (given, given_key)) = (issue("beside"), issue("given"));
    put("kubelet-client.crt", &certificate);
    assert!(store.current().unwrap().is_none(), "a certificate without its key is none");
    put("kubelet-client.key", &key);
    assert_eq!(name_of(store.current().unwrap()).as_deref(), Some("beside"));
    put("given.crt", &given);
    put("given.key", &given_key);
    let store = store.or_files(directory.0.join("given.crt"), directory.0.join("given.key"));
    assert_eq!(name_of(store.current().unwrap()).as_deref(), Some("given"));
    // A file in the place of the link goes before all, and stays.
    put("kubelet-client-current.pem", &[certificate.clone(), key.clone()].concat());
    assert_eq!(name_of(store.current().unwrap()).as_deref(), Some("beside"));
    let error = store.update(&given, &given_key).unwrap_err();
    assert!(
        error.to_string().ends_with("kubelet-client-current.pem\" to be a symlink but it is a file"),
        "{error}"
    );
    put("kubelet-client-current.pem", b"nothing");
    assert!(matches!(store.current(), Err(StoreError::Pair(_))));
}

#[test]
fn a_store_in_memory_keeps_the_last() {
    let store = MemoryStore::default();
    assert!(store.current().unwrap().is_none());
    let (certificate, key) = issue("one");
    store.update(&certificate, &key).unwrap();
    assert!(store.update(&certificate, b"").is_err());
    assert_eq!(name_of(store.current().unwrap()).as_deref(), Some("one"));
}
