//! The documents are those that kube-apiserver publishes, but for descriptions, which are in our own words.

#[path = "../../../testdata/kubernetes/read.rs"]
mod kubernetes;

use std::collections::BTreeSet;

use rhumb_api::resources::ResourceTable;
use rhumb_openapi::{Documents, Settings};
use serde_json::Value;

/// A property may be called "description" too; that one is an object.
fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if map.get("description").is_some_and(Value::is_string) {
                map.remove("description");
            }
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Where two trees differ, as lines of a path and both values.
fn differences(path: &str, ours: &Value, theirs: &Value, out: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            for name in a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))) {
                let below = format!("{path} {name}");
                match (a.get(name), b.get(name)) {
                    (Some(a), Some(b)) => differences(&below, a, b, out),
                    (Some(_), None) => out.push(format!("{below}: only ours")),
                    _ => out.push(format!("{below}: only theirs")),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{path} [{at}]"), a, b, out);
            }
        }
        _ if ours == theirs => {}
        _ => out.push(format!("{path}: {ours} != {theirs}")),
    }
}

fn check(name: &str, ours: &[u8], theirs: &Value, out: &mut Vec<String>) {
    let mut both = [serde_json::from_slice(ours).expect("JSON"), theirs.clone()];
    both.iter_mut().for_each(strip);
    let [ours, theirs] = both;
    differences(name, &ours, &theirs, out);
}

#[test]
fn documents_of_one_group_equal_the_published_ones() {
    let published = kubernetes::document("openapi");
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let table = ResourceTable::select(|served| served.group == "policy" && !served.is_former);
    let settings = Settings::default();
    let documents = Documents::new(&scheme, &table, &settings);
    let mut out = Vec::new();
    for key in ["api", "apis", "apis/policy", "apis/policy/v1", "logs", "version"] {
        let document = documents.v3(key).expect("every key has a document");
        check(key, &document, &published[name_of(key)], &mut out);
    }
    assert!(out.is_empty(), "{} differences:\n{}", out.len(), out.join("\n"));
}

/// What the document of a key is called among the published ones.
fn name_of(key: &str) -> String {
    key.replace('/', "__")
}

#[test]
fn every_document_equals_the_published_one() {
    let mut published = kubernetes::document("openapi");
    let published = published.as_object_mut().expect("documents by name");
    let swagger = published.remove("swagger").expect("the document of version 2");
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let (table, settings) = (ResourceTable::current(), Settings::default());
    let documents = Documents::new(&scheme, &table, &settings);
    let mut out = Vec::new();
    check("v2", &documents.v2(), &swagger, &mut out);
    let mut compared = BTreeSet::new();
    for key in documents.keys() {
        let document = documents.v3(&key).expect("every key has a document");
        if let Some(theirs) = published.get(&name_of(&key)) {
            check(&key, &document, theirs, &mut out);
            compared.insert(name_of(&key));
        }
    }
    assert_eq!(compared, published.keys().cloned().collect(), "documents without a key");
    assert!(out.is_empty(), "{} differences:\n{}", out.len(), out.join("\n"));
}
