//! Entries of open mappings, and ranges of the JSON text to remove.
//!
//! Text once written stays where it is, so that anchors can refer to it. When a later key replaces an earlier
//! one, the earlier entry is only noted as a cut, and the cuts are taken out at the end, if there are any.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// Type of a key before it became a string; only keys of the same type are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyKind {
    Str,
    Bool,
    Int,
    Uint,
    Float,
    Null,
}

/// An entry of a mapping in the JSON text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Start, with its comma if it has one.
    pub(super) start: usize,
    pub(super) has_comma: bool,
    pub(super) key_start: usize,
    pub(super) key_end: usize,
    pub(super) value_start: usize,
    pub(super) value_end: usize,
    pub(super) kind: KeyKind,
    pub(super) alive: bool,
    /// Whether an equal key came before it.
    pub(super) repeats: bool,
    /// The line of the value, counted from zero.
    pub(super) line: usize,
    signature: u64,
}

impl Entry {
    pub(super) fn new(
        start: usize,
        has_comma: bool,
        key: (usize, usize),
        kind: KeyKind,
        out: &[u8],
    ) -> Entry {
        Entry {
            start,
            has_comma,
            key_start: key.0,
            key_end: key.1,
            value_start: out.len(),
            value_end: out.len(),
            kind,
            alive: true,
            repeats: false,
            line: 0,
            signature: signature(out.get(key.0..key.1).unwrap_or_default()),
        }
    }

    fn key<'o>(&self, out: &'o [u8]) -> &'o [u8] {
        out.get(self.key_start..self.key_end).unwrap_or_default()
    }
}

/// Returns the length and the outermost bytes, which tell nearly all keys of a mapping apart.
#[inline]
fn signature(key: &[u8]) -> u64 {
    let read = |bytes: Option<&[u8]>| {
        bytes.and_then(|b| <[u8; 4]>::try_from(b).ok()).map_or(0, |b| u64::from(u32::from_le_bytes(b)))
    };
    let first = read(key.get(1..5));
    let last = read(key.len().checked_sub(5).and_then(|at| key.get(at..at + 4)));
    (first << 32 | last) ^ (key.len() as u64).rotate_left(57)
}

/// Number of keys from which a mapping gets an index.
const INDEX_FROM: usize = 24;

/// Index of the keys of a large mapping, with a seeded hasher against collision attacks.
#[derive(Debug, Default)]
pub(super) struct KeyIndex {
    hasher: RandomState,
    slots: HashMap<u64, usize>,
}

impl KeyIndex {
    /// Puts the entry at `position` in, and gives the position of an equal key that it replaces.
    fn insert(&mut self, entries: &[Entry], position: usize, out: &[u8]) -> Option<usize> {
        let key = entries.get(position)?.key(out);
        let mut hash = self.hasher.hash_one(key);
        loop {
            match self.slots.get(&hash) {
                None => {
                    self.slots.insert(hash, position);
                    return None;
                }
                Some(&other) if entries.get(other).is_some_and(|entry| entry.key(out) == key) => {
                    self.slots.insert(hash, position);
                    return Some(other);
                }
                Some(_) => hash = hash.wrapping_add(1),
            }
        }
    }
}

/// Finds the earlier entry with the same key as the last of `entries`.
pub(super) fn find_earlier(
    entries: &[Entry],
    index: &mut Option<Box<KeyIndex>>,
    out: &[u8],
) -> Option<usize> {
    let (last, earlier) = entries.split_last()?;
    if let Some(index) = index {
        return index.insert(entries, earlier.len(), out);
    }
    let found =
        earlier.iter().position(|e| e.signature == last.signature && e.alive && e.key(out) == last.key(out));
    if entries.len() == INDEX_FROM {
        let mut built = Box::<KeyIndex>::default();
        for (position, entry) in entries.iter().enumerate() {
            if entry.alive {
                built.insert(entries, position, out);
            }
        }
        *index = Some(built);
    }
    found
}

/// Takes an earlier entry out of its mapping, whose last entry replaces it.
pub(super) fn kill(entries: &mut [Entry], position: usize, cuts: &mut Vec<(usize, usize)>) {
    let Some((old, later)) = entries.get_mut(position..).and_then(|rest| rest.split_first_mut()) else {
        return;
    };
    old.alive = false;
    cuts.push((old.start, old.value_end));
    if !old.has_comma
        && let Some(next) = later.iter_mut().find(|entry| entry.alive)
        && next.has_comma
    {
        // The next entry becomes the first one.
        cuts.push((next.start, next.start + 1));
        next.has_comma = false;
        next.start += 1;
    }
}

/// Sorts cuts and joins those that touch or overlap.
pub(super) fn normalize(cuts: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut sorted = cuts.to_vec();
    sorted.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::with_capacity(sorted.len());
    for cut in sorted {
        match joined.last_mut() {
            Some(last) if cut.0 <= last.1 => last.1 = last.1.max(cut.1),
            _ => joined.push(cut),
        }
    }
    joined
}

/// Returns the pieces of `start..end` that no cut covers; the cuts must be normalized.
pub(super) fn pieces(
    start: usize,
    end: usize,
    cuts: &[(usize, usize)],
) -> impl Iterator<Item = (usize, usize)> + use<'_> {
    let first = cuts.partition_point(|cut| cut.1 <= start);
    let inside = cuts.get(first..).unwrap_or_default().iter().take_while(move |cut| cut.0 < end);
    let mut at = start;
    inside.copied().chain(std::iter::once((end, end))).filter_map(move |cut| {
        let piece = (at, cut.0.min(end));
        at = at.max(cut.1);
        (piece.0 < piece.1).then_some(piece)
    })
}
