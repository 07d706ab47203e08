//! Validation functions, their order and paths, and errors in Kubernetes' words.

use std::collections::BTreeMap;

use rhumb_meta::{Object, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_scheme::{Scheme, SchemeBuilder};

use crate::toys::gv;

#[derive(Clone, Default, Schema, Object)]
struct House {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    front_door: Door,
    #[field(2)]
    doors: Vec<Door>,
    #[field(3)]
    by_room: BTreeMap<String, Door>,
    #[field(4)]
    trapdoor: Option<Box<Door>>,
    #[field(0, inline)]
    built_in: BuiltIn,
}

#[derive(Clone, Default, Schema)]
struct BuiltIn {
    #[field(5)]
    wardrobe: Door,
}

#[derive(Clone, Default, Schema)]
struct Door {
    #[field(1)]
    key: String,
}

fn scheme() -> Scheme {
    let mut builder = SchemeBuilder::new("houses");
    builder.register::<House>(&gv("v1")).expect("registers");
    builder.validation::<Door>(|door, path, errors| {
        if door.key.is_empty() {
            errors.required(&path.child("key"), "");
        }
    });
    builder.validation::<House>(|house, path, errors| {
        errors.too_many(&path.child("doors"), house.doors.len(), 1);
    });
    builder.validation::<Door>(|door, path, errors| {
        if door.key == "skeleton" {
            errors.forbidden(&path.child("key"), "opens everything");
        }
    });
    builder.freeze().expect("freezes")
}

#[test]
fn an_object_comes_before_what_is_in_it_and_paths_say_where() {
    let skeleton = || Door { key: "skeleton".into() };
    let house = House {
        doors: vec![Door { key: "ok".into() }, skeleton()],
        by_room: BTreeMap::from([("attic".into(), Door::default()), ("hall".into(), skeleton())]),
        trapdoor: Some(Box::default()),
        ..House::default()
    };
    let errors: Vec<String> = scheme().validate(&house).0.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "doors: Too many: 2: must have at most 1 item",
            "frontDoor.key: Required value",
            "doors[1].key: Forbidden: opens everything",
            "byRoom[attic].key: Required value",
            "byRoom[hall].key: Forbidden: opens everything",
            "trapdoor.key: Required value",
            "wardrobe.key: Required value",
        ]
    );
}

#[test]
fn functions_of_one_type_run_in_the_order_of_registration() {
    let mut builder = SchemeBuilder::new("houses");
    builder.register::<House>(&gv("v1")).expect("registers");
    builder.validation::<House>(|_, path, errors| errors.required(path, "first"));
    builder.validation::<House>(|_, path, errors| errors.required(path, "second"));
    let errors = builder.freeze().expect("freezes").validate(&House::default());
    assert_eq!(errors.to_string(), "[<nil>: Required value: first, <nil>: Required value: second]");
}

#[test]
fn without_functions_nothing_is_wrong() {
    let scheme = SchemeBuilder::new("empty").freeze().expect("freezes");
    assert!(scheme.validate(&House::default()).is_empty());
}

#[test]
fn errors_read_as_kubernetes_writes_them() {
    let spec = FieldPath::root().child("spec");
    let words = |add: &dyn Fn(&mut FieldErrors)| {
        let mut errors = FieldErrors::default();
        add(&mut errors);
        errors.to_string()
    };
    for (text, expected) in [
        (
            words(&|errors| errors.not_supported(&spec.child("a"), &"x\u{e9}\u{7}", &["Z", "A"])),
            r#"spec.a: Unsupported value: "xé\a": supported values: "Z", "A""#,
        ),
        (words(&|errors| errors.not_supported::<&str>(&spec, &"n", &[])), r#"spec: Unsupported value: "n""#),
        (
            words(&|errors| errors.too_long(&spec.child("b"), 1)),
            "spec.b: Too long: may not be more than 1 byte",
        ),
        (
            words(&|errors| errors.too_long(&spec.child("b"), 2)),
            "spec.b: Too long: may not be more than 2 bytes",
        ),
        (
            words(&|errors| errors.too_many(&spec.index(0), 5, 1)),
            "spec[0]: Too many: 5: must have at most 1 item",
        ),
        (
            words(&|errors| errors.too_many(&spec.key("k"), 5, 3)),
            "spec[k]: Too many: 5: must have at most 3 items",
        ),
        (words(&|errors| errors.duplicate(&spec, &"d")), r#"spec: Duplicate value: "d""#),
        (words(&|errors| errors.invalid(&spec, &7, "d")), "spec: Invalid value: 7: d"),
        (words(&|errors| errors.invalid(&spec, &true, "")), "spec: Invalid value: true"),
        (words(&|errors| errors.required(&spec, "")), "spec: Required value"),
        (words(&|errors| errors.required(&spec, "x")), "spec: Required value: x"),
        (words(&|errors| errors.forbidden(&spec, "no")), "spec: Forbidden: no"),
        (words(&|errors| errors.not_found(&spec, &"n")), r#"spec: Not found: "n""#),
        (words(&|errors| errors.invalid(&FieldPath::root(), &"x", "d")), r#"<nil>: Invalid value: "x": d"#),
    ] {
        assert_eq!(text, expected);
    }
}

#[test]
fn errors_together_show_each_text_once() {
    let spec = FieldPath::root().child("spec");
    let mut errors = FieldErrors::default();
    assert_eq!(errors.to_string(), "");
    errors.required(&spec, "");
    errors.required(&spec, "");
    assert_eq!(errors.to_string(), "spec: Required value");
    errors.forbidden(&spec, "no");
    errors.required(&spec, "");
    assert_eq!(errors.to_string(), "[spec: Required value, spec: Forbidden: no]");
}
