//! Fills a cache: reads all objects once, then follows the store's watch.
//!
//! When the store no longer knows the changes after what the cache has seen, all objects are read again. Until that is
//! done the cache answers from what it had; then the differences go to the watchers as if they had just happened.
//! In between, no watcher can start: at those revisions the cache doesn't know what was there.
//!
//! A store that has its past at hand is first read as it was a while ago and followed from there, so that a watcher
//! which was cut off when the last server ended goes on where it was.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::{BufMut, Bytes, BytesMut};

use crate::cache::cached::{Cached, Decode};
use crate::cache::log::{Change, Log};
use crate::cache::rounds::Rounds;
use crate::cache::snapshot::{Objects, Replacement, Snapshot};
use crate::cache::state::{Shared, State};
use crate::entry::{Entry, Key};
use crate::error::StoreError;
use crate::event::{Event, EventKind};
use crate::revision::Revision;
use crate::store::{Range, Watched};

/// What was before so many ticks is no longer recent.
const RECENT_TICKS: usize = 5;

/// Changes that watchers are woken by.
type Changes<T> = Vec<Arc<Change<T>>>;

/// Fills one cache. There is one for each, made together with it; the cache ends when it is dropped.
pub struct Driver<D: Decode> {
    pub(super) shared: Arc<Shared<D>>,
    /// What was published last, if anything.
    pub(super) state: Option<Arc<State<D::Object>>>,
    /// When a crowd of watchers is woken.
    pub(super) rounds: Rounds,
    /// The revisions at the last ticks.
    pub(super) ticks: VecDeque<Revision>,
}

impl<D: Decode> std::fmt::Debug for Driver<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}

impl<D: Decode> Drop for Driver<D> {
    fn drop(&mut self) {
        self.shared.published.send_modify(|published| published.closed = true);
        self.shared.bells.lock().all().for_each(|bell| bell.ring());
    }
}

impl<D: Decode> Driver<D> {
    /// Fills the cache until the store gives an error other than that the past is gone, and gives that error. The
    /// cache stays readable. Run it again, after a pause, to go on from where it was.
    pub async fn run(&mut self) -> StoreError {
        loop {
            // What was published stays readable; filling compares with it.
            let error = match self.follow().await {
                None | Some(StoreError::Compacted { .. }) => self.fill().await.err(),
                error => error,
            };
            if let Some(error) = error {
                return error;
            }
        }
    }

    /// Follows the store's watch until it ends, and gives why; `None` if there is nothing to start from yet.
    async fn follow(&mut self) -> Option<StoreError> {
        let state = self.state.as_ref()?;
        let prefix = self.shared.prefix.clone();
        let mut watch = match self.shared.store.watch(prefix, state.revision.next()).await {
            Ok(watch) => watch,
            Err(error) => return Some(error),
        };
        let shared = Arc::clone(&self.shared);
        loop {
            let next = tokio::select! {
                biased;
                next = watch.next() => next,
                () = self.rounds.due() => {
                    self.rounds.advance(&shared.bells.lock());
                    continue;
                }
                () = shared.waited_for.notified() => {
                    watch.hurry();
                    continue;
                }
                () = shared.ticked.notified() => {
                    self.settle();
                    continue;
                }
            };
            match next {
                Some(Ok(Watched::Events(events))) => self.take(&events),
                Some(Ok(Watched::Progress(revision))) => self.progress(revision),
                Some(Err(error)) => return Some(error),
                None => return Some(StoreError::Closed),
            }
        }
    }

    /// Reads all objects, and publishes how they differ from what was known.
    async fn fill(&mut self) -> Result<(), StoreError> {
        if self.state.is_none()
            && let Some(state) = self.recall().await?
        {
            self.publish(state, Some(&[]));
            return Ok(());
        }
        let (revision, objects) = loop {
            match self.read(None).await {
                Err(StoreError::Compacted { .. }) => {}
                read => break read?,
            }
        };
        let names = || Arc::clone(&self.shared.indexes);
        let mut changes = Some(Vec::new());
        let state = match self.state.as_deref() {
            None => State::new(revision, Snapshot::of(objects, names()), Log::after(revision, 0)),
            // A store whose revision went back is another one; nobody can go on from what the first one said.
            Some(old) if revision < old.revision => {
                let first = old.log.end().saturating_add(1);
                self.shared.forget_past();
                self.ticks.clear();
                changes = None;
                State::new(revision, Snapshot::of(objects, names()), Log::after(revision, first))
            }
            Some(old) => {
                let differ = differences(&old.snapshot.objects, &objects, revision);
                let differ = changes.insert(differ.into_iter().map(Arc::new).collect());
                self.renew(old, revision, differ)
            }
        };
        self.publish(state, changes.as_deref());
        Ok(())
    }

    /// The present with as much of the past as the cache has room for; `None` if the store doesn't have it at hand.
    async fn recall(&self) -> Result<Option<State<D::Object>>, StoreError> {
        let store = &self.shared.store;
        let Some(oldest) = store.recalls() else { return Ok(None) };
        let newest = store.revision().await?;
        // Every change takes a revision, of this prefix or another one.
        let room = u64::try_from(self.shared.bounds.changes).unwrap_or(u64::MAX);
        let from = oldest.max(Revision(newest.0.saturating_sub(room).max(1)));
        let gone =
            |error: &StoreError| matches!(error, StoreError::Compacted { .. } | StoreError::Future { .. });
        let (_, objects) = match self.read(Some(from)).await {
            Err(error) if gone(&error) => return Ok(None),
            read => read?,
        };
        let snapshot = Snapshot::of(objects, Arc::clone(&self.shared.indexes));
        let mut state = State::new(from, snapshot, Log::after(from, 0));
        let mut watch = store.watch(self.shared.prefix.clone(), from.next()).await?;
        while state.revision < newest {
            match watch.next().await {
                Some(Ok(Watched::Events(events))) => state = self.after(&state, &events).0,
                Some(Ok(Watched::Progress(revision))) => state.revision = state.revision.max(revision),
                Some(Err(error)) if gone(&error) => return Ok(None),
                Some(Err(error)) => return Err(error),
                None => return Err(StoreError::Closed),
            }
        }
        Ok(Some(state))
    }

    /// The objects as the store has them, or had them. Those that the cache has already are the same ones.
    async fn read(&self, at: Option<Revision>) -> Result<(Revision, Objects<D::Object>), StoreError> {
        let known = self.state.as_ref().map(|state| state.snapshot.clone());
        let mut objects = Objects::default();
        let mut range = Range { limit: self.shared.page, at, ..Range::all(self.shared.prefix.clone()) };
        loop {
            let page = self.shared.store.range(range.clone()).await?;
            for entry in &page.entries {
                let same = known.as_ref().and_then(|known| known.get(&entry.key));
                let same = same.filter(|old| old.revision() == entry.modified);
                objects.push(same.map_or_else(|| self.shared.cached(entry), Arc::clone));
            }
            match page.entries.last() {
                Some(last) if page.more => {
                    range.start = behind(&last.key);
                    range.at = at.or(Some(page.revision));
                }
                _ => return Ok((page.revision, objects)),
            }
        }
    }

    /// What was known, brought up to what is there now by the differences.
    fn renew(
        &self,
        old: &State<D::Object>,
        revision: Revision,
        changes: &[Arc<Change<D::Object>>],
    ) -> State<D::Object> {
        let mut state = old.clone();
        state.log.skip(old.revision, revision);
        // Even if nothing differs, something may have come and gone in between.
        self.shared.hold(old);
        state.since = revision;
        for change in changes {
            state
                .snapshot
                .apply(&Replacement { previous: change.previous.as_ref(), current: change.current.as_ref() });
            state.log.push(Arc::clone(change), self.shared.bounds);
        }
        state.revision = revision;
        state
    }

    /// Takes the events of some transactions in.
    fn take(&mut self, events: &[Event]) {
        let Some(state) = self.state.as_deref() else { return };
        let (state, changes) = self.after(state, events);
        self.publish(state, Some(&changes));
    }

    /// What comes of a state by the events of some transactions, and what they changed.
    fn after(&self, state: &State<D::Object>, events: &[Event]) -> (State<D::Object>, Changes<D::Object>) {
        let mut state = state.clone();
        let mut changes = Vec::new();
        for transaction in events.chunk_by(|one, other| one.revision == other.revision) {
            let Some(revision) = transaction.first().map(|event| event.revision) else { continue };
            // A store that tells something twice is not believed the second time.
            if revision <= state.revision {
                continue;
            }
            let before = state.clone();
            let mut changed = false;
            for event in transaction {
                let previous = state.snapshot.get(event.key()).cloned();
                let current = match &event.kind {
                    EventKind::Put(entry) => Some(self.shared.cached(entry)),
                    EventKind::Delete(_) => None,
                };
                if previous.is_none() && current.is_none() {
                    continue;
                }
                changed = true;
                state.snapshot.apply(&Replacement { previous: previous.as_ref(), current: current.as_ref() });
                let change = Arc::new(Change::new(revision, previous, current));
                state.log.push(Arc::clone(&change), self.shared.bounds);
                changes.push(change);
            }
            state.revision = revision;
            if changed {
                self.shared.hold(&State { revision: Revision(revision.0.saturating_sub(1)), ..before });
                state.since = revision;
            }
        }
        (state, changes)
    }

    /// Notes that there was a tick, and lets go of what was before the last few of them.
    fn settle(&mut self) {
        let Some(state) = self.state.as_deref() else { return };
        self.ticks.push_back(state.revision);
        if self.ticks.len() <= RECENT_TICKS {
            return;
        }
        let Some(until) = self.ticks.pop_front() else { return };
        self.shared.forget_until(until);
        let mut state = state.clone();
        let released = state.log.settle(until, self.shared.bounds);
        if released > 0 {
            self.publish(state, Some(&[]));
            self.shared.released.fetch_add(released, Ordering::Relaxed);
        }
    }

    /// Notes that nothing more happened up to a revision.
    fn progress(&mut self, revision: Revision) {
        if let Some(mut state) = self.state.as_deref().cloned()
            && state.revision < revision
        {
            state.revision = revision;
            self.publish(state, Some(&[]));
        }
    }

    /// Publishes a state that came about by some changes, and wakes those whom they concern. If it is not known how it
    /// came about, nobody can go on.
    fn publish(&mut self, state: State<D::Object>, changes: Option<&[Arc<Change<D::Object>>]>) {
        let state = Arc::new(state);
        self.state = Some(Arc::clone(&state));
        let count = u64::try_from(changes.map_or(1, <[_]>::len)).unwrap_or(u64::MAX);
        let first = state.log.end().saturating_sub(count);
        let mut bells = self.shared.bells.lock();
        let rung = match changes {
            Some(changes) => bells.touch(first, changes),
            None => bells.touch_all(first),
        };
        self.shared.published.send_modify(|published| published.state = Some(state));
        self.rounds.publish(&bells, rung);
    }
}

impl<D: Decode> Shared<D> {
    /// What an entry of the store is in the cache.
    pub(super) fn cached(&self, entry: &Entry) -> Arc<Cached<D::Object>> {
        Arc::new(Cached::of(entry, &self.decode, &self.budget))
    }
}

/// The first key behind a key.
pub(super) fn behind(key: &Key) -> Key {
    let mut next = BytesMut::with_capacity(key.len() + 1);
    next.put_slice(key);
    next.put_u8(0);
    Bytes::from(next)
}

/// How two sequences of objects differ, in the order in which it can have happened. When an object was removed is not
/// known; that is said to have been at the revision of the second sequence, or right before the key was made again.
fn differences<T>(old: &Objects<T>, new: &Objects<T>, revision: Revision) -> Vec<Change<T>> {
    let mut changes = Vec::new();
    let (mut old, mut new) = (old.walk(0, old.len()).peekable(), new.walk(0, new.len()).peekable());
    loop {
        match (old.peek(), new.peek()) {
            (None, None) => break,
            (Some(was), is) if is.is_none_or(|is| was.key() < is.key()) => {
                changes.push(Change::new(revision, old.next(), None));
            }
            (was, Some(is)) if was.is_none_or(|was| is.key() < was.key()) => {
                changes.push(Change::new(is.revision(), None, new.next()));
            }
            _ => {
                let (Some(was), Some(is)) = (old.next(), new.next()) else { break };
                if Arc::ptr_eq(&was, &is) {
                    continue;
                }
                let modified = is.revision();
                if was.created() == is.created() {
                    changes.push(Change::new(modified, Some(was), Some(is)));
                } else {
                    let removed = Revision(is.created().0.saturating_sub(1));
                    changes.push(Change::new(removed, Some(was), None));
                    changes.push(Change::new(modified, None, Some(is)));
                }
            }
        }
    }
    // Stable: what happens at one revision stays in the order of the keys, a removal before what follows it.
    changes.sort_by_key(|change| change.revision);
    changes
}
