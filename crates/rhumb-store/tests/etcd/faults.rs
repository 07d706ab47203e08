//! A member that is killed again and again, while it is written to and watched.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use rhumb_store::etcd::Etcd;
use rhumb_store::{Event, Key, Outcome, Range, Revision, Store, StoreError, Transaction, Watch, Watched};
use tokio::time::{sleep, timeout};

use crate::server::{Server, key};

/// Writers that make pairs of keys, each its own, and remember which were acknowledged.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    acknowledged: Arc<AtomicUsize>,
    writers: Vec<tokio::task::JoinHandle<Vec<(String, Revision)>>>,
}

impl Load {
    /// So many writers.
    pub(crate) fn start(store: &Arc<Etcd>, writers: usize) -> Load {
        let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let writer = |number: usize| {
            let (store, stop, count) = (Arc::clone(store), Arc::clone(&stop), Arc::clone(&acknowledged));
            tokio::spawn(async move {
                let mut kept = Vec::new();
                for index in 0_usize.. {
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                    let name = format!("{number}/{index:06}");
                    let value = Bytes::from(vec![1; 200]);
                    let pair = Transaction::create(key(format!("/left/{name}")), value.clone()).put(
                        key(format!("/right/{name}")),
                        value,
                        None,
                    );
                    match store.commit(pair).await {
                        Ok(Outcome::Committed(committed)) => {
                            kept.push((name, committed.revision));
                            count.fetch_add(1, Ordering::SeqCst);
                        }
                        Ok(Outcome::Refused { found, .. }) => panic!("nobody else writes {name}: {found:?}"),
                        Err(StoreError::Unavailable(_) | StoreError::Timeout) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
                kept
            })
        };
        let writers = (0..writers).map(writer).collect();
        Load { stop, acknowledged, writers }
    }

    /// Waits until so many more writes were acknowledged.
    pub(crate) async fn proceed(&self, writes: usize) {
        let goal = self.acknowledged.load(Ordering::SeqCst) + writes;
        let reached = async {
            while self.acknowledged.load(Ordering::SeqCst) < goal {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(60), reached).await.expect("the writers don't get on");
    }

    /// Stops the writers; what was acknowledged.
    pub(crate) async fn finish(self) -> Vec<(String, Revision)> {
        self.stop.store(true, Ordering::SeqCst);
        let mut all = Vec::new();
        for writer in self.writers {
            all.extend(writer.await.expect("a writer that did not panic"));
        }
        all
    }
}

/// Checks that every acknowledged pair is there, that no half of one is, and that the watch saw each exactly once, in
/// order.
pub(crate) async fn check(store: &Etcd, acknowledged: &[(String, Revision)], watch: &mut Watch) {
    let page = store.range(Range::default()).await.expect("a page");
    let found: BTreeMap<Key, Revision> =
        page.entries.iter().map(|entry| (entry.key.clone(), entry.modified)).collect();
    for (name, revision) in acknowledged {
        for half in ["left", "right"] {
            let found = found.get(&key(format!("/{half}/{name}")));
            assert_eq!(found, Some(revision), "the {half} half of {name} was acknowledged at {revision}");
        }
    }
    for (half, revision) in &found {
        let name = String::from_utf8(half.to_vec()).expect("text");
        let other = match name.strip_prefix("/left/") {
            Some(rest) => format!("/right/{rest}"),
            None => name.replacen("/right/", "/left/", 1),
        };
        assert_eq!(found.get(&key(&other)), Some(revision), "{name} has no other half");
    }
    let mut events: Vec<Event> = Vec::new();
    while events.len() < found.len() {
        let next = timeout(Duration::from_secs(60), watch.next()).await;
        let next = next.unwrap_or_else(|_| panic!("{} of {} events", events.len(), found.len()));
        if let Watched::Events(batch) = next.expect("an open watch").expect("no error") {
            events.extend(batch);
        }
    }
    assert!(events.is_sorted_by_key(|event| event.revision));
    assert_eq!(events.len(), found.len(), "something came twice");
    let seen: BTreeMap<Key, Revision> =
        events.iter().map(|event| (event.key().clone(), event.revision)).collect();
    assert_eq!(seen, found);
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_and_restarted_it_keeps_what_was_acknowledged_and_watches_go_on() {
    let mut server = Server::start();
    let store = Arc::new(server.connect().await);
    let mut watch = store.watch(Key::new(), Revision::ZERO).await.unwrap();
    let load = Load::start(&store, 4);
    for round in 0..5 {
        load.proceed(30 + 7 * round).await;
        server.kill();
        server.run();
    }
    load.proceed(30).await;
    let acknowledged = load.finish().await;
    check(&store, &acknowledged, &mut watch).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_is_asked_impatiently_still_comes_back() {
    let mut server = Server::start();
    let store = server.connect().await;
    let mut watch = store.watch(key("/a"), Revision::ZERO).await.unwrap();
    server.kill();
    // Long enough for the pauses between attempts to outgrow the patience of the one who asks.
    for _ in 0..30 {
        assert!(timeout(Duration::from_millis(100), watch.next()).await.is_err());
    }
    server.run();
    crate::server::commit(&store, Transaction::create(key("/a"), Bytes::new())).await;
    let impatient = async {
        loop {
            if let Ok(Some(Ok(Watched::Events(events)))) =
                timeout(Duration::from_millis(100), watch.next()).await
            {
                return events;
            }
        }
    };
    assert_eq!(timeout(Duration::from_secs(60), impatient).await.unwrap().len(), 1);
}
