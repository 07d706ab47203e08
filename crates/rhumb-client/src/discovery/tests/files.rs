//! kubectl's files.

use std::time::{Duration, SystemTime};

use rhumb_meta::GroupVersion;

use super::{Dir, GRACE, recorded};
use crate::config::Environment;
use crate::discovery::{DiscoveryCache, DiskCache};

const HOST: &str = "127.0.0.1_7843";

fn at(seconds: u64) -> Environment {
    Environment::empty().with_clock(move || SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

/// The recorded files, whatever time it is.
fn kubectls() -> DiskCache {
    DiskCache::for_server(&recorded(), &"https://127.0.0.1:7843".parse().unwrap(), &at(0))
}

#[test]
fn what_kubectl_wrote_is_read_and_written_byte_for_byte() {
    let cache = kubectls();
    let dir = Dir::new();
    let ours = DiskCache::new(dir.path(), &Environment::process());
    let groups = cache.groups().unwrap();
    assert_eq!(groups.groups.len(), 22);
    ours.keep_groups(&groups);
    let theirs = recorded().join("discovery").join(HOST);
    let same = |name: &str| {
        let read = |dir: &std::path::Path| std::fs::read_to_string(dir.join(name)).unwrap();
        assert!(read(&theirs) == read(dir.path()), "{name}");
    };
    same("servergroups.json");
    for (group, version) in [("", "v1"), ("apps", "v1"), ("autoscaling", "v2"), ("events.k8s.io", "v1")] {
        let version = GroupVersion::new(group, version);
        ours.keep_resources(&version, &cache.resources(&version).unwrap());
        same(&format!("{version}/serverresources.json"));
    }
    assert!(!cache.is_fresh(GRACE) && ours.is_fresh(GRACE));
}

#[cfg(unix)]
#[test]
fn modes_are_kubectls() {
    use std::os::unix::fs::PermissionsExt;

    let dir = Dir::new();
    let ours = DiskCache::new(dir.path().join("a/b"), &Environment::process());
    ours.keep_groups(&kubectls().groups().unwrap());
    let mode = |name: &str| dir.path().join(name).metadata().unwrap().permissions().mode() & 0o777;
    // What the process's mask takes away from a directory is away.
    assert_eq!(mode("a/b") & 0o007, 0);
    assert_eq!(mode("a/b/servergroups.json"), 0o660);
}

#[test]
fn a_file_counts_for_six_hours() {
    let dir = Dir::new();
    let groups = kubectls().groups().unwrap();
    DiskCache::new(dir.path(), &at(0)).keep_groups(&groups);
    let written = dir.path().join("servergroups.json").metadata().unwrap().modified().unwrap();
    let since = written.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let hours = 60 * 60;
    assert!(DiskCache::new(dir.path(), &at(since + 6 * hours - 1)).groups().is_some());
    assert!(DiskCache::new(dir.path(), &at(since + 6 * hours + 2)).groups().is_none());
    let longer =
        DiskCache::new(dir.path(), &at(since + 6 * hours + 2)).with_ttl(Duration::from_secs(7 * hours));
    assert!(longer.groups().is_some());
}

#[test]
fn after_invalidation_only_our_own_files_count() {
    let dir = Dir::new();
    let groups = kubectls().groups().unwrap();
    DiskCache::new(dir.path(), &at(0)).keep_groups(&groups);
    let cache = DiskCache::new(dir.path(), &at(0));
    assert!(cache.groups().is_some() && !cache.is_fresh(GRACE));
    cache.invalidate();
    assert!(cache.groups().is_none());
    cache.keep_groups(&groups);
    assert!(cache.groups().is_some() && cache.is_fresh(GRACE));
}

#[test]
fn names_from_a_server_lead_nowhere_else() {
    let dir = Dir::new();
    let cache = DiskCache::new(dir.path().join("deep/er"), &at(0));
    let list = kubectls().resources(&GroupVersion::new("", "v1")).unwrap();
    for (group, version) in
        [("..", "v1"), ("../..", "x"), ("a", ".."), ("/etc", "v1"), ("a/b", "v1"), ("", "")]
    {
        let version = GroupVersion::new(group, version);
        cache.keep_resources(&version, &list);
        assert!(cache.resources(&version).is_none());
    }
    assert!(!dir.path().join("deep").exists());
}

#[test]
fn foreign_files_are_passed_over() {
    let dir = Dir::new();
    let cache = DiskCache::new(dir.path(), &at(0));
    for content in
        ["", "null", "[]", "{}", "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}", "\u{0}\u{1}", "{\"groups\":7}"]
    {
        std::fs::write(dir.path().join("servergroups.json"), content).unwrap();
        assert!(cache.groups().is_none(), "{content:?}");
    }
    std::fs::remove_file(dir.path().join("servergroups.json")).unwrap();
    std::fs::create_dir(dir.path().join("servergroups.json")).unwrap();
    assert!(cache.groups().is_none());
    // What can't be replaced is left, and nothing is left beside it.
    cache.keep_groups(&kubectls().groups().unwrap());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn readers_never_see_a_part() {
    let dir = Dir::new();
    let groups = kubectls().groups().unwrap();
    let cache = |seconds| DiskCache::new(dir.path(), &at(seconds));
    cache(0).keep_groups(&groups);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let cache = cache(0);
                (0..50).for_each(|_| cache.keep_groups(&groups));
            });
        }
        for _ in 0..3 {
            scope.spawn(|| {
                let cache = cache(0);
                (0..200).for_each(|_| assert!(*cache.groups().unwrap() == *groups));
            });
        }
    });
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}
