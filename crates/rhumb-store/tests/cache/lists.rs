//! Lists and gets: as of when, which part, from where.

use std::future::{pending, ready};
use std::sync::Arc;

use bytes::Bytes;
use rhumb_store::cache::{At, CacheError, Config, IndexKey, ListOptions, Selection};
use rhumb_store::{Key, Revision, Store};

use crate::fake::Fake;
use crate::things::*;

const START: Key = Key::new();

#[tokio::test]
async fn a_consistent_list_has_what_was_written_before() {
    let store = Arc::new(Fake::new());
    let cache = filled(store.clone(), config()).await;
    for number in 0..20 {
        let revision = put(&*store, &format!("a/{number:02}"), "red").await;
        let listing = list(&cache, At::Newest, &START, 0).await.unwrap();
        assert_eq!((listing.revision, listing.items.count()), (revision, number + 1));
    }
    // Also when the last write was elsewhere.
    let other = Key::from_static(b"/registry/others/a");
    store.commit(rhumb_store::Transaction::create(other, Bytes::new())).await.unwrap();
    assert_eq!(list(&cache, At::Newest, &START, 0).await.unwrap().revision, Revision(21));
}

#[tokio::test]
async fn a_revision_that_does_not_come_is_too_large() {
    let store = Arc::new(Fake::new());
    put(&*store, "a/a", "red").await;
    let cache = filled(store.clone(), config()).await;
    for at in [At::NotOlderThan(Revision(9)), At::Exact(Revision(9))] {
        let error = cache.list(&ListOptions { at, ..ListOptions::default() }, ready(())).await.unwrap_err();
        assert_eq!(error, CacheError::TooLarge { requested: Revision(9), current: Revision(1) });
        assert_eq!(error.to_string(), "Too large resource version: 9, current: 1");
    }
    let not_older = tokio::spawn({
        let cache = cache.clone();
        async move { list(&cache, At::NotOlderThan(Revision(3)), &START, 0).await.unwrap().revision }
    });
    put(&*store, "a/b", "red").await;
    put(&*store, "a/c", "red").await;
    assert!(not_older.await.unwrap() >= Revision(3));
}

#[tokio::test]
async fn parts_of_a_list_are_of_one_revision() {
    let store = Arc::new(Fake::new());
    for number in 0..10 {
        put(&*store, &format!("a/{number}"), "red").await;
    }
    // Nothing is kept but what was listed in part.
    let cache = filled(store.clone(), Config { recent_snapshots: 0, ..config() }).await;
    let ranges = store.ranges();
    let first = list(&cache, At::Any, &START, 4).await.unwrap();
    assert_eq!((first.revision, first.remaining), (Revision(10), Some(6)));
    assert_eq!(names(first.items), ["a/0", "a/1", "a/2", "a/3"]);
    remove(&*store, "a/5").await;
    put(&*store, "a/55", "red").await;
    cache.wait_until(Revision(12), pending()).await.unwrap();
    let at = At::Exact(first.revision);
    let second = list(&cache, at, &first.next.unwrap(), 4).await.unwrap();
    assert_eq!((second.revision, second.remaining), (Revision(10), Some(2)));
    assert_eq!(names(second.items), ["a/4", "a/5", "a/6", "a/7"]);
    let third = list(&cache, at, &second.next.unwrap(), 4).await.unwrap();
    assert_eq!((third.remaining, third.next), (Some(0), None));
    assert_eq!(names(third.items), ["a/8", "a/9"]);
    assert_eq!(store.ranges(), ranges, "the store was not asked");
}

#[tokio::test]
async fn what_the_cache_forgot_the_store_knows_until_it_is_compacted() {
    let store = Arc::new(Fake::new());
    for number in 0..10 {
        put(&*store, &format!("a/{number}"), if number % 2 == 0 { "red" } else { "blue" }).await;
    }
    let config = Config { recent_snapshots: 1, parted_snapshots: 0, log_changes: 2, ..config() };
    let cache = filled(store.clone(), config).await;
    for number in 0..10 {
        remove(&*store, &format!("a/{number}")).await;
    }
    cache.wait_until(Revision(20), pending()).await.unwrap();
    let part = list(&cache, At::Exact(Revision(10)), &key("a/3"), 3).await.unwrap();
    assert_eq!(part.next, Some(Bytes::from([key("a/5").as_ref(), b"\0"].concat())));
    assert_eq!(names(part.items), ["a/3", "a/4", "a/5"]);
    let red = ListOptions {
        at: At::Exact(Revision(10)),
        selection: coloured("red"),
        limit: 4,
        ..ListOptions::default()
    };
    let part = cache.list(&red, pending()).await.unwrap();
    assert!(part.next.is_some());
    assert_eq!(names(part.items), ["a/0", "a/2", "a/4", "a/6"]);
    let was = cache.get(&key("a/3"), At::Exact(Revision(10)), pending()).await.unwrap();
    assert_eq!(was.map(|object| object.revision()), Some(Revision(4)));

    store.compact(Revision(15)).await.unwrap();
    let error = list(&cache, At::Exact(Revision(10)), &START, 0).await.unwrap_err();
    let expired = |oldest| CacheError::Expired { requested: Revision(10), oldest, newest: Revision(20) };
    assert_eq!(error, expired(Revision(18)));
    assert_eq!(names(list(&cache, At::Exact(Revision(19)), &START, 0).await.unwrap().items), ["a/9"]);
}

#[tokio::test]
async fn a_list_by_index_has_its_keys_in_order_and_in_parts() {
    let store = Arc::new(Fake::new());
    for number in 0..200 {
        let colours = ["red", "blue", "red,blue", "", "green,red,red"][number % 5];
        put(&*store, &format!("{}/{number:03}", ["a", "b"][number % 2]), colours).await;
    }
    let cache = filled(store.clone(), config()).await;
    for number in (0..200).step_by(3) {
        let colours = ["blue", "red", "", "green"][number % 4];
        put(&*store, &format!("{}/{number:03}", ["a", "b"][number % 2]), colours).await;
    }
    for number in (0..200).step_by(7) {
        remove(&*store, &format!("{}/{number:03}", ["a", "b"][number % 2])).await;
    }
    for colour in ["red", "blue", "green", "none"] {
        for prefix in [Key::new(), key("a/"), key("b/"), key("c/")] {
            let indexed = Selection { prefix: prefix.clone(), ..coloured(colour) };
            let looked = Selection { prefix, ..looking(colour) };
            let all = |selection: &Selection<Thing>| ListOptions {
                selection: selection.clone(),
                ..ListOptions::default()
            };
            let expected = names(cache.list(&all(&looked), pending()).await.unwrap().items);
            let listing = cache.list(&all(&indexed), pending()).await.unwrap();
            assert_eq!(names(listing.items), expected);
            for selection in [indexed, looked] {
                let mut found = Vec::new();
                let mut options = ListOptions { limit: 3, ..all(&selection) };
                loop {
                    let part = cache.list(&options, pending()).await.unwrap();
                    found.extend(names(part.items));
                    if let Some(remaining) = part.remaining {
                        assert_eq!(found.len() + remaining, expected.len());
                    }
                    let Some(next) = part.next else { break };
                    options = ListOptions { at: At::Exact(part.revision), start: next, ..options };
                }
                assert_eq!(found, expected);
            }
        }
    }
    let index = Some(IndexKey { index: "size".to_owned(), key: "big".to_owned() });
    let selection = Selection { index, ..Selection::default() };
    let error =
        cache.list(&ListOptions { selection, ..ListOptions::default() }, pending()).await.unwrap_err();
    assert_eq!(error, CacheError::NoIndex("size".to_owned()));
    let index = Some(IndexKey { index: "size".to_owned(), key: "big".to_owned() });
    let selection = Selection { index, ..Selection::default() };
    let options = rhumb_store::cache::WatchOptions { selection, ..Default::default() };
    assert_eq!(cache.watch(options).unwrap_err(), CacheError::NoIndex("size".to_owned()));
}

#[tokio::test]
async fn nothing_is_answered_before_the_cache_is_filled_or_after_it_ended() {
    let store = Arc::new(Fake::new());
    let (cache, driver) =
        rhumb_store::cache::Cache::new(store as Arc<dyn Store>, Things::default(), config());
    let any = ListOptions { at: At::Any, ..ListOptions::default() };
    assert_eq!(cache.list(&any, ready(())).await.unwrap_err(), CacheError::NotReady);
    assert!(cache.snapshot().is_none());
    drop(driver);
    assert_eq!(cache.list(&any, pending()).await.unwrap_err(), CacheError::Closed);
}
