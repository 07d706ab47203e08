//! What is there after a restart, and what a directory refuses.

mod scratch;
mod suite;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rhumb_store::{Clock, Embedded, Options, Range, Store, StoreError, Transaction};
use scratch::Scratch;
use suite::{bytes, done, events, events_until, get, put, remove, story};

/// A clock that moves when it is told to.
#[derive(Default)]
struct Hand(AtomicU64);

impl Hand {
    fn advance(&self, by: Duration) {
        self.0.fetch_add(u64::try_from(by.as_millis()).expect("a short time"), Ordering::SeqCst);
    }
}

impl Clock for Hand {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::SeqCst))
    }
}

fn open(directory: &Path) -> Embedded {
    Embedded::open(directory, Options::default()).expect("a store")
}

/// Looks again and again until something holds; the store works on it in its own time.
async fn wait_for(mut holds: impl AsyncFnMut() -> bool) {
    let look = async {
        while !holds().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), look).await.expect("it never happened");
}

#[tokio::test]
async fn everything_is_there_after_a_restart() {
    let scratch = Scratch::new();
    let store = open(&scratch.path);
    let first = put(&store, "/a", "1").await;
    put(&store, "/b", "1").await;
    put(&store, "/a", "2").await;
    let last = remove(&store, "/b").await;
    let before = store.range(Range::all(bytes("/"))).await.expect("a page");
    store.close().expect("an orderly end");
    assert_eq!(store.commit(Transaction::create(bytes("/c"), bytes("1"))).await, Err(StoreError::Closed));
    drop(store);

    let store = open(&scratch.path);
    assert_eq!(store.range(Range::all(bytes("/"))).await, Ok(before));
    let (past, newest) = store.get(bytes("/a"), Some(first)).await.expect("a read");
    assert_eq!((past.map(|entry| entry.value), newest), (Some(bytes("1")), last));
    let mut watch = store.watch(bytes("/"), first).await.expect("a watch");
    let seen = events_until(&mut watch, last).await;
    assert_eq!(story(&seen, ""), ["put /a=1", "put /b=1", "put /a=2", "delete /b"]);
    let previous = seen.iter().map(|event| event.previous.as_ref().map(|entry| entry.value.clone()));
    assert_eq!(previous.collect::<Vec<_>>(), [None, None, Some(bytes("1")), Some(bytes("1"))]);
    assert_eq!(put(&store, "/c", "1").await, last.next());
}

#[tokio::test]
async fn the_revision_never_goes_back() {
    let scratch = Scratch::new();
    let store = open(&scratch.path);
    for number in 0..10 {
        put(&store, &format!("/{number}"), "1").await;
    }
    for number in 0..10 {
        remove(&store, &format!("/{number}")).await;
    }
    let last = store.revision().await.expect("a revision");
    store.compact(last).await.expect("compaction");
    for _ in 0..3 {
        // A transaction that changes nothing: it only gives compaction its turns.
        remove(&store, "/none").await;
    }
    drop(store);
    for _ in 0..3 {
        let store = open(&scratch.path);
        assert_eq!((store.revision().await, store.len()), (Ok(last), 0));
        assert_eq!(store.oldest(), last);
    }
    assert_eq!(put(&open(&scratch.path), "/a", "1").await, last.next());
}

#[tokio::test]
async fn deletes_at_the_compaction_survive_a_restart() {
    for distance in 0..3 {
        let scratch = Scratch::new();
        let store = open(&scratch.path);
        put(&store, "/a", "1").await;
        let mut compacted = put(&store, "/b", "1").await;
        let gone = remove(&store, "/a").await;
        for _ in 0..distance {
            compacted = compacted.next();
        }
        let last = put(&store, "/c", "1").await;
        store.compact(compacted).await.expect("compaction");
        drop(store);
        let store = open(&scratch.path);
        let mut watch = store.watch(bytes("/"), compacted).await.expect("a watch");
        let seen = story(&events_until(&mut watch, last).await, "");
        assert_eq!(seen.contains(&"delete /a".to_owned()), gone >= compacted, "{distance}: {seen:?}");
        assert_eq!(get(&store, "/a").await, None);
        assert_eq!(store.count(bytes("/")).await, Ok(2));
    }
}

#[tokio::test]
async fn compaction_gives_the_disk_back() {
    let scratch = Scratch::new();
    let store = open(&scratch.path);
    let value = "x".repeat(4000);
    for round in 0..6 {
        for number in 0..20 {
            let mut many = Transaction::default();
            for part in 0..60 {
                many = many.put(bytes(format!("/{part}/{number}")), bytes(&value), None);
            }
            done(&store, many).await;
        }
        store.compact(store.revision().await.expect("a revision")).await.expect("compaction");
        assert_eq!(store.len(), 1200, "round {round}");
    }
    store.close().expect("an orderly end");
    drop(store);
    let size = std::fs::metadata(scratch.at("store.redb")).expect("the file").len();
    // 1,200 entries of nearly 4 KiB, written six times: all of it would be 29 MB.
    assert!(size < 20 << 20, "{size} bytes");
    assert_eq!(open(&scratch.path).len(), 1200);
}

#[tokio::test]
async fn the_window_moves_with_the_clock() {
    let clock = Arc::new(Hand::default());
    let options =
        Options { clock: clock.clone(), window: Some(Duration::from_secs(60)), ..Options::default() };
    let store = Embedded::in_memory(options).expect("a store");
    let first = put(&store, "/a", "1").await;
    clock.advance(Duration::from_secs(30));
    let second = put(&store, "/a", "2").await;
    clock.advance(Duration::from_secs(29));
    let third = put(&store, "/a", "3").await;
    assert!(store.get(bytes("/a"), Some(first)).await.is_ok());
    clock.advance(Duration::from_secs(45));
    wait_for(async || store.oldest() >= second).await;
    assert!(store.get(bytes("/a"), Some(first)).await.is_err());
    assert!(store.get(bytes("/a"), Some(second)).await.is_ok());
    // The last ones came too close together to be told apart at first.
    let fourth = put(&store, "/a", "4").await;
    let last = put(&store, "/a", "3").await;
    clock.advance(Duration::from_secs(61));
    wait_for(async || store.oldest() >= third).await;
    clock.advance(Duration::from_secs(61));
    wait_for(async || store.oldest() == last).await;
    assert!(store.get(bytes("/a"), Some(fourth)).await.is_err());
    assert_eq!(get(&store, "/a").await.map(|entry| entry.value), Some(bytes("3")));
}

/// However fast something changes, its past doesn't take all memory: the window becomes shorter.
#[tokio::test]
async fn the_past_has_a_bound_in_bytes() {
    let options = || Options { past_bytes: 1 << 20, ..Options::default() };
    for scratch in [None, Some(Scratch::new())] {
        let store = match &scratch {
            Some(scratch) => Embedded::open(&scratch.path, options()).expect("a store"),
            None => Embedded::in_memory(options()).expect("a store"),
        };
        let text = "x".repeat(1000);
        for number in 0..500 {
            put(&store, &format!("/new/{number}"), &text).await;
        }
        let mut revisions = Vec::new();
        for _ in 0..300 {
            revisions.push(put(&store, "/a", &text).await);
        }
        let (first, last) = (revisions[0], *revisions.last().expect("some"));
        assert!(store.get(bytes("/a"), Some(first)).await.is_ok(), "there is room for a thousand");
        let mut watch = store.watch(bytes("/a"), first).await.expect("a watch");
        assert!(!events(&mut watch).await.expect("events").is_empty());
        for _ in 0..4000 {
            revisions.push(put(&store, "/a", &text).await);
        }
        let newest = *revisions.last().expect("some");
        assert!(store.get(bytes("/a"), Some(last)).await.is_err());
        let kept = newest.0 - store.oldest().0;
        assert!((500..1200).contains(&kept), "{kept} revisions are kept");
        assert_eq!(store.len(), 501);
        let recent = store.watch(bytes("/a"), store.oldest()).await;
        assert_eq!(
            events(&mut recent.expect("a watch")).await.expect("events").first().map(|event| event.revision),
            Some(store.oldest())
        );
    }
}

#[tokio::test]
async fn leases_get_their_full_time_after_a_restart() {
    let scratch = Scratch::new();
    let clock = Arc::new(Hand::default());
    let options = || Options { clock: clock.clone(), ..Options::default() };
    let store = Embedded::open(&scratch.path, options()).expect("a store");
    let lease = store.grant(Duration::from_secs(60)).await.expect("a lease");
    done(&store, Transaction::default().put(bytes("/a"), bytes("1"), Some(lease))).await;
    clock.advance(Duration::from_secs(59));
    drop(store);
    clock.advance(Duration::from_secs(1000));

    let store = Embedded::open(&scratch.path, options()).expect("a store");
    clock.advance(Duration::from_secs(59));
    let made = put(&store, "/b", "1").await;
    assert!(get(&store, "/a").await.is_some());
    let mut watch = store.watch(bytes("/a"), made.next()).await.expect("a watch");
    clock.advance(Duration::from_secs(1));
    assert_eq!(story(&events(&mut watch).await.expect("events"), ""), ["delete /a"]);
    let next = store.grant(Duration::from_secs(60)).await.expect("a lease");
    assert!(next > lease);
    drop(store);
    let store = Embedded::open(&scratch.path, options()).expect("a store");
    assert_eq!(store.revoke(lease).await, Err(StoreError::NoLease));
    assert_eq!(store.revoke(next).await, Ok(()));
}

#[tokio::test]
async fn batches_larger_than_the_journal_are_kept() {
    let scratch = Scratch::new();
    let options = || Options { journal_bytes: 64 << 10, ..Options::default() };
    let store = Embedded::open(&scratch.path, options()).expect("a store");
    for round in 0..40 {
        put(&store, "/small", &round.to_string()).await;
        put(&store, "/large", &"x".repeat(round * 2000)).await;
    }
    let last = store.revision().await.expect("a revision");
    drop(store);
    let store = Embedded::open(&scratch.path, options()).expect("a store");
    assert_eq!(store.revision().await, Ok(last));
    assert_eq!(get(&store, "/small").await.map(|entry| entry.value), Some(bytes("39")));
    assert_eq!(get(&store, "/large").await.map(|entry| entry.value.len()), Some(78_000));
}

#[tokio::test]
async fn a_journal_that_is_gone_is_noticed() {
    let scratch = Scratch::new();
    drop(open(&scratch.path));
    std::fs::remove_file(scratch.at("journal.1")).expect("a file");
    let Err(StoreError::Corrupt(why)) = Embedded::open(&scratch.path, Options::default()) else {
        panic!("it was opened without its journal")
    };
    assert!(why.contains("journal.1 is damaged: it is not there"), "{why}");
}

#[tokio::test]
async fn a_directory_has_one_owner() {
    let scratch = Scratch::new();
    let store = open(&scratch.path);
    let Err(StoreError::Failed(why)) = Embedded::open(&scratch.path, Options::default()) else {
        panic!("it was opened twice")
    };
    assert!(why.contains("in use by another process") && why.contains(&scratch.path.display().to_string()));
    drop(store);
    drop(open(&scratch.path));
}

#[tokio::test]
async fn watches_end_with_the_store() {
    let store = Embedded::in_memory(Options::default()).expect("a store");
    let last = put(&store, "/a", "1").await;
    let mut watch = store.watch(bytes("/"), last.next()).await.expect("a watch");
    store.close().expect("an orderly end");
    assert_eq!(watch.next().await, Some(Err(StoreError::Closed)));
    assert_eq!(watch.next().await, None);
    assert!(get(&store, "/a").await.is_some());
}

#[tokio::test]
async fn snapshots_are_restored_into_empty_directories() {
    let scratch = Scratch::new();
    let store = open(&scratch.at("one"));
    for round in 0..25 {
        let mut many = Transaction::default();
        for number in 0..100 {
            many = many.put(bytes(format!("/{round}/{number}")), bytes("1"), None);
        }
        done(&store, many).await;
    }
    let lease = store.grant(Duration::from_secs(600)).await.expect("a lease");
    let leased =
        done(&store, Transaction::default().put(bytes("/leased"), bytes("1"), Some(lease))).await.revision;
    let file = scratch.at("snapshot");
    assert_eq!(store.snapshot(&file, None), Ok(leased));
    let expected = store.range(Range::all(bytes("/"))).await.expect("a page").entries;
    put(&store, "/later", "1").await;

    let restored = Embedded::restore(&file, scratch.at("two")).expect("a restored store");
    assert_eq!(restored, leased.next());
    let again = Embedded::restore(&file, scratch.at("two"));
    assert!(matches!(again, Err(StoreError::Failed(why)) if why.contains("not empty")));
    let store = open(&scratch.at("two"));
    let page = store.range(Range::all(bytes("/"))).await.expect("a page");
    assert_eq!((page.entries, page.revision), (expected, restored));
    assert_eq!(store.watch(bytes("/"), leased).await.err(), Some(StoreError::Compacted { oldest: restored }));
    assert_eq!(put(&store, "/0/0", "2").await, restored.next());
    store.revoke(lease).await.expect("the lease came along");
    assert_eq!(get(&store, "/leased").await, None);
}

#[tokio::test]
async fn damaged_snapshots_are_refused() {
    let scratch = Scratch::new();
    let store = Embedded::in_memory(Options::default()).expect("a store");
    put(&store, "/a", "value").await;
    put(&store, "/b", "value").await;
    let file = scratch.at("snapshot");
    store.snapshot(&file, None).expect("a snapshot");
    let whole = std::fs::read(&file).expect("the file");
    let target = scratch.at("target");
    let refused = |bytes: &[u8]| {
        std::fs::write(&file, bytes).expect("a file");
        let restored = Embedded::restore(&file, &target);
        assert!(matches!(restored, Err(StoreError::Corrupt(_))), "{restored:?}");
        assert!(!target.exists());
    };
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        refused(&damaged);
        refused(&whole[..place]);
    }
}

#[tokio::test]
async fn a_lost_file_is_noticed() {
    let scratch = Scratch::new();
    let store = open(&scratch.path);
    put(&store, "/a", "1").await;
    drop(store);
    let file = scratch.at("store.redb");
    let files = [file.clone(), scratch.at("journal.0"), scratch.at("journal.1")];
    let read = || files.each_ref().map(|file| std::fs::read(file).expect("the file"));
    let write = |copies: &[Vec<u8>; 3]| {
        for (file, copy) in files.iter().zip(copies) {
            std::fs::write(file, copy).expect("a copy");
        }
    };
    let older = read();
    let store = open(&scratch.path);
    put(&store, "/a", "2").await;
    drop(store);
    let newer = read();
    let refused = || {
        let opened = Embedded::open(&scratch.path, Options::default()).map(drop);
        assert!(
            matches!(opened, Err(StoreError::Corrupt(ref why)) if why.contains("snapshot")),
            "{opened:?}"
        );
    };
    write(&older);
    refused();
    // The journal still has what the older tables lack.
    write(&newer);
    std::fs::write(&file, &older[0]).expect("an older copy");
    assert_eq!(get(&open(&scratch.path), "/a").await.map(|entry| entry.value), Some(bytes("2")));
    std::fs::write(&file, b"").expect("an empty file");
    refused();
    std::fs::remove_file(&file).expect("no file");
    refused();
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_but_the_owner_reads_the_files() {
    use std::os::unix::fs::PermissionsExt;

    let modes = |directory: &Path, to: Option<u32>| -> Vec<(String, u32)> {
        let files = std::fs::read_dir(directory).expect("a directory");
        let mut found: Vec<(String, u32)> = files
            .map(|file| {
                let path = file.expect("a file").path();
                if let Some(mode) = to {
                    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("changed");
                }
                let mode = std::fs::metadata(&path).expect("a file").permissions().mode();
                (path.display().to_string(), mode & 0o777)
            })
            .collect();
        found.sort();
        found
    };
    let scratch = Scratch::new();
    let directory = scratch.path.join("store");
    for _ in 0..2 {
        let store = open(&directory);
        let found = modes(&directory, None);
        assert!(found.len() >= 4, "tables, two halves of the journal and the lock: {found:?}");
        assert!(found.iter().all(|(_, mode)| *mode == 0o600), "{found:?}");
        store.close().expect("an orderly end");
        drop(store);
        // As releases before this one left them.
        modes(&directory, Some(0o644));
    }
}
