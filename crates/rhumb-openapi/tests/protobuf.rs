//! The protobuf form has the bytes that gnostic, which Kubernetes uses, makes of the same document.

use rhumb_api::resources::ResourceTable;
use rhumb_openapi::{Documents, Settings, to_protobuf};
use serde_json::Value;

#[test]
fn a_document_with_everything_in_it_has_the_bytes_of_gnostic() {
    let document: Value = serde_json::from_str(include_str!("data/toys.json")).expect("JSON");
    let ours: String = to_protobuf(&document).iter().map(|byte| format!("{byte:02x}")).collect();
    let theirs = include_str!("data/toys.hex").trim_end();
    let at = ours.bytes().zip(theirs.bytes()).take_while(|(one, other)| one == other).count();
    assert!(ours == theirs, "differs at byte {}:\n{}\n{}", at / 2, window(&ours, at), window(theirs, at));
}

/// What stands around a place in hexadecimal digits, as text.
fn window(hex: &str, at: usize) -> String {
    let from = (at / 2).saturating_sub(30) * 2;
    let bytes: Vec<u8> = (from..hex.len().min(from + 160))
        .step_by(2)
        .filter_map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok())
        .collect();
    String::from_utf8_lossy(&bytes).escape_debug().to_string()
}

#[test]
fn the_form_made_at_once_is_the_one_made_from_the_text() {
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let table = ResourceTable::select(|served| served.group == "policy" && !served.is_former);
    let settings = Settings::default();
    let documents = Documents::new(&scheme, &table, &settings);
    let tree: Value = serde_json::from_slice(&documents.v2()).expect("JSON");
    assert_eq!(documents.v2_protobuf(), to_protobuf(&tree));
}

#[test]
fn trees_that_are_no_documents_are_written_without_what_has_no_place() {
    for text in ["null", "[]", "{}", r#"{"paths":[1],"definitions":{"a":null,"b":[{}]},"security":{"a":1}}"#]
    {
        let tree: Value = serde_json::from_str(text).expect("JSON");
        assert!(to_protobuf(&tree).starts_with(b"\x0a\x032.0"), "{text}");
    }
}
