//! What Kubernetes' own code made of a thousand patches, and what we make of them.
//!
//! `cases/answers.json` holds inputs and the answers of `strategicpatch`, `jsonmergepatch` and `json-patch` as
//! kube-apiserver and kubectl v1.36 use them. Where a Go map's order decided, a case has several answers, and any of
//! them is right. Where the code panicked, any error is, or a result that the standard asks for.

use rhumb_api::{apps, certificates, core, discovery, networking};
use rhumb_patch::strategic::Overwrite;
use rhumb_patch::{PatchError, Precondition, json_patch, merge, strategic};
use rhumb_schema::text::parse_tree;
use rhumb_schema::{Described, StructDesc};
use serde_json::{Value, json};

/// Where we differ, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("three_way-532", "looking for conflicts sorts the lists of the patch there, and so in the error"),
    ("three_way-846", "looking for conflicts sorts the lists of the patch there, and so a command's words"),
    ("merge_three_way-539", "merge patches turn large integers into floats there"),
];

fn cases() -> Vec<Value> {
    let tree = parse_tree(include_bytes!("cases/answers.json")).expect("the fixture is JSON");
    tree.as_array().expect("the fixture is a list").clone()
}

fn table(kind: &str) -> &'static StructDesc {
    let shape = match kind {
        "Deployment" => apps::v1::Deployment::SHAPE,
        "StatefulSet" => apps::v1::StatefulSet::SHAPE,
        "ControllerRevision" => apps::v1::ControllerRevision::SHAPE,
        "Pod" => core::v1::Pod::SHAPE,
        "Service" => core::v1::Service::SHAPE,
        "Node" => core::v1::Node::SHAPE,
        "ServiceAccount" => core::v1::ServiceAccount::SHAPE,
        "ConfigMap" => core::v1::ConfigMap::SHAPE,
        "PersistentVolumeClaim" => core::v1::PersistentVolumeClaim::SHAPE,
        "CertificateSigningRequest" => certificates::v1::CertificateSigningRequest::SHAPE,
        "EndpointSlice" => discovery::v1::EndpointSlice::SHAPE,
        "Ingress" => networking::v1::Ingress::SHAPE,
        other => panic!("no table for {other}"),
    };
    shape.element_struct().expect("a kind is a struct")
}

fn preconditions(case: &Value) -> Vec<Precondition<'_>> {
    let names = case["unchanged"].as_array().into_iter().flatten().filter_map(Value::as_str);
    names
        .map(|name| match name.strip_prefix("metadata.") {
            Some(key) => Precondition::MetadataKey(key),
            None => Precondition::Key(name),
        })
        .collect()
}

fn patched(
    case: &Value,
    patch: impl FnOnce(&mut Value) -> Result<(), PatchError>,
) -> Result<Value, PatchError> {
    let mut doc = case["original"].clone();
    let before = doc.clone();
    let result = patch(&mut doc);
    if result.is_err() {
        assert_eq!(doc, before, "{}: a failed patch changed the document", case["name"]);
    }
    result.map(|()| doc)
}

fn ours(case: &Value) -> Result<Value, PatchError> {
    let text = || case["text"].as_str().unwrap_or_default().as_bytes();
    let kind = || table(case["kind"].as_str().unwrap_or_default());
    match case["op"].as_str().unwrap_or_default() {
        "strategic" => patched(case, |doc| strategic::apply(doc, &case["patch"], kind())),
        "json" => patched(case, |doc| json_patch::apply(doc, text())),
        "merge" => patched(case, |doc| merge::apply(doc, &merge::decode(text())?)),
        "two_way" => {
            strategic::create_two_way(&case["original"], &case["modified"], kind(), &preconditions(case))
        }
        "three_way" => strategic::create_three_way(
            &case["original"],
            &case["modified"],
            &case["current"],
            kind(),
            if case["overwrite"] == true { Overwrite::Yes } else { Overwrite::No },
            &preconditions(case),
        ),
        "merge_two_way" => merge::create_two_way(&case["original"], &case["modified"]),
        "merge_three_way" => merge::create_three_way(
            &case["original"],
            &case["modified"],
            &case["current"],
            &preconditions(case),
        ),
        other => panic!("no operation {other}"),
    }
}

/// Go's floats have no fraction where there is none, and its merge patches know no integers.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
        }
        (one, other) => one == other,
    }
}

fn fits(ours: &Result<Value, PatchError>, answer: &Value) -> bool {
    match (ours, answer.get("error"), answer.get("panic")) {
        (_, _, Some(_)) => true,
        (Ok(result), None, None) => same(result, &answer["result"]),
        (Err(error), Some(text), None) => *text == error.detail(),
        _ => false,
    }
}

#[test]
fn patches_do_what_they_do_in_kubernetes() {
    let mut wrong = Vec::new();
    for case in cases() {
        let ours = ours(&case);
        let equal = case["answers"].as_array().into_iter().flatten().any(|answer| fits(&ours, answer));
        let expected = !DIFFERENT.iter().any(|(name, _)| case["name"] == *name);
        if equal != expected {
            let shown = ours.map_or_else(|error| error.detail(), |result| result.to_string());
            wrong.push(format!("{case}\n  ours: {shown}"));
        }
    }
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_strict_servers_find_in_patches_reads_as_in_kubernetes() {
    let mut wrong = Vec::new();
    for case in cases() {
        let text = case["text"].as_str().unwrap_or_default().as_bytes();
        let found = match case["op"].as_str() {
            Some("json") => json_patch::check(text),
            Some("merge") => merge::check(text),
            _ => continue,
        };
        let found = found.unwrap_or_else(|error| vec![error.to_string()]);
        let answer = &case["answers"][0];
        if answer.get("panic").is_none() && json!(found) != *answer.get("strict").unwrap_or(&json!([])) {
            wrong.push(format!("{case}\n  ours: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn errors_become_the_status_that_a_server_answers_with() {
    let code = |op: &str, stage: &str| match (op, stage) {
        ("json", "decode") => 400,
        ("json", _) => 422,
        _ => 0,
    };
    for case in cases() {
        let (Err(error), answer) = (ours(&case), &case["answers"][0]) else { continue };
        let expected =
            code(case["op"].as_str().unwrap_or_default(), answer["stage"].as_str().unwrap_or_default());
        if expected != 0 && answer.get("panic").is_none() {
            assert_eq!(error.code(), expected, "{case}");
        }
    }
}
