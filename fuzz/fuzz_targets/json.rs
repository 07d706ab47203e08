//! Any bytes, read as a JSON object of any kind and as a JSON tree, in all strictnesses: an error or an object,
//! never a panic. What was read is written and read again and must stay as it was; its defaults can be filled in
//! and it can be converted, or says why not.
//!
//! The first byte is the kind that a text has which doesn't say its own.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhumb_codec::{JsonSerializer, Serializer, Strictness, json};
use rhumb_fuzz::{chosen_kind, codecs};
use rhumb_meta::{GroupVersionKind, Object};
use rhumb_scheme::ToInternal;

const STRICTNESSES: [Strictness; 3] = [Strictness::Ignore, Strictness::Warn, Strictness::Strict];

fn decode(text: &[u8], kind: &GroupVersionKind, strictness: Strictness) -> Option<Box<dyn Object>> {
    let serializer = JsonSerializer { pretty: false, strictness };
    Some(serializer.decode(text, Some(kind), codecs().scheme()).ok()?.object)
}

fn encode(object: &dyn Object, pretty: bool) -> Vec<u8> {
    let mut text = Vec::new();
    let serializer = JsonSerializer { pretty, strictness: Strictness::Ignore };
    serializer.encode(object, &mut text).expect("what was read from JSON has a form in JSON");
    text
}

/// Whether reading a text gives what was written. A negative zero is written as `-0`, which is read as the integer
/// zero; and a time that is there but zero is written as `null`, which is read as absent. Both as in Go.
fn keeps_all(written: &[u8]) -> bool {
    !written.windows(2).any(|part| part == b"-0") && !written.windows(4).any(|part| part == b"null")
}

fn check_object(text: &[u8], kind: &GroupVersionKind) {
    let [ignoring, warning, strict] = STRICTNESSES.map(|strictness| decode(text, kind, strictness));
    assert_eq!(ignoring.is_some(), warning.is_some(), "warnings are no errors");
    let Some(object) = ignoring else {
        assert!(strict.is_none(), "strictness makes no text good");
        return;
    };
    assert!(strict.is_none_or(|strict| *strict == *object), "strictness changes no object");

    // The first writing drops what Go keeps in memory alone: fractions of seconds, empty lists that are left out.
    let written = encode(&*object, false);
    let read = decode(&written, kind, Strictness::Strict).expect("what was written can be read");
    let settled = encode(&*read, false);
    if keeps_all(&written) {
        assert_eq!(settled, written);
    }
    let second = decode(&settled, kind, Strictness::Strict).expect("what was written can be read");
    assert_eq!(encode(&*second, false), settled, "a second trip changes nothing");
    let again =
        decode(&encode(&*read, true), kind, Strictness::Strict).expect("what was indented can be read");
    assert_eq!(encode(&*again, false), encode(&*read, false), "white space changes nothing");
    let third = decode(&written, kind, Strictness::Ignore).expect("what was written can be read");
    assert!(*third == *read, "the same text gives the same object");

    let scheme = codecs().scheme();
    let mut defaulted = object;
    scheme.default(&mut *defaulted);
    if let Ok(internal) = scheme.move_to_version(defaulted, &ToInternal) {
        internal.type_meta();
    }
}

fn check_tree(text: &[u8]) {
    for strictness in STRICTNESSES {
        let Ok((tree, _)) = json::decode_tree(text, strictness) else { continue };
        let mut written = Vec::new();
        json::encode(&tree, &mut written);
        let (read, notes) =
            json::decode_tree(&written, Strictness::Strict).expect("what was written can be read");
        assert!(notes.found().is_empty(), "what was written has no key twice");
        let mut again = Vec::new();
        json::encode(&read, &mut again);
        if keeps_all(&written) {
            assert_eq!(again, written);
        }
        assert_eq!(json::decode_tree(&again, Strictness::Strict).map(|(read, _)| read), Ok(read));
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((kind, text)) = chosen_kind(input) else { return };
    check_object(text, kind);
    check_tree(text);
});
