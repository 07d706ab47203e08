//! What a real server answered about custom resources, compared with what we make of them.

use std::collections::BTreeMap;

use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::validation::{NamePart, is_qualified_name, is_valid_label_value, name_is_path_segment};
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_structural::columns::{Column, ColumnType};
use rhumb_structural::json_path::JsonPath;
use rhumb_structural::scale::ScalePaths;
use rhumb_structural::{Malformed, Structural};
use serde_json::{Value as Json, json};

fn definitions() -> Json {
    serde_json::from_str(include_str!("data/definitions.json")).expect("JSON")
}

fn rows(text: &str) -> impl Iterator<Item = Json> {
    text.lines().map(|line| rhumb_schema::text::parse_tree(line.as_bytes()).expect("JSON"))
}

struct Kind {
    name: String,
    schema: Structural,
    has_status: bool,
    scale: Option<ScalePaths>,
}

fn kinds() -> BTreeMap<String, Kind> {
    let definitions = definitions();
    let kind = |(name, definition): (&String, &Json)| {
        let version = &definition["spec"]["versions"][0];
        let kind = Kind {
            name: name.clone(),
            schema: Structural::compile(&version["schema"]["openAPIV3Schema"]).expect("a schema"),
            has_status: version["subresources"]["status"].is_object(),
            scale: ScalePaths::of(&version["subresources"]["scale"]),
        };
        (name.clone(), kind)
    };
    definitions.as_object().expect("an object").iter().map(kind).collect()
}

/// Of the rules of metadata, those that the recorded objects break.
fn metadata_rule(metadata: &ObjectMeta, path: &FieldPath, errors: &mut FieldErrors) {
    let found = name_is_path_segment(&metadata.name, NamePart::Whole);
    errors.invalid_each(&path.child("name"), &metadata.name, found);
    for (key, value) in &metadata.labels {
        errors.invalid_each(&path.child("labels"), key, is_qualified_name(key));
        errors.invalid_each(&path.child("labels"), value, is_valid_label_value(value));
    }
    if metadata.owner_references.iter().any(|owner| owner.api_version.is_empty()) {
        errors.required(&path.child("ownerReferences"), "");
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    Strict,
    Ignore,
}

/// The answer to a request, in the form in which answers are recorded.
fn answer(kind: &Kind, row: &Json, strictness: Strictness, subresource: &str) -> Json {
    let mut object = row["object"].clone();
    let unread = |text: String| {
        let name = &kind.name;
        let message = format!("{name} in version \"v1\" cannot be handled as a {name}: {text}");
        json!({"code": 400, "message": message})
    };
    let unknown = match kind.schema.settle(&mut object, Malformed::Refuse) {
        Ok(unknown) => unknown,
        Err(error) => return unread(error.to_string()),
    };
    if strictness == Strictness::Strict && !unknown.is_empty() {
        let fields: Vec<String> = unknown.iter().map(|path| format!("unknown field \"{path}\"")).collect();
        return unread(format!("strict decoding error: {}", fields.join(", ")));
    }
    kind.schema.default(&mut object).expect("room");
    let old = row.get("old");
    if subresource == "status" {
        let mut whole = old.cloned().unwrap_or_default();
        match object.as_object_mut().and_then(|object| object.remove("status")) {
            Some(status) => whole["status"] = status,
            None => {
                whole.as_object_mut().expect("an object").remove("status");
            }
        }
        object = whole;
    } else if kind.has_status {
        object.as_object_mut().expect("an object").remove("status");
    }
    let errors = match (subresource, old) {
        ("status", Some(old)) => kind.schema.validate_status(&object, old, kind.scale.as_ref()),
        _ => kind.schema.validate(&object, old, kind.scale.as_ref(), metadata_rule),
    };
    if errors.is_empty() {
        // Who manages which fields is left out of what is recorded.
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("managedFields");
        }
        return object;
    }
    let mut causes: Vec<[String; 3]> = errors
        .0
        .iter()
        .map(|error| [error.problem.reason().into(), error.path.to_string(), error.body()])
        .collect();
    causes.sort();
    json!({ "causes": causes })
}

fn replay(text: &str, subresource: &str) {
    let kinds = kinds();
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in rows(text) {
        let kind = &kinds[row["kind"].as_str().expect("a kind")];
        for (key, strictness) in [("ignore", Strictness::Ignore), ("strict", Strictness::Strict)] {
            // Updates were asked for without strictness only.
            if strictness == Strictness::Strict && row.get("old").is_some() {
                continue;
            }
            let theirs = row.get(key).unwrap_or(&row["ignore"]);
            let ours = answer(kind, &row, strictness, subresource);
            count += 1;
            if !same(&ours, theirs) {
                wrong.push(difference(&row["object"], &ours, theirs));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// A float without a fraction is written as an integer.
fn same(ours: &Json, theirs: &Json) -> bool {
    match (ours, theirs) {
        (Json::Number(ours), Json::Number(theirs)) => ours.as_f64() == theirs.as_f64(),
        (Json::Array(ours), Json::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| same(ours, theirs))
        }
        (Json::Object(ours), Json::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().all(|(key, ours)| theirs.get(key).is_some_and(|theirs| same(ours, theirs)))
        }
        (ours, theirs) => ours == theirs,
    }
}

fn difference(object: &Json, ours: &Json, theirs: &Json) -> String {
    let causes = |answer: &Json| answer["causes"].as_array().cloned();
    match (causes(ours), causes(theirs)) {
        (Some(ours), Some(theirs)) => {
            let more: Vec<&Json> = ours.iter().filter(|cause| !theirs.contains(cause)).collect();
            let less: Vec<&Json> = theirs.iter().filter(|cause| !ours.contains(cause)).collect();
            format!("{}\n  only ours   {more:?}\n  only theirs {less:?}", object["metadata"])
        }
        _ => format!("{object}\n  ours   {ours}\n  theirs {theirs}"),
    }
}

#[test]
fn new_objects_are_answered_as_by_a_real_server() {
    replay(include_str!("data/creates.jsonl"), "");
}

#[test]
fn errors_in_what_an_update_leaves_alone_are_forgiven() {
    replay(include_str!("data/updates.jsonl"), "");
}

#[test]
fn a_status_is_checked_alone() {
    replay(include_str!("data/statuses.jsonl"), "status");
}

#[test]
fn cells_are_those_of_a_real_server() {
    let definitions = definitions();
    let version = &definitions["CronTab"]["spec"]["versions"][0];
    let text = |column: &Json, key: &str| column[key].as_str().unwrap_or_default().to_owned();
    let columns: Vec<Column> = version["additionalPrinterColumns"]
        .as_array()
        .expect("columns")
        .iter()
        .map(|column| {
            let kind = ColumnType::read(&text(column, "type")).expect("a type");
            Column::new(&text(column, "jsonPath"), kind).expect("a path")
        })
        .collect();
    // Ages change with the time of recording.
    let age = |time: Option<&rhumb_meta::Time>| if time.is_some() { "old" } else { "<unknown>" }.to_owned();
    for row in rows(include_str!("data/rows.jsonl")) {
        let ours = columns.iter().map(|column| column.cell(&row["object"], &age));
        let ours: Vec<Json> = [row["object"]["metadata"]["name"].clone()].into_iter().chain(ours).collect();
        let mut theirs = row["cells"].clone();
        if theirs[10].as_str().is_some_and(|cell| !cell.starts_with('<')) {
            theirs[10] = json!("old");
        }
        assert!(
            same(&json!(ours), &theirs),
            "{}\n  ours   {}\n  theirs {theirs}",
            row["object"],
            json!(ours)
        );
    }
}

#[test]
fn selectable_fields_are_texts() {
    let object = json!({"spec": {"image": "x", "replicas": 3, "on": true, "none": null}});
    let selected = |path: &str| JsonPath::parse(path).expect("a path").selectable(&object);
    assert_eq!(
        [".spec.image", ".spec.replicas", ".spec.on", ".spec.none", ".spec.gone"].map(selected),
        ["x", "3", "true", "", ""]
    );
}

#[test]
fn malformed_paths_are_refused() {
    for path in [".a[", ".a[x]", ".a[?(@.b==)", ".a[1:2:3:4]", "....a", ".a['b", "é["] {
        let parsed = JsonPath::parse(path);
        assert!(parsed.is_err(), "{path}: {parsed:?}");
    }
}

#[test]
fn words_and_operators_without_a_meaning_are_noticed_on_the_way() {
    let object = json!({"a": [{"b": 1}]});
    for path in ["x", ".a[?(@.b=>1)]"] {
        let parsed = JsonPath::parse(path).expect("a path");
        assert!(parsed.find(&object).is_err(), "{path}");
    }
}
