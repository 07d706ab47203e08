//! What is made once, and shared by all who read it.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use bytes::Bytes;
use rhumb_store::cache::{At, Cache, FormId, InitialEnd, ListOptions, WatchFrom, WatchOptions};
use rhumb_store::{Key, Store};

use crate::fake::Fake;
use crate::things::*;

#[tokio::test]
async fn a_form_is_made_once_whoever_asks() {
    let store = Arc::new(Fake::new());
    put(&*store, "a/a", "red").await;
    let cache = filled(store.clone(), config()).await;
    let object = cache.get(&key("a/a"), At::Any, pending()).await.unwrap().unwrap();
    let made = AtomicUsize::new(0);
    let barrier = Barrier::new(8);
    let forms: Vec<Vec<Bytes>> = std::thread::scope(|scope| {
        let ask = |thread: u32| {
            let (object, made, barrier) = (&object, &made, &barrier);
            move || {
                barrier.wait();
                // Each thread begins elsewhere, so that they meet in the middle of the list.
                let mut forms: Vec<(u32, Bytes)> = (0..8)
                    .map(|number| (number + thread) % 8)
                    .map(|form| {
                        let bytes = object.encoded(FormId(form), |thing| {
                            made.fetch_add(1, Ordering::Relaxed);
                            Bytes::from(format!("{form}: {:?}", thing.colours))
                        });
                        (form, bytes)
                    })
                    .collect();
                forms.sort();
                forms.into_iter().map(|(_, bytes)| bytes).collect()
            }
        };
        let threads: Vec<_> = (0..8).map(|thread| scope.spawn(ask(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(made.load(Ordering::Relaxed), 8);
    for thread in &forms {
        for (form, bytes) in thread.iter().enumerate() {
            assert_eq!(bytes, format!("{form}: [\"red\"]").as_bytes());
            assert_eq!(bytes.as_ptr(), forms[0][form].as_ptr());
        }
    }
    // Beyond the bound a form is right, and not kept.
    for _ in 0..2 {
        let more = object.encoded(FormId(99), |_| {
            made.fetch_add(1, Ordering::Relaxed);
            Bytes::from_static(b"more")
        });
        assert_eq!(more, "more");
    }
    assert_eq!(made.load(Ordering::Relaxed), 10);
}

#[tokio::test]
async fn readers_and_watchers_hold_the_same_object_and_the_bytes_of_the_store() {
    let store = Arc::new(Fake::new());
    let things = Things::default();
    let made = Arc::clone(&things.made);
    let (cache, mut driver) = Cache::new(store.clone(), things, config());
    tokio::spawn(async move { driver.run().await });
    put(&*store, "a/a", "red").await;
    cache.wait_until(rhumb_store::Revision(1), pending()).await.unwrap();
    put(&*store, "a/b", "blue").await;
    for name in ["a/a", "a/b"] {
        let (entry, _) = store.get(key(name), None).await.unwrap();
        let entry = entry.unwrap();
        let got = cache.get(&key(name), At::Newest, pending()).await.unwrap().unwrap();
        assert_eq!(got.value().as_ptr(), entry.value.as_ptr());
        assert_eq!(got.key().as_ptr(), entry.key.as_ptr());
        let mut listed = list(&cache, At::Any, &key(name), 1).await.unwrap().items;
        assert!(Arc::ptr_eq(&got, &listed.next().unwrap()));
        let by_index = coloured(if name == "a/a" { "red" } else { "blue" });
        let from = WatchFrom::Initial(InitialEnd::Marked);
        let mut watcher =
            watch(&cache, WatchOptions { from, selection: by_index, ..WatchOptions::default() });
        assert!(Arc::ptr_eq(&got, watcher.next().await.unwrap().object().unwrap()));
    }
    assert_eq!(made.load(Ordering::Relaxed), 2, "every object is decoded once");
}

#[tokio::test]
async fn what_a_reader_holds_does_not_change() {
    let store = Arc::new(Fake::new());
    for number in 0..300 {
        put(&*store, &format!("a/{number:03}"), "red").await;
    }
    let cache = filled(store.clone(), config()).await;
    let before = list(&cache, At::Newest, &Key::new(), 0).await.unwrap();
    let half = list(&cache, At::Newest, &key("a/150"), 0).await.unwrap();
    for number in 0..300 {
        remove(&*store, &format!("a/{number:03}")).await;
    }
    assert_eq!(list(&cache, At::Newest, &Key::new(), 0).await.unwrap().items.count(), 0);
    assert_eq!((before.items.count(), half.items.count()), (300, 150));
}

/// What stands together is listed together, and what is made of it is made once, until something changes.
#[tokio::test]
async fn objects_that_stand_together_share_a_form() {
    let store = Arc::new(Fake::new());
    for number in 0..100 {
        put(&*store, &format!("a/{number:03}"), "red").await;
    }
    let cache = filled(store.clone(), config()).await;
    let made = AtomicUsize::new(0);
    let list = async || {
        let mut items = cache.list(&ListOptions::default(), pending()).await.unwrap().items;
        let (mut keys, mut joined) = (Vec::new(), 0);
        loop {
            if let Some(together) = items.together() {
                let form = together.encoded(FormId(1), || {
                    made.fetch_add(1, Ordering::Relaxed);
                    together.objects().iter().flat_map(|object| object.key().to_vec()).collect()
                });
                let expected: Vec<u8> =
                    together.objects().iter().flat_map(|object| object.key().to_vec()).collect();
                assert_eq!(form, expected);
                keys.extend(together.objects().iter().map(|object| object.key().clone()));
                joined += together.objects().len();
            } else if let Some(object) = items.next() {
                keys.push(object.key().clone());
            } else {
                break;
            }
        }
        assert!(keys.is_sorted());
        (keys.len(), joined, made.swap(0, Ordering::Relaxed))
    };
    let (count, joined, pieces) = list().await;
    assert!(count == 100 && joined > 90 && (2..50).contains(&pieces), "{count} {joined} {pieces}");
    assert_eq!(list().await, (count, joined, 0), "all of them were made before");
    put(&*store, "a/050", "blue").await;
    cache.wait_until(store.revision().await.unwrap(), pending()).await.unwrap();
    assert_eq!(list().await, (count, joined, 1), "the piece that changed is made anew");
    // Nobody asks any more.
    cache.drop_unused_forms();
    cache.drop_unused_forms();
    assert_eq!(cache.form_bytes(), 0);
}
