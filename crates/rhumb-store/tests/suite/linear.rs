//! Concurrent writers, and a model that must explain every answer.
//!
//! Every answer names a revision, so there is one order that could have been: that of the revisions. Replayed in that
//! order on plain maps, each write must have found what it says it found.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rhumb_store::{Entry, Outcome, Revision, Store, Transaction};
use tokio::runtime::Handle;

use super::{Random, bytes, events_until, own, story};

/// One operation as its caller saw it.
struct Seen {
    /// Revisions that were answered to anybody before it began, and when it had ended.
    began_after: u64,
    operation: Operation,
}

enum Operation {
    /// A write of a key on top of a revision of it, and where it landed.
    Written { key: u64, expected: Option<Revision>, value: Option<String>, at: Revision },
    /// A write that was refused, and what was there.
    Refused { key: u64, expected: Option<Revision>, found: Option<Entry>, at: Revision },
    /// What a read gave.
    Read { key: u64, found: Option<Entry>, at: Revision },
}

impl Operation {
    fn at(&self) -> Revision {
        match self {
            Operation::Written { at, .. } | Operation::Refused { at, .. } | Operation::Read { at, .. } => *at,
        }
    }
}

pub async fn concurrent_writes_are_linearizable(store: &dyn Store) {
    const KEYS: u64 = 3;
    let prefix = own("linear");
    let answered = AtomicU64::new(0);
    let all = Mutex::new(Vec::new());
    let task = |seed: u64| {
        let (prefix, answered, all) = (&prefix, &answered, &all);
        async move {
            let mut random = Random(seed);
            let mut known: BTreeMap<u64, Option<Revision>> = BTreeMap::new();
            for step in 0..120 {
                let key = random.below(KEYS);
                let name = bytes(format!("{prefix}{key}"));
                let began_after = answered.load(Ordering::SeqCst);
                let expected = known.get(&key).copied().flatten();
                let operation = if random.below(4) == 0 {
                    let (found, at) = store.get(name, None).await.expect("a read");
                    Operation::Read { key, found, at }
                } else {
                    let delete = expected.is_some() && random.below(3) == 0;
                    let value = (!delete).then(|| format!("{seed}.{step}"));
                    let transaction = match (&value, expected) {
                        (Some(value), Some(last)) => Transaction::update(name, bytes(value), last),
                        (Some(value), None) => Transaction::create(name, bytes(value)),
                        (None, last) => Transaction::delete(name, last.unwrap_or_default()),
                    };
                    match store.commit(transaction).await.expect("an answer") {
                        Outcome::Committed(made) => {
                            Operation::Written { key, expected, value, at: made.revision }
                        }
                        Outcome::Refused { revision, mut found } => {
                            Operation::Refused { key, expected, found: found.remove(0), at: revision }
                        }
                    }
                };
                answered.fetch_max(operation.at().0, Ordering::SeqCst);
                let now = match &operation {
                    Operation::Written { value, at, .. } => value.is_some().then_some(*at),
                    Operation::Refused { found, .. } | Operation::Read { found, .. } => {
                        found.as_ref().map(|entry| entry.modified)
                    }
                };
                known.insert(key, now);
                all.lock().expect("the list").push(Seen { began_after, operation });
            }
        }
    };
    // Threads, not tasks of one thread: the answers must be right whatever runs at the same moment.
    let runtime = Handle::current();
    std::thread::scope(|scope| {
        for run in (1..=6).map(task) {
            scope.spawn(|| runtime.block_on(run));
        }
    });
    let written = check(all.into_inner().expect("the list"));
    // A watch tells the same story: nothing lost, nothing twice, nothing in another order.
    let (first, last) = (written[0].0, written[written.len() - 1].0);
    let mut watch = store.watch(bytes(&prefix), first).await.expect("a watch");
    let seen = events_until(&mut watch, last).await;
    let told = seen.iter().map(|event| event.revision).zip(story(&seen, &prefix)).collect::<Vec<_>>();
    assert_eq!(told, written);
}

/// Replays all of it; gives the writes in order, as a watch would tell them.
fn check(mut all: Vec<Seen>) -> Vec<(Revision, String)> {
    // At one revision stands at most one write; what else names it was looked at after it.
    all.sort_by_key(|seen| (seen.operation.at(), !matches!(seen.operation, Operation::Written { .. })));
    let mut state: BTreeMap<u64, (Revision, String)> = BTreeMap::new();
    let mut last_write = Revision::ZERO;
    let mut written = Vec::new();
    for seen in all {
        let at = seen.operation.at();
        assert!(at.0 >= seen.began_after, "an answer at {at} came after one at {}", seen.began_after);
        match seen.operation {
            Operation::Written { key, expected, value, at } => {
                assert!(at > last_write, "two writes share revision {at}");
                assert_eq!(
                    state.get(&key).map(|(modified, _)| *modified),
                    expected,
                    "a write on a stale revision"
                );
                match value {
                    Some(value) => {
                        written.push((at, format!("put {key}={value}")));
                        state.insert(key, (at, value));
                    }
                    None => {
                        written.push((at, format!("delete {key}")));
                        state.remove(&key);
                    }
                }
                last_write = at;
            }
            Operation::Refused { key, expected, found, .. } => {
                let there = state.get(&key);
                assert_ne!(there.map(|(modified, _)| *modified), expected, "refused without a reason");
                assert_same(there, found.as_ref());
            }
            Operation::Read { key, found, .. } => assert_same(state.get(&key), found.as_ref()),
        }
    }
    assert!(written.len() > 50, "only {} writes went through", written.len());
    written
}

fn assert_same(model: Option<&(Revision, String)>, found: Option<&Entry>) {
    let found = found.map(|entry| (entry.modified, super::text(&entry.value).to_owned()));
    assert_eq!(model, found.as_ref());
}
