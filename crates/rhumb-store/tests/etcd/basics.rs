//! What the trait says of reads, writes, leases and compaction.

use std::num::NonZeroU64;
use std::time::Duration;

use bytes::Bytes;
use rhumb_store::etcd::{Config, Etcd, wording};
use rhumb_store::{Change, Expected, LeaseId, Outcome, Range, Revision, Store, StoreError, Transaction};

use crate::server::{Server, commit, free_port, key};

#[tokio::test]
async fn entries_are_made_changed_and_removed() {
    let server = Server::start();
    let store = server.connect().await;
    let made = commit(&store, Transaction::create(key("/a"), Bytes::from_static(b"1"))).await;
    let first = made.entries[0].clone().unwrap();
    assert_eq!((first.created, first.modified, first.version), (made.revision, made.revision, 1));
    assert_eq!(store.get(key("/a"), None).await, Ok((Some(first.clone()), made.revision)));

    let changed = commit(&store, Transaction::update(key("/a"), Bytes::new(), made.revision)).await;
    let second = changed.entries[0].clone().unwrap();
    assert_eq!((second.created, second.modified, second.version), (made.revision, changed.revision, 2));
    assert_eq!(store.get(key("/a"), None).await, Ok((Some(second.clone()), changed.revision)));
    assert_eq!(
        store.get(key("/a"), Some(made.revision)).await,
        Ok((Some(first), changed.revision)),
        "the past stays readable"
    );
    assert_eq!(store.get(key("/a"), Some(Revision::ZERO)).await, Ok((None, changed.revision)));

    let removed = commit(&store, Transaction::delete(key("/a"), changed.revision)).await;
    assert_eq!(removed.entries, [Some(second)]);
    assert_eq!(store.get(key("/a"), None).await, Ok((None, removed.revision)));
    let nothing = Transaction { changes: vec![Change::Delete { key: key("/a") }], ..Transaction::default() };
    let nothing = commit(&store, nothing).await;
    assert_eq!((nothing.revision, nothing.entries), (removed.revision, vec![None]));
    assert_eq!(commit(&store, Transaction::default()).await.revision, removed.revision);
    assert_eq!(store.revision().await, Ok(removed.revision));
}

#[tokio::test]
async fn a_refusal_tells_what_was_found() {
    let server = Server::start();
    let store = server.connect().await;
    let made = commit(&store, Transaction::create(key("/a"), Bytes::from_static(b"1"))).await;
    let entry = made.entries[0].clone();
    for (expected_a, expected_b) in [
        (Expected::Absent, Expected::Absent),
        (Expected::At(made.revision), Expected::At(made.revision)),
        (Expected::At(made.revision), Expected::At(Revision::ZERO)),
        (Expected::At(Revision(u64::MAX)), Expected::Absent),
    ] {
        let transaction = Transaction::default()
            .expect(key("/b"), expected_b)
            .expect(key("/a"), expected_a)
            .put(key("/b"), Bytes::new(), None);
        let refused = Outcome::Refused { revision: made.revision, found: vec![None, entry.clone()] };
        assert_eq!(store.commit(transaction).await, Ok(refused), "{expected_a:?} {expected_b:?}");
    }
}

#[tokio::test]
async fn ranges_come_in_pages_at_one_revision() {
    let server = Server::start();
    let store = server.connect().await;
    let names = ["/p", "/p/1", "/p/2", "/p/3", "/p/4", "/q/1"];
    let all = names.iter().fold(Transaction::default(), |all, name| all.put(key(name), key(name), None));
    let revision = commit(&store, all).await.revision;
    let first = Range { limit: 2, ..Range::all(key("/p/")) };
    let page = store.range(first).await.unwrap();
    let keys = |page: &rhumb_store::Page| -> Vec<Bytes> {
        page.entries.iter().map(|entry| entry.key.clone()).collect()
    };
    assert_eq!((keys(&page), page.more, page.revision), (vec![key("/p/1"), key("/p/2")], true, revision));

    commit(&store, Transaction::delete(key("/p/3"), revision)).await;
    let start = key("/p/2\0");
    let rest = Range { start: start.clone(), at: Some(revision), limit: 2, ..Range::all(key("/p/")) };
    let page = store.range(rest).await.unwrap();
    assert_eq!((keys(&page), page.more, page.revision), (vec![key("/p/3"), key("/p/4")], false, revision));
    let now = store.range(Range { start, ..Range::all(key("/p/")) }).await.unwrap();
    assert_eq!((keys(&now), now.revision), (vec![key("/p/4")], revision.next()));

    let behind = Range { start: key("/q"), ..Range::all(key("/p/")) };
    assert_eq!(store.range(behind).await.unwrap().entries, []);
    assert_eq!(store.range(Range::default()).await.unwrap().entries.len(), 5);
    assert_eq!(store.count(key("/p/")).await, Ok(3));
    assert_eq!(store.count(Bytes::new()).await, Ok(5));
}

#[tokio::test]
async fn revisions_out_of_reach_are_told_apart() {
    let server = Server::start();
    let store = server.connect().await;
    let mut revision = Revision::ZERO;
    for _ in 0..10 {
        let put = Transaction::default().put(key("/a"), Bytes::new(), None);
        revision = commit(&store, put).await.revision;
    }
    let future = Err(StoreError::Future { newest: revision });
    assert_eq!(store.get(key("/a"), Some(revision.next())).await.map(|_| ()), future);
    assert_eq!(store.compact(revision.next()).await, future);

    let oldest = Revision(revision.0 - 3);
    assert_eq!(store.compact(oldest).await, Ok(()));
    assert_eq!(store.compact(oldest).await, Ok(()), "what is done already needs not be done");
    let compacted = Err(StoreError::Compacted { oldest });
    let before = Revision(oldest.0 - 1);
    assert_eq!(store.compact(before).await, compacted);
    assert_eq!(store.get(key("/a"), Some(before)).await.map(|_| ()), compacted);
    assert_eq!(store.get(key("/a"), Some(Revision::ZERO)).await.map(|_| ()), compacted);
    let range = Range { at: Some(before), ..Range::all(key("/")) };
    assert_eq!(store.range(range).await.map(|_| ()), compacted);
    assert!(store.get(key("/a"), Some(oldest)).await.is_ok());
}

#[tokio::test]
async fn keys_vanish_with_their_lease() {
    let server = Server::start();
    let store = server.connect().await;
    let lease = store.grant(Duration::from_millis(99_500)).await.unwrap();
    let put = Transaction::default().put(key("/event"), Bytes::new(), Some(lease));
    commit(&store, put.clone()).await;
    assert_eq!(store.get(key("/event"), None).await.unwrap().0.unwrap().lease, Some(lease));
    assert_eq!(store.revoke(lease).await, Ok(()));
    assert_eq!(store.get(key("/event"), None).await.unwrap().0, None);
    assert_eq!(store.revoke(lease).await, Err(StoreError::NoLease));
    assert_eq!(store.commit(put).await, Err(StoreError::NoLease));
    let strange = Some(LeaseId(NonZeroU64::MAX));
    let put = Transaction::default().put(key("/event"), Bytes::new(), strange);
    assert_eq!(store.commit(put).await, Err(StoreError::NoLease));

    let short = store.grant(Duration::from_secs(1)).await.unwrap();
    let mut watch = store.watch(key("/short"), Revision::ZERO).await.unwrap();
    commit(&store, Transaction::default().put(key("/short"), Bytes::new(), Some(short))).await;
    let events = crate::watches::events(&mut watch, 2).await;
    assert_eq!(events[1].kind, rhumb_store::EventKind::Delete(key("/short")), "it expires by itself");
}

#[tokio::test]
async fn what_the_server_refuses_is_worded_as_kubernetes_does() {
    let server = Server::start();
    let store = server.connect().await;
    // The first is over the limit of etcd, the second over that of the transport.
    for size in [1_700_000, 4_000_000] {
        let create = Transaction::create(key("/a"), vec![0; size].into());
        let error = store.commit(create).await.unwrap_err();
        assert_eq!(error, StoreError::TooLarge { size: size + 4, limit: 1_572_864 });
        assert_eq!(wording(&error), "etcdserver: request is too large");
    }
    let twice = Transaction::default().put(key("/a"), Bytes::new(), None).put(key("/a"), Bytes::new(), None);
    let error = store.commit(twice).await.unwrap_err();
    assert_eq!(wording(&error), "etcdserver: duplicate key given in txn request");
    assert_eq!(store.get(key("/a"), None).await.unwrap().0, None);
}

#[tokio::test]
async fn nobody_there_is_said_with_the_reason() {
    let nobody = format!("127.0.0.1:{}", free_port());
    let config = Config { request_timeout: Duration::from_millis(500), ..Config::new([nobody]) };
    let error = Etcd::connect(config).await.unwrap_err();
    assert!(
        matches!(&error, StoreError::Unavailable(why) if why.contains("Connection refused")),
        "{error:?}"
    );
}
