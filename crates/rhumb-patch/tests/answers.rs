//! What Kubernetes' own code made of a thousand patches, and what we make of them.
//!
//! `cases/answers.json` holds inputs and the answers of `strategicpatch`, `jsonmergepatch` and `json-patch`
//! as kube-apiserver and kubectl v1.36 use them. Where a Go map's order decided, a case has several answers,
//! and any of them is right. Where the code panicked, any error is, or a result that the standard asks for.

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

/// A config map with the finalizer `a/b`, patches of it, and the Status that a server of v1.36 answered with.
#[test]
fn errors_become_the_status_that_a_server_answers_with() {
    const REJECTED: &str = "the server rejected our request due to an error in our request";
    let original =
        json!({ "metadata": { "name": "p", "finalizers": ["a/b"] }, "data": { "a": "1", "h": "a<b" } });
    let strategic = |patch: &str| {
        let patch = parse_tree(patch.as_bytes()).expect("JSON");
        strategic::apply(&mut original.clone(), &patch, table("ConfigMap"))
    };
    let json = |patch: &str| json_patch::apply(&mut original.clone(), patch.as_bytes());
    let merge = |patch: &str| merge::apply(&mut original.clone(), &merge::decode(patch.as_bytes())?);
    let check = |patch: &str| json_patch::check(patch.as_bytes()).map(drop);
    let check_merge = |patch: &str| merge::check(patch.as_bytes()).map(drop);
    let answers = [
        (json(r#"[{"op":"remove","path":"/x"}]"#), 422, "Invalid", REJECTED),
        (json(r#"[{"op":"test","path":"/data/h","value":"zz"}]"#), 422, "Invalid", REJECTED),
        (
            json(r#"{"op":"remove","path":"/x"}"#),
            400,
            "BadRequest",
            "json: cannot unmarshal object into Go value of type jsonpatch.Patch",
        ),
        (
            check(r#"{"op":"remove","path":"/x"}"#),
            400,
            "BadRequest",
            "error decoding patch: json: cannot unmarshal object \
             into Go value of type []handlers.jsonPatchOp",
        ),
        (
            check(r#"[{"op":1}]"#),
            400,
            "BadRequest",
            "error decoding patch: json: cannot unmarshal number \
             into Go struct field jsonPatchOp.op of type string",
        ),
        (merge("null"), 400, "BadRequest", "Invalid JSON Patch"),
        (
            check_merge("[]"),
            400,
            "BadRequest",
            "error decoding patch: json: cannot unmarshal array \
             into Go value of type map[string]interface {}",
        ),
        (check_merge("{"), 400, "BadRequest", "error decoding patch: unexpected end of JSON input"),
        (
            strategic("[1]"),
            400,
            "BadRequest",
            "json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        (strategic(r#"{"$patch":"x"}"#), 500, "", "unknown patch type: x in map: map[$patch:x]"),
        (
            strategic(r#"{"metadata":{"$retainKeys":1}}"#),
            400,
            "BadRequest",
            "invalid patch format of retainKeys",
        ),
        (
            strategic(r#"{"metadata":{"finalizers":[["a"]]}}"#),
            500,
            "",
            "list element types are not identical: [[a/b] [[a]]]",
        ),
        (
            strategic(r#"{"metadata":{"$deleteFromPrimitiveList":["a"]}}"#),
            400,
            "BadRequest",
            "invalid patch format of primitive list",
        ),
        (
            strategic(r#"{"metadata":{"$setElementOrder/finalizers":["z"],"finalizers":["c/d"]}}"#),
            500,
            "",
            "The order in patch list:\n[c/d]\n doesn't match $setElementOrder list:\n[z]\n",
        ),
    ];
    for (result, code, reason, message) in answers {
        let error = result.expect_err(message);
        assert_eq!((error.code(), error.reason().as_str(), &*error.to_string()), (code, reason, message));
    }
}
