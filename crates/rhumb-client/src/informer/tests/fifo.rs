//! The queue's rules.

use std::sync::Arc;

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
