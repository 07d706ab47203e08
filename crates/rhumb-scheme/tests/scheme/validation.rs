//! Validation functions, their order and paths, and errors in Kubernetes' words.

use std::collections::BTreeMap;

use rhumb_meta::{GroupKind, Object, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::validation::{Context, CreateRule, FieldErrors, FieldPath, Named, Rules, Shown};
use rhumb_scheme::{RegisterError, Scheme, SchemeBuilder};

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

#[test]
fn the_other_problems_read_as_kubernetes_writes_them() {
    let path = FieldPath::new("a");
    let mut errors = FieldErrors::default();
    errors.too_short(&path, 1);
    errors.too_short(&path, 2);
    errors.too_few(&path, 0, 1);
    errors.too_long_characters(&path, 3);
    errors.type_invalid(&path, "x", "d");
    errors.internal(&path, "boom");
    errors.too_long(&FieldPath::new(""), 5);
    errors.invalid_each(&path, &None::<String>, ["one".to_owned(), "two".to_owned()]);
    errors.invalid(&path, &Named("a<"), "");
    errors.invalid(&path, &Shown("{B:1}".to_owned()), "");
    errors.invalid(&path, &Door { key: "&".into() }, "");
    let texts: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "a: Too short: must be at least 1 character",
            "a: Too short: must be at least 2 characters",
            "a: Too few: 0: must have at least 1 item",
            "a: Too long: may not be more than 3 characters",
            "a: Invalid value: \"x\": d",
            "a: Internal error: boom",
            "[]: Too long: may not be more than 5 bytes",
            "a: Invalid value: null: one",
            "a: Invalid value: null: two",
            r#"a: Invalid value: "a\u003c""#,
            "a: Invalid value: {B:1}",
            r#"a: Invalid value: {"key":"\u0026"}"#,
        ]
    );
}

#[test]
fn rules_run_by_request_and_before_what_is_nested() {
    let gv = gv("v1");
    let mut builder = SchemeBuilder::new("houses");
    builder.register::<House>(&gv).expect("registers");
    builder.validation::<House>(|_, path, errors| errors.forbidden(path, "nested"));
    let create: CreateRule<House> = |_, context, errors| {
        errors.required(&FieldPath::new("create"), &context.request_version.to_string());
    };
    let rules = Rules::create(create)
        .update(|new, old, _, errors| {
            if new.doors.len() != old.doors.len() {
                errors.forbidden(&FieldPath::new("doors"), "walled up");
            }
        })
        .on("status", |_, _, _, errors| errors.required(&FieldPath::new("status"), ""));
    builder.rules(rules).expect("registers");
    let twice = builder.rules(Rules::create(create));
    assert!(matches!(twice, Err(RegisterError::DoubleRules(_))));
    let scheme = builder.freeze().expect("freezes");
    let context = Context::new(&gv);
    let (old, new) = (House::default(), House { doors: vec![Door::default()], ..House::default() });
    let texts = |errors: FieldErrors| errors.0.iter().map(|error| error.path.to_string()).collect::<Vec<_>>();
    assert_eq!(texts(scheme.validate_create(&new, &context)), ["create", "<nil>"]);
    assert_eq!(texts(scheme.validate_update(&new, &old, None, &context)), ["doors", "<nil>"]);
    assert_eq!(texts(scheme.validate_update(&new, &old, Some("status"), &context)), ["status"]);
    assert_eq!(texts(scheme.validate_update(&new, &old, Some("scale"), &context)), ["doors"]);
    assert!(scheme.has_rules(&new));
}

#[test]
fn a_status_tells_all_causes_and_each_text_once() {
    let path = FieldPath::new("spec");
    let mut errors = FieldErrors::default();
    let kind = GroupKind::new("apps", "House");
    assert_eq!(errors.status(&kind, "a\"b").message, r#"House.apps "a\"b" is invalid"#);
    errors.required(&path, "x");
    errors.required(&path, "x");
    let status = errors.status(&kind, "h");
    assert_eq!(status.message, r#"House.apps "h" is invalid: spec: Required value: x"#);
    assert_eq!((status.code, &*status.reason, &*status.status), (422, "Invalid", "Failure"));
    let details = status.details.expect("details");
    assert_eq!((&*details.name, &*details.group, &*details.kind), ("h", "apps", "House"));
    let cause = &details.causes[1];
    assert_eq!((&*cause.reason, &*cause.field), ("FieldValueRequired", "spec"));
    assert_eq!((&*cause.message, details.causes.len()), ("Required value: x", 2));
}
