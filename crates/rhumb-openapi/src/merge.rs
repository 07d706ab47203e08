//! Documents about custom resources, merged with others.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::v2::{Each, Section};

/// The entries of a section in documents of version 2 that are to be merged, less those that are there
/// already.
pub(crate) struct Extra<'a> {
    entries: BTreeMap<&'a str, &'a Value>,
}

impl<'a> Extra<'a> {
    pub(crate) fn new(documents: &'a [Value], section: Section) -> Self {
        let mut entries = BTreeMap::new();
        let sections = documents.iter().filter_map(|document| document.get(section.as_str())?.as_object());
        for (name, value) in sections.flatten() {
            entries.entry(name.as_str()).or_insert(value);
        }
        Extra { entries }
    }

    /// Leaves an entry out, because there is one.
    pub(crate) fn skip(&mut self, name: &str) {
        self.entries.remove(name);
    }

    /// Hands over what was not left out.
    pub(crate) fn rest(&self, each: &mut Each<'_>) {
        self.entries.iter().for_each(|(name, value)| each(name, value));
    }
}

/// One document of version 3 from those of the kinds of a group version, as JSON text. What several documents
/// have under one name is taken from the first of them.
pub fn merge_v3(documents: &[Value]) -> Vec<u8> {
    let mut merged = Map::new();
    for document in documents.iter().filter_map(Value::as_object) {
        for (name, value) in document {
            match (merged.get_mut(name), &**name) {
                (None, _) => drop(merged.insert(name.clone(), value.clone())),
                (Some(present), "paths") => add_missing(present, value),
                (Some(present), "components") => {
                    add_missing(present, value);
                    for (folder, entries) in value.as_object().into_iter().flatten() {
                        present.get_mut(folder).into_iter().for_each(|present| add_missing(present, entries));
                    }
                }
                (Some(_), _) => {}
            }
        }
    }
    Value::Object(merged).to_string().into_bytes()
}

fn add_missing(present: &mut Value, others: &Value) {
    if let (Some(present), Some(others)) = (present.as_object_mut(), others.as_object()) {
        for (name, value) in others {
            present.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
}
