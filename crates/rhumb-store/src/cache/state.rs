//! What a cache, its driver and its watchers share: the state published last, and some earlier ones.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use crate::cache::bells::{Bells, Turnout};
use crate::cache::cached::{Decode, Indexed};
use crate::cache::error::CacheError;
use crate::cache::forms::Budget;
use crate::cache::log::{Bounds, Log};
use crate::cache::snapshot::{Selection, Snapshot};
use crate::entry::Key;
use crate::revision::Revision;
use crate::store::Store;

/// Everything that is known at one revision.
pub(super) struct State<T> {
    /// All changes up to this revision are in it.
    pub(super) revision: Revision,
    /// The snapshot has been like this since then.
    pub(super) since: Revision,
    pub(super) snapshot: Snapshot<T>,
    pub(super) log: Log<T>,
}

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        State { snapshot: self.snapshot.clone(), log: self.log.clone(), ..*self }
    }
}

impl<T: Indexed> State<T> {
    pub(super) fn new(revision: Revision, snapshot: Snapshot<T>, log: Log<T>) -> Self {
        State { revision, since: revision, snapshot, log }
    }
}

/// What readers see. They take the pointer and let go; whoever publishes waits for no one's reading.
pub(super) struct Published<T> {
    /// Nothing before the cache is filled.
    pub(super) state: Option<Arc<State<T>>>,
    /// How often it was time for bookmarks.
    pub(super) tick: u64,
    /// Nothing more will come.
    pub(super) closed: bool,
}

/// A snapshot of earlier, and the revisions at which it was the newest.
struct Held<T> {
    since: Revision,
    until: Revision,
    snapshot: Snapshot<T>,
}

/// Snapshots of earlier. They share all that has not changed since.
struct Past<T> {
    /// The last ones.
    recent: VecDeque<Held<T>>,
    /// Those that someone has read a part of and will want the rest.
    parted: VecDeque<Held<T>>,
}

/// What a cache, its driver and its watchers share.
pub(super) struct Shared<D: Decode> {
    pub(super) store: Arc<dyn Store>,
    pub(super) prefix: Key,
    pub(super) decode: D,
    pub(super) indexes: Arc<[String]>,
    pub(super) bounds: Bounds,
    pub(super) page: usize,
    pub(super) published: watch::Sender<Published<D::Object>>,
    /// Who is to be woken by what. A state is published while this is locked, so that a watcher which begins with
    /// a state hears of all that come after it.
    pub(super) bells: Mutex<Bells>,
    pub(super) turnout: Arc<Turnout>,
    pub(super) budget: Arc<Budget>,
    /// Rung when someone waits for a revision that has not been seen.
    pub(super) waited_for: Notify,
    /// Rung at every tick.
    pub(super) ticked: Notify,
    /// How many bytes of the past were let go since somebody asked.
    pub(super) released: AtomicUsize,
    recent: usize,
    parted: usize,
    past: Mutex<Past<D::Object>>,
}

impl<D: Decode> Shared<D> {
    pub(super) fn new(store: Arc<dyn Store>, decode: D, config: super::Config) -> Self {
        Shared {
            store,
            prefix: config.prefix,
            decode,
            indexes: config.indexes.into(),
            bounds: Bounds {
                changes: config.log_changes,
                bytes: config.log_bytes,
                settled_bytes: config.settled_log_bytes,
            },
            page: config.page,
            published: watch::Sender::new(Published { state: None, tick: 0, closed: false }),
            bells: Mutex::default(),
            turnout: Arc::default(),
            budget: Arc::new(Budget::new(config.form_bytes)),
            waited_for: Notify::new(),
            ticked: Notify::new(),
            released: AtomicUsize::new(0),
            recent: config.recent_snapshots,
            parted: config.parted_snapshots,
            past: Mutex::new(Past { recent: VecDeque::new(), parted: VecDeque::new() }),
        }
    }

    /// The newest state.
    pub(super) fn state(&self) -> Option<Arc<State<D::Object>>> {
        self.published.borrow().state.clone()
    }

    /// Refuses a selection by an index that there is not.
    pub(super) fn check(&self, selection: &Selection<D::Object>) -> Result<(), CacheError> {
        match &selection.index {
            Some(wanted) if !self.indexes.contains(&wanted.index) => {
                Err(CacheError::NoIndex(wanted.index.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Keeps a snapshot that is about to be superseded.
    pub(super) fn hold(&self, state: &State<D::Object>) {
        let held = Held { since: state.since, until: state.revision, snapshot: state.snapshot.clone() };
        let mut past = self.past.lock();
        past.recent.push_back(held);
        while past.recent.len() > self.recent {
            past.recent.pop_front();
        }
    }

    /// Keeps no snapshot any more that was the newest up to a revision at most.
    pub(super) fn forget_until(&self, revision: Revision) {
        let mut past = self.past.lock();
        past.recent.retain(|held| held.until > revision);
        past.parted.retain(|held| held.until > revision);
    }

    /// Keeps no snapshot any more.
    pub(super) fn forget_past(&self) {
        let mut past = self.past.lock();
        past.recent.clear();
        past.parted.clear();
    }

    /// Keeps a snapshot of which a part was read.
    pub(super) fn hold_rest(&self, state: &State<D::Object>) {
        let mut past = self.past.lock();
        if let Some(held) = past.parted.iter_mut().find(|held| held.since == state.since) {
            held.until = held.until.max(state.revision);
            return;
        }
        let held = Held { since: state.since, until: state.revision, snapshot: state.snapshot.clone() };
        past.parted.push_back(held);
        while past.parted.len() > self.parted {
            past.parted.pop_front();
        }
    }

    /// The snapshot of an earlier revision, if it is kept.
    pub(super) fn held(&self, at: Revision) -> Option<Snapshot<D::Object>> {
        let past = self.past.lock();
        let mut all = past.recent.iter().rev().chain(past.parted.iter().rev());
        all.find(|held| held.since <= at && at <= held.until).map(|held| held.snapshot.clone())
    }
}
