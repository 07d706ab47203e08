//! Guessing of a kind's resource name.

use std::borrow::Cow;

use rhumb_meta::{GroupVersionKind, GroupVersionResource};

/// Suffixes that are plural already.
const UNPLURALIZED_SUFFIXES: &[&str] = &["endpoints"];

/// Guessed resource names of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuessedResource {
    /// The resource as it stands in a path, for example `ingresses`.
    pub plural: GroupVersionResource,
    /// The name of one object of it, for example `ingress`.
    pub singular: GroupVersionResource,
}

/// Guesses the resource of a kind from its name.
///
/// This knows just enough English for the built-in kinds and is wrong for many others (`Mouse` becomes `mouses`):
/// what a server tells in discovery always goes first. A kind without a name has the empty resource.
pub fn guess_resource(kind: &GroupVersionKind) -> GuessedResource {
    if kind.kind.is_empty() {
        return GuessedResource::default();
    }
    let singular = lowercase(&kind.kind).into_owned();
    let plural = if UNPLURALIZED_SUFFIXES.iter().any(|suffix| singular.ends_with(suffix)) {
        singular.clone()
    } else if singular.ends_with('s') {
        format!("{singular}es")
    } else if let Some(stem) = singular.strip_suffix('y') {
        format!("{stem}ies")
    } else {
        format!("{singular}s")
    };
    let place = kind.group_version();
    GuessedResource { plural: place.with_resource(plural), singular: place.with_resource(singular) }
}

/// Returns a text in lower case, letter by letter.
///
/// Resources are matched without regard to case, as Go lowers it: one letter becomes one letter wherever it
/// stands, so neither the Greek final sigma nor the dot of the Turkish capital I gets the care that
/// `str::to_lowercase` takes.
pub(super) fn lowercase(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter_map(|c| c.to_lowercase().next()).collect())
}
