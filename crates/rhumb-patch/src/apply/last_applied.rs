//! Migration from client-side apply: the last-applied annotation.
//!
//! `kubectl` may take over what it applied on the client's side before, and as long as the annotation is
//! there it is kept up to date, so that going back works too. Other managers are left alone.

use rhumb_schema::text;
use serde_json::Value;

use super::check::Duplicates;
use super::conflict::Conflicts;
use super::schema::Type;
use super::set::FieldSet;

/// The manager of client-side apply.
pub(super) const KUBECTL: &str = "kubectl";

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// Maximum total size of annotations.
const MAX_ANNOTATIONS: usize = 256 << 10;

fn annotation(object: &Value) -> Option<&str> {
    let value = object.get("metadata")?.get("annotations")?.get(ANNOTATION)?.as_str()?;
    Some(value).filter(|value| !value.is_empty())
}

/// Returns the fields of the live object that match the annotation and so may be migrated. `None` without an
/// annotation for this version.
pub(super) fn taken_over(ty: &Type<'_>, version: &str, live: &Value) -> Option<FieldSet> {
    let last: Value = text::parse_tree(annotation(live)?.as_bytes()).ok()?;
    if last.get("apiVersion").and_then(Value::as_str) != Some(version)
        || !ty.check(live, Duplicates::Refused).is_empty()
        || !ty.check(&last, Duplicates::Refused).is_empty()
    {
        return None;
    }
    let mut set = ty.field_set(&last);
    let comparison = ty.compare(&last, live).ok()?;
    set.subtract(&comparison.modified);
    set.subtract(&comparison.added);
    set.subtract(&comparison.removed);
    Some(set)
}

/// Returns the conflicts that are not about what may be taken over; `None` if all of them are.
pub(super) fn remaining(conflicts: &Conflicts, allowed: &FieldSet) -> Option<Conflicts> {
    let left: Vec<_> = conflicts.0.iter().filter(|conflict| !allowed.has(&conflict.path)).cloned().collect();
    (!left.is_empty()).then_some(Conflicts(left))
}

/// Writes the configuration into the annotation, if the object has it.
pub(super) fn refresh(object: &mut Value, config: &Value) {
    if annotation(object).is_none() {
        return;
    }
    let mut config = config.clone();
    if let Some(Value::Object(annotations)) = config.pointer_mut("/metadata/annotations") {
        annotations.remove(ANNOTATION);
    }
    let mut json = Vec::new();
    text::encode(&config, &mut json);
    json.push(b'\n');
    let Some(Value::Object(annotations)) = object.pointer_mut("/metadata/annotations") else { return };
    annotations.insert(ANNOTATION.to_owned(), String::from_utf8_lossy(&json).into_owned().into());
    let size: usize =
        annotations.iter().map(|(name, value)| name.len() + value.as_str().map_or(0, str::len)).sum();
    if size > MAX_ANNOTATIONS {
        annotations.remove(ANNOTATION);
    }
}
