//! Trees of JSON: changing them and showing where they differ.

use std::collections::BTreeSet;

use serde_json::Value as Json;

/// Applies a JSON merge patch (RFC 7396).
pub(crate) fn merge(target: &mut Json, patch: &Json) {
    let Json::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Json::Object(serde_json::Map::new());
    }
    if let Json::Object(target) = target {
        for (key, value) in patch {
            if value.is_null() {
                target.remove(key);
            } else {
                merge(target.entry(key.clone()).or_insert(Json::Null), value);
            }
        }
    }
}

/// Takes a field out of a tree: `spec.ports[0].nodePort`.
pub(crate) fn remove(tree: &mut Json, path: &str) {
    let pointer = format!("/{}", path.replace(['.', '['], "/").replace(']', ""));
    let Some((above, name)) = pointer.rsplit_once('/') else { return };
    if let Some(Json::Object(above)) = tree.pointer_mut(above) {
        above.remove(name);
    }
}

/// Where two trees differ, in words.
pub(crate) fn differences(ours: &Json, served: &Json) -> Vec<String> {
    let mut found = Vec::new();
    compare(String::new(), Some(ours), Some(served), &mut found);
    found
}

fn compare(at: String, ours: Option<&Json>, served: Option<&Json>, found: &mut Vec<String>) {
    match (ours, served) {
        (Some(Json::Object(ours)), Some(Json::Object(served))) => {
            for key in ours.keys().chain(served.keys()).collect::<BTreeSet<_>>() {
                compare(format!("{at}.{key}"), ours.get(key), served.get(key), found);
            }
        }
        (Some(Json::Array(ours)), Some(Json::Array(served))) if ours.len() == served.len() => {
            for (index, (ours, served)) in ours.iter().zip(served).enumerate() {
                compare(format!("{at}[{index}]"), Some(ours), Some(served), found);
            }
        }
        _ if ours == served => {}
        _ => {
            let show = |side: Option<&Json>| side.map_or_else(|| "(absent)".to_owned(), Json::to_string);
            found.push(format!("{at}\n      ours   {}\n      served {}", show(ours), show(served)));
        }
    }
}
