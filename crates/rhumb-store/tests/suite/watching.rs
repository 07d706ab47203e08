//! Watches.

use rhumb_store::{Change, Revision, Store, StoreError, Transaction, Watched};

use super::{bytes, done, events, events_until, own, put, remove, story, text};

pub async fn watch_from_the_past(store: &dyn Store) {
    let prefix = own("from");
    put(store, &format!("{prefix}a"), "1").await;
    let second = put(store, &format!("{prefix}a"), "2").await;
    remove(store, &format!("{prefix}a")).await;
    let last = put(store, &format!("{prefix}b"), "1").await;
    let mut watch = store.watch(bytes(&prefix), second).await.expect("a watch");
    let seen = events_until(&mut watch, last).await;
    assert_eq!(story(&seen, &prefix), ["put a=2", "delete a", "put b=1"]);
    assert_eq!(seen[0].revision, second);
    assert_eq!(seen[2].revision, last);
}

pub async fn watch_from_now(store: &dyn Store) {
    let prefix = own("now");
    let before = put(store, &format!("{prefix}a"), "1").await;
    let mut watch = store.watch(bytes(&prefix), before.next()).await.expect("a watch");
    let after = put(store, &format!("{prefix}a"), "2").await;
    let seen = events_until(&mut watch, after).await;
    assert_eq!(story(&seen, &prefix), ["put a=2"]);
    let last = put(store, &format!("{prefix}a"), "3").await;
    assert_eq!(story(&events_until(&mut watch, last).await, &prefix), ["put a=3"]);
}

pub async fn watch_is_for_its_prefix(store: &dyn Store) {
    let (prefix, other) = (own("mine"), own("other"));
    let first = put(store, &format!("{prefix}a"), "1").await;
    put(store, &format!("{other}a"), "1").await;
    let last = put(store, &format!("{prefix}b"), "1").await;
    let mut watch = store.watch(bytes(&prefix), first).await.expect("a watch");
    assert_eq!(story(&events_until(&mut watch, last).await, &prefix), ["put a=1", "put b=1"]);
}

pub async fn transactions_are_never_split(store: &dyn Store) {
    let prefix = own("whole");
    let before = put(store, &format!("{prefix}start"), "1").await;
    let mut watch = store.watch(bytes(&prefix), before.next()).await.expect("a watch");
    let mut last = before;
    for round in 0..60 {
        let mut many = Transaction::default();
        for number in 0..50 {
            many = many.put(bytes(format!("{prefix}{number}")), bytes(round.to_string()), None);
        }
        last = done(store, many).await.revision;
    }
    let mut counted = 0;
    while counted < 60 * 50 {
        let seen = events(&mut watch).await.expect("events");
        for transaction in seen.chunk_by(|one, other| one.revision == other.revision) {
            assert_eq!(transaction.len(), 50, "a transaction came in parts");
        }
        counted += seen.len();
        assert!(seen.last().expect("an event").revision <= last);
    }
}

pub async fn events_have_previous_values(store: &dyn Store) {
    let prefix = own("previous");
    let key = format!("{prefix}a");
    let first = put(store, &key, "1").await;
    put(store, &key, "2").await;
    let last = remove(store, &key).await;
    let mut watch = store.watch(bytes(&prefix), first).await.expect("a watch");
    let seen = events_until(&mut watch, last).await;
    let previous = seen.iter().map(|event| event.previous.as_ref().map(|entry| text(&entry.value)));
    assert_eq!(previous.collect::<Vec<_>>(), [None, Some("1"), Some("2")]);
}

pub async fn watch_before_compaction_is_refused(store: &dyn Store) {
    let prefix = own("early");
    let first = put(store, &format!("{prefix}a"), "1").await;
    let second = put(store, &format!("{prefix}a"), "2").await;
    store.compact(second).await.expect("compaction");
    // An engine may learn it only when it begins to watch.
    let refused = match store.watch(bytes(&prefix), first).await {
        Ok(mut watch) => events(&mut watch).await.map(drop),
        Err(error) => Err(error),
    };
    assert!(matches!(refused, Err(StoreError::Compacted { oldest }) if oldest >= second), "{refused:?}");
}

pub async fn deletes_near_compaction_are_not_lost(store: &dyn Store) {
    let prefix = own("near");
    for distance in 0..3u64 {
        let key = format!("{prefix}{distance}");
        put(store, &key, "1").await;
        let gone = remove(store, &key).await;
        let mut newest = gone;
        for _ in 0..2 {
            newest = put(store, &format!("{prefix}other"), "1").await;
        }
        let from = gone.0.saturating_sub(distance.min(1));
        store.compact(Revision(from)).await.expect("compaction");
        newest = newest.max(put(store, &format!("{prefix}other"), "2").await);
        let mut watch = store.watch(bytes(&prefix), Revision(from)).await.expect("a watch");
        let seen = story(&events_until(&mut watch, newest).await, &prefix);
        assert!(seen.contains(&format!("delete {distance}")), "{seen:?}");
    }
}

pub async fn slow_watchers_lose_nothing(store: &dyn Store) {
    let prefix = own("slow");
    let before = put(store, &format!("{prefix}start"), "1").await;
    let mut watch = store.watch(bytes(&prefix), before.next()).await.expect("a watch");
    let mut last = before;
    for number in 0..300 {
        last = put(store, &format!("{prefix}{}", number % 7), &number.to_string()).await;
    }
    let seen = events_until(&mut watch, last).await;
    let expected: Vec<String> = (0..300).map(|number| format!("put {}={number}", number % 7)).collect();
    assert_eq!(story(&seen, &prefix), expected);
}

pub async fn watchers_see_one_order(store: &dyn Store) {
    let prefix = own("order");
    let before = put(store, &format!("{prefix}start"), "1").await;
    let early = store.watch(bytes(&prefix), before.next()).await.expect("a watch");
    let write = async {
        let mut last = before;
        for number in 0..50 {
            let key = bytes(format!("{prefix}{}", number % 5));
            let transaction = if number % 3 == 2 {
                Transaction { conditions: Vec::new(), changes: vec![Change::Delete { key }] }
            } else {
                Transaction::default().put(key, bytes(number.to_string()), None)
            };
            last = last.max(done(store, transaction).await.revision);
        }
        last.max(put(store, &format!("{prefix}end"), "1").await)
    };
    let (last, early) = tokio::join!(write, async {
        let mut watch = early;
        let mut seen = Vec::new();
        while story(&seen, &prefix).last().is_none_or(|last| last != "put end=1") {
            seen.extend(events(&mut watch).await.expect("events"));
        }
        seen
    });
    let mut late = store.watch(bytes(&prefix), before.next()).await.expect("a watch");
    assert_eq!(events_until(&mut late, last).await, early);
    assert!(early.is_sorted_by_key(|event| event.revision));
}

pub async fn reconnecting_watchers_see_all_once(store: &dyn Store) {
    let prefix = own("reconnect");
    let before = put(store, &format!("{prefix}start"), "1").await;
    let write = async {
        for number in 0..100 {
            put(store, &format!("{prefix}{}", number % 3), &number.to_string()).await;
        }
    };
    let listen = async {
        let (mut seen, mut from) = (Vec::new(), before.next());
        while seen.len() < 100 {
            // Every watch gives one answer and is gone.
            let mut watch = store.watch(bytes(&prefix), from).await.expect("a watch");
            seen.extend(events(&mut watch).await.expect("events"));
            from = seen.last().map_or(from, |event| event.revision.next());
        }
        seen
    };
    let ((), seen) = tokio::join!(write, listen);
    let expected: Vec<String> = (0..100).map(|number| format!("put {}={number}", number % 3)).collect();
    assert_eq!(story(&seen, &prefix), expected);
}

pub async fn watchers_learn_how_far_it_went(store: &dyn Store) {
    let (prefix, other) = (own("quiet"), own("loud"));
    let before = put(store, &format!("{prefix}a"), "1").await;
    let mut watch = store.watch(bytes(&prefix), before.next()).await.expect("a watch");
    let after = put(store, &format!("{other}a"), "1").await;
    let end = put(store, &format!("{prefix}b"), "1").await;
    loop {
        match watch.next().await.expect("an open watch").expect("no error") {
            // What it says about progress is never ahead of the events.
            Watched::Progress(revision) => assert!(revision < end && revision >= before),
            Watched::Events(seen) => {
                assert_eq!(story(&seen, &prefix), ["put b=1"]);
                break;
            }
        }
    }
    assert!(after < end);
}
