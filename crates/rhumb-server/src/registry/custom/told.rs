//! What clients are told of the definitions of a group, kept until one of them changes.
//!
//! Discovery and the documents are put together from the built-in part and what is kept here for each group, so that a
//! change of a definition leaves the work done for all other groups, and most of that done for its own.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use rhumb_openapi::Form;
use sha2::{Digest, Sha512};

use super::Published;
use crate::base::compress::Blocks;

/// A version of a group that discovery tells of.
#[derive(Debug)]
pub(crate) struct ToldVersion {
    /// Its name.
    pub(crate) name: String,
    /// What changes when its document of OpenAPI 3 does.
    pub(crate) hash: String,
}

/// What the document of OpenAPI 2 has of a group.
#[derive(Debug)]
pub(crate) struct Merged {
    /// The entries of paths, with what stands between them.
    pub(crate) paths: Blocks,
    /// Those of models.
    pub(crate) models: Blocks,
}

/// A group that has definitions, as it is until one of them changes. Everything is made when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct ToldGroup {
    /// Its name.
    pub(crate) name: String,
    pub(crate) versions: OnceLock<Vec<ToldVersion>>,
    json: OnceLock<Merged>,
    protobuf: OnceLock<Merged>,
    /// The group in the one document of discovery, as JSON.
    pub(crate) discovery: OnceLock<Bytes>,
}

impl ToldGroup {
    pub(crate) fn new(name: &str) -> Self {
        ToldGroup { name: name.to_owned(), ..ToldGroup::default() }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where what a document of OpenAPI 2 has of it is kept.
    pub(crate) fn merged(&self, form: Form) -> &OnceLock<Merged> {
        match form {
            Form::Json => &self.json,
            Form::Protobuf => &self.protobuf,
        }
    }
}

/// A hash of texts in whatever order: what was put in and is taken out again changes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetHash([u64; 8]);

impl SetHash {
    /// Puts in what clients are told of a definition.
    pub(crate) fn put(&mut self, published: &Published) {
        self.change(published, u64::wrapping_add);
    }

    /// Takes it out.
    pub(crate) fn take(&mut self, published: &Published) {
        self.change(published, u64::wrapping_sub);
    }

    fn change(&mut self, published: &Published, by: fn(u64, u64) -> u64) {
        let definition = &published.definition;
        if definition.established {
            self.change_by(&format!("{} {}", published.mark(), definition.terminating), by);
        }
    }

    fn change_by(&mut self, text: &str, by: fn(u64, u64) -> u64) {
        let digest = Sha512::digest(text);
        let (parts, _) = digest.as_chunks::<8>();
        for (sum, part) in self.0.iter_mut().zip(parts) {
            *sum = by(*sum, u64::from_be_bytes(*part));
        }
    }
}

impl fmt::Display for SetHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| write!(f, "{part:016X}"))
    }
}

/// How much was made of definitions for those who asked: tests see by it that one costs the same among many.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    pieces: Arc<AtomicUsize>,
    groups: Arc<AtomicUsize>,
}

impl Made {
    /// Counts pieces of documents.
    pub(crate) fn add_pieces(&self, count: usize) {
        self.pieces.fetch_add(count, Ordering::Relaxed);
    }

    /// Counts groups that were put together for a document or for discovery.
    pub(crate) fn add_group(&self) {
        self.groups.fetch_add(1, Ordering::Relaxed);
    }

    /// How many pieces and groups there were.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [&self.pieces, &self.groups].map(|count| count.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_of_a_set_knows_no_order_and_forgets_what_is_taken_out() {
        let of = |texts: &[&str]| {
            let mut hash = SetHash::default();
            texts.iter().for_each(|text| hash.change_by(text, u64::wrapping_add));
            hash
        };
        assert_eq!(of(&["a", "b", "c"]), of(&["c", "a", "b"]));
        assert_ne!(of(&["a", "b"]), of(&["a", "c"]));
        assert_ne!(of(&["a", "a"]), of(&["a"]));
        let mut less = of(&["a", "b"]);
        less.change_by("a", u64::wrapping_sub);
        assert_eq!(less, of(&["b"]));
        assert_eq!(SetHash::default().to_string(), "0".repeat(128));
    }
}
