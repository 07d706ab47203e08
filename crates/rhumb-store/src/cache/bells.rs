//! Who is to be woken by which change.
//!
//! A thousand watchers of one namespace or one node each must not all wake up for every change. So a watcher
//! leaves a bell under what it selects: a key of an index, a prefix of keys, or everything. For every batch of
//! changes the driver notes at the bells concerned where in the log there is something for them, publishes, and
//! then rings. A watcher whose bell was not touched knows that nothing up to the newest state concerns it: it
//! does not even have to read the log.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::cache::cached::{Cached, Indexed};
use crate::cache::log::Change;
use crate::cache::snapshot::{IndexKey, Selection};
use crate::entry::Key;

/// The part of the log that may have something for a watcher: from a number up to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unread {
    /// What lies before was read, or is of no concern.
    pub(super) from: u64,
    /// What lies from here on is of no concern so far. If it is not behind `from`, there is nothing.
    pub(super) to: u64,
}

impl Unread {
    pub(super) fn is_empty(self) -> bool {
        self.from >= self.to
    }
}

/// When so few of those who were called are still out, the next ones are called, so that nobody is idle.
const FEW: usize = 8;

/// How many of those who were called in a round have not come back to wait.
#[derive(Debug, Default)]
pub(super) struct Turnout {
    out: AtomicUsize,
    back: Notify,
}

impl Turnout {
    /// Whether nearly all are back.
    pub(super) fn is_nearly_complete(&self) -> bool {
        self.out.load(Ordering::Acquire) <= FEW
    }

    /// Waits until nearly all are back.
    pub(super) async fn nearly_complete(&self) {
        while !self.is_nearly_complete() {
            self.back.notified().await;
        }
    }

    fn one_back(&self) {
        if self.out.fetch_sub(1, Ordering::AcqRel) <= FEW + 1 {
            self.back.notify_one();
        }
    }
}

/// The watcher waits, or is out without having been called.
const HERE: u8 = 0;
/// It was called and is waited for.
const CALLED: u8 = 1;
/// It was called and didn't come back in time.
const SLOW: u8 = 2;

/// What wakes one watcher.
#[derive(Debug)]
pub(super) struct Bell {
    unread: Mutex<Unread>,
    pub(super) rings: Notify,
    /// Whether it is to be rung for bookmarks.
    pub(super) bookmarks: bool,
    turnout: Arc<Turnout>,
    /// Where the watcher is, as far as rounds are concerned.
    place: AtomicU8,
}

impl Bell {
    pub(super) fn new(unread: Unread, bookmarks: bool, turnout: &Arc<Turnout>) -> Self {
        let (turnout, place) = (Arc::clone(turnout), AtomicU8::new(HERE));
        Bell { unread: Mutex::new(unread), rings: Notify::new(), bookmarks, turnout, place }
    }

    /// What may be of concern.
    pub(super) fn unread(&self) -> Unread {
        *self.unread.lock()
    }

    /// Notes that everything before a number was read.
    pub(super) fn read_to(&self, number: u64) {
        let mut unread = self.unread.lock();
        unread.from = unread.from.max(number);
    }

    /// The watcher has nothing more to read, and waits for a ring. One that came since the last time counts.
    pub(super) async fn rung(&self) {
        self.back();
        self.rings.notified().await;
    }

    pub(super) fn ring(&self) {
        self.rings.notify_one();
    }

    /// Rings in a round, which waits for the watcher to come back, unless it is out for long.
    pub(super) fn call(&self) {
        // It counts before it can come back.
        self.turnout.out.fetch_add(1, Ordering::AcqRel);
        let called = self.place.compare_exchange(HERE, CALLED, Ordering::AcqRel, Ordering::Acquire);
        if called.is_err() {
            self.turnout.one_back();
        }
        self.ring();
    }

    /// Doesn't wait for the watcher any longer, if it is not back.
    pub(super) fn excuse(&self) {
        if self.place.compare_exchange(CALLED, SLOW, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            self.turnout.one_back();
        }
    }

    /// The watcher has come back, or is gone.
    pub(super) fn back(&self) {
        if self.place.swap(HERE, Ordering::AcqRel) == CALLED {
            self.turnout.one_back();
        }
    }

    fn touch(&self, part: Unread) {
        let mut unread = self.unread.lock();
        if unread.is_empty() {
            unread.from = part.from;
        }
        unread.to = part.to;
    }
}

/// What a bell hangs under.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Interest {
    /// Everything, also that nothing happened: for those who wait for a revision.
    Progress,
    /// Every change.
    All,
    /// Changes of keys with a prefix.
    Prefix(Key),
    /// Changes of what an index has under a key.
    Index(IndexKey),
}

impl Interest {
    /// What a selection is woken by, in a cache of all keys with a prefix.
    pub(super) fn of<T>(selection: &Selection<T>, all: &Key) -> Self {
        match &selection.index {
            Some(index) => Interest::Index(index.clone()),
            None if all.starts_with(&selection.prefix) => Interest::All,
            None => Interest::Prefix(selection.prefix.clone()),
        }
    }
}

/// The bells under one interest.
#[derive(Debug, Default)]
struct Group {
    bells: BTreeMap<u64, Arc<Bell>>,
    /// The part of the log that the batch at hand has for them.
    touched: Option<Unread>,
}

/// All bells of a cache.
#[derive(Debug, Default)]
pub(super) struct Bells {
    groups: HashMap<Interest, Group>,
    /// How many groups have a prefix of this length.
    lengths: BTreeMap<usize, usize>,
    /// How many groups there are for each index.
    indexes: BTreeMap<String, usize>,
    last: u64,
}

impl Bells {
    /// Hangs a bell up; gives the number by which it is taken down.
    pub(super) fn hang(&mut self, interest: &Interest, bell: &Arc<Bell>) -> u64 {
        self.last = self.last.wrapping_add(1);
        if !self.groups.contains_key(interest) {
            match interest {
                Interest::Prefix(prefix) => *self.lengths.entry(prefix.len()).or_default() += 1,
                Interest::Index(key) => *self.indexes.entry(key.index.clone()).or_default() += 1,
                Interest::Progress | Interest::All => {}
            }
        }
        let group = self.groups.entry(interest.clone()).or_default();
        group.bells.insert(self.last, Arc::clone(bell));
        self.last
    }

    /// Takes a bell down.
    pub(super) fn take_down(&mut self, interest: &Interest, number: u64) {
        let Some(group) = self.groups.get_mut(interest) else { return };
        group.bells.remove(&number);
        if !group.bells.is_empty() {
            return;
        }
        self.groups.remove(interest);
        match interest {
            Interest::Prefix(prefix) => count_down(&mut self.lengths, &prefix.len()),
            Interest::Index(key) => count_down(&mut self.indexes, &key.index),
            Interest::Progress | Interest::All => {}
        }
    }

    /// Notes at the bells what a batch of changes, the first of which has a number, has for them. Gives the bells that
    /// are to be rung when it is published.
    pub(super) fn touch<T: Indexed>(&mut self, first: u64, changes: &[Arc<Change<T>>]) -> Vec<Arc<Bell>> {
        let mut touched = vec![Interest::Progress];
        for (number, change) in (first..).zip(changes) {
            self.note(Interest::All, number, &mut touched);
            let states = [&change.previous, &change.current];
            for state in states.into_iter().flatten() {
                self.note_state(state, number, &mut touched);
            }
        }
        let mut rung = Vec::new();
        for interest in touched {
            let Some(group) = self.groups.get_mut(&interest) else { continue };
            let part = group.touched.take();
            for bell in group.bells.values() {
                if let Some(part) = part {
                    bell.touch(part);
                }
                rung.push(Arc::clone(bell));
            }
        }
        rung
    }

    /// Notes a change at the bells that one of its two states concerns.
    fn note_state<T: Indexed>(&mut self, state: &Cached<T>, number: u64, touched: &mut Vec<Interest>) {
        let key = state.key();
        let lengths: Vec<usize> = self.lengths.range(..=key.len()).map(|(length, _)| *length).collect();
        for length in lengths {
            self.note(Interest::Prefix(key.slice(..length)), number, touched);
        }
        let mut found = Vec::new();
        for index in self.indexes.keys() {
            state.object().index_keys(index, &mut |key| {
                found.push(IndexKey { index: index.clone(), key: key.to_owned() });
            });
        }
        for key in found {
            self.note(Interest::Index(key), number, touched);
        }
    }

    fn note(&mut self, interest: Interest, number: u64, touched: &mut Vec<Interest>) {
        let Some(group) = self.groups.get_mut(&interest) else { return };
        let to = number.saturating_add(1);
        match &mut group.touched {
            Some(part) => part.to = to,
            None => {
                group.touched = Some(Unread { from: number, to });
                touched.push(interest);
            }
        }
    }

    /// Every bell, after noting at each that there is something unread from a number on.
    pub(super) fn touch_all(&mut self, number: u64) -> Vec<Arc<Bell>> {
        let part = Unread { from: number, to: number.saturating_add(1) };
        self.all().inspect(|bell| bell.touch(part)).cloned().collect()
    }

    /// The bells of those who have something to read, or wait for a revision.
    pub(super) fn unheard(&self) -> impl Iterator<Item = &Arc<Bell>> {
        self.groups.iter().flat_map(|(interest, group)| {
            let any = *interest == Interest::Progress;
            group.bells.values().filter(move |bell| any || !bell.unread().is_empty())
        })
    }

    /// Every bell.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Bell>> {
        self.groups.values().flat_map(|group| group.bells.values())
    }
}

fn count_down<K: Ord>(counts: &mut BTreeMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(key);
        }
    }
}
