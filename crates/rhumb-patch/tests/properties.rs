//! What holds for all patches: a difference leads to its target, and no input is too much.

use std::collections::HashSet;

use rhumb_api::{apps, core};
use rhumb_patch::strategic::Overwrite;
use rhumb_patch::{PatchError, json_patch, merge, strategic};
use rhumb_schema::{Described, FieldDesc, Shape, StructDesc};
use serde_json::{Map, Value, json};

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn word(&mut self) -> Value {
        Value::from(["a", "b", "c", "d", "e"][self.below(5) as usize])
    }
}

fn object(desc: &StructDesc, dice: &mut Dice, depth: usize, always: &str, map: &mut Map<String, Value>) {
    for field in desc.fields {
        if field.inline {
            if let Some(inner) = field.shape.element_struct() {
                object(inner, dice, depth, always, map);
            }
        } else if field.json == always || (depth < 7 && dice.below(100) < 35) {
            map.insert(field.json.to_owned(), value(&field.shape, field, dice, depth + 1));
        }
    }
}

fn value(shape: &Shape, field: &FieldDesc, dice: &mut Dice, depth: usize) -> Value {
    match shape {
        Shape::Bool => Value::from(dice.below(2) == 0),
        Shape::Int32 | Shape::Int64 => Value::from(dice.below(4)),
        Shape::Double => json!(0.5),
        Shape::Str | Shape::Leaf(_) | Shape::Json | Shape::Bytes => dice.word(),
        Shape::Option(inner) => value(inner, field, dice, depth),
        Shape::List(inner) => list(inner, field, dice, depth),
        Shape::Map(_) => {
            Value::Object((0..dice.below(3)).map(|_| (dice.word().to_string(), dice.word())).collect())
        }
        Shape::Struct(desc) => {
            let mut map = Map::new();
            object(desc(), dice, depth, "", &mut map);
            Value::Object(map)
        }
    }
}

/// A list of at least one element. Elements differ in their key; scalars are sorted, because Kubernetes takes
/// an unsorted list of merged scalars for the same as the sorted one.
fn list(inner: &Shape, field: &FieldDesc, dice: &mut Dice, depth: usize) -> Value {
    let key = field.patch_merge_key;
    let mut items = Vec::new();
    for _ in 0..=dice.below(4) {
        let item = match inner {
            Shape::Struct(desc) => {
                let mut map = Map::new();
                object(desc(), dice, depth, key, &mut map);
                Value::Object(map)
            }
            other => value(other, field, dice, depth),
        };
        items.push(item);
    }
    let mut seen = HashSet::new();
    if !key.is_empty() {
        items.retain(|item| seen.insert(item[key].clone()));
    } else if items.iter().all(|item| !item.is_object()) {
        items.retain(|item| seen.insert(item.clone()));
        items.sort_by_key(Value::to_string);
    }
    Value::Array(items)
}

fn some(table: &'static StructDesc, dice: &mut Dice) -> Value {
    let mut map = Map::new();
    object(table, dice, 0, "spec", &mut map);
    Value::Object(map)
}

fn tables() -> [&'static StructDesc; 4] {
    let shapes =
        [core::v1::Pod::SHAPE, core::v1::Service::SHAPE, core::v1::Node::SHAPE, apps::v1::Deployment::SHAPE];
    shapes.map(|shape| shape.element_struct().expect("a kind is a struct"))
}

#[test]
fn a_strategic_difference_leads_to_its_target() {
    let mut dice = Dice(42);
    for round in 0..400 {
        let table = tables()[round % 4];
        let (from, to) = (some(table, &mut dice), some(table, &mut dice));
        let patch = strategic::create_two_way(&from, &to, table, &[]).expect("both fit the table");
        let mut doc = from.clone();
        strategic::apply(&mut doc, &patch, table).expect("the patch fits");
        assert_eq!(doc, to, "{round}: from {from} by {patch}");
    }
}

#[test]
fn three_ways_are_two_when_nobody_else_changed_anything() {
    let mut dice = Dice(7);
    for round in 0..200 {
        let table = tables()[round % 4];
        let (from, to) = (some(table, &mut dice), some(table, &mut dice));
        let patch =
            strategic::create_three_way(&from, &to, &from, table, Overwrite::No, &[]).expect("no conflict");
        let mut doc = from.clone();
        strategic::apply(&mut doc, &patch, table).expect("the patch fits");
        assert_eq!(doc, to, "{round}: from {from} by {patch}");

        let patch = merge::create_three_way(&from, &to, &from, &[]).expect("objects");
        let mut doc = from.clone();
        merge::apply(&mut doc, &patch).expect("objects");
        assert_eq!(doc, to, "{round}: from {from} by {patch}");
    }
}

#[test]
fn a_merge_difference_leads_to_its_target() {
    let mut dice = Dice(3);
    for round in 0..200 {
        let table = tables()[round % 4];
        let (from, to) = (some(table, &mut dice), some(table, &mut dice));
        let patch = merge::create_two_way(&from, &to).expect("objects");
        let mut doc = from.clone();
        merge::apply(&mut doc, &patch).expect("objects");
        assert_eq!(doc, to, "{round}: from {from} by {patch}");
    }
}

#[test]
fn a_document_put_into_itself_again_and_again_is_too_deep_at_last() {
    let copies = vec![json!({ "op": "copy", "from": "/a", "path": "/a/a" }); 600];
    let mut doc = json!({ "a": {} });
    let patch = Value::from(copies).to_string();
    let error = json_patch::apply(&mut doc, patch.as_bytes()).expect_err("600 levels");
    assert_eq!((error, doc), (PatchError::Depth, json!({ "a": {} })));
}

#[test]
fn copies_are_limited_in_all_they_add() {
    let mut doc = json!({ "a": "x".repeat(1024 * 1024) });
    let copies = vec![json!({ "op": "copy", "from": "/a", "path": "/b" }); 4];
    let error = json_patch::apply(&mut doc, Value::from(copies).to_string().as_bytes()).expect_err("4 MiB");
    assert_eq!(
        error.detail(),
        "Unable to complete the copy, the accumulated size increase of copy is 3145734, \
         exceeding the limit 3145728"
    );
    assert_eq!(error.code(), 422);
}

#[test]
fn operations_are_limited_in_number() {
    let operations =
        |count| Value::from(vec![json!({ "op": "test", "path": "/a", "value": 1 }); count]).to_string();
    let mut doc = json!({ "a": 1 });
    assert_eq!(json_patch::apply(&mut doc, operations(10_000).as_bytes()), Ok(()));
    let error = json_patch::apply(&mut doc, operations(10_001).as_bytes()).expect_err("one too many");
    assert_eq!(
        (error.code(), error.to_string()),
        (
            413,
            "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
                .into()
        )
    );
}

#[test]
fn trees_deeper_than_codecs_allow_are_refused() {
    let nested = |levels| (0..levels).fold(json!(1), |inner, _| json!({ "a": inner }));
    let (deep, allowed) = (nested(600), nested(500));
    let table = tables()[0];
    let mut doc = json!({});
    assert_eq!(strategic::apply(&mut doc, &deep, table), Err(PatchError::Depth));
    assert_eq!(merge::apply(&mut doc, &deep), Err(PatchError::Depth));
    assert_eq!(merge::create_two_way(&doc, &deep), Err(PatchError::Depth));
    assert_eq!(merge::create_two_way(&doc, &allowed), Ok(allowed.clone()));
    assert_eq!(merge::apply(&mut doc, &allowed), Ok(()));
    assert_eq!(
        strategic::apply(&mut doc, &json!({ "a": allowed["a"] }), table).map_err(|error| error.code()),
        Err(500)
    );
    assert_eq!(merge::apply(&mut doc, &allowed), Ok(()));
}

#[test]
fn long_lists_are_merged_without_comparing_all_with_all() {
    let names = |from: usize| Value::from((from..from + 30_000).map(|n| format!("f{n}")).collect::<Vec<_>>());
    let containers = |from: usize| {
        Value::from((from..from + 30_000).map(|n| json!({ "name": format!("f{n}") })).collect::<Vec<_>>())
    };
    let table = tables()[0];
    let mut doc = json!({ "metadata": { "finalizers": names(0) }, "spec": { "containers": containers(0) } });
    let patch = json!({
        "metadata": { "$setElementOrder/finalizers": [], "finalizers": names(15_000) },
        "spec": { "containers": containers(15_000) },
    });
    strategic::apply(&mut doc, &patch, table).expect("the patch fits");
    assert_eq!(doc["metadata"]["finalizers"].as_array().map(Vec::len), Some(45_000));
    assert_eq!(doc["spec"]["containers"].as_array().map(Vec::len), Some(45_000));
}

#[test]
fn a_test_compares_values_and_not_their_text() {
    let mut doc = json!({ "a": "x<y" });
    let patch = br#"[{"op":"test","path":"/a","value":"x<y"},{"op":"test","path":"/a","value":"x\u003cy"}]"#;
    assert_eq!(json_patch::apply(&mut doc, patch), Ok(()));
}
