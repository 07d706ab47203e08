//! Structural schemas at work: what they drop, fill in and refuse in custom objects.

use rhumb_api::apiextensions::v1::JSONSchemaProps;
use rhumb_schema::from_tree;
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_validation::apiextensions::structural::{Notation, Pattern, Purpose, Root, Structural};
use serde_json::{Value as Json, json};

fn structural(schema: &Json) -> Structural {
    let mut props = JSONSchemaProps::default();
    from_tree(schema, &mut props).expect("a schema");
    Structural::new(&props).expect("a structural schema")
}

fn widget() -> Structural {
    structural(&json!({
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
    }))
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
    let dropped = widget().prune(&mut object, Root::Object);
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
    assert!(widget().prune(&mut object, Root::Object).is_empty());
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
        widget().fill_defaults(&mut object);
        assert_eq!(object, expected, "{given}");
    }
}

#[test]
fn values_are_checked_where_they_stand() {
    let check = |object: Json| {
        let mut errors = FieldErrors::default();
        widget().check_value(&object, &FieldPath::root(), Purpose::Object, &mut errors);
        errors.to_string()
    };
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

#[test]
fn paths_lead_to_fields() {
    let widget = widget();
    let find = |path: &str, notation: Notation| match widget.find(path, notation) {
        Ok(found) => format!("{} {}", found.path, found.schema.map_or("", |it| it.generic.type_.as_str())),
        Err(error) => error.to_string(),
    };
    assert_eq!(find(".spec.size", Notation::Dots), "spec.size integer");
    assert_eq!(find(".spec.labels['a.b']", Notation::Brackets), "spec.labels[a.b] string");
    assert_eq!(find(".spec['size']", Notation::Brackets), "spec.size integer");
    assert_eq!(find(".spec['size'", Notation::Brackets), "unexpected end of JSON path");
    assert_eq!(find(".spec[size]", Notation::Brackets), "expected single quoted string but got size");
    assert_eq!(find(".spec['size']", Notation::Dots), "array notation is not allowed");
    assert_eq!(find(".spec.'", Notation::Dots), "does not refer to a valid field");
}

#[test]
fn patterns_match_as_in_go() {
    for (pattern, text, expected) in [
        ("^a+$", "aaa", true),
        ("b", "abc", true),
        (r"^\d+$", "٣", false),
        (r"^\w$", "ä", false),
        (r"^\s$", "\u{b}", false),
        (r"\bx\b", "a x b", true),
        (r"^\Qa.b\E$", "axb", false),
        (r"^[\w-]+$", "a-b_c", true),
        (r"^[^\d]$", "x", true),
        (r"^[]a]$", "]", true),
        (r"^[a&&b]$", "&", true),
        (r"^[[:upper:]\pL]$", "ß", true),
        (r"^(?i)ABC$", "abc", true),
        (r"^(?P<x>a)(?:b)?$", "a", true),
        (r"^a{,2}$", "a{,2}", true),
        (r"^a{2,3}?$", "aa", true),
        (r"^\x41\x{42}\103$", "ABC", true),
        (r"^\.\_\/$", "._/", true),
    ] {
        let found = Pattern::new(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        assert_eq!(found.matches(text), expected, "{pattern} on {text}");
    }
}

#[test]
fn hostile_patterns_and_paths_are_errors() {
    for pattern in [
        "(",
        "[",
        "[^",
        "[a-",
        r"\",
        r"\x",
        r"\x{",
        r"\x{110000}",
        r"\p",
        r"\p{",
        "(?",
        "(?i",
        "(?P<",
        "(?<a>b)(?<a>c)",
        "a{1001}",
        "a{99999999999999999999}",
        "[[:foo:]]",
        "ä**",
        "**",
        "|*",
        "(*a)",
        r"\8",
    ] {
        assert!(Pattern::new(pattern).is_err(), "{pattern}");
    }
    for path in ["", ".", "..", "[", "['", "[']", ".ä['ö", "]", ".spec.", ".spec[", "'"] {
        drop(widget().find(path, Notation::Brackets));
    }
    assert!(Pattern::new(&"(".repeat(100_000)).is_err());
    assert!(Pattern::new(&format!("{}{}", "(".repeat(5000), ")".repeat(5000))).is_err());
}
