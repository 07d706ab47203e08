//! The values that documents list are those that Kubernetes marks in its types.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::resources::ResourceTable;
use rhumb_openapi::{Documents, Enums, Settings};
use serde_json::Value;

/// Values by model and property.
type Listed = BTreeMap<(String, String), Vec<String>>;

/// What only we list: this version is no longer served and shares its type with v1, which has the values.
const ONLY_OURS: (&str, &str) = ("io.k8s.api.storage.v1beta1.StorageClass", "volumeBindingMode");

/// What Kubernetes 1.36 lists: a model, a property and its values on every line.
fn theirs() -> Listed {
    let line = |line: &str| {
        let (model, rest) = line.split_once(' ').expect("a model");
        let (property, values) = rest.split_once(' ').expect("a property");
        let values = serde_json::Deserializer::from_str(values).into_iter::<String>();
        let values = values.collect::<Result<_, _>>().expect("texts");
        ((model.to_owned(), property.to_owned()), values)
    };
    include_str!("data/enums.txt").lines().map(line).collect()
}

/// The values of a property, or of what it is a list or a map of.
fn values(property: &Value) -> Option<Vec<String>> {
    let places = [property, &property["items"], &property["additionalProperties"]];
    let found = places.iter().find_map(|place| place["enum"].as_array())?;
    Some(found.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

#[test]
fn all_values_are_listed_and_no_others() {
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let table = ResourceTable::everything();
    let settings = Settings { enums: Enums::Shown, ..Settings::default() };
    let documents = Documents::new(&scheme, &table, &settings);
    let (mut ours, mut models) = (Listed::new(), BTreeSet::new());
    for key in documents.keys() {
        let text = documents.v3(&key).expect("every key has a document");
        let document: Value = serde_json::from_slice(&text).expect("JSON");
        for (model, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
            models.insert(model.clone());
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                if let Some(values) = values(property) {
                    ours.insert((model.clone(), name.clone()), values);
                }
            }
        }
    }
    let theirs = theirs();
    let missing: Vec<_> = theirs
        .iter()
        .filter(|(at, values)| models.contains(&at.0) && ours.get(*at) != Some(*values))
        .collect();
    assert!(missing.is_empty(), "{} of {} differ: {missing:#?}", missing.len(), theirs.len());
    // Models of versions that Kubernetes has given up are not in its list.
    let known: BTreeSet<&str> = theirs.keys().map(|(model, _)| model.as_str()).collect();
    let is_more = |(model, property): &(&str, &str)| {
        known.contains(model) && !theirs.contains_key(&((*model).to_owned(), (*property).to_owned()))
    };
    let more = ours.keys().map(|(model, property)| (model.as_str(), property.as_str())).filter(is_more);
    assert_eq!(more.collect::<Vec<_>>(), [ONLY_OURS]);
}
