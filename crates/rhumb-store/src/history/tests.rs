//! The past against a model that keeps everything.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::{History, Position};
use crate::entry::{Entry, Key};
use crate::error::StoreError;
use crate::event::EventKind;
use crate::revision::Revision;
use crate::store::Range;

fn key(name: u64) -> Key {
    Bytes::from(format!("/{name}"))
}

fn entry(history: &History, name: u64, revision: Revision) -> Entry {
    let before = history.current(&key(name));
    Entry {
        key: key(name),
        value: Bytes::from(revision.to_string()),
        created: before.map_or(revision, |before| before.created),
        modified: revision,
        version: before.map_or(1, |before| before.version + 1),
        lease: None,
    }
}

fn put(history: &mut History, name: u64, revision: Revision, place: u32) -> (Position, EventKind) {
    let kind = EventKind::Put(entry(history, name, revision));
    record(history, revision, place, kind)
}

fn remove(history: &mut History, name: u64, revision: Revision, place: u32) -> (Position, EventKind) {
    record(history, revision, place, EventKind::Delete(key(name)))
}

fn record(history: &mut History, revision: Revision, place: u32, kind: EventKind) -> (Position, EventKind) {
    let position = Position { revision, place };
    history.record(position, kind.clone());
    (position, kind)
}

#[test]
fn trimming_keeps_what_the_oldest_revision_sees() {
    let mut history = History::default();
    put(&mut history, 1, Revision(1), 0);
    put(&mut history, 1, Revision(2), 0);
    put(&mut history, 1, Revision(3), 0);
    history.compact(Revision(2));
    assert!(!history.is_trimmed());
    assert_eq!(history.trim(10), [Position { revision: Revision(1), place: 0 }]);
    assert!(history.is_trimmed());
    let value = |at| history.get(&key(1), Some(Revision(at))).map(|entry| entry.map(|entry| entry.value));
    assert_eq!(value(1), Err(StoreError::Compacted { oldest: Revision(2) }));
    assert_eq!(value(2), Ok(Some(Bytes::from("2"))));
    assert_eq!(value(3), Ok(Some(Bytes::from("3"))));
}

#[test]
fn a_removal_at_the_oldest_revision_stays_for_its_watchers() {
    let mut history = History::default();
    put(&mut history, 1, Revision(1), 0);
    remove(&mut history, 1, Revision(2), 0);
    put(&mut history, 2, Revision(3), 0);
    history.compact(Revision(2));
    assert_eq!(history.trim(10), [Position { revision: Revision(1), place: 0 }]);
    assert_eq!(history.events(Revision(2), 10).expect("events").count(), 2);
    history.compact(Revision(3));
    assert_eq!(history.trim(10), [Position { revision: Revision(2), place: 0 }]);
    assert_eq!(history.keys.len(), 1);
}

#[test]
fn events_of_a_transaction_stay_together_wherever_the_log_wraps() {
    let mut history = History::default();
    for revision in 1..200 {
        for place in 0..3 {
            put(&mut history, u64::from(place), Revision(revision), place);
        }
        history.compact(Revision(revision.saturating_sub(5)));
        history.trim(4);
        for most in 0..8 {
            let from = history.oldest().max(Revision(1));
            let seen: Vec<_> =
                history.events(from, most).expect("events").map(|event| event.revision).collect();
            assert!(!seen.is_empty() && seen.len().is_multiple_of(3), "{seen:?}");
            assert_eq!(seen.first(), Some(&from));
        }
    }
}

/// A generator with a seed.
fn random(state: &mut u64, end: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % end
}

#[test]
fn the_past_is_what_a_model_says() {
    for seed in 0..40 {
        let mut state = seed;
        let mut history = History::default();
        // What every revision left behind, all events, and what a disk would hold.
        let mut model: Vec<BTreeMap<Key, Entry>> = vec![BTreeMap::new()];
        let mut disk: BTreeMap<Position, EventKind> = BTreeMap::new();
        let mut log: Vec<(Position, EventKind)> = Vec::new();
        for revision in (1..120).map(Revision) {
            let mut now = model.last().expect("a state").clone();
            for place in 0..=u32::try_from(random(&mut state, 3)).expect("a small number") {
                // Different keys for the places, because no transaction changes a key twice.
                let name = random(&mut state, 4) * 3 + u64::from(place);
                let gone = random(&mut state, 3) == 0 && now.contains_key(&key(name));
                let (position, kind) = if gone {
                    remove(&mut history, name, revision, place)
                } else {
                    put(&mut history, name, revision, place)
                };
                match &kind {
                    EventKind::Put(entry) => now.insert(key(name), entry.clone()),
                    EventKind::Delete(key) => now.remove(key),
                };
                disk.insert(position, kind.clone());
                log.push((position, kind));
            }
            model.push(now);
            if random(&mut state, 10) == 0 {
                history.compact(Revision(revision.0 - random(&mut state, 10).min(revision.0)));
            }
            for position in history.trim(usize::try_from(random(&mut state, 5)).expect("a small number")) {
                assert!(disk.remove(&position).is_some(), "dropped twice");
            }
            compare(&history, &model, &log);
            if random(&mut state, 8) == 0 {
                history = reload(&history, &mut disk);
                compare(&history, &model, &log);
            }
        }
    }
}

/// A restart: everything from the disk, and what is of no use dropped from it.
fn reload(history: &History, disk: &mut BTreeMap<Position, EventKind>) -> History {
    let mut loaded = History::between(history.oldest(), history.newest());
    let mut dropped = Vec::new();
    for (position, kind) in disk.iter() {
        dropped.extend(loaded.load(*position, kind.clone()));
    }
    disk.retain(|position, _| !dropped.contains(position));
    loaded
}

fn compare(history: &History, model: &[BTreeMap<Key, Entry>], log: &[(Position, EventKind)]) {
    let states = (0..).map(Revision).zip(model);
    for (at, state) in states {
        let all = history.range(&Range { at: Some(at), ..Range::default() }, usize::MAX);
        if at < history.oldest() {
            assert_eq!(all, Err(StoreError::Compacted { oldest: history.oldest() }));
            continue;
        }
        let (page, next) = all.expect("a readable revision");
        assert!(next.is_none() && page.entries.iter().eq(state.values()), "the state at {at}");
        let seen =
            history.events(at, usize::MAX).expect("events").map(|event| (event.revision, event.event().kind));
        let told = log.iter().filter(|(position, _)| position.revision >= at);
        assert!(
            seen.eq(told.map(|(position, kind)| (position.revision, kind.clone()))),
            "the events from {at}"
        );
    }
    assert_eq!(history.len(), model.last().map_or(0, BTreeMap::len));
}
