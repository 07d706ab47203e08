//! Preconditions of created patches.

use serde_json::{Map, Value};

use crate::{PatchError, go_text};

/// A field that a created patch must not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Precondition<'a> {
    /// A field at the top, such as `kind`.
    Key(&'a str),
    /// A field of the metadata, such as `name`.
    MetadataKey(&'a str),
}

impl Precondition<'_> {
    fn holds(&self, patch: &Map<String, Value>) -> bool {
        match self {
            Precondition::Key(key) => !patch.contains_key(*key),
            Precondition::MetadataKey(key) => match patch.get("metadata") {
                Some(Value::Object(metadata)) => !metadata.contains_key(*key),
                _ => true,
            },
        }
    }
}

/// Checks that a patch leaves what must stay.
pub(crate) fn require(patch: &Map<String, Value>, held: &[Precondition<'_>]) -> Result<(), PatchError> {
    if held.iter().all(|precondition| precondition.holds(patch)) {
        return Ok(());
    }
    Err(PatchError::Precondition(go_text::shown_map(patch)))
}
