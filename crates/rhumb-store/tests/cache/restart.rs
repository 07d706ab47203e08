//! What the cache does when the store no longer knows what came next, or fails for a while.

use std::future::{pending, ready};
use std::sync::Arc;

use rhumb_store::cache::{At, CacheError, ListOptions, WatchFrom, WatchOptions};
use rhumb_store::{Key, Revision, Store};

use crate::fake::Fake;
use crate::things::*;

#[tokio::test]
async fn after_a_compaction_exactly_the_differences_are_seen() {
    let store = Arc::new(Fake::new());
    for name in ["a/kept", "a/changed", "a/removed", "a/remade", "a/colour"] {
        put(&*store, name, "red").await;
    }
    let cache = filled(store.clone(), config()).await;
    let kept = cache.get(&key("a/kept"), At::Any, pending()).await.unwrap().unwrap();
    let mut all = watch(&cache, WatchOptions::default());
    let mut red = watch(&cache, WatchOptions { selection: coloured("red"), ..WatchOptions::default() });

    store.hold_watches(true);
    put(&*store, "a/changed", "red").await; // 6
    put(&*store, "a/changed", "red,blue").await; // 7
    remove(&*store, "a/remade").await; // 8
    put(&*store, "a/remade", "red").await; // 9
    remove(&*store, "a/removed").await; // 10
    put(&*store, "a/colour", "blue").await; // 11
    put(&*store, "a/brief", "red").await; // 12
    remove(&*store, "a/brief").await; // 13
    put(&*store, "a/new", "red").await; // 14
    store.compact(Revision(14)).await.unwrap();
    // Until all is read again, the old state is there, and it says so.
    let old = list(&cache, At::Any, &Key::new(), 0).await.unwrap();
    assert_eq!((old.revision, old.items.count()), (Revision(5), 5));
    let newest = ListOptions { at: At::Newest, ..ListOptions::default() };
    // Who wants the newest state gets it from the store.
    let fresh = cache.list(&newest, ready(())).await.unwrap();
    assert_eq!((fresh.revision, fresh.items.count()), (Revision(14), 5));

    store.hold_watches(false);
    let differences =
        ["~a/changed@7", "-a/remade@8", "+a/remade@9", "~a/colour@11", "-a/removed@14", "+a/new@14"];
    assert_eq!(sorted(next(&mut all, 6).await), sorted(differences.map(str::to_owned).to_vec()));
    let mut seen = next(&mut red, 6).await;
    assert!(seen.contains(&"-a/colour@11".to_owned()));
    seen.retain(|event| event != "-a/colour@11");
    assert_eq!(seen.len(), 5);
    cache.tick();
    put(&*store, "a/kept", "red").await;
    assert_eq!(next(&mut all, 1).await, ["~a/kept@15"], "nothing but the differences");

    // What did not change is still the same object.
    let (_, snapshot) = cache.snapshot().unwrap();
    assert_eq!(snapshot.len(), 5);
    let exact = cache.get(&key("a/kept"), At::Exact(Revision(14)), pending()).await.unwrap().unwrap();
    assert!(Arc::ptr_eq(&kept, &exact));

    // A watch can begin before and after what is not known, and not within it.
    for within in 6..14 {
        let options = WatchOptions { from: WatchFrom::After(Revision(within)), ..WatchOptions::default() };
        assert!(matches!(cache.watch(options), Err(CacheError::Expired { .. })), "{within}");
    }
    let options = WatchOptions { from: WatchFrom::After(Revision(5)), ..WatchOptions::default() };
    assert_eq!(next(&mut watch(&cache, options), 1).await, ["~a/changed@7"]);
    let options = WatchOptions { from: WatchFrom::After(Revision(14)), ..WatchOptions::default() };
    assert_eq!(next(&mut watch(&cache, options), 1).await, ["~a/kept@15"]);
}

fn sorted(mut events: Vec<String>) -> Vec<String> {
    events.sort();
    events
}

#[tokio::test]
async fn what_came_and_went_unseen_is_not_denied() {
    let store = Arc::new(Fake::new());
    put(&*store, "a/a", "red").await;
    let cache = filled(store.clone(), config()).await;
    store.hold_watches(true);
    put(&*store, "a/brief", "red").await;
    remove(&*store, "a/brief").await;
    put(&*store, "a/a", "red").await;
    put(&*store, "a/b", "red").await;
    remove(&*store, "a/b").await;
    store.compact(Revision(5)).await.unwrap();
    store.hold_watches(false);
    cache.wait_until(Revision(6), pending()).await.unwrap();
    let at = |revision| At::Exact(Revision(revision));
    assert_eq!(names(list(&cache, at(1), &Key::new(), 0).await.unwrap().items), ["a/a"]);
    assert!(matches!(list(&cache, at(2), &Key::new(), 0).await, Err(CacheError::Expired { .. })));
    assert_eq!(names(list(&cache, at(5), &Key::new(), 0).await.unwrap().items), ["a/a", "a/b"]);
    assert_eq!(names(list(&cache, at(6), &Key::new(), 0).await.unwrap().items), ["a/a"]);
}

#[tokio::test]
async fn a_watch_ahead_of_what_is_not_known_expires() {
    let store = Arc::new(Fake::new());
    put(&*store, "a/a", "red").await;
    let cache = filled(store.clone(), config()).await;
    let options = WatchOptions { from: WatchFrom::After(Revision(3)), ..WatchOptions::default() };
    let mut ahead = watch(&cache, options);
    store.hold_watches(true);
    for colour in ["red", "blue", "green", "red"] {
        put(&*store, "a/b", colour).await;
    }
    store.compact(Revision(5)).await.unwrap();
    store.hold_watches(false);
    assert!(matches!(ahead.next().await, Err(CacheError::Expired { requested: Revision(3), .. })));
}

#[tokio::test]
async fn nobody_goes_on_from_what_another_store_said() {
    let store = Arc::new(Fake::new());
    let cache = filled(store.clone(), config()).await;
    for name in ["a/a", "a/b", "a/c", "a/d"] {
        put(&*store, name, "red").await;
    }
    let first = list(&cache, At::Newest, &Key::new(), 2).await.unwrap();
    let mut watcher = watch(&cache, WatchOptions::default());
    store.start_over();
    put(&*store, "a/z", "red").await;
    assert!(matches!(watcher.next().await, Err(CacheError::Expired { .. })));
    assert_eq!(names(list(&cache, At::Newest, &Key::new(), 0).await.unwrap().items), ["a/z"]);
    put(&*store, "a/a", "blue").await;
    put(&*store, "a/b", "blue").await;
    put(&*store, "a/c", "blue").await;
    let all = list(&cache, At::Exact(first.revision), &Key::new(), 0).await.unwrap();
    assert_eq!(names(all.items), ["a/a", "a/b", "a/c", "a/z"]);
    assert!(all.revision == first.revision, "the same number, and another store");
}

#[tokio::test]
async fn a_broken_watch_goes_on_where_it_was() {
    let store = Arc::new(Fake::new());
    let cache = filled(store.clone(), config()).await;
    let mut watcher = watch(&cache, WatchOptions::default());
    let ranges = store.ranges();
    for number in 0..50 {
        if number % 5 == 0 {
            store.break_watches();
        }
        let revision = put(&*store, &format!("a/{number:02}"), "red").await;
        assert_eq!(next(&mut watcher, 1).await, [format!("+a/{number:02}@{revision}")]);
    }
    assert_eq!(store.ranges(), ranges, "nothing was read again");
}
