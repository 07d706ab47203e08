//! Many writers, readers and watchers at once, above any store.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;

use rhumb_store::cache::{
    At, Bookmarks, Cache, Config, InitialEnd, ListOptions, WatchEvent, WatchFrom, WatchOptions,
};
use rhumb_store::{Key, Revision, Store};

use crate::things::*;

const WRITERS: u64 = 8;
const WRITES: u64 = 150;

/// What a watcher put together, up to a revision.
async fn follow(cache: Cache<Things>, selected: bool, until: Revision) -> BTreeMap<String, Revision> {
    let selection = if selected { coloured("red") } else { Default::default() };
    let from = WatchFrom::Initial(InitialEnd::Marked);
    let mut watcher = watch(&cache, WatchOptions { from, selection, bookmarks: Bookmarks::Wanted });
    let mut contents = BTreeMap::new();
    loop {
        match watcher.next().await.expect("nobody is slow enough to be cut off") {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                let old = contents.insert(name(object.key()), object.revision());
                assert!(old.is_none_or(|old| old < object.revision()), "nothing comes twice or goes back");
            }
            WatchEvent::Deleted(object) => {
                assert!(contents.remove(&name(object.key())).is_some_and(|old| old < object.revision()));
            }
            WatchEvent::Bookmark(bookmark) if bookmark.revision >= until => return contents,
            WatchEvent::Bookmark(_) => {}
        }
    }
}

/// Everyone agrees in the end, and every writer reads what it wrote. The store has no other writers.
pub(crate) async fn agree(store: Arc<dyn Store>) {
    let cache = filled(Arc::clone(&store), Config { recent_snapshots: 16, ..config() }).await;
    let begin = store.revision().await.expect("an answer");
    let end = Revision(begin.0 + WRITERS * WRITES);
    let watchers: Vec<_> =
        (0..16).map(|number| tokio::spawn(follow(cache.clone(), number % 2 == 0, end))).collect();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (store, cache) = (Arc::clone(&store), cache.clone());
            tokio::spawn(async move {
                for number in 0..WRITES {
                    let name = format!("a/{writer}-{}", number % 7);
                    let there = number >= 7 && number % 21 >= 7;
                    // Every name is made, changed and removed in turn; each of these takes a revision.
                    let colours = ["red", "blue"][usize::try_from(number % 2).expect("an answer")];
                    let revision = if there && number % 21 >= 14 {
                        remove(&*store, &name).await
                    } else {
                        put(&*store, &name, colours).await
                    };
                    let read = cache.get(&key(&name), At::Newest, pending()).await.expect("an answer");
                    let expected = (!(there && number % 21 >= 14)).then_some(revision);
                    assert_eq!(read.map(|object| object.revision()), expected);
                    let limit = 5;
                    let options =
                        ListOptions { at: At::NotOlderThan(revision), limit, ..ListOptions::default() };
                    let part = cache.list(&options, pending()).await.expect("an answer");
                    assert!(part.revision >= revision);
                    if let Some(start) = part.next {
                        let at = At::Exact(part.revision);
                        let rest = list(&cache, at, &start, 0).await.expect("an answer");
                        assert_eq!(Some(rest.items.count()), part.remaining);
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.expect("an answer");
    }
    assert_eq!(cache.wait_until(end, pending()).await, Ok(end));
    cache.tick();
    let listed = |objects: rhumb_store::cache::Items<Thing>| -> BTreeMap<String, Revision> {
        objects.map(|object| (name(object.key()), object.revision())).collect()
    };
    let all = listed(list(&cache, At::Newest, &Key::new(), 0).await.expect("an answer").items);
    let red = ListOptions { selection: coloured("red"), ..ListOptions::default() };
    let red = listed(cache.list(&red, pending()).await.expect("an answer").items);
    assert!(!red.is_empty() && red.len() < all.len());
    for (number, watcher) in watchers.into_iter().enumerate() {
        assert_eq!(
            watcher.await.expect("an answer"),
            if number % 2 == 0 { red.clone() } else { all.clone() }
        );
    }
}
