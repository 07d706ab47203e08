//! What a schema drops, fills in and refuses, in small.

use rhumb_meta::v1::ObjectMeta;
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_structural::{Defaults, Structural, UnknownFields};
use serde_json::{Value as Json, json};

fn no_rule(_: &ObjectMeta, _: &FieldPath, _: &mut FieldErrors) {}

fn widget() -> Structural {
    let schema = json!({
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "default": {},
                "properties": {
                    "size": {"type": "integer", "default": 3},
                    "color": {"type": "string", "nullable": true, "default": "red"},
                    "parts": {"type": "array", "items": {
                        "type": "object", "properties": {"name": {"type": "string", "default": "none"}},
                    }},
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                    "open": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": true,
                        "properties": {"closed": {"type": "object", "properties": {"a": {"type": "string"}}}},
                    },
                    "inner": {
                        "type": "object",
                        "x-kubernetes-embedded-resource": true,
                        "properties": {"spec": {"type": "object"}},
                    },
                    "limit": {"x-kubernetes-int-or-string": true},
                },
            },
        },
    });
    Structural::compile(&schema).expect("a schema")
}

#[test]
fn unknown_fields_are_dropped_and_named() {
    let mut object = json!({
        "apiVersion": "v1", "kind": "Widget", "metadata": {"name": "a", "any": 1}, "extra": 1,
        "spec": {
            "kind": "x",
            "parts": [{"name": "a"}, {"nome": "b"}],
            "labels": {"a": "b"},
            "open": {"x": {"y": 1}, "closed": {"a": "b", "c": "d"}},
            "inner": {"apiVersion": "v1", "kind": "X", "metadata": {}, "status": {}, "spec": {"a": 1}},
        },
    });
    let dropped = widget().prune(&mut object);
    assert_eq!(
        dropped,
        [
            "extra",
            "spec.inner.spec.a",
            "spec.inner.status",
            "spec.kind",
            "spec.open.closed.c",
            "spec.parts[1].nome",
        ]
    );
    assert_eq!(
        object,
        json!({
            "apiVersion": "v1", "kind": "Widget", "metadata": {"name": "a", "any": 1},
            "spec": {
                "parts": [{"name": "a"}, {}],
                "labels": {"a": "b"},
                "open": {"x": {"y": 1}, "closed": {"a": "b"}},
                "inner": {"apiVersion": "v1", "kind": "X", "metadata": {}, "spec": {}},
            },
        })
    );
    assert!(widget().prune(&mut object).is_empty());
}

#[test]
fn defaults_fill_what_is_absent_and_nulls_that_may_not_be() {
    for (given, expected) in [
        (json!({}), json!({"spec": {"size": 3, "color": "red"}})),
        (
            json!({"spec": {"size": null, "color": null, "parts": [{}, {"name": "a"}]}}),
            json!({"spec": {"size": 3, "color": null, "parts": [{"name": "none"}, {"name": "a"}]}}),
        ),
        (json!({"spec": {"size": 0, "color": ""}}), json!({"spec": {"size": 0, "color": ""}})),
        (json!({"spec": 5}), json!({"spec": 5})),
    ] {
        let mut object = given.clone();
        widget().default(&mut object).expect("room");
        assert_eq!(object, expected, "{given}");
    }
}

#[test]
fn values_are_checked_where_they_stand() {
    let check = |object: Json| widget().validate(&object, None, None, no_rule).to_string();
    assert_eq!(check(json!({"spec": {"limit": "5%", "size": 1}})), "");
    assert_eq!(
        check(json!({"spec": {"limit": true}})),
        r#"spec.limit: Invalid value: "boolean": spec.limit in body must be of type integer,string: "boolean""#
    );
    assert_eq!(
        check(json!({"spec": {"labels": {"a": 1}}})),
        r#"spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: "integer""#
    );
    assert_eq!(
        check(json!({"spec": {"size": null}})),
        r#"spec.size: Invalid value: "null": spec.size in body must be of type integer: "null""#
    );
    assert_eq!(check(json!({"spec": {"color": null}})), "");
}

fn check_defaults(properties: Json, unknown: UnknownFields) -> String {
    let schema = json!({"type": "object", "properties": properties});
    let defaults = Defaults::compile(&schema).expect("a schema");
    defaults.check(&FieldPath::new("schema"), unknown, no_rule).to_string()
}

#[test]
fn defaults_are_checked_where_they_stand() {
    let check = |schema: Json| check_defaults(json!({ "a": schema }), UnknownFields::Refused);
    assert_eq!(check(json!({"type": "integer", "default": 3})), "");
    assert_eq!(
        check(json!({"type": "object", "properties": {"b": {"type": "integer"}}, "default": {"b": "x"}})),
        r#"schema.properties[a].default.b: Invalid value: "string": b in body must be of type integer: "string""#
    );
    // Unlike in objects, a default of this kind may be anything, and a format that nobody knows is a type.
    assert_eq!(check(json!({"x-kubernetes-int-or-string": true, "default": true})), "");
    assert_eq!(
        check(json!({"type": "boolean", "format": "date", "default": 5})),
        r#"schema.properties[a].default: Invalid value: "int64":  in body must be of type date: "int64""#
    );
    assert_eq!(check(json!({"type": "string", "format": "date", "default": "2026-02-28"})), "");
}

#[test]
fn unknown_fields_of_defaults_are_refused_unless_they_were_there() {
    let schema = json!({"a": {"type": "object", "properties": {}, "default": {"b": 1}}});
    assert_eq!(
        check_defaults(schema.clone(), UnknownFields::Refused),
        r#"schema.properties[a].default: Invalid value: {"b":1}: must not have unknown fields"#
    );
    assert_eq!(check_defaults(schema, UnknownFields::Allowed), "");
}

#[test]
fn unknown_fields_of_defaults_are_found_anywhere() {
    let has_unknown = |a: Json| {
        let schema = json!({"type": "object", "properties": { "a": a }});
        Defaults::compile(&schema).expect("a schema").have_unknown_fields()
    };
    let inner = |default: Json| json!({"type": "object", "properties": {"b": {"type": "string"}}, "default": default});
    assert!(!has_unknown(inner(json!({"b": "x"}))));
    assert!(has_unknown(inner(json!({"c": "x"}))));
    assert!(has_unknown(json!({"type": "array", "items": inner(json!({"c": 1}))})));
    assert!(has_unknown(json!({"type": "object", "additionalProperties": inner(json!({"c": 1}))})));
    let embedded = |metadata: Json| {
        json!({
            "type": "object",
            "x-kubernetes-embedded-resource": true,
            "properties": {"spec": {"type": "object"}},
            "default": {"metadata": metadata},
        })
    };
    assert!(!has_unknown(embedded(json!({"name": "x"}))));
    assert!(has_unknown(embedded(json!({"name": "x", "nome": "x"}))));
}
