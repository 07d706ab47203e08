//! What the trait says of watches.

use std::time::Duration;

use bytes::Bytes;
use rhumb_store::{Event, EventKind, Revision, Store, StoreError, Transaction, Watch, Watched};
use tokio::time::timeout;

use crate::proxy::Proxy;
use crate::server::{self, Server, commit, connect, key};

/// How long to wait for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// The next thing that a watch gives.
pub(crate) async fn next(watch: &mut Watch) -> Result<Watched, StoreError> {
    timeout(PATIENCE, watch.next()).await.expect("nothing comes").expect("it has ended")
}

/// The next events, at least so many.
pub(crate) async fn events(watch: &mut Watch, count: usize) -> Vec<Event> {
    let mut all = Vec::new();
    while all.len() < count {
        if let Watched::Events(events) = next(watch).await.expect("no error") {
            all.extend(events);
        }
    }
    all
}

/// The next batch of events, whole.
async fn batch(watch: &mut Watch) -> Vec<Event> {
    loop {
        if let Watched::Events(events) = next(watch).await.expect("no error") {
            return events;
        }
    }
}

#[tokio::test]
async fn events_come_from_a_revision_on_with_what_was_before() {
    let server = Server::start();
    let store = server.connect().await;
    let made = commit(&store, Transaction::create(key("/w/a"), Bytes::from_static(b"1"))).await;
    commit(&store, Transaction::create(key("/x"), Bytes::new())).await;
    let changed =
        commit(&store, Transaction::update(key("/w/a"), Bytes::from_static(b"2"), made.revision)).await;
    let removed = commit(&store, Transaction::delete(key("/w/a"), changed.revision)).await;
    let entry = |committed: &rhumb_store::Committed| committed.entries[0].clone().unwrap();
    let expect = [
        Event { revision: made.revision, kind: EventKind::Put(entry(&made)), previous: None },
        Event {
            revision: changed.revision,
            kind: EventKind::Put(entry(&changed)),
            previous: Some(entry(&made)),
        },
        Event {
            revision: removed.revision,
            kind: EventKind::Delete(key("/w/a")),
            previous: Some(entry(&changed)),
        },
    ];
    for (from, skipped) in
        [(Revision::ZERO, 0), (made.revision, 0), (changed.revision, 1), (removed.revision, 2)]
    {
        let mut watch = store.watch(key("/w/"), from).await.unwrap();
        let expect = &expect[skipped..];
        assert_eq!(events(&mut watch, expect.len()).await, expect, "from {from}");
    }
    let mut watch = store.watch(key("/w/"), removed.revision.next()).await.unwrap();
    let last = commit(&store, Transaction::create(key("/w/b"), Bytes::new())).await;
    assert_eq!(batch(&mut watch).await[0].revision, last.revision);
}

#[tokio::test]
async fn a_transaction_is_never_split_even_if_it_comes_in_fragments() {
    let server = Server::start();
    let store = server.connect().await;
    let transaction = |fill: u8| {
        let value = Bytes::from(vec![fill; 14_000]);
        let put = |all: Transaction, index| all.put(key(format!("/f/{index:03}")), value.clone(), None);
        (0..100).fold(Transaction::default(), put)
    };
    let first = commit(&store, transaction(1)).await.revision;
    // With what was before, the events of this one are larger than a response of etcd may be.
    let second = commit(&store, transaction(2)).await.revision;
    let mut watch = store.watch(key("/f/"), second).await.unwrap();
    let events = batch(&mut watch).await;
    assert_eq!(events.len(), 100);
    assert!(events.iter().all(|event| event.revision == second));
    assert!(events.iter().all(|event| event.previous.as_ref().is_some_and(|entry| entry.modified == first)));
    assert!(events.is_sorted_by_key(|event| event.key().clone()));
}

#[tokio::test]
async fn a_watch_from_before_the_compaction_ends() {
    let server = Server::start();
    let store = server.connect().await;
    let mut revision = Revision::ZERO;
    for _ in 0..5 {
        revision = commit(&store, Transaction::default().put(key("/a"), Bytes::new(), None)).await.revision;
    }
    store.compact(revision).await.unwrap();
    let compacted = StoreError::Compacted { oldest: revision };
    match store.watch(key("/"), Revision(revision.0 - 1)).await {
        Ok(mut watch) => {
            assert_eq!(next(&mut watch).await, Err(compacted));
            assert!(watch.next().await.is_none(), "after an error nothing more comes");
        }
        // Where it is found out before the watch begins.
        Err(error) => assert_eq!(error, compacted),
    }
}

#[tokio::test]
async fn a_quiet_watch_tells_how_far_it_has_got() {
    // Servers before 3.5 tell it every ten minutes only and can't be asked: from them, the event must do.
    let tells = server::version() >= (3, 5, 0);
    let often: &[&str] = if tells { &["--experimental-watch-progress-notify-interval=200ms"] } else { &[] };
    let server = Server::start_with(often);
    let store = server.connect().await;
    let mut watch = store.watch(key("/quiet/"), Revision::ZERO).await.unwrap();
    let mut newest = Revision::ZERO;
    for _ in 0..3 {
        newest = commit(&store, Transaction::default().put(key("/loud"), Bytes::new(), None)).await.revision;
        let mut told = Revision::ZERO;
        while tells && told < newest {
            let Watched::Progress(revision) = next(&mut watch).await.unwrap() else { panic!("an event") };
            assert!(told <= revision);
            told = revision;
        }
    }
    let made = commit(&store, Transaction::create(key("/quiet/a"), Bytes::new())).await;
    assert_eq!(made.revision, newest.next());
    assert_eq!(events(&mut watch, 1).await[0].revision, made.revision);
}

#[tokio::test]
async fn watches_that_nobody_reads_hold_up_nothing() {
    let server = Server::start();
    let store = server.connect().await;
    let mut unread = Vec::new();
    for _ in 0..40 {
        unread.push(store.watch(key("/big/"), Revision::ZERO).await.unwrap());
    }
    let mut read = store.watch(key("/big/"), Revision::ZERO).await.unwrap();
    for index in 0..20 {
        let value = Bytes::from(vec![7; 500_000]);
        let made = commit(&store, Transaction::create(key(format!("/big/{index}")), value)).await;
        assert_eq!(events(&mut read, 1).await[0].revision, made.revision);
    }
    for watch in &mut unread {
        let revisions: Vec<Revision> = events(watch, 20).await.iter().map(|event| event.revision).collect();
        assert_eq!(revisions.len(), 20);
        assert!(revisions.is_sorted_by(|one, other| one < other));
    }
}

#[tokio::test]
async fn a_cut_wire_loses_repeats_and_reorders_nothing() {
    let server = Server::start();
    let direct = server.connect().await;
    let proxy = Proxy::start(server.port).await;
    let store = connect([proxy.endpoint()]).await;
    let mut watch = store.watch(key("/c/"), Revision::ZERO).await.unwrap();
    let writer = tokio::spawn(async move {
        let mut revisions = Vec::new();
        for index in 0..300 {
            let pair = Transaction::default()
                .put(key(format!("/c/{}", index % 7)), Bytes::from(vec![1; 3000]), None)
                .put(key(format!("/c/x{}", index % 5)), Bytes::new(), None);
            revisions.push(commit(&direct, pair).await.revision);
        }
        revisions
    });
    let mut seen = Vec::new();
    while seen.len() < 300 {
        // Each batch that gets through costs the connection its life.
        if let Watched::Events(events) = next(&mut watch).await.unwrap() {
            let mut revisions: Vec<Revision> = events.iter().map(|event| event.revision).collect();
            assert_eq!(revisions.len() % 2, 0, "half of a transaction: {revisions:?}");
            revisions.dedup();
            assert_eq!(revisions.len() * 2, events.len(), "half of a transaction: {revisions:?}");
            seen.extend(revisions);
        }
        proxy.cut();
        proxy.mend();
    }
    assert_eq!(seen, writer.await.unwrap());
}

#[tokio::test]
async fn compaction_while_the_wire_is_cut_ends_the_watch() {
    let server = Server::start();
    let direct = server.connect().await;
    let proxy = Proxy::start(server.port).await;
    let store = connect([proxy.endpoint()]).await;
    commit(&direct, Transaction::create(key("/a"), Bytes::new())).await;
    let mut watch = store.watch(key("/a"), Revision::ZERO).await.unwrap();
    assert_eq!(events(&mut watch, 1).await.len(), 1);
    proxy.cut();
    let mut newest = Revision::ZERO;
    for _ in 0..5 {
        newest = commit(&direct, Transaction::default().put(key("/a"), Bytes::new(), None)).await.revision;
    }
    direct.compact(newest).await.unwrap();
    proxy.mend();
    assert_eq!(next(&mut watch).await, Err(StoreError::Compacted { oldest: newest }));
}

#[tokio::test]
async fn a_removal_at_the_compacted_revision_is_told_or_the_watch_refused() {
    let server = Server::start();
    let store = server.connect().await;
    for distance in [0, 1] {
        let name = key(format!("/near/{distance}"));
        let made = commit(&store, Transaction::create(name.clone(), Bytes::new())).await.revision;
        let removed = commit(&store, Transaction::delete(name.clone(), made)).await.revision;
        commit(&store, Transaction::default().put(key("/near/other"), Bytes::new(), None)).await;
        let from = Revision(removed.0 - distance);
        store.compact(from).await.unwrap();
        let begun = store.watch(key("/near/"), from).await;
        if server::keeps_removals() {
            let seen = events(&mut begun.unwrap(), 2).await;
            assert!(seen.iter().any(|event| event.kind == EventKind::Delete(name.clone())), "{seen:?}");
        } else {
            assert_eq!(begun.map(|_| ()), Err(StoreError::Compacted { oldest: from.next() }));
        }
        // One further on, every server tells all of it.
        let mut after = store.watch(key("/near/"), from.next()).await.unwrap();
        assert!(events(&mut after, 1).await[0].revision > from);
    }
}
