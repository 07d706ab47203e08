//! Any bytes, read as a protobuf object in its envelope, and as the message of a kind: an error or an object,
//! never a panic. What was read is written and read again and must stay as it was; it has a form in JSON.
//!
//! The first byte is the kind.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhumb_codec::{JsonSerializer, ProtobufSerializer, Serializer, proto};
use rhumb_fuzz::{chosen_kind, codecs};
use rhumb_meta::{GroupVersionKind, Object};
use rhumb_schema::wire::put_bytes_field;

fn decode(bytes: &[u8], kind: &GroupVersionKind) -> Option<Box<dyn Object>> {
    Some(ProtobufSerializer.decode(bytes, Some(kind), codecs().scheme()).ok()?.object)
}

fn encode(object: &dyn Object) -> Vec<u8> {
    let mut bytes = Vec::new();
    ProtobufSerializer
        .encode(object, &mut bytes)
        .expect("what was read from protobuf has a form in protobuf");
    bytes
}

fn check(bytes: &[u8], kind: &GroupVersionKind) {
    let Some(object) = decode(bytes, kind) else { return };
    let written = encode(&*object);
    // Bytes are compared and not objects, because a float that is no number doesn't equal itself.
    let read = decode(&written, kind).expect("what was written can be read");
    assert_eq!(encode(&*read), written);
    let mut text = Vec::new();
    let _ = JsonSerializer::default().encode(&*object, &mut text);
}

fuzz_target!(|input: &[u8]| {
    let Some((kind, bytes)) = chosen_kind(input) else { return };
    check(bytes, kind);
    let mut type_meta = Vec::new();
    put_bytes_field(1, kind.api_version().as_bytes(), &mut type_meta);
    put_bytes_field(2, kind.kind.as_bytes(), &mut type_meta);
    let mut enveloped = proto::MAGIC.to_vec();
    put_bytes_field(1, &type_meta, &mut enveloped);
    put_bytes_field(2, bytes, &mut enveloped);
    check(&enveloped, kind);
});
