//! Conditions, transactions, revisions and leases.

use std::time::Duration;

use rhumb_store::{Change, Expected, Outcome, Revision, Store, StoreError, Transaction};

use super::{bytes, done, events, get, own, put, removal, remove, story, text};

pub async fn create_needs_absence(store: &dyn Store) {
    let key = own("create") + "a";
    let made = done(store, Transaction::create(bytes(&key), bytes("1"))).await;
    let entry = made.entries[0].clone().expect("what was written");
    assert_eq!((entry.created, entry.modified, entry.version), (made.revision, made.revision, 1));
    assert_eq!(get(store, &key).await, Some(entry));
    let again = store.commit(Transaction::create(bytes(&key), bytes("2"))).await.expect("an answer");
    assert!(matches!(again, Outcome::Refused { .. }));
    assert_eq!(get(store, &key).await.expect("still there").value, bytes("1"));
}

pub async fn update_needs_the_last_revision(store: &dyn Store) {
    let key = own("update") + "a";
    let first = put(store, &key, "1").await;
    let second = done(store, Transaction::update(bytes(&key), bytes("2"), first)).await.revision;
    assert!(second > first);
    let stale = store.commit(Transaction::update(bytes(&key), bytes("3"), first)).await.expect("an answer");
    assert!(matches!(stale, Outcome::Refused { .. }));
    let entry = get(store, &key).await.expect("there");
    assert_eq!((text(&entry.value), entry.created, entry.modified, entry.version), ("2", first, second, 2));
    let absent = Transaction::update(bytes(key + "b"), bytes("3"), first);
    assert!(matches!(store.commit(absent).await.expect("an answer"), Outcome::Refused { .. }));
}

pub async fn delete_needs_the_last_revision(store: &dyn Store) {
    let key = own("delete") + "a";
    let first = put(store, &key, "1").await;
    let second = put(store, &key, "2").await;
    let stale = store.commit(Transaction::delete(bytes(&key), first)).await.expect("an answer");
    assert!(matches!(stale, Outcome::Refused { .. }));
    let gone = done(store, Transaction::delete(bytes(&key), second)).await;
    assert!(gone.revision > second);
    assert_eq!(gone.entries[0].as_ref().map(|entry| text(&entry.value)), Some("2"));
    assert_eq!(get(store, &key).await, None);
}

pub async fn refusal_tells_what_is_there(store: &dyn Store) {
    let prefix = own("refusal");
    let (a, b) = (format!("{prefix}a"), format!("{prefix}b"));
    put(store, &a, "1").await;
    let wanted = Transaction::default()
        .expect(bytes(&b), Expected::Absent)
        .expect(bytes(&a), Expected::Absent)
        .put(bytes(&b), bytes("2"), None);
    let Outcome::Refused { revision, found } = store.commit(wanted).await.expect("an answer") else {
        panic!("it was not refused")
    };
    assert_eq!(found, [None, get(store, &a).await]);
    assert!(revision >= get(store, &a).await.expect("there").modified);
}

pub async fn a_transaction_is_one_revision(store: &dyn Store) {
    let prefix = own("one");
    let before = put(store, &format!("{prefix}c"), "old").await;
    let mut both = Transaction::default().put(bytes(format!("{prefix}a")), bytes("1"), None).put(
        bytes(format!("{prefix}b")),
        bytes("2"),
        None,
    );
    both.changes.push(Change::Delete { key: bytes(format!("{prefix}c")) });
    let made = done(store, both).await;
    assert!(made.revision > before);
    let modified = |entry: Option<rhumb_store::Entry>| entry.map(|entry| entry.modified);
    assert_eq!(modified(get(store, &format!("{prefix}a")).await), Some(made.revision));
    assert_eq!(modified(get(store, &format!("{prefix}b")).await), Some(made.revision));
    assert_eq!(get(store, &format!("{prefix}c")).await, None);
    assert!(store.revision().await.expect("a revision") >= made.revision);
}

pub async fn a_refused_transaction_changes_nothing(store: &dyn Store) {
    let prefix = own("atomic");
    let (a, b) = (format!("{prefix}a"), format!("{prefix}b"));
    put(store, &b, "old").await;
    let wanted = Transaction::default()
        .expect(bytes(&b), Expected::Absent)
        .put(bytes(&a), bytes("1"), None)
        .put(bytes(&b), bytes("2"), None);
    assert!(matches!(store.commit(wanted).await, Ok(Outcome::Refused { .. })));
    assert_eq!(get(store, &a).await, None);
    assert_eq!(get(store, &b).await.expect("there").value, bytes("old"));
}

pub async fn nothing_changed_takes_no_revision(store: &dyn Store) {
    let prefix = own("nothing");
    let before = put(store, &format!("{prefix}a"), "1").await;
    let made = done(store, removal(&format!("{prefix}b"))).await;
    assert!(made.revision >= before);
    assert_eq!(made.entries, [None]);
    let mut watch = store.watch(bytes(&prefix), before).await.expect("a watch");
    put(store, &format!("{prefix}c"), "2").await;
    let seen = super::events_until(&mut watch, before.next()).await;
    assert_eq!(story(&seen, &prefix), ["put a=1", "put c=2"]);
}

pub async fn a_key_made_again_starts_anew(store: &dyn Store) {
    let key = own("again") + "a";
    put(store, &key, "1").await;
    put(store, &key, "2").await;
    remove(store, &key).await;
    let made = put(store, &key, "3").await;
    let entry = get(store, &key).await.expect("there");
    assert_eq!((entry.created, entry.modified, entry.version), (made, made, 1));
}

pub async fn large_transactions_are_refused(store: &dyn Store) {
    let key = own("large") + "a";
    let value = bytes::Bytes::from(vec![b'x'; 4 << 20]);
    let outcome = store.commit(Transaction::default().put(bytes(&key), value, None)).await;
    assert!(matches!(outcome, Err(StoreError::TooLarge { .. })), "{outcome:?}");
    assert_eq!(get(store, &key).await, None);
    put(store, &key, &"x".repeat(1 << 20)).await;
}

pub async fn keys_are_changed_once(store: &dyn Store) {
    let key = own("twice") + "a";
    let twice = Transaction::default().put(bytes(&key), bytes("1"), None).put(bytes(&key), bytes("2"), None);
    assert!(matches!(store.commit(twice).await, Err(StoreError::Invalid(_))));
    assert_eq!(get(store, &key).await, None);
}

pub async fn revoked_leases_take_their_keys(store: &dyn Store) {
    let prefix = own("revoked");
    let lease = store.grant(Duration::from_secs(600)).await.expect("a lease");
    for name in ["a", "b"] {
        done(store, Transaction::default().put(bytes(format!("{prefix}{name}")), bytes("1"), Some(lease)))
            .await;
    }
    let stays = put(store, &format!("{prefix}c"), "1").await;
    assert_eq!(get(store, &format!("{prefix}a")).await.expect("there").lease, Some(lease));
    let mut watch = store.watch(bytes(&prefix), stays.next()).await.expect("a watch");
    store.revoke(lease).await.expect("the end of it");
    assert_eq!(get(store, &format!("{prefix}a")).await, None);
    assert_eq!(store.count(bytes(&prefix)).await, Ok(1));
    let mut seen = Vec::new();
    while seen.len() < 2 {
        seen.extend(events(&mut watch).await.expect("events"));
    }
    let mut told = story(&seen, &prefix);
    told.sort();
    assert_eq!(told, ["delete a", "delete b"]);
}

pub async fn expired_leases_take_their_keys(store: &dyn Store) {
    let prefix = own("expired");
    let lease = store.grant(Duration::from_secs(1)).await.expect("a lease");
    let made = Transaction::default().put(bytes(format!("{prefix}a")), bytes("1"), Some(lease));
    let made = done(store, made).await.revision;
    let mut watch = store.watch(bytes(&prefix), made.next()).await.expect("a watch");
    let seen = events(&mut watch).await.expect("events");
    assert_eq!(story(&seen, &prefix), ["delete a"]);
    assert!(seen[0].revision > made);
    assert_eq!(get(store, &format!("{prefix}a")).await, None);
}

pub async fn keys_leave_their_lease(store: &dyn Store) {
    let key = own("left") + "a";
    let lease = store.grant(Duration::from_secs(600)).await.expect("a lease");
    done(store, Transaction::default().put(bytes(&key), bytes("1"), Some(lease))).await;
    put(store, &key, "2").await;
    store.revoke(lease).await.expect("the end of it");
    assert_eq!(get(store, &key).await.map(|entry| entry.lease), Some(None));
}

pub async fn unknown_leases_are_refused(store: &dyn Store) {
    let key = own("unknown") + "a";
    let lease = store.grant(Duration::from_secs(600)).await.expect("a lease");
    store.revoke(lease).await.expect("the end of it");
    let outcome = store.commit(Transaction::default().put(bytes(&key), bytes("1"), Some(lease))).await;
    assert_eq!(outcome, Err(StoreError::NoLease));
    assert_eq!(store.revoke(lease).await, Err(StoreError::NoLease));
    assert!(store.revision().await.expect("a revision") > Revision::ZERO);
}
