//! Changes go to the file that they belong to.

use super::Dir;
use crate::config::kubeconfig::{AuthInfo, Cluster, Context};
use crate::config::{ConfigError, Kubeconfig, LoadingRules, PathForm};

const FIRST: &str = "apiVersion: v1
clusters:
- cluster:
    server: https://first
  name: first
contexts: null
current-context: \"\"
kind: Config
users: null
";

fn edit(dir: &Dir, list: &str, change: impl FnOnce(&mut Kubeconfig)) -> Result<(), ConfigError> {
    let environment = dir.environment().with_variable("KUBECONFIG", list);
    LoadingRules::new(&environment).edit(PathForm::Relative, |config| {
        change(config);
        Ok(())
    })
}

#[test]
fn an_entry_goes_back_to_its_file_and_a_new_one_to_the_first() {
    let dir = Dir::new();
    dir.write("a", FIRST);
    dir.write("b", &FIRST.replace("first", "second"));
    edit(&dir, "none:a:b", |config| {
        config.clusters.get_mut("second").unwrap().server = "https://changed".to_owned();
        config.users.insert("new".to_owned(), AuthInfo { token: "t".into(), ..AuthInfo::default() }.into());
    })
    .unwrap();
    assert_eq!(dir.read("a"), FIRST.replace("users: null", "users:\n- name: new\n  user:\n    token: t"));
    assert_eq!(dir.read("b"), FIRST.replace("https://first", "https://changed").replace("first", "second"));
    assert!(!dir.file("none").exists() && !dir.file("a.lock").exists());
}

#[test]
fn what_is_removed_is_removed_where_it_stood() {
    let dir = Dir::new();
    dir.write("a", FIRST);
    dir.write("b", &FIRST.replace("name: first", "name: second"));
    edit(&dir, "a:b", |config| {
        config.clusters.remove("second");
    })
    .unwrap();
    assert_eq!(dir.read("a"), FIRST);
    assert!(dir.read("b").contains("clusters: null"));
}

#[test]
fn the_current_context_is_cleared_where_it_was_set() {
    let dir = Dir::new();
    dir.write("a", FIRST);
    dir.write("b", "current-context: x\n");
    edit(&dir, "a:b", |config| config.current_context.clear()).unwrap();
    assert!(dir.read("b").contains("current-context: \"\""));
    assert_eq!(dir.read("a"), FIRST);
    edit(&dir, "a:b", |config| config.current_context = "y".to_owned()).unwrap();
    assert!(dir.read("a").contains("current-context: \"y\""), "{}", dir.read("a"));
}

#[test]
fn paths_below_the_file_are_written_relative_to_it() {
    let dir = Dir::new();
    let path = |name: &str| dir.file(name).to_str().unwrap().to_owned();
    edit(&dir, "sub/config", |config| {
        let cluster = |ca: &str| Cluster { certificate_authority: path(ca), ..Cluster::default() };
        config.clusters.insert("in".to_owned(), cluster("sub/pki/ca").into());
        config.clusters.insert("out".to_owned(), cluster("ca").into());
    })
    .unwrap();
    let written = Kubeconfig::read(&dir.file("sub/config")).unwrap();
    assert_eq!(written.clusters["in"].certificate_authority, "pki/ca");
    assert_eq!(written.clusters["out"].certificate_authority, path("ca"));
}

#[test]
fn a_locked_file_is_not_touched() {
    let dir = Dir::new();
    dir.write("a", FIRST);
    let lock = dir.write("a.lock", "");
    let error = edit(&dir, "a", |config| config.current_context = "x".to_owned()).unwrap_err();
    // The file is named as it was given, as kubectl does it.
    assert_eq!(error.to_string(), "open a.lock: file exists");
    assert_eq!(dir.read("a"), FIRST);
    // The lock of another is left to the other.
    assert!(lock.exists());
}

#[test]
fn of_many_edits_at_once_none_is_lost() {
    let dir = Dir::new();
    let writers = 8;
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let dir = &dir;
            scope.spawn(move || {
                let add = |config: &mut Kubeconfig| {
                    config.contexts.insert(format!("c{writer}"), Context::default().into());
                };
                // Whoever finds it locked tries again.
                while let Err(error) = edit(dir, "config", add) {
                    assert!(error.to_string().ends_with("file exists"), "{error}");
                    std::thread::yield_now();
                }
            });
        }
    });
    assert_eq!(Kubeconfig::read(&dir.file("config")).unwrap().contexts.len(), writers);
    assert!(!dir.file("config.lock").exists());
}

#[cfg(unix)]
#[test]
fn a_new_file_is_private_and_an_old_one_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;

    let dir = Dir::new();
    let mode = |name: &str| dir.file(name).metadata().unwrap().permissions().mode() & 0o777;
    edit(&dir, "config", |config| config.current_context = "x".to_owned()).unwrap();
    assert_eq!(mode("config"), 0o600);
    std::fs::set_permissions(dir.file("config"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("config", dir.file("link")).unwrap();
    edit(&dir, "link", |config| config.current_context = "other".to_owned()).unwrap();
    assert_eq!(mode("config"), 0o640);
    assert!(dir.file("link").symlink_metadata().unwrap().is_symlink());
    assert!(dir.read("config").contains("current-context: other"));
    let left: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn nothing_changed_is_nothing_written() {
    let dir = Dir::new();
    dir.write("a", "# kept as it is\n");
    edit(&dir, "a", |_| {}).unwrap();
    assert_eq!(dir.read("a"), "# kept as it is\n");
}
