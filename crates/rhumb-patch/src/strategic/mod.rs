//! Strategic merge patches: merge patches with merge keys and strategies from field descriptions.
//!
//! Applying stands in `combine`, making in `difference`, and whether two patches contradict each other in
//! `conflicts`; all three ask `tables` what is known of a field and `order` where an element belongs. A patch
//! speaks in directives:
//!
//! | directive | meaning |
//! |---|---|
//! | `$patch: replace` | this map, or the list it is an element of, takes the place of what was there |
//! | `$patch: delete` | this map becomes empty, or the element with the same key goes |
//! | `$retainKeys` | keys of the map that are not in this list go |
//! | `$setElementOrder/FIELD` | the order of the list's elements |
//! | `$deleteFromPrimitiveList/FIELD` | what goes from a list of scalars |
//!
//! Elements that only the live object has keep their place among their neighbours as well as can be.

mod combine;
mod conflicts;
mod difference;
mod fit;
mod order;
mod stable_sort;
mod tables;

use rhumb_schema::{MAX_DEPTH, StructDesc};
use serde_json::{Map, Value};

use crate::precondition::{Precondition, require};
use crate::{PatchError, conflict_error, json_kind};
use combine::{Mode, merge_maps};
use difference::{Part, difference};
pub use fit::fit;
use tables::Table;

/// Directive keys of patches.
mod directive {
    pub(super) const PATCH: &str = "$patch";
    pub(super) const RETAIN_KEYS: &str = "$retainKeys";
    pub(super) const SET_ORDER: &str = "$setElementOrder";
    pub(super) const DELETE: &str = "$deleteFromPrimitiveList";
}

type Tree = Map<String, Value>;

/// Handling of changes that others made to a live object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// The patch wins.
    Yes,
    /// The patch is an error if it contradicts them.
    No,
}

/// Applies a strategic merge patch to an object whose fields stand in a table.
///
/// # Errors
/// If the patch is no object, is malformed, or doesn't fit the table or the document, which is as it was
/// then.
pub fn apply(doc: &mut Value, patch: &Value, table: &'static StructDesc) -> Result<(), PatchError> {
    let (original, patch) = (object(doc)?.clone(), object(patch)?.clone());
    *doc = Value::Object(merge_maps(original, patch, Table::of(table), Mode::Live)?);
    Ok(())
}

/// Returns the strategic merge patch that makes the modified object of the original one.
///
/// # Errors
/// If they don't fit the table, or the patch changes what the preconditions hold.
pub fn create_two_way(
    original: &Value,
    modified: &Value,
    table: &'static StructDesc,
    preconditions: &[Precondition<'_>],
) -> Result<Value, PatchError> {
    let patch = difference(object(original)?, object(modified)?, Table::of(table), Part::Everything)?;
    require(&patch, preconditions)?;
    Ok(Value::Object(patch))
}

/// Returns the strategic merge patch that brings a live object to what its owner wants: all that the current object
/// lacks or has otherwise, and the removal of what the owner had in the original and no longer has.
///
/// # Errors
/// If the objects don't fit the table, if the patch changes what the preconditions hold, or if it contradicts
/// what others changed and must not overwrite that.
pub fn create_three_way(
    original: &Value,
    modified: &Value,
    current: &Value,
    table: &'static StructDesc,
    overwrite: Overwrite,
    preconditions: &[Precondition<'_>],
) -> Result<Value, PatchError> {
    let (original, modified, current) = (object(original)?, object(modified)?, object(current)?);
    let table = Table::of(table);
    let changes = difference(current, modified, table, Part::Changes)?;
    let removals = difference(original, modified, table, Part::Removals)?;
    let patch = merge_maps(removals, changes, table, Mode::Patch)?;
    require(&patch, preconditions)?;
    if overwrite == Overwrite::No {
        let theirs = difference(original, current, table, Part::Unordered)?;
        if conflicts::between(&patch, &theirs, table)? {
            return Err(conflict_error(patch, theirs));
        }
    }
    Ok(Value::Object(patch))
}

/// Returns the tree's map. What is nested deeper than codecs allow is refused here, so that nothing below has to
/// count.
fn object(value: &Value) -> Result<&Tree, PatchError> {
    match value {
        Value::Object(map) if crate::depth(value) <= MAX_DEPTH => Ok(map),
        Value::Object(_) => Err(PatchError::Depth),
        other => Err(PatchError::Decode(format!(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            json_kind(other)
        ))),
    }
}
