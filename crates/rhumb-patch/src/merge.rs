//! JSON merge patches (RFC 7386) as Kubernetes applies them, and their creation for kinds without field descriptions.

use rhumb_codec::Strictness;
use rhumb_codec::json::decode_tree;
use rhumb_schema::{MAX_DEPTH, budget};
use serde_json::{Map, Value};

use crate::precondition::{Precondition, require};
use crate::{PatchError, conflict_error, go_text};

/// Reads a merge patch for a server that looks for duplicate fields, and gives what it found.
///
/// # Errors
/// If the text is no JSON object or `null`.
pub fn check(patch: &[u8]) -> Result<Vec<String>, PatchError> {
    let failed = |text: String| PatchError::Decode(format!("error decoding patch: {text}"));
    let (tree, notes) = decode_tree(patch, Strictness::Strict).map_err(|error| failed(error.to_string()))?;
    match tree {
        Value::Object(_) | Value::Null => Ok(notes.into_found()),
        other => Err(failed(format!(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            crate::json_kind(&other)
        ))),
    }
}

/// Reads a merge patch.
///
/// # Errors
/// If the text is no JSON.
pub fn decode(patch: &[u8]) -> Result<Value, PatchError> {
    rhumb_schema::text::parse_tree(patch).map_err(|_| PatchError::InvalidMergePatch)
}

/// Applies a merge patch: what it has is taken over, what is `null` there goes. A list takes the document's
/// place.
///
/// # Errors
/// If the patch is neither an object nor a list, or one of the two is nested too deeply; the document is as
/// it was then.
pub fn apply(doc: &mut Value, patch: &Value) -> Result<(), PatchError> {
    if crate::depth(patch) > MAX_DEPTH || crate::depth(doc) > MAX_DEPTH {
        return Err(PatchError::Depth);
    }
    match (&mut *doc, patch) {
        (Value::Object(map), Value::Object(patch)) => {
            merge_maps(map, patch);
            if budget::is_stopped() {
                return Err(PatchError::Stopped);
            }
        }
        (Value::Null, Value::Object(_)) => return Err(PatchError::InvalidDocument),
        (_, Value::Object(_) | Value::Array(_)) => *doc = without_nulls(patch),
        _ => return Err(PatchError::InvalidMergePatch),
    }
    Ok(())
}

fn merge_maps(map: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (key, value) in patch {
        if budget::is_stopped() {
            return;
        }
        match (map.get_mut(key), value) {
            (_, Value::Null) => {
                map.remove(key);
            }
            (Some(Value::Object(inner)), Value::Object(patch)) => merge_maps(inner, patch),
            // What takes an object's place is taken as it is, nulls inside lists included.
            (Some(slot @ Value::Object(_)), other) => *slot = other.clone(),
            (Some(slot), other) => *slot = without_nulls(other),
            (None, other) => {
                map.insert(key.clone(), without_nulls(other));
            }
        }
    }
}

/// Returns a value without the null entries of its maps; null elements of lists stay.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let entries = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(entries.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nulls).collect()),
        scalar => scalar.clone(),
    }
}

/// Returns the merge patch that makes the modified object of the original one.
///
/// # Errors
/// If one of them is no object, or is nested too deeply.
pub fn create_two_way(original: &Value, modified: &Value) -> Result<Value, PatchError> {
    Ok(Value::Object(difference(object(original)?, object(modified)?)))
}

/// Returns the merge patch that brings a live object to what its owner wants: all that the current object lacks or has
/// otherwise, and the removal of what the owner had in the original and no longer has.
///
/// # Errors
/// If one of them is no object or is nested too deeply, if additions and removals contradict each other, or
/// if the patch changes what the preconditions hold.
pub fn create_three_way(
    original: &Value,
    modified: &Value,
    current: &Value,
    preconditions: &[Precondition<'_>],
) -> Result<Value, PatchError> {
    let (original, modified, current) = (object(original)?, object(modified)?, object(current)?);
    let changes = keep(&difference(current, modified), Kept::Changes);
    let removals = keep(&difference(original, modified), Kept::Removals);
    if have_conflicts(&changes, &removals) {
        return Err(conflict_error(changes, removals));
    }
    let mut patch = removals;
    merge_maps(&mut patch, &changes);
    require(&patch, preconditions)?;
    Ok(Value::Object(patch))
}

fn object(value: &Value) -> Result<&Map<String, Value>, PatchError> {
    let map = value.as_object().ok_or(PatchError::InvalidDocument)?;
    if crate::depth(value) > MAX_DEPTH { Err(PatchError::Depth) } else { Ok(map) }
}

fn difference(from: &Map<String, Value>, to: &Map<String, Value>) -> Map<String, Value> {
    let mut patch = Map::new();
    for (key, wanted) in to {
        match (from.get(key), wanted) {
            (Some(Value::Object(from)), Value::Object(to)) => {
                let inner = difference(from, to);
                if !inner.is_empty() {
                    patch.insert(key.clone(), Value::Object(inner));
                }
            }
            (Some(had), wanted) if equal(had, wanted) => {}
            (_, wanted) => {
                patch.insert(key.clone(), wanted.clone());
            }
        }
    }
    for key in from.keys().filter(|key| !to.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    patch
}

/// Numbers are equal by what they are worth, because the tools that make merge patches know floats only.
/// Integers are compared as such all the same: two that differ must not count as equal.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || (one.is_f64() != other.is_f64() && one.as_f64() == other.as_f64())
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same =
                |(key, value): (&String, &Value)| other.get(key).is_some_and(|other| equal(value, other));
            one.len() == other.len() && one.iter().all(same)
        }
        (one, other) => one == other,
    }
}

/// Part of a difference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Changes,
    Removals,
}

fn keep(patch: &Map<String, Value>, kept: Kept) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in patch {
        match value {
            Value::Null if kept == Kept::Removals => {
                out.insert(key.clone(), Value::Null);
            }
            // An empty map is a value somebody set; one that becomes empty here had nothing of the wanted
            // part.
            Value::Object(inner) if !inner.is_empty() => {
                let inner = keep(inner, kept);
                if !inner.is_empty() {
                    out.insert(key.clone(), Value::Object(inner));
                }
            }
            Value::Null => {}
            other if kept == Kept::Changes => {
                out.insert(key.clone(), other.clone());
            }
            _ => {}
        }
    }
    out
}

fn have_conflicts(left: &Map<String, Value>, right: &Map<String, Value>) -> bool {
    left.iter().any(|(key, left)| right.get(key).is_some_and(|right| differ(left, right)))
}

fn differ(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => have_conflicts(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() != right.len() || left.iter().zip(right).any(|(left, right)| differ(left, right))
        }
        (left, right) => !go_text::same_type(left, right) || left != right,
    }
}
