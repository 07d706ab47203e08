//! A store in a vector, which does as it is told: its watches can be held back and broken.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rhumb_store::{
    Answer, Change, Committed, Entry, Event, EventKind, Key, LeaseId, Outcome, Page, Range, Revision, Store,
    StoreError, Transaction, Watch, WatchSource, Watched,
};
use tokio::sync::watch;

/// The store.
pub(crate) struct Fake {
    inner: Arc<Mutex<Inner>>,
    signal: watch::Sender<Signal>,
}

#[derive(Default)]
struct Inner {
    newest: Revision,
    oldest: Revision,
    log: Vec<Event>,
    ranges: usize,
}

/// What watches look at.
#[derive(Clone, Copy, Default)]
struct Signal {
    newest: Revision,
    oldest: Revision,
    held: bool,
    breaks: u32,
    lives: u32,
}

impl Inner {
    fn at(&self, at: Option<Revision>) -> Result<(Revision, BTreeMap<Key, Entry>), StoreError> {
        let at = at.unwrap_or(self.newest);
        if at < self.oldest {
            return Err(StoreError::Compacted { oldest: self.oldest });
        }
        if at > self.newest {
            return Err(StoreError::Future { newest: self.newest });
        }
        let mut entries = BTreeMap::new();
        for event in self.log.iter().filter(|event| event.revision <= at) {
            match &event.kind {
                EventKind::Put(entry) => drop(entries.insert(entry.key.clone(), entry.clone())),
                EventKind::Delete(key) => drop(entries.remove(key)),
            }
        }
        Ok((at, entries))
    }
}

impl Fake {
    pub(crate) fn new() -> Self {
        Fake { inner: Arc::default(), signal: watch::Sender::new(Signal::default()) }
    }

    /// Lets no watch give anything, until told otherwise.
    pub(crate) fn hold_watches(&self, held: bool) {
        self.signal.send_modify(|signal| signal.held = held);
    }

    /// Ends all watches with an error.
    pub(crate) fn break_watches(&self) {
        self.signal.send_modify(|signal| signal.breaks += 1);
    }

    /// Becomes an empty store, as if it had been replaced by another one.
    pub(crate) fn start_over(&self) {
        let mut inner = self.inner.lock();
        *inner = Inner::default();
        self.signal(&inner);
        self.signal.send_modify(|signal| signal.lives += 1);
    }

    /// How many ranges were read.
    pub(crate) fn ranges(&self) -> usize {
        self.inner.lock().ranges
    }

    fn signal(&self, inner: &Inner) {
        self.signal.send_modify(|signal| {
            signal.newest = inner.newest;
            signal.oldest = inner.oldest;
        });
    }
}

fn answer<'a, T: Send + 'a>(answer: Result<T, StoreError>) -> Answer<'a, T> {
    Box::pin(std::future::ready(answer))
}

impl Store for Fake {
    fn get(&self, key: Key, at: Option<Revision>) -> Answer<'_, (Option<Entry>, Revision)> {
        let inner = self.inner.lock();
        answer(inner.at(at).map(|(_, entries)| (entries.get(&key).cloned(), inner.newest)))
    }

    fn range(&self, range: Range) -> Answer<'_, Page> {
        let mut inner = self.inner.lock();
        inner.ranges += 1;
        answer(inner.at(range.at).map(|(revision, entries)| {
            let mut entries: Vec<Entry> = entries
                .into_values()
                .filter(|entry| entry.key.starts_with(&range.prefix) && entry.key >= range.start)
                .collect();
            let more = range.limit > 0 && entries.len() > range.limit;
            if more {
                entries.truncate(range.limit);
            }
            Page { revision, entries, more }
        }))
    }

    fn count(&self, prefix: Key) -> Answer<'_, usize> {
        let at = self.inner.lock().at(None);
        answer(at.map(|(_, entries)| entries.keys().filter(|key| key.starts_with(&prefix)).count()))
    }

    fn revision(&self) -> Answer<'_, Revision> {
        answer(Ok(self.inner.lock().newest))
    }

    fn commit(&self, transaction: Transaction) -> Answer<'_, Outcome> {
        let mut inner = self.inner.lock();
        let (_, entries) = inner.at(None).expect("the present is there");
        let holds = transaction.conditions.iter().all(|condition| {
            condition.expected.holds(entries.get(&condition.key).map(|entry| entry.modified))
        });
        if !holds {
            let found = transaction.conditions.iter().map(|condition| entries.get(&condition.key).cloned());
            return answer(Ok(Outcome::Refused { revision: inner.newest, found: found.collect() }));
        }
        let revision = inner.newest.next();
        let mut left = Vec::new();
        let mut events = Vec::new();
        for change in transaction.changes {
            let previous = entries.get(change.key()).cloned();
            let kind = match change {
                Change::Put { key, value, lease } => {
                    let created = previous.as_ref().map_or(revision, |entry| entry.created);
                    let version = previous.as_ref().map_or(1, |entry| entry.version + 1);
                    EventKind::Put(Entry { key, value, created, modified: revision, version, lease })
                }
                Change::Delete { key } => EventKind::Delete(key),
            };
            left.push(if let EventKind::Put(entry) = &kind { Some(entry.clone()) } else { previous.clone() });
            if previous.is_some() || matches!(kind, EventKind::Put(_)) {
                events.push(Event { revision, kind, previous });
            }
        }
        if !events.is_empty() {
            inner.newest = revision;
            inner.log.extend(events);
        }
        self.signal(&inner);
        answer(Ok(Outcome::Committed(Committed { revision: inner.newest, entries: left })))
    }

    fn watch(&self, prefix: Key, from: Revision) -> Answer<'_, Watch> {
        let signal = self.signal.subscribe();
        let Signal { breaks, lives, .. } = *signal.borrow();
        answer(Ok(Watch::new(FakeWatch {
            inner: Arc::clone(&self.inner),
            signal,
            prefix,
            from,
            breaks,
            lives,
        })))
    }

    fn compact(&self, before: Revision) -> Answer<'_, ()> {
        let mut inner = self.inner.lock();
        inner.oldest = inner.oldest.max(before.min(inner.newest));
        self.signal(&inner);
        answer(Ok(()))
    }

    fn grant(&self, _: Duration) -> Answer<'_, LeaseId> {
        answer(Err(StoreError::NoLease))
    }

    fn revoke(&self, _: LeaseId) -> Answer<'_, ()> {
        answer(Err(StoreError::NoLease))
    }
}

struct FakeWatch {
    inner: Arc<Mutex<Inner>>,
    signal: watch::Receiver<Signal>,
    prefix: Key,
    from: Revision,
    breaks: u32,
    lives: u32,
}

impl FakeWatch {
    fn ready(&mut self) -> Option<Result<Watched, StoreError>> {
        let signal = *self.signal.borrow_and_update();
        if signal.breaks != self.breaks {
            return Some(Err(StoreError::Unavailable("told to break".to_owned())));
        }
        if signal.lives != self.lives {
            return Some(Err(StoreError::Compacted { oldest: signal.oldest }));
        }
        if signal.held {
            return None;
        }
        if self.from < signal.oldest {
            return Some(Err(StoreError::Compacted { oldest: signal.oldest }));
        }
        if self.from > signal.newest {
            return None;
        }
        let inner = self.inner.lock();
        let wanted = |event: &&Event| {
            event.revision >= self.from
                && event.revision <= signal.newest
                && event.key().starts_with(&self.prefix)
        };
        let events: Vec<Event> = inner.log.iter().filter(wanted).cloned().collect();
        match events.last() {
            Some(last) => {
                self.from = last.revision.next();
                Some(Ok(Watched::Events(events)))
            }
            None => {
                self.from = signal.newest.next();
                Some(Ok(Watched::Progress(signal.newest)))
            }
        }
    }
}

impl WatchSource for FakeWatch {
    fn next(&mut self) -> Pin<Box<dyn Future<Output = Result<Watched, StoreError>> + Send + '_>> {
        Box::pin(async move {
            loop {
                if let Some(watched) = self.ready() {
                    return watched;
                }
                if self.signal.changed().await.is_err() {
                    return Err(StoreError::Closed);
                }
            }
        })
    }
}
