//! What schemas are made to do with long lists, texts and keys grows no faster than these: an object that is four
//! times as large takes little more than four times as long. Each case took minutes before, or gigabytes.
#![allow(clippy::disallowed_methods, reason = "it measures time")]
#![allow(clippy::print_stdout, reason = "what was measured is worth reading")]

use std::sync::Mutex;
use std::time::{Duration, Instant};

use rhumb_scheme::validation::FieldErrors;
use rhumb_structural::{DefaultsTooLarge, Malformed, Structural, pattern};
use serde_json::{Value as Json, json};

fn no_rule(_: &rhumb_meta::v1::ObjectMeta, _: &rhumb_scheme::validation::FieldPath, _: &mut FieldErrors) {}

/// One measurement at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// How long this thread has run, which a busy machine changes less than the time of day.
fn now(start: Instant) -> Duration {
    let ran = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = ran.and_then(|text| text.split(' ').next()?.parse().ok());
    ran.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// The least time of some rounds.
fn least(mut round: impl FnMut()) -> Duration {
    let _alone = ALONE.lock();
    let mut least = Duration::MAX;
    let clock = Instant::now();
    for _ in 0..4 {
        let start = now(clock);
        round();
        least = least.min(now(clock) - start);
    }
    least
}

/// Compares an input of some size with one four times as large.
fn grows_slowly<T>(what: &str, size: usize, make: impl Fn(usize) -> T, run: impl Fn(&T)) {
    let (small, large) = (make(size), make(4 * size));
    let (one, four) = (least(|| run(&small)), least(|| run(&large)));
    println!("{what}: {one:?} for {size}, {four:?} for four times as much");
    // What is fast is measured badly.
    let is_slow = four > Duration::from_millis(150);
    assert!(!is_slow || four < one * 9, "{what}: {one:?} for {size}, {four:?} for four times as much");
}

fn schema(list: Json) -> Structural {
    Structural::compile(&json!({"type": "object", "properties": {"a": list}})).expect("a schema")
}

fn validated(schema: &Structural, new: &Json, old: Option<&Json>) -> FieldErrors {
    schema.validate(new, old, None, no_rule)
}

fn numbered(size: usize, element: impl Fn(usize) -> Json) -> Json {
    json!({"a": (0..size).map(element).collect::<Vec<_>>()})
}

#[test]
fn lists_without_repetitions() {
    let list = json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}});
    let schema = schema(list);
    grows_slowly(
        "uniqueItems",
        5_000,
        |size| numbered(size, |number| json!(format!("element {number}"))),
        |object| assert!(validated(&schema, object, None).is_empty()),
    );
}

#[test]
fn elements_of_keyed_lists_find_what_they_were() {
    let schema = schema(json!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}},
    }));
    // What is wrong was so before, and is forgiven for each element on its own and for all of them.
    grows_slowly(
        "ratcheting",
        5_000,
        |size| {
            let object = |more: usize| {
                numbered(size, |number| {
                    let value = if number < size { "wrong" } else { "" };
                    json!({"k": format!("key {number}"), "v": value, "more": more})
                })
            };
            (object(1), object(1))
        },
        |(new, old)| assert!(validated(&schema, new, Some(old)).is_empty()),
    );
}

#[test]
fn sets_of_repeated_elements() {
    let schema = schema(json!({
        "type": "array",
        "x-kubernetes-list-type": "set",
        "items": {"type": "string"},
    }));
    grows_slowly(
        "set",
        10_000,
        |size| numbered(size, |number| json!(format!("element {}", number / 2))),
        |object| {
            assert_eq!(validated(&schema, object, None).len(), object["a"].as_array().unwrap().len() / 2)
        },
    );
}

#[test]
fn objects_with_many_problems() {
    let schema = schema(json!({"type": "array", "items": {"type": "string"}}));
    grows_slowly(
        "problems",
        20_000,
        |size| numbered(size, |number| json!(number)),
        |object| assert!(validated(&schema, object, None).len() >= 20_000),
    );
}

#[test]
fn choices_and_values_that_are_none_of_them() {
    grows_slowly(
        "enum",
        10_000,
        |size| {
            let choices: Vec<String> = (0..size).map(|number| format!("choice {number}")).collect();
            let list = json!({"type": "array", "items": {"type": "string", "enum": choices}});
            (schema(list), numbered(size, |number| json!(format!("value {number}"))))
        },
        |(schema, object)| assert!(!validated(schema, object, None).is_empty()),
    );
}

#[test]
fn patterns_that_are_quoted_for_each_element() {
    grows_slowly(
        "pattern",
        2_000,
        |size| {
            let pattern = format!("^({})$", "x|".repeat(size));
            let list = json!({"type": "array", "items": {"type": "string", "pattern": pattern}});
            (schema(list), numbered(size, |number| json!(format!("value {number}"))))
        },
        |(schema, object)| assert!(!validated(schema, object, None).is_empty()),
    );
}

#[test]
fn wrong_elements_below_a_long_key() {
    let schema = schema(json!({
        "type": "object",
        "additionalProperties": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    }));
    grows_slowly(
        "long key",
        10_000,
        |size| {
            let elements: Vec<usize> = (0..size).map(|number| number / 2).collect();
            json!({"a": {"k".repeat(20 * size): elements}})
        },
        |object| {
            assert!(!validated(&schema, object, None).is_empty());
            let mut settled = object.clone();
            schema.settle(&mut settled, Malformed::Refuse).expect("no metadata");
        },
    );
}

#[test]
fn long_texts_and_patterns_with_many_states() {
    let schema = schema(json!({"type": "string", "pattern": "[^b]{500}"}));
    // None of the runs is long enough.
    grows_slowly(
        "[^b]{500}",
        100_000,
        |size| json!({"a": (0..size).map(|at| if at % 499 == 0 { 'b' } else { 'a' }).collect::<String>()}),
        |object| assert_eq!(validated(&schema, object, None).len(), 1),
    );
}

#[test]
fn texts_of_patterns() {
    for part in [r"\pL", "{", "[[:x]", "(a{2,3}|b)*", "(?P<a>"] {
        grows_slowly(part, 20_000, |size| part.repeat(size), |text| drop(pattern::check(text)));
    }
    let names = |size: usize| (0..size).map(|number| format!("(?P<n{number}>a)")).collect::<String>();
    grows_slowly("names of groups", 10_000, names, |text| drop(pattern::check(text)));
}

#[test]
fn defaults_are_filled_in_up_to_a_bound() {
    let large = "x".repeat(100_000);
    let schema = schema(json!({
        "type": "array",
        "items": {"type": "object", "properties": {"d": {"type": "string", "default": large}}},
    }));
    let mut object = numbered(30, |_| json!({}));
    assert_eq!(schema.default(&mut object), Ok(()));
    assert_eq!(object["a"][29]["d"].as_str().map(str::len), Some(100_000));
    let mut object = numbered(20_000, |_| json!({}));
    let refused: Result<(), DefaultsTooLarge> = schema.default(&mut object);
    assert!(refused.is_err(), "two gigabytes");
    let filled = object["a"].as_array().expect("a list").iter().filter(|element| element.get("d").is_some());
    assert_eq!(filled.count(), 41);
    // An object's defaults are also taken from what the work at hand may take.
    let budget = rhumb_schema::budget::Budget::new(150_000);
    let mut object = numbered(2, |_| json!({}));
    assert!(budget.scope(|| schema.default(&mut object)).is_err());
    assert!(budget.is_overdrawn());
}

#[test]
fn small_defaults_of_many_elements_are_filled_in() {
    let schema = schema(json!({
        "type": "array",
        "items": {"type": "object", "properties": {"d": {"type": "boolean", "default": true}}},
    }));
    grows_slowly(
        "defaults",
        20_000,
        |size| numbered(size, |_| json!({})),
        |object| {
            let mut object = object.clone();
            assert_eq!(schema.default(&mut object), Ok(()));
        },
    );
}
