//! What large schemas cost, and that no object or schema brings anything down.

use rhumb_meta::v1::ObjectMeta;
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_structural::json_path::JsonPath;
use rhumb_structural::{CompileError, Malformed, Structural};
use serde_json::{Map, Value as Json, json};

fn no_rule(_: &ObjectMeta, _: &FieldPath, _: &mut FieldErrors) {}

/// A simple source of numbers that look random, and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }
}

/// Any value; its fields have the names of schemas and objects alike, so that each is tried at the place of
/// others.
fn value(numbers: &mut Numbers, names: &[String], depth: usize) -> Json {
    match numbers.below(if depth == 0 { 8 } else { 14 }) {
        0 => Json::Null,
        1 => Json::Bool(numbers.below(2) == 0),
        2 => json!(i64::MIN),
        3 => json!(u64::MAX),
        4 => json!(f64::MAX),
        5 => json!(numbers.below(10)),
        6 => json!(["", "é", "a.b", "10%", "[", "\u{0}"][numbers.below(6)]),
        7 => json!(-0.5),
        8 | 9 => (0..numbers.below(4)).map(|_| value(numbers, names, depth - 1)).collect(),
        _ => {
            let fields = (0..numbers.below(6)).map(|_| {
                let name = names[numbers.below(names.len())].clone();
                (name, value(numbers, names, depth - 1))
            });
            Json::Object(fields.collect::<Map<_, _>>())
        }
    }
}

fn names_in(tree: &Json, found: &mut Vec<String>) {
    match tree {
        Json::Object(map) => map.iter().for_each(|(name, value)| {
            found.push(name.clone());
            names_in(value, found);
        }),
        Json::Array(items) => items.iter().for_each(|item| names_in(item, found)),
        _ => {}
    }
}

#[test]
fn no_object_and_no_schema_brings_anything_down() {
    let definitions: Json = serde_json::from_str(include_str!("data/definitions.json")).expect("JSON");
    let schema = &definitions["Rule"]["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let mut names = Vec::new();
    names_in(schema, &mut names);
    names.extend(["apiVersion", "kind", "metadata", "labels", "unknown"].map(str::to_owned));
    let mut numbers = Numbers(7);
    let compiled = Structural::compile(schema).expect("a schema");
    for _ in 0..3000 {
        let odd = Structural::compile(&value(&mut numbers, &names, 5));
        let (old, mut new) = (value(&mut numbers, &names, 6), value(&mut numbers, &names, 6));
        if new.is_object() {
            let spec: Map<String, Json> = (0..8)
                .map(|_| (names[numbers.below(names.len())].clone(), value(&mut numbers, &names, 4)))
                .collect();
            new["spec"] = Json::Object(spec);
        }
        for schema in [Some(&compiled), odd.as_ref().ok()].into_iter().flatten() {
            for malformed in [Malformed::Refuse, Malformed::Drop] {
                let mut object = new.clone();
                let _ = schema.settle(&mut object, malformed);
                schema.default(&mut object).expect("room");
                schema.validate(&object, Some(&old), None, no_rule);
                schema.validate_status(&object, &old, None);
            }
            schema.validate(&new, None, None, no_rule);
        }
        let path: String = (0..numbers.below(9))
            .map(|_| {
                [
                    ".", "a", "[", "]", "?(", ")", "@", "'", "\"", "*", "1", "-", ":", ",", "==", "\\", "é",
                    " ", "..",
                ][numbers.below(19)]
            })
            .collect();
        if let Ok(path) = JsonPath::parse(&path) {
            let _ = path.find(&new);
            path.selectable(&new);
        }
    }
}

#[test]
fn pruned_and_defaulted_objects_stay_as_they_are() {
    let definitions: Json = serde_json::from_str(include_str!("data/definitions.json")).expect("JSON");
    let schema = &definitions["Rule"]["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let mut names = Vec::new();
    names_in(&schema["properties"]["defaults"], &mut names);
    let compiled = Structural::compile(schema).expect("a schema");
    let mut numbers = Numbers(11);
    for _ in 0..1000 {
        let mut object = json!({ "defaults": value(&mut numbers, &names, 5) });
        compiled.settle(&mut object, Malformed::Drop).expect("no metadata");
        compiled.default(&mut object).expect("room");
        let once = object.clone();
        assert_eq!(compiled.settle(&mut object, Malformed::Drop), Ok(Vec::new()), "{once}");
        compiled.default(&mut object).expect("room");
        assert_eq!(object, once);
    }
}

#[test]
fn schemas_that_are_not_structural_are_refused() {
    let compile = |schema: Json| Structural::compile(&schema).err();
    assert_eq!(compile(json!([])), Some(CompileError::NotAnObject));
    assert_eq!(compile(json!({"items": [{}]})), Some(CompileError::ItemsArray));
    assert_eq!(
        compile(json!({"properties": {"a": {"$ref": "#/x"}}})),
        Some(CompileError::Unsupported("$ref"))
    );
    let preserve = json!({"x-kubernetes-preserve-unknown-fields": false});
    assert_eq!(compile(preserve), Some(CompileError::PreserveFalse));
    let deep = (0..600).fold(json!({}), |inner, _| json!({ "items": inner }));
    assert_eq!(compile(deep), Some(CompileError::Depth));
}

#[test]
fn malformed_metadata_that_was_stored_is_dropped() {
    let embedded = json!({
        "type": "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
    });
    let schema = json!({"type": "object", "properties": {"a": embedded}});
    let compiled = Structural::compile(&schema).expect("a schema");
    let mut object = json!({
        "metadata": {"name": "x", "labels": 5, "annotations": {"a": "b"}},
        "a": {"apiVersion": 5, "kind": "Pod", "metadata": {"name": [], "generateName": "y"}, "b": 1},
    });
    compiled.settle(&mut object, Malformed::Drop).expect("readable");
    let wanted = json!({
        "metadata": {"name": "x", "annotations": {"a": "b"}},
        "a": {"kind": "Pod", "metadata": {"generateName": "y"}, "b": 1},
    });
    assert_eq!(object, wanted);
}
