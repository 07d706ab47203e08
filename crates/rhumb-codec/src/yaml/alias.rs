//! Anchors, aliases and merge keys (`<<`).
//!
//! An alias copies the JSON text of the node it names. A `<<` does the same entry by entry, in the place where it
//! stands: go-yaml v2 lets its entries replace those written before it. Both are bounded, in nodes as go-yaml
//! counts them and in bytes, which go-yaml shares between copies and JSON text cannot.

use std::rc::Rc;

use super::errors::YamlError;
use super::keys::{Entry, normalize, pieces};
use super::read::{DuplicateKeys, Place, Reader};
use super::resolve::Meaning;
use super::scan::Text;

/// Bytes that aliases may add to any document.
const ALIAS_BYTES_FLOOR: usize = 4 << 20;

/// Bytes that aliases may add per byte of a longer document.
const ALIAS_BYTES_PER_BYTE: usize = 16;

/// Entries that a merge key inserts.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) entries: Rc<[Entry]>,
    pub(super) cuts: (usize, usize),
}

pub(super) enum Anchored {
    /// A collection that is not closed yet.
    Open,
    Scalar {
        meaning: Meaning,
        text: Vec<u8>,
    },
    Sequence {
        start: usize,
        end: usize,
    },
    Mapping {
        start: usize,
        end: usize,
        entries: Rc<[Entry]>,
    },
}

pub(super) struct Anchor {
    pub(super) node: Anchored,
    /// Number of nodes that go-yaml decodes for it.
    pub(super) decoded: usize,
    pub(super) cuts: (usize, usize),
    pub(super) duplicates: (usize, usize),
}

impl<'a> Reader<'a, '_> {
    #[cold]
    pub(super) fn check_aliasing(&mut self) {
        let ratio = self.aliased as f64 / self.decoded as f64;
        let too_many = self.aliased > 100 && self.decoded > 1000 && ratio > allowed_alias_ratio(self.decoded);
        let too_long =
            self.alias_bytes > ALIAS_BYTES_FLOOR.max(self.input.len().saturating_mul(ALIAS_BYTES_PER_BYTE));
        if too_many || too_long {
            self.fail("document contains excessive aliasing");
        }
    }

    /// Puts the entries of mappings in place of a `<<`; the first mapping that has a key wins.
    pub(super) fn merge(&mut self, sources: &[Source]) {
        if let Some(frame) = self.frames.last_mut() {
            frame.next = Place::Key;
        }
        for source in sources.iter().rev() {
            let cuts = normalize(self.cuts.get(source.cuts.0..source.cuts.1).unwrap_or_default());
            for entry in source.entries.iter() {
                if self.failure.is_some() {
                    return;
                }
                let start = self.begin_entry();
                let key_start = self.out.len();
                self.copy(entry.key_start, entry.key_end, &[]);
                self.end_key(start, key_start, entry.kind, Meaning::Str);
                self.copy(entry.value_start, entry.value_end, &cuts);
                self.end_value(Place::Value, entry.line);
            }
        }
    }

    fn copy(&mut self, start: usize, end: usize, cuts: &[(usize, usize)]) {
        for (from, to) in pieces(start, end, cuts) {
            if to <= self.out.len() {
                self.out.extend_from_within(from..to);
            }
        }
    }

    pub(super) fn define_anchor(&mut self, name: Text) -> usize {
        let index = self.anchors.len();
        self.anchors.push(Anchor { node: Anchored::Open, decoded: 1, cuts: (0, 0), duplicates: (0, 0) });
        if let Some(name) = self.input.get(name.range()) {
            self.anchor_names.insert(name, index);
        }
        index
    }

    pub(super) fn remember_scalar(&mut self, anchor: Option<Text>, meaning: Meaning, text: Vec<u8>) {
        if let Some(name) = anchor {
            let index = self.define_anchor(name);
            if let Some(anchor) = self.anchors.get_mut(index) {
                anchor.node = Anchored::Scalar { meaning, text };
            }
        }
    }

    pub(super) fn alias(&mut self) -> Result<(), YamlError> {
        let (name, line) = (self.parser.node.text, self.parser.node.line);
        let name = self.input.get(name.range()).unwrap_or_default();
        let shown = String::from_utf8_lossy(name);
        let Some(&index) = self.anchor_names.get(name) else {
            return Err(YamlError::Content(format!("unknown anchor '{shown}' referenced")));
        };
        let place = self.place();
        let Some(anchor) = self.anchors.get(index) else { return Ok(()) };
        let (decoded, cuts, duplicates) = (anchor.decoded, anchor.cuts, anchor.duplicates);
        self.count();
        if matches!(place, Place::Merge | Place::MergeItem)
            && matches!(
                anchor_node(&self.anchors, index),
                Some(Anchored::Scalar { .. } | Anchored::Sequence { .. })
            )
        {
            self.fail_merge();
        }
        // The rest of a refused document is still read for its syntax, and every alias may double the counts.
        self.decoded = self.decoded.saturating_add(decoded);
        self.aliased = self.aliased.saturating_add(decoded);
        let bytes = anchor_node(&self.anchors, index).map_or(0, Anchored::len);
        self.alias_bytes = self.alias_bytes.saturating_add(bytes);
        self.check_aliasing();
        if self.failure.is_none() && self.on_duplicates != DuplicateKeys::Ignore {
            // Decoding the node once more finds its duplicates once more.
            let again = self.duplicates.get(duplicates.0..duplicates.1).unwrap_or_default().to_vec();
            again.into_iter().for_each(|duplicate| self.keep_duplicate(duplicate));
        }
        self.separate(place);
        match anchor_node(&self.anchors, index) {
            _ if self.failure.is_some() => self.stand_in(place),
            None => self.stand_in(place),
            Some(Anchored::Open) => {
                self.fail(format!("anchor '{shown}' value contains itself"));
                self.stand_in(place);
            }
            Some(Anchored::Scalar { meaning, text }) => {
                let (meaning, text) = (*meaning, text.clone());
                if place == Place::Key {
                    self.key(meaning, &text);
                } else {
                    self.value(meaning, &text);
                    self.end_value(place, line);
                }
            }
            Some(Anchored::Mapping { entries, .. }) if place == Place::Merge => {
                let source = Source { entries: Rc::clone(entries), cuts };
                self.merge(&[source]);
            }
            Some(Anchored::Mapping { entries, .. }) if place == Place::MergeItem => {
                let source = Source { entries: Rc::clone(entries), cuts };
                self.sources.push(source);
                self.out.extend_from_slice(b"{}");
                self.end_value(place, line);
            }
            Some(Anchored::Sequence { start, end } | Anchored::Mapping { start, end, .. }) => {
                let (start, end) = (*start, *end);
                if place == Place::Key {
                    self.refuse_key(start, end);
                    self.stand_in(place);
                } else {
                    let cuts = normalize(self.cuts.get(cuts.0..cuts.1).unwrap_or_default());
                    self.copy(start, end, &cuts);
                    self.end_value(place, line);
                }
            }
        }
        Ok(())
    }

    /// Keeps the text well-formed where a failure leaves nothing to write.
    fn stand_in(&mut self, place: Place) {
        match place {
            Place::Key => self.key(Meaning::Str, b""),
            Place::Merge => self.merge(&[]),
            _ => {
                self.out.extend_from_slice(b"null");
                self.end_value(place, 0);
            }
        }
    }
}

fn anchor_node(anchors: &[Anchor], index: usize) -> Option<&Anchored> {
    anchors.get(index).map(|anchor| &anchor.node)
}

impl Anchored {
    fn len(&self) -> usize {
        match self {
            Anchored::Open => 0,
            Anchored::Scalar { text, .. } => text.len(),
            Anchored::Sequence { start, end } | Anchored::Mapping { start, end, .. } => end - start,
        }
    }
}

/// Returns the share of decoded nodes that aliases may account for: nearly all of a small document, a tenth of a
/// large.
fn allowed_alias_ratio(decoded: usize) -> f64 {
    const SMALL: usize = 400_000;
    const LARGE: usize = 4_000_000;
    match decoded {
        ..=SMALL => 0.99,
        LARGE.. => 0.10,
        _ => 0.99 - 0.89 * ((decoded - SMALL) as f64 / (LARGE - SMALL) as f64),
    }
}
