//! The documents that a real server publishes of custom resources, compared with ours.

use std::collections::BTreeMap;

use rhumb_structural::openapi::{self, Resource};
use serde_json::Value as Json;

fn definitions() -> Json {
    serde_json::from_str(include_str!("data/definitions.json")).expect("JSON")
}

fn resources<'a>(definitions: &'a Json, group: Option<&str>) -> Vec<Resource<'a>> {
    let definitions = definitions.as_object().expect("an object").values();
    let found = definitions.filter_map(|definition| Resource::of(definition, "v1"));
    found.filter(|resource| group.is_none_or(|group| resource.group == group)).collect()
}

/// Words are compared where they come from the definition, which are those that begin with a mark.
fn without_words(tree: &Json) -> Json {
    match tree {
        Json::Array(items) => Json::Array(items.iter().map(without_words).collect()),
        Json::Object(map) => {
            let is_ours = |key: &str, value: &Json| {
                key == "description" && value.as_str().is_some_and(|words| !words.starts_with("OURS:"))
            };
            let kept = map.iter().filter(|(key, value)| !is_ours(key, value));
            Json::Object(kept.map(|(key, value)| (key.clone(), without_words(value))).collect())
        }
        other => other.clone(),
    }
}

/// The places where two trees differ.
fn differences(ours: &Json, theirs: &Json, path: &str, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Json::Object(ours), Json::Object(theirs)) => {
            for (key, theirs) in theirs {
                match ours.get(key) {
                    Some(ours) => differences(ours, theirs, &format!("{path}/{key}"), found),
                    None => found.push(format!("{path}/{key} is missing: {theirs}")),
                }
            }
            for (key, ours) in ours.iter().filter(|(key, _)| !theirs.contains_key(*key)) {
                found.push(format!("{path}/{key} is too much: {ours}"));
            }
        }
        (Json::Number(ours), Json::Number(theirs)) if ours.as_f64() == theirs.as_f64() => {}
        (ours, theirs) if ours == theirs => {}
        (ours, theirs) => found.push(format!("{path}\n  ours   {ours}\n  theirs {theirs}")),
    }
}

fn check(ours: &Json, theirs: &Json) {
    let mut found = Vec::new();
    differences(&without_words(ours), theirs, "", &mut found);
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
}

fn check_v3(group: &str, theirs: &str) {
    let theirs: Json = serde_json::from_str(theirs).expect("JSON");
    let models = theirs["components"]["schemas"].as_object().expect("models");
    let mut own: BTreeMap<String, Json> = models
        .iter()
        .filter(|(name, _)| name.starts_with("io.k8s."))
        .map(|(name, model)| (name.clone(), model.clone()))
        .collect();
    own.insert("io.k8s.api.core.v1.Pod".to_owned(), Json::default());
    let definitions = definitions();
    check(&openapi::v3(&resources(&definitions, Some(group)), &own), &theirs);
}

#[test]
fn version_3_of_a_resource_with_everything() {
    check_v3("stable.example.com", include_str!("data/v3-stable.example.com-v1.json"));
}

#[test]
fn version_3_of_many_rules() {
    check_v3("rules.example.com", include_str!("data/v3-rules.example.com-v1.json"));
}

#[test]
fn version_3_of_what_may_be_null() {
    check_v3("other.example.com", include_str!("data/v3-other.example.com-v1.json"));
}

#[test]
fn version_2_is_what_clients_of_it_can_read() {
    let theirs: Json = serde_json::from_str(include_str!("data/v2.json")).expect("JSON");
    let definitions = definitions();
    let mut ours = openapi::v2(&resources(&definitions, None));
    let ours_map = ours.as_object_mut().expect("an object");
    assert_eq!(ours_map.remove("swagger"), Some(Json::from("2.0")));
    ours_map.remove("info");
    check(&ours, &theirs);
}
