//! Lists with unique elements: sets, and lists with keys.

use std::collections::HashMap;

use rhumb_schema::budget;
use rhumb_scheme::validation::{BadValue, FieldErrors, FieldPath};
use serde_json::{Map, Value as Json};

use crate::check::shown;
use crate::compile::{ListType, Node};

/// A value formatted only if an error shows it.
struct AsShown<'a>(&'a Json);

impl BadValue for AsShown<'_> {
    fn shown(&self) -> String {
        shown(self.0)
    }
}

/// Finds elements that stand in a list twice.
pub(crate) fn check(value: &Json, schema: &Node, path: &FieldPath, errors: &mut FieldErrors) {
    if budget::is_stopped() {
        return;
    }
    match value {
        Json::Object(object) => {
            for (name, value) in object {
                // A field with a schema of its own is also one of the others, as Kubernetes sees it.
                if let Some(additional) = schema.additional.schema() {
                    check(value, additional, &path.key(name), errors);
                }
                if let Some(property) = schema.property(name) {
                    check(value, property, &path.child(name), errors);
                }
            }
        }
        Json::Array(items) => {
            match schema.list {
                ListType::Atomic => {}
                ListType::Set => {
                    for (index, item) in repeated(items) {
                        errors.duplicate(&path.index(index), &AsShown(item));
                    }
                }
                ListType::Map => check_keys(items, schema, path, errors),
            }
            if let Some(schema) = &schema.items {
                for (index, item) in items.iter().enumerate() {
                    check(item, schema, &path.index(index), errors);
                }
            }
        }
        _ => {}
    }
}

/// Returns the second of equal elements; those behind it are not told of.
fn repeated<'a>(items: impl IntoIterator<Item = &'a Json>) -> Vec<(usize, &'a Json)> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut found = Vec::new();
    for (index, item) in items.into_iter().enumerate().take_while(|_| !budget::is_stopped()) {
        let times = seen.entry(item.to_string()).or_default();
        *times += 1;
        if *times == 2 {
            found.push((index, item));
        }
    }
    found
}

fn check_keys(items: &[Json], schema: &Node, path: &FieldPath, errors: &mut FieldErrors) {
    for (index, item) in items.iter().enumerate() {
        if !item.is_object() && !item.is_null() {
            let detail = "must be an object for an array of list-type map";
            return errors.invalid(&path.index(index), &AsShown(item), detail);
        }
    }
    let names = schema.rules.as_ref().map(|rules| &*rules.map_keys).unwrap_or_default();
    let key_of = |item: &Json| {
        let fields = names.iter().filter_map(|name| Some((name.to_string(), item.get(&**name)?.clone())));
        Json::Object(fields.collect::<Map<_, _>>())
    };
    let keys: Vec<Json> = items.iter().map(key_of).collect();
    for (index, key) in repeated(&keys) {
        errors.duplicate(&path.index(index), &AsShown(key));
    }
}
