//! Masks values of secrets in diffs, so that only changes are visible.

use rhumb_scheme::Unstructured;
use serde_json::{Map, Value};

const HIDDEN: &str = "***";
const BEFORE: &str = "*** (before)";
const AFTER: &str = "*** (after)";

/// Hides the values in both states of a Secret.
pub(super) fn mask(live: Option<&mut Unstructured>, merged: &mut Unstructured) {
    let mut nothing = Map::new();
    let from = live.and_then(data).unwrap_or(&mut nothing);
    let mut no_target = Map::new();
    let to = data(merged).unwrap_or(&mut no_target);
    for (key, value) in from.iter_mut() {
        let (before, after) = match to.get(key) {
            Some(other) if other != value => (BEFORE, AFTER),
            _ => (HIDDEN, HIDDEN),
        };
        *value = Value::from(before);
        if let Some(other) = to.get_mut(key) {
            *other = Value::from(after);
        }
    }
    for (key, value) in to.iter_mut() {
        if !from.contains_key(key) {
            *value = Value::from(HIDDEN);
        }
    }
}

fn data(object: &mut Unstructured) -> Option<&mut Map<String, Value>> {
    object.fields_mut().get_mut("data")?.as_object_mut()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_hidden_and_differences_are_not() {
        let mut live = Unstructured::new(json!({"data": {"a": "1", "b": "2", "c": "3"}})).unwrap();
        let mut merged = Unstructured::new(json!({"data": {"a": "1", "b": "x", "d": "4"}})).unwrap();
        mask(Some(&mut live), &mut merged);
        assert_eq!(live.tree()["data"], json!({"a": HIDDEN, "b": BEFORE, "c": HIDDEN}));
        assert_eq!(merged.tree()["data"], json!({"a": HIDDEN, "b": AFTER, "d": HIDDEN}));
    }
}
