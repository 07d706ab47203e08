use rhumb_meta::v1::ObjectMeta;

use super::*;
use crate::strict::Strictness;

fn read(json: &str) -> (ObjectMeta, Vec<String>) {
    let mut meta = ObjectMeta::default();
    let notes = decode_into(json.as_bytes(), &mut meta, Strictness::Warn)
        .unwrap_or_else(|error| panic!("{error}: {json}"));
    (meta, notes.into_found())
}

/// Fields are tried in the order of the table first; any other order and form of the keys must do as well.
#[test]
fn fields_are_found_in_any_order_and_form() {
    let (expected, _) =
        read(r#"{"name":"a","namespace":"b","uid":"c","resourceVersion":"4","generation":5}"#);
    assert_eq!((&*expected.name, &*expected.resource_version, expected.generation), ("a", "4", 5));
    for json in [
        r#"{"generation":5,"resourceVersion":"4","uid":"c","namespace":"b","name":"a"}"#,
        r#"{"uid":"c","name":"a","generation":5,"namespace":"b","resourceVersion":"4"}"#,
        r#"{"n\u0061me":"a","namesp\u0061ce":"b","uid":"c","resourceVersi\u006fn":"4","generation":5}"#,
        "{ \"name\" : \"a\" , \"namespace\"\n:\n\"b\",\"uid\" :\"c\", \"resourceVersion\": \"4\",\"generation\":\t5 }",
    ] {
        assert_eq!(read(json), (expected.clone(), Vec::new()), "{json}");
    }
}

#[test]
fn keys_that_only_begin_like_a_field_are_unknown() {
    for (json, note) in [
        (r#"{"nam":"a"}"#, r#"unknown field "nam""#),
        (r#"{"name2":"a"}"#, r#"unknown field "name2""#),
        (r#"{"":"a"}"#, r#"unknown field """#),
        (r#"{"Name":"a"}"#, r#"unknown field "Name""#),
        (r#"{"n\u0061me2":"a"}"#, r#"unknown field "name2""#),
        // As long as a field's, with the letters that are compared first.
        (r#"{"nxxxsxxxe":"a"}"#, r#"unknown field "nxxxsxxxe""#),
    ] {
        assert_eq!(read(json), (ObjectMeta::default(), vec![note.to_owned()]), "{json}");
    }
    let (meta, notes) = read(r#"{"name":"a","n\u0061me":"b"}"#);
    assert_eq!((&*meta.name, notes), ("b", vec![r#"duplicate field "name""#.to_owned()]));
}

#[test]
fn a_key_is_followed_by_a_colon() {
    for json in [r#"{"name" "a"}"#, r#"{"name"}"#, r#"{"uid" "a"}"#] {
        let error = decode_into(json.as_bytes(), &mut ObjectMeta::default(), Strictness::Ignore).map(drop);
        let text = error.map_or_else(|error| error.to_string(), |()| "nothing".to_owned());
        assert!(text.ends_with("after object key"), "{json}: {text}");
    }
}
