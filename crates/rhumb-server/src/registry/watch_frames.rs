//! Frames that many watchers get alike: a crowd that follows the same objects gets the same bytes, so these are put
//! together once.
//!
//! A piece is told by the changes it has. Who comes with the same ones gets the piece that is there; who comes with
//! others, because it selects others or is at another place, makes its own. Only a few are kept, and none for long.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use rhumb_store::cache::{FormId, WatchEvent};

use crate::registry::cached::CachedObject;

/// From how many watchers on it is likely that several are at the same place.
const CROWD: usize = 8;
/// How many pieces are kept: watchers of other versions, formats and selections are in between.
const KEPT: usize = 4;

/// Changes as watchers see them.
type Events = Vec<WatchEvent<CachedObject>>;

/// The pieces that were put together last.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    watchers: AtomicUsize,
    latest: Mutex<VecDeque<Piece>>,
}

#[derive(Debug)]
struct Piece {
    form: FormId,
    events: Events,
    bytes: Bytes,
}

/// A watcher, for as long as it watches.
#[derive(Debug)]
pub(crate) struct Watching(Arc<Pieces>);

impl Drop for Watching {
    fn drop(&mut self) {
        if self.0.watchers.fetch_sub(1, Ordering::Relaxed) <= CROWD {
            self.0.forget();
        }
    }
}

impl Pieces {
    /// Counts one more watcher.
    pub(crate) fn begin(self: &Arc<Self>) -> Watching {
        self.watchers.fetch_add(1, Ordering::Relaxed);
        Watching(Arc::clone(self))
    }

    /// Forgets all pieces.
    pub(crate) fn forget(&self) {
        self.latest.lock().clear();
    }

    /// The bytes that changes are in a form: those that another watcher has made of them, or else what `make` gives.
    pub(crate) fn get<E>(
        &self,
        form: FormId,
        events: &Events,
        make: impl FnOnce() -> Result<Bytes, E>,
    ) -> Result<Bytes, E> {
        if self.watchers.load(Ordering::Relaxed) < CROWD {
            return make();
        }
        let is_same = |piece: &&Piece| piece.form == form && same(&piece.events, events);
        if let Some(piece) = self.latest.lock().iter().find(is_same) {
            return Ok(piece.bytes.clone());
        }
        let bytes = make()?;
        let mut latest = self.latest.lock();
        latest.truncate(KEPT - 1);
        latest.push_front(Piece { form, events: events.clone(), bytes: bytes.clone() });
        Ok(bytes)
    }
}

/// Whether these are the same changes of the same objects. How far a watcher is, is its own business.
fn same(one: &Events, other: &Events) -> bool {
    let alike = |(one, other): (&WatchEvent<CachedObject>, &WatchEvent<CachedObject>)| match (one, other) {
        (WatchEvent::Added(one), WatchEvent::Added(other))
        | (WatchEvent::Modified(one), WatchEvent::Modified(other))
        | (WatchEvent::Deleted(one), WatchEvent::Deleted(other)) => Arc::ptr_eq(one, other),
        _ => false,
    };
    one.len() == other.len() && one.iter().zip(other).all(alike)
}
