//! The queue's rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Deleted, Delta, DeltaFifo, Deltas, Indexer, ObjectKey, Processed, Thing, label, thing};

fn key(name: &str) -> ObjectKey {
    ObjectKey::new("", name)
}

fn at(name: &str, revision: u64) -> (ObjectKey, Arc<Thing>) {
    (key(name), Arc::new(thing("", name, revision)))
}

fn known(objects: &[(&str, u64)]) -> (Arc<Indexer<Thing>>, DeltaFifo<Thing>) {
    let indexer = Arc::new(Indexer::new());
    indexer.replace(objects.iter().map(|(name, revision)| at(name, *revision)));
    let fifo = DeltaFifo::new(Some(indexer.clone() as _));
    (indexer, fifo)
}

fn text(deltas: &Deltas<Thing>) -> String {
    let one = |delta: &Delta<Thing>| {
        let kind = match delta {
            Delta::Added(_) => "added",
            Delta::Updated(_) => "updated",
            Delta::Deleted(Deleted::FinalState(_)) => "deleted",
            Delta::Deleted(Deleted::FinalStateUnknown(_)) => "lost",
            Delta::Replaced(_) => "replaced",
            Delta::Sync(_) => "sync",
        };
        format!("{kind} {}", label(delta.object()))
    };
    deltas.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn drain(fifo: &DeltaFifo<Thing>) -> Vec<String> {
    let mut popped = Vec::new();
    while fifo.try_pop(|_, deltas, initial| {
        popped.push(format!("{}{}", text(&deltas), if initial { " (initial)" } else { "" }));
        Processed::Done
    }) {}
    popped
}

#[test]
fn deltas_of_a_key_stay_together_in_the_place_of_the_first() {
    let (_, fifo) = known(&[]);
    let put = |delta: fn(&DeltaFifo<Thing>, ObjectKey, Arc<Thing>), name, revision| {
        let (key, thing) = at(name, revision);
        delta(&fifo, key, thing);
    };
    put(DeltaFifo::add, "a", 1);
    put(DeltaFifo::add, "b", 2);
    put(DeltaFifo::update, "a", 3);
    put(DeltaFifo::delete, "a", 4);
    put(DeltaFifo::add, "a", 5);
    assert_eq!(fifo.len(), 2);
    assert_eq!(drain(&fifo), ["added a@1, updated a@3, deleted a@4, added a@5", "added b@2"]);
    assert!(fifo.is_empty());
}

#[test]
fn two_deletions_become_the_one_that_knows_more() {
    let (_, fifo) = known(&[("a", 1), ("b", 1)]);
    let (a, last) = at("a", 2);
    fifo.delete(a.clone(), last.clone());
    fifo.delete(a, last);
    fifo.replace(vec![]);
    let (b, last) = at("b", 3);
    fifo.delete(b, last);
    assert_eq!(drain(&fifo), ["deleted a@2", "deleted b@3"]);
}

#[test]
fn a_deletion_of_something_unheard_of_is_dropped() {
    let (_, fifo) = known(&[("a", 1)]);
    let (x, thing) = at("x", 2);
    fifo.delete(x, thing);
    assert!(fifo.is_empty());
    let without: DeltaFifo<Thing> = DeltaFifo::new(None);
    let (a, thing) = at("a", 2);
    without.delete(a.clone(), thing.clone());
    assert!(without.is_empty());
    without.add(a.clone(), thing.clone());
    without.delete(a, thing);
    assert_eq!(drain(&without), ["added a@2, deleted a@2"]);
}

#[test]
fn a_replacement_deletes_what_is_known_and_what_is_queued() {
    let (_, fifo) = known(&[("gone", 1), ("stays", 2)]);
    let (key, thing) = at("queued", 3);
    fifo.add(key, thing);
    let (key, thing) = at("gone", 4);
    fifo.update(key, thing);
    fifo.replace(vec![at("stays", 5), at("new", 6)]);
    assert_eq!(
        drain(&fifo),
        [
            "added queued@3, lost queued@3",
            "updated gone@4, lost gone@4",
            "replaced stays@5",
            "replaced new@6"
        ]
    );
}

#[test]
fn it_has_synced_when_the_first_list_is_popped() {
    let (_, fifo) = known(&[("old", 1)]);
    assert!(!fifo.has_synced());
    fifo.replace(vec![at("a", 2), at("b", 2)]);
    let (key, thing) = at("c", 3);
    fifo.add(key, thing);
    assert!(!fifo.has_synced());
    let mut seen = Vec::new();
    while fifo.try_pop(|key, _, initial| {
        seen.push(format!("{key} {initial}"));
        Processed::Done
    }) {
        seen.push(fifo.has_synced().to_string());
    }
    assert_eq!(seen, ["a true", "false", "b true", "false", "old true", "true", "c false", "true"]);
}

#[test]
fn an_empty_first_list_is_synced_at_once() {
    let (_, fifo) = known(&[]);
    fifo.replace(vec![]);
    assert!(fifo.has_synced());
}

#[test]
fn a_resync_leaves_alone_what_is_queued() {
    let (_, fifo) = known(&[("a", 1), ("b", 1)]);
    let (key, thing) = at("a", 2);
    fifo.update(key, thing);
    fifo.resync();
    fifo.resync();
    assert_eq!(drain(&fifo), ["updated a@2", "sync b@1"]);
}

#[test]
fn what_could_not_be_processed_comes_again_with_its_story() {
    let (_, fifo) = known(&[]);
    fifo.replace(vec![at("a", 1), at("b", 1)]);
    let mut once = true;
    let mut order = Vec::new();
    while fifo.try_pop(|_, deltas, _| {
        order.push(text(&deltas));
        if std::mem::take(&mut once) { Processed::Requeue(deltas) } else { Processed::Done }
    }) {
        if order.len() == 1 {
            assert!(!fifo.has_synced());
            let (key, thing) = at("a", 2);
            fifo.update(key, thing);
        }
    }
    assert_eq!(order, ["replaced a@1", "replaced b@1", "replaced a@1, updated a@2"]);
    assert!(fifo.has_synced());
}

#[tokio::test]
async fn pop_waits_and_ends_when_the_queue_is_closed() {
    let fifo: Arc<DeltaFifo<Thing>> = Arc::new(DeltaFifo::new(None));
    let consumer = tokio::spawn({
        let fifo = fifo.clone();
        async move {
            let mut popped = 0;
            while fifo.pop(|_, _, _| Processed::Done).await.is_some() {
                popped += 1;
            }
            popped
        }
    });
    for round in 0..10 {
        let (key, thing) = at(&format!("x{round}"), round);
        fifo.add(key, thing);
        tokio::task::yield_now().await;
    }
    fifo.close();
    assert_eq!(consumer.await.unwrap(), 10);
}

#[test]
fn what_is_queued_can_be_listed_without_being_popped() {
    let (_, fifo) = known(&[("known", 1)]);
    for (name, revision) in [("b", 2), ("a", 3)] {
        let (key, thing) = at(name, revision);
        fifo.add(key, thing);
    }
    let (b, thing) = at("b", 4);
    fifo.update(b.clone(), thing);
    let (gone, last) = at("known", 5);
    fifo.delete(gone.clone(), last);
    assert_eq!(fifo.keys(), [key("b"), key("a"), key("known")]);
    assert_eq!(super::labels(&fifo.list()), ["b@4", "a@3", "known@5"]);
    assert_eq!(fifo.get(&b).map(|deltas| text(&deltas)).as_deref(), Some("added b@2, updated b@4"));
    assert_eq!(fifo.get_by_text("known").map(|deltas| text(&deltas)).as_deref(), Some("deleted known@5"));
    assert!(fifo.get(&key("unheard of")).is_none());
    assert_eq!(drain(&fifo), ["added b@2, updated b@4", "added a@3", "deleted known@5"]);
    assert!(fifo.list().is_empty() && fifo.keys().is_empty() && fifo.get(&b).is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_consumers_pop_each_object_once_and_all_end() {
    let fifo: Arc<DeltaFifo<Thing>> = Arc::new(DeltaFifo::new(None));
    let popped: Arc<Mutex<BTreeMap<ObjectKey, Vec<String>>>> = Arc::default();
    let consumers: Vec<_> = (0..4)
        .map(|_| {
            let (fifo, popped) = (fifo.clone(), popped.clone());
            tokio::spawn(async move {
                let pop = |key: &ObjectKey, deltas: Deltas<Thing>, _: bool| {
                    let told = deltas.iter().map(|delta| delta.object().metadata.resource_version.clone());
                    popped.lock().entry(key.clone()).or_default().extend(told);
                    Processed::Done
                };
                while fifo.pop(pop).await.is_some() {
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for revision in 0..200 {
        for name in ["a", "b", "c", "d", "e"] {
            let (key, thing) = at(name, revision);
            fifo.update(key, thing);
        }
        tokio::task::yield_now().await;
    }
    fifo.close();
    for consumer in consumers {
        consumer.await.unwrap();
    }
    let expect: Vec<String> = (0..200).map(|revision: u64| revision.to_string()).collect();
    let popped = popped.lock();
    assert_eq!(popped.len(), 5);
    for (key, revisions) in &*popped {
        assert_eq!(*revisions, expect, "what happened to {key}, in order and once");
    }
}

#[tokio::test]
async fn a_consumer_that_stops_leaves_no_other_asleep() {
    let fifo: Arc<DeltaFifo<Thing>> = Arc::new(DeltaFifo::new(None));
    let pop_one = || {
        let fifo = fifo.clone();
        tokio::spawn(async move { fifo.pop(|_, _, _| Processed::Done).await })
    };
    let waiting = [pop_one(), pop_one(), pop_one()];
    tokio::task::yield_now().await;
    // One call puts two objects in; each consumer takes one object and no more.
    fifo.replace(vec![at("a", 1), at("b", 1)]);
    while !fifo.is_empty() {
        tokio::task::yield_now().await;
    }
    fifo.close();
    let mut outcomes = Vec::new();
    for consumer in waiting {
        outcomes.push(consumer.await.unwrap().is_some());
    }
    outcomes.sort_unstable();
    assert_eq!(outcomes, [false, true, true]);
}
