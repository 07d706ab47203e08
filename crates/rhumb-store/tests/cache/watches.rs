//! Watches: where they begin, what they see of a change, and what becomes of slow ones.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rhumb_store::cache::{
    Bookmarks, CacheError, Config, InitialEnd, Selection, WatchEvent, WatchFrom, WatchOptions, Watcher,
};
use rhumb_store::{Revision, Store};
use tokio::sync::mpsc;

use crate::fake::Fake;
use crate::things::*;

fn from(from: WatchFrom) -> WatchOptions<Thing> {
    WatchOptions { from, ..WatchOptions::default() }
}

#[tokio::test]
async fn objects_come_and_go_with_what_is_selected() {
    let store = Arc::new(Fake::new());
    let cache = filled(store.clone(), config()).await;
    let mut indexed = watch(&cache, WatchOptions { selection: coloured("red"), ..WatchOptions::default() });
    let mut looked = watch(&cache, WatchOptions { selection: looking("red"), ..WatchOptions::default() });
    let within = Selection { prefix: key("b/"), ..Selection::default() };
    let mut within = watch(&cache, WatchOptions { selection: within, ..WatchOptions::default() });
    put(&*store, "a/a", "red").await;
    put(&*store, "a/a", "red,blue").await;
    put(&*store, "a/a", "blue").await;
    put(&*store, "a/a", "green").await;
    put(&*store, "a/a", "green,red").await;
    write(&*store, &[("b/b", Some("red")), ("a/a", None), ("b/c", Some("blue"))]).await;
    let seen = ["+a/a@1", "~a/a@2", "-a/a@3", "+a/a@5", "+b/b@6", "-a/a@6"];
    assert_eq!(next(&mut indexed, 6).await, seen);
    assert_eq!(next(&mut looked, 6).await, seen);
    assert_eq!(next(&mut within, 2).await, ["+b/b@6", "+b/c@6"]);
}

#[tokio::test]
async fn the_last_state_is_the_one_that_was_selected() {
    let store = Arc::new(Fake::new());
    let cache = filled(store.clone(), config()).await;
    let mut watchers: Vec<Watcher<Things>> = (0..3)
        .map(|_| watch(&cache, WatchOptions { selection: coloured("red"), ..WatchOptions::default() }))
        .collect();
    put(&*store, "a/a", "red").await;
    put(&*store, "a/a", "blue").await;
    let mut last = Vec::new();
    for watcher in &mut watchers {
        watcher.next().await.unwrap();
        last.push(watcher.next().await.unwrap().object().cloned().unwrap());
    }
    assert_eq!((last[0].value().as_ref(), last[0].revision()), (b"red".as_slice(), Revision(2)));
    assert!(last.iter().all(|object| Arc::ptr_eq(object, &last[0])), "it is made once for all watchers");
}

#[tokio::test]
async fn initial_events_end_with_a_bookmark_and_then_it_is_live() {
    let store = Arc::new(Fake::new());
    put(&*store, "b/b", "red").await;
    put(&*store, "a/a", "red").await;
    put(&*store, "a/c", "blue").await;
    let cache = filled(store.clone(), config()).await;
    let mut marked = watch(&cache, from(WatchFrom::Initial(InitialEnd::Marked)));
    let mut red = watch(
        &cache,
        WatchOptions { selection: coloured("red"), ..from(WatchFrom::Initial(InitialEnd::Unmarked)) },
    );
    // What happens meanwhile comes behind the bookmark.
    assert_eq!(next(&mut marked, 1).await, ["+a/a@2"]);
    remove(&*store, "b/b").await;
    cache.wait_until(Revision(4), pending()).await.unwrap();
    assert_eq!(next(&mut marked, 4).await, ["+a/c@3", "+b/b@1", "==3", "-b/b@4"]);
    assert_eq!(next(&mut red, 3).await, ["+a/a@2", "+b/b@1", "-b/b@4"]);
}

#[tokio::test]
async fn bookmarks_come_with_the_tick_to_those_who_want_them() {
    let store = Arc::new(Fake::new());
    let cache = filled(store.clone(), config()).await;
    let wanted = WatchOptions { bookmarks: Bookmarks::Wanted, ..from(WatchFrom::Now) };
    let mut wants = watch(&cache, WatchOptions { selection: coloured("red"), ..wanted });
    let mut wants_not = watch(&cache, from(WatchFrom::Now));
    assert!(at_once(wants.next()).await.is_none());
    put(&*store, "a/a", "red").await;
    put(&*store, "a/b", "blue").await;
    cache.wait_until(Revision(2), pending()).await.unwrap();
    assert_eq!(wants.bookmark(), None, "it has not given everything yet");
    cache.tick();
    assert_eq!(next(&mut wants, 2).await, ["+a/a@1", "=2"]);
    assert_eq!(next(&mut wants_not, 2).await, ["+a/a@1", "+a/b@2"]);
    assert!(at_once(wants_not.next()).await.is_none());
    assert_eq!(wants_not.bookmark().map(|bookmark| bookmark.revision), Some(Revision(2)));
    assert!(at_once(wants.next()).await.is_none(), "one tick is one bookmark");
    cache.tick();
    assert_eq!(next(&mut wants, 1).await, ["=2"]);
}

#[tokio::test]
async fn a_large_past_is_let_go_some_ticks_later() {
    let store = Arc::new(Fake::new());
    let cache = filled(store.clone(), Config { settled_log_bytes: 40, ..config() }).await;
    put(&*store, "a/a", &"red,".repeat(20)).await;
    put(&*store, "a/b", "red").await;
    cache.wait_until(Revision(2), pending()).await.unwrap();
    let mut there = watch(&cache, from(WatchFrom::After(Revision::ZERO)));
    assert_eq!(next(&mut there, 2).await, ["+a/a@1", "+a/b@2"]);
    let mut ticks = 0;
    let begins = |from_revision| cache.watch(from(WatchFrom::After(Revision(from_revision)))).is_ok();
    while begins(0) {
        assert!(ticks < 20, "it is never let go");
        cache.tick();
        ticks += 1;
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
    assert!(ticks > 5, "{ticks}: it was recent");
    assert!(begins(1), "what is small stays");
    assert!(cache.take_released() > 80 && cache.take_released() == 0);
    put(&*store, "a/c", "red").await;
    cache.wait_until(Revision(3), pending()).await.unwrap();
    assert_eq!(next(&mut there, 1).await, ["+a/c@3"], "who has read it goes on");
}

#[tokio::test]
async fn a_watch_begins_in_the_past_or_in_the_future() {
    let store = Arc::new(Fake::new());
    let cache = filled(store.clone(), config()).await;
    for name in ["a/a", "a/b", "a/c"] {
        put(&*store, name, "red").await;
    }
    cache.wait_until(Revision(3), pending()).await.unwrap();
    let mut past = watch(&cache, from(WatchFrom::After(Revision(1))));
    assert_eq!(next(&mut past, 2).await, ["+a/b@2", "+a/c@3"]);
    let mut all = watch(&cache, from(WatchFrom::After(Revision::ZERO)));
    assert_eq!(next(&mut all, 3).await, ["+a/a@1", "+a/b@2", "+a/c@3"]);
    let wanted = WatchOptions { bookmarks: Bookmarks::Wanted, ..from(WatchFrom::After(Revision(5))) };
    let mut future = watch(&cache, wanted);
    put(&*store, "a/d", "red").await;
    cache.wait_until(Revision(4), pending()).await.unwrap();
    cache.tick();
    assert!(at_once(future.next()).await.is_none(), "no bookmark takes it back");
    put(&*store, "a/e", "red").await;
    put(&*store, "a/f", "red").await;
    cache.wait_until(Revision(6), pending()).await.unwrap();
    assert_eq!(next(&mut future, 2).await, ["+a/f@6", "=6"]);
}

#[tokio::test]
async fn a_slow_watcher_is_cut_off_while_others_go_on() {
    for config in [Config { log_changes: 50, ..config() }, Config { log_bytes: 50 * 17, ..config() }] {
        let store = Arc::new(Fake::new());
        let cache = filled(store.clone(), config).await;
        let mut slow = watch(&cache, from(WatchFrom::Now));
        let mut fast = watch(&cache, from(WatchFrom::Now));
        put(&*store, "a/000", "red").await;
        assert_eq!(next(&mut slow, 1).await, ["+a/000@1"]);
        assert_eq!(next(&mut fast, 1).await, ["+a/000@1"]);
        for number in 1..500_u32 {
            let name = format!("a/{number:03}");
            let revision = put(&*store, &name, "red").await;
            assert_eq!(next(&mut fast, 1).await, [format!("+{name}@{revision}")]);
        }
        let error = slow.next().await.unwrap_err();
        let CacheError::Expired { requested, oldest, newest } = error.clone() else { panic!("{error:?}") };
        assert_eq!((requested, newest), (Revision(1), Revision(500)));
        assert!(oldest > Revision(400), "{oldest}");
        assert_eq!(slow.next().await.unwrap_err(), error, "it stays ended");
        // One can go on from the oldest revision, and not from the one before.
        let mut again = watch(&cache, from(WatchFrom::After(oldest)));
        assert_eq!(next(&mut again, 1).await, [format!("+a/{:03}@{}", oldest.0, oldest.0 + 1)]);
        let before = Revision(oldest.0 - 1);
        let error = cache.watch(from(WatchFrom::After(before))).unwrap_err();
        assert_eq!(error.to_string(), format!("too old resource version: {before} ({oldest})"));
    }
}

#[tokio::test]
async fn watches_end_with_the_cache() {
    let store = Arc::new(Fake::new());
    let (cache, mut driver) = rhumb_store::cache::Cache::new(store.clone(), Things::default(), config());
    assert!(at_once(driver.run()).await.is_none());
    let mut watcher = watch(&cache, from(WatchFrom::Now));
    put(&*store, "a/a", "red").await;
    assert!(at_once(driver.run()).await.is_none());
    drop(driver);
    assert_eq!(next(&mut watcher, 1).await, ["+a/a@1"]);
    assert_eq!(watcher.next().await.unwrap_err(), CacheError::Closed);
}

/// A watcher in a task of its own: how often that was polled, and the bookmarks that it got.
fn follow(mut watcher: Watcher<Things>) -> (Arc<AtomicUsize>, mpsc::UnboundedReceiver<Revision>) {
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&polls);
    let (send, bookmarks) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let event = {
                let mut next = pin!(watcher.next());
                poll_fn(|context| {
                    counted.fetch_add(1, Ordering::SeqCst);
                    next.as_mut().poll(context)
                })
                .await
            };
            match event {
                Ok(WatchEvent::Bookmark(bookmark)) => send.send(bookmark.revision).expect("a listener"),
                Ok(_) => {}
                Err(_) => break,
            }
        }
    });
    (polls, bookmarks)
}

#[tokio::test]
async fn watchers_are_woken_by_what_they_selected_only() {
    let store = Arc::new(Fake::new());
    let cache = filled(store.clone(), Config { log_changes: 10, ..config() }).await;
    let space = |name: &str| Selection { prefix: key(name), ..Selection::default() };
    let selections = [space("a/"), space("ab/"), space("a/a"), coloured("red"), coloured("blue"), space("")];
    let mut followed = selections.map(|selection| {
        let options = WatchOptions { selection, bookmarks: Bookmarks::Wanted, ..WatchOptions::default() };
        follow(watch(&cache, options))
    });
    // Everybody on this thread has had its turn several times then.
    let settle = async || {
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    };
    let woken = async |name: &str, colour: &str| {
        settle().await;
        let before = followed.each_ref().map(|(polls, _)| polls.load(Ordering::SeqCst));
        let revision = put(&*store, name, colour).await;
        cache.wait_until(revision, pending()).await.unwrap();
        settle().await;
        std::array::from_fn(|at| followed[at].0.load(Ordering::SeqCst) > before[at])
    };
    assert_eq!(woken("a/a", "red").await, [true, false, true, true, false, true]);
    assert_eq!(woken("a/b", "green").await, [true, false, false, false, false, true]);
    assert_eq!(woken("a/a", "blue").await, [true, false, true, true, true, true]);
    for number in 0..50 {
        // More than the log holds, and nobody is cut off by it.
        assert_eq!(woken(&format!("ab/{number}"), "green").await, [false, true, false, false, false, true]);
    }
    cache.tick();
    let newest = store.revision().await.unwrap();
    for (_, bookmarks) in &mut followed {
        assert_eq!(bookmarks.recv().await, Some(newest));
    }
}
