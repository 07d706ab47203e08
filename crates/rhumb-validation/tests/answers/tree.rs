//! Trees of JSON: changing them and showing where they differ. The tests of strategies use this file too.

use std::collections::BTreeSet;

use serde_json::Value as Json;

/// The most bytes that a side of a difference is shown with.
const SIDE: usize = 1_500;

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

/// Takes a field out of a tree: `spec.ports[0].nodePort`, `spec.ports[*].nodePort`, `metadata.labels[a.b/c]`.
pub(crate) fn remove(tree: &mut Json, path: &str) {
    remove_at(tree, &segments(path));
}

fn segments(path: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut in_brackets = false;
    for character in path.chars() {
        match character {
            '[' if !in_brackets => {
                in_brackets = true;
                found.push(String::new());
            }
            ']' if in_brackets => in_brackets = false,
            '.' if !in_brackets => found.push(String::new()),
            other => found.last_mut().expect("there is one").push(other),
        }
    }
    found.retain(|segment| !segment.is_empty());
    found
}

fn remove_at(tree: &mut Json, path: &[String]) {
    let Some((first, rest)) = path.split_first() else { return };
    match tree {
        Json::Object(map) if rest.is_empty() => drop(map.remove(first)),
        Json::Object(map) => map.get_mut(first).into_iter().for_each(|below| remove_at(below, rest)),
        Json::Array(list) if first == "*" => list.iter_mut().for_each(|below| remove_at(below, rest)),
        Json::Array(list) => {
            let at = first.parse().ok().and_then(|index: usize| list.get_mut(index));
            at.into_iter().for_each(|below| remove_at(below, rest));
        }
        _ => {}
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
            found.push(sides(&at, &show(ours), &show(served)));
        }
    }
}

/// Both sides of a difference.
pub(crate) fn sides(what: &str, ours: &str, served: &str) -> String {
    format!("{what}\n      ours   {}\n      served {}", cut(ours, SIDE), cut(served, SIDE))
}

/// A text without what goes beyond a length.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}… ({} bytes more)", &text[..end], text.len() - end)
}
