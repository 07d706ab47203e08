//! Access to an object's kind, name, labels and list items.

use rhumb_meta::Time;
use serde_json::Value as Json;

/// Returns the group of an object; empty for the core group, and for an `apiVersion` that is none.
pub(crate) fn group(object: &Json) -> &str {
    match api_version(object) {
        Some((group, _)) => group,
        None => "",
    }
}

/// Returns the kind of an object; empty if it has none.
pub(crate) fn kind(object: &Json) -> &str {
    if api_version(object).is_none() {
        return "";
    }
    object.get("kind").and_then(Json::as_str).unwrap_or_default()
}

/// Reports whether an object says nothing of what it is.
pub(crate) fn is_untyped(object: &Json) -> bool {
    kind(object).is_empty()
        && api_version(object).is_none_or(|(group, version)| group.len() + version.len() == 0)
}

/// Group and version; none if the text has more parts than these.
fn api_version(object: &Json) -> Option<(&str, &str)> {
    let text = object.get("apiVersion").and_then(Json::as_str).unwrap_or_default();
    match text.split_once('/') {
        None => Some(("", text)),
        Some((_, version)) if version.contains('/') => None,
        // A lone slash stands for nothing at all.
        Some((group, version)) => Some((group, version)),
    }
}

/// Returns the items of a list; none for an object that is no list.
pub(crate) fn items(object: &Json) -> Option<&Vec<Json>> {
    object.get("items").and_then(Json::as_array)
}

fn metadata<'a>(object: &'a Json, key: &str) -> Option<&'a Json> {
    object.get("metadata")?.get(key)
}

/// Returns the name of an object; empty if it has none.
pub(crate) fn name(object: &Json) -> &str {
    metadata(object, "name").and_then(Json::as_str).unwrap_or_default()
}

/// Returns the namespace of an object; empty if it has none.
pub(crate) fn namespace(object: &Json) -> &str {
    metadata(object, "namespace").and_then(Json::as_str).unwrap_or_default()
}

/// Returns the labels of an object in the order of their keys; none at all if one of them is no text.
pub(crate) fn labels(object: &Json) -> Vec<(&str, &str)> {
    let Some(Json::Object(labels)) = metadata(object, "labels") else { return Vec::new() };
    labels
        .iter()
        .map(|(key, value)| Some((key.as_str(), value.as_str()?)))
        .collect::<Option<_>>()
        .unwrap_or_default()
}

/// Returns the creation timestamp, if set.
pub(crate) fn created(object: &Json) -> Option<Time> {
    let text = metadata(object, "creationTimestamp")?.as_str()?;
    Time::parse(text).ok().filter(|time| !time.is_zero())
}

/// Reports whether an object tells how a request went.
pub(crate) fn is_status(object: &Json) -> bool {
    kind(object) == "Status" && object.get("apiVersion").and_then(Json::as_str) == Some("v1")
}

/// Returns a copy of an object, or of a list of them, without what managers of fields have left in it; none if nothing
/// would change.
pub(crate) fn without_managed_fields(object: &Json) -> Option<Json> {
    let managed = |object: &Json| metadata(object, "managedFields").is_some();
    let is_list = items(object).is_some();
    let changes = items(object).map_or_else(|| managed(object), |items| items.iter().any(managed));
    if !changes {
        return None;
    }
    let mut copy = object.clone();
    if is_list {
        if let Some(Json::Array(items)) = copy.get_mut("items") {
            items.iter_mut().for_each(drop_managed_fields);
        }
    } else {
        drop_managed_fields(&mut copy);
    }
    Some(copy)
}

fn drop_managed_fields(object: &mut Json) {
    if let Some(Json::Object(metadata)) = object.get_mut("metadata") {
        metadata.remove("managedFields");
    }
}
