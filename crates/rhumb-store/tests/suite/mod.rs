//! What every store does, whatever engine it has.
//!
//! A test binary says how a store is made and runs all of it with `suite!(make)`, where `make` is an async function
//! that gives a [`Fixture`]. Behaviours ask for nothing but their own keys, so that they can run against a store that
//! others use too, unless those compact it.

#![allow(dead_code, unused_imports, unreachable_pub, reason = "each test binary uses a part of it")]

mod linear;
mod past;
mod random;
mod watching;
mod writing;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use rhumb_store::{
    Committed, Entry, Event, Key, Outcome, Revision, Store, StoreError, Transaction, Watch, Watched,
};

pub use linear::*;
pub use past::*;
pub use random::Random;
pub use watching::*;
pub use writing::*;

/// A store under test, and what has to live as long as it.
pub struct Fixture {
    pub store: Arc<dyn Store>,
    pub hold: Box<dyn Any + Send + Sync>,
}

/// Runs all behaviours, each as a test of its own.
#[macro_export]
macro_rules! suite {
    ($make:expr) => {
        $crate::suite!($make;
            create_needs_absence, update_needs_the_last_revision, delete_needs_the_last_revision,
            refusal_tells_what_is_there, a_transaction_is_one_revision, a_refused_transaction_changes_nothing,
            nothing_changed_takes_no_revision, a_key_made_again_starts_anew, large_transactions_are_refused,
            keys_are_changed_once,
            reads_see_the_past, pages_stay_at_their_revision, pages_begin_where_they_are_told, counts_follow,
            the_future_is_refused, compaction_refuses_the_past, compaction_goes_forward_only,
            the_present_survives_compaction,
            watch_from_the_past, watch_from_now, watch_is_for_its_prefix, transactions_are_never_split,
            events_have_previous_values, watch_before_compaction_is_refused, deletes_near_compaction_are_not_lost,
            slow_watchers_lose_nothing, watchers_see_one_order,
            reconnecting_watchers_see_all_once, watchers_learn_how_far_it_went,
            revoked_leases_take_their_keys, expired_leases_take_their_keys, keys_leave_their_lease,
            unknown_leases_are_refused,
            concurrent_writes_are_linearizable
        );
    };
    ($make:expr; $($name:ident),* $(,)?) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let fixture = $make().await;
                let run = suite::$name(fixture.store.as_ref());
                tokio::time::timeout(suite::PATIENCE, run).await.expect("it hangs");
                drop(fixture);
            }
        )*
    };
}

/// How long one behaviour may take before it counts as hanging.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Keys that no other behaviour has.
pub fn own(name: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("/suite/{}/{}/{name}/", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

pub fn bytes(text: impl AsRef<str>) -> Bytes {
    Bytes::copy_from_slice(text.as_ref().as_bytes())
}

/// Commits what must succeed.
pub async fn done(store: &dyn Store, transaction: Transaction) -> Committed {
    match store.commit(transaction).await {
        Ok(Outcome::Committed(committed)) => committed,
        other => panic!("not committed: {other:?}"),
    }
}

/// Writes a key without a condition.
pub async fn put(store: &dyn Store, key: &str, value: &str) -> Revision {
    done(store, Transaction::default().put(bytes(key), bytes(value), None)).await.revision
}

/// Removes a key without a condition.
pub async fn remove(store: &dyn Store, key: &str) -> Revision {
    done(store, removal(key)).await.revision
}

pub fn removal(key: &str) -> Transaction {
    let changes = vec![rhumb_store::Change::Delete { key: bytes(key) }];
    Transaction { conditions: Vec::new(), changes }
}

pub async fn get(store: &dyn Store, key: &str) -> Option<Entry> {
    store.get(bytes(key), None).await.expect("a read").0
}

pub fn text(bytes: &Bytes) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// The next events of a watch, whatever progress comes before.
pub async fn events(watch: &mut Watch) -> Result<Vec<Event>, StoreError> {
    loop {
        match watch.next().await.expect("an open watch")? {
            Watched::Events(events) => return Ok(events),
            Watched::Progress(_) => {}
        }
    }
}

/// Events until one has a revision, that one's transaction included.
pub async fn events_until(watch: &mut Watch, revision: Revision) -> Vec<Event> {
    let mut all = Vec::new();
    while all.last().is_none_or(|event: &Event| event.revision < revision) {
        all.extend(events(watch).await.expect("events"));
    }
    all
}

/// How an event reads: `put KEY=VALUE` or `delete KEY`.
pub fn story(events: &[Event], prefix: &str) -> Vec<String> {
    let short = |key: &Key| text(key).strip_prefix(prefix).unwrap_or(text(key)).to_owned();
    let tell = |event: &Event| match &event.kind {
        rhumb_store::EventKind::Put(entry) => format!("put {}={}", short(&entry.key), text(&entry.value)),
        rhumb_store::EventKind::Delete(key) => format!("delete {}", short(key)),
    };
    events.iter().map(tell).collect()
}
