//! Sets, their text, and what the replayed answers of a server don't reach.

use std::collections::BTreeMap;

use rhumb_meta::Time;
use serde_json::{Value, json};

use super::*;

fn set(json: &str) -> FieldSet {
    FieldSet::from_json(json.as_bytes()).expect("a set")
}

fn text(set: &FieldSet) -> String {
    String::from_utf8(set.to_json()).expect("UTF-8")
}

#[test]
fn sets_are_written_as_they_were_read() {
    let sets = [
        r#"{}"#,
        r#"{"f:a":{},"f:b":{".":{},"f:c":{}},"f:d":{"f:e":{}}}"#,
        r#"{"f:l":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:x":{}},"k:{\"port\":443}":{}}}"#,
        r#"{"f:s":{"v:1":{},"v:2.5":{},"v:10":{},"v:\"a\"":{},"v:false":{},"v:true":{},"v:null":{}}}"#,
        r#"{"f:i":{"i:-1":{},"i:0":{},"i:10":{}}}"#,
        r#"{"f:<&>":{},"f:q\"uo\\te":{},"f:v":{"v:\"\\u003c\\\"\"":{}}}"#,
    ];
    for json in sets {
        assert_eq!(text(&set(json)), json);
    }
}

#[test]
fn reading_is_lenient_where_kubernetes_is() {
    assert_eq!(text(&set("null")), "{}");
    assert_eq!(text(&set("")), "{}");
    assert_eq!(text(&set(r#"{"f:b":null, "f:a" : {"x:new":{}}}"#)), r#"{"f:a":{},"f:b":{}}"#);
    for bad in
        [r#"{"f":{}}"#, r#"{"i:x":{}}"#, r#"{"k:[]":{}}"#, r#"{"v:":{}}"#, r#"{"f:a":1}"#, "[]", "{", "{}x"]
    {
        assert!(FieldSet::from_json(bad.as_bytes()).is_err(), "{bad}");
    }
    let deep = format!("{}{{}}{}", r#"{"f:a":"#.repeat(5000), "}".repeat(5000));
    assert_eq!(FieldSet::from_json(deep.as_bytes()), Err(FieldsError::Depth));
}

#[test]
fn sets_are_added_and_subtracted_path_by_path() {
    let a = set(r#"{"f:a":{".":{},"f:b":{}},"f:c":{"f:d":{},"f:e":{}}}"#);
    let b = set(r#"{"f:a":{},"f:c":{"f:d":{}},"f:z":{}}"#);
    assert_eq!(text(&a.union(&b)), r#"{"f:a":{".":{},"f:b":{}},"f:c":{"f:d":{},"f:e":{}},"f:z":{}}"#);
    assert_eq!(text(&a.intersection(&b)), r#"{"f:a":{},"f:c":{"f:d":{}}}"#);
    assert_eq!(text(&a.difference(&b)), r#"{"f:a":{"f:b":{}},"f:c":{"f:e":{}}}"#);
    let mut recursive = a.clone();
    recursive.subtract_recursively(&b);
    assert_eq!(text(&recursive), r#"{"f:c":{"f:e":{}}}"#);
    assert_eq!(text(&a.leaves()), r#"{"f:a":{"f:b":{}},"f:c":{"f:d":{},"f:e":{}}}"#);
    assert_eq!((a.len(), b.len()), (4, 3));
    let paths: Vec<String> =
        a.paths().iter().map(|path| path.iter().map(ToString::to_string).collect()).collect();
    assert_eq!(paths, [".a", ".a.b", ".c.d", ".c.e"]);
    assert!(a.paths().iter().all(|path| a.has(path)));
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn set(&mut self) -> FieldSet {
        let mut set = FieldSet::new();
        for _ in 0..self.roll(8) {
            let path: Vec<PathElement> = (0..=self.roll(3))
                .map(|_| match self.roll(4) {
                    0 => PathElement::Index(self.roll(3) as i64),
                    1 => PathElement::Value(Scalar::Int(self.roll(3) as i64)),
                    _ => PathElement::field(["a", "b", "c"][self.roll(3) as usize]),
                })
                .collect();
            set.insert(path);
        }
        set
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.roll(if depth == 0 { 4 } else { 7 }) {
            0 => Value::Null,
            1 => json!(self.roll(2)),
            2 => json!("text"),
            3 => json!(self.roll(2) == 0),
            4 => (0..self.roll(3)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let names = ["a", "b", "c", "l"];
                let fields = (0..self.roll(4))
                    .map(|_| (names[self.roll(4) as usize].to_owned(), self.value(depth - 1)));
                Value::Object(fields.collect())
            }
        }
    }
}

#[test]
fn set_algebra_holds_for_sets_of_all_kinds() {
    let mut dice = Dice(1);
    for _ in 0..2000 {
        let (a, b) = (dice.set(), dice.set());
        let (union, common) = (a.union(&b), a.intersection(&b));
        assert_eq!(union, b.union(&a));
        assert_eq!(common, b.intersection(&a));
        assert_eq!(union.len() + common.len(), a.len() + b.len());
        assert_eq!(a.difference(&b).union(&common), a);
        assert!(a.difference(&b).intersection(&b).is_empty());
        assert_eq!(FieldSet::from_json(&union.to_json()), Ok(union));
    }
}

#[test]
fn no_input_makes_the_walks_panic_and_merging_keeps_what_is_wanted() {
    let schema = CompiledSchema::new(
        &json!({"type": "object", "properties": {
            "a": {"type": "string"},
            "b": {"type": "object", "additionalProperties": {"x-kubernetes-preserve-unknown-fields": true}},
            "c": {"x-kubernetes-int-or-string": true},
            "l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"],
                "items": {"type": "object", "properties": {"a": {}, "b": {"type": "integer"}}}},
        }}),
        false,
    );
    let mut dice = Dice(7);
    let mut merges = 0;
    for _ in 0..5000 {
        let (live, config) = (dice.value(4), dice.value(4));
        for ty in [schema.root(), Type::deduced()] {
            let set = ty.field_set(&live);
            let _ = (ty.remove(&config, &set), ty.extract(&config, &set));
            let _ = ty.with_named_fields(&set);
            let Ok(comparison) = ty.compare(&live, &config) else { continue };
            assert!(comparison.removed.intersection(&comparison.added).is_empty());
            if let Ok(merged) = ty.merge(&live, &config) {
                // Applying the same once more changes nothing.
                let again = ty.merge(&merged, &config).expect("what merged once");
                assert!(items::same(&merged, &again), "{live} {config}: {merged} {again}");
                merges += 1;
            }
        }
    }
    assert!(merges > 3000, "{merges}");
}

#[test]
fn a_filter_lets_through_what_its_patterns_begin() {
    let mut resize = set(
        r#"{"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{"f:image":{},"f:resources":{"f:limits":{}}}}}}"#,
    );
    Filter::Include(vec![PathPattern::new(&["spec", "containers", "*", "resources"])]).apply(&mut resize);
    let left = r#"{"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{"f:resources":{"f:limits":{}}}}}}"#;
    assert_eq!(text(&resize), left);
}

#[test]
fn extracting_gives_back_what_was_applied() {
    let schema = CompiledSchema::new(
        &json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "a": {"type": "string"}, "b": {"type": "integer"},
            "l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"],
                "items": {"type": "object",
                    "properties": {"n": {"type": "string"}, "v": {"type": "string"}}}},
        }}}}),
        false,
    );
    let empty = json!({"apiVersion": "x/v1", "kind": "X"});
    let filters = BTreeMap::new();
    let endpoint = Endpoint {
        schema: schema.root(),
        api_version: "x/v1",
        kind: "X",
        subresource: "",
        empty: &empty,
        filters: &filters,
        versions: &OneVersion,
    };
    let now = Time::from_unix(1, 0);
    let config = json!({"apiVersion": "x/v1", "kind": "X", "spec": {"a": "1", "l": [{"n": "p", "v": "q"}]}});
    let live = json!({"apiVersion": "x/v1", "kind": "X", "spec": {"b": 2, "l": [{"n": "o"}]}});
    let created = endpoint.update(&empty, &live, &[], RequestedFields::Absent, "creator", now);
    let applied = endpoint.apply(&live, &config, &created, "me", false, now).expect("no conflict");
    assert!(applied.changed);
    assert_eq!(applied.object["spec"]["l"], json!([{"n": "o"}, {"n": "p", "v": "q"}]));
    assert_eq!(endpoint.extract(&applied.object, &applied.managed_fields, "me"), Some(config.clone()));
    assert_eq!(endpoint.extract(&applied.object, &applied.managed_fields, "you"), None);

    let again = endpoint.apply(&applied.object, &config, &applied.managed_fields, "me", false, now);
    assert!(!again.expect("no conflict").changed);
}

#[test]
fn names_of_managers_come_from_the_user_agent_if_they_are_not_given() {
    assert_eq!(manager_name("me", "kubectl/v1.36"), "me");
    assert_eq!(manager_name("", "kube\u{7}ctl/v1.36 (linux)"), "kubectl");
    assert_eq!(manager_name("", &"ä".repeat(100)), "ä".repeat(64));
    assert_eq!(manager_name("", ""), "");
}
