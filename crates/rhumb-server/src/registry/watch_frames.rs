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
use rhumb_meta::{GroupVersionKind, Time};
use rhumb_store::cache::{FormId, WatchEvent};

use crate::registry::cached::CachedObject;

/// From how many watchers on it is likely that several are at the same place.
const CROWD: usize = 8;
/// How many pieces are kept: watchers of other versions, formats, shapes and selections are in between.
const KEPT: usize = 64;
/// How many bytes of pieces, and of the objects in them, are kept.
const MOST: usize = 16 << 20;

/// Changes as watchers see them.
type Events = [WatchEvent<CachedObject>];

/// What watchers asked for in place of the objects.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// The objects themselves.
    Plain,
    /// Their metadata, in a version of that form.
    Metadata(GroupVersionKind),
    /// Tables with the ages of a time, in a version of that form.
    Table(GroupVersionKind, rhumb_print::Options, Time),
}

/// The pieces that were put together last.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    watchers: AtomicUsize,
    latest: Mutex<Latest>,
}

/// Pieces, the newest first.
#[derive(Debug, Default)]
struct Latest {
    pieces: VecDeque<Piece>,
    size: usize,
}

impl Latest {
    fn add(&mut self, piece: Piece) {
        self.size += piece.size();
        self.pieces.push_front(piece);
        while self.pieces.len() > KEPT || self.size > MOST {
            let Some(oldest) = self.pieces.pop_back() else { break };
            self.size = self.size.saturating_sub(oldest.size());
        }
    }
}

#[derive(Debug)]
struct Piece {
    form: FormId,
    shape: Shape,
    events: Vec<WatchEvent<CachedObject>>,
    bytes: Bytes,
}

impl Piece {
    /// How much it keeps: its bytes, and the objects that it is told by.
    fn size(&self) -> usize {
        let objects = self.events.iter().filter_map(WatchEvent::object);
        self.bytes.len() + objects.map(|cached| cached.value().len()).sum::<usize>()
    }
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
        *self.latest.lock() = Latest::default();
    }

    /// The bytes that changes are in a form and shape: those that another watcher has made of them, or else what
    /// `make` gives.
    pub(crate) fn get<E>(
        &self,
        form: FormId,
        shape: &Shape,
        events: &Events,
        make: impl FnOnce() -> Result<Bytes, E>,
    ) -> Result<Bytes, E> {
        if self.watchers.load(Ordering::Relaxed) < CROWD {
            return make();
        }
        let is_same =
            |piece: &&Piece| piece.form == form && same(&piece.events, events) && piece.shape == *shape;
        if let Some(piece) = self.latest.lock().pieces.iter().find(is_same) {
            return Ok(piece.bytes.clone());
        }
        let bytes = make()?;
        let piece = Piece { form, shape: shape.clone(), events: events.to_vec(), bytes: bytes.clone() };
        self.latest.lock().add(piece);
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
