//! Any bytes, read as YAML: an error or JSON, never a panic. The JSON is well-formed, and written as YAML it reads
//! back as the same JSON, unless it has a key `<<`: that is printed without quotes, as Kubernetes does, and so merges
//! when it is read again. Streams are cut into documents that lie within them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhumb_codec::yaml::{Documents, DuplicateKeys, ReadOptions, from_json_value, is_json, to_json};
use rhumb_codec::{Strictness, json};
use serde_json::Value;

fn read(yaml: &[u8], duplicate_keys: DuplicateKeys) -> Option<Vec<u8>> {
    let mut json = Vec::new();
    to_json(yaml, &ReadOptions { duplicate_keys, ..ReadOptions::default() }, &mut json).ok()?;
    Some(json)
}

fn tree(text: &[u8]) -> Value {
    json::decode_tree(text, Strictness::Ignore).expect("YAML becomes well-formed JSON").0
}

fn has_merge_key(value: &Value) -> bool {
    match value {
        Value::Object(entries) => entries.iter().any(|(key, value)| key == "<<" || has_merge_key(value)),
        Value::Array(items) => items.iter().any(has_merge_key),
        _ => false,
    }
}

fuzz_target!(|input: &[u8]| {
    for document in Documents::new(input) {
        let Ok(document) = document else { break };
        assert!(document.bytes.len() <= input.len());
    }
    is_json(input);

    let reported = read(input, DuplicateKeys::Report);
    let rejected = read(input, DuplicateKeys::Reject);
    let Some(text) = read(input, DuplicateKeys::Ignore) else {
        assert_eq!((reported, rejected), (None, None), "reporting makes no text good");
        return;
    };
    assert_eq!(reported.as_ref(), Some(&text), "reporting changes nothing");
    assert!(rejected.is_none_or(|rejected| rejected == text), "a text without duplicate keys reads the same");

    // JSON that nests deeper than its own limit is left out.
    let Ok((value, _)) = json::decode_tree(&text, Strictness::Ignore) else {
        assert!(serde_json::from_slice::<Value>(&text).is_err(), "YAML becomes well-formed JSON");
        return;
    };
    let mut yaml = Vec::new();
    from_json_value(&value, &mut yaml);
    if has_merge_key(&value) {
        return;
    }
    let again = read(&yaml, DuplicateKeys::Reject).expect("what was written can be read");
    assert_eq!(tree(&again), value);
});
