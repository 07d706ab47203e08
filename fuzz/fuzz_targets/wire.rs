//! Any bytes, read as the fields of a protobuf message: an error or fields, never a panic. Fields that were
//! read whole are written again and must come back as they were.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhumb_schema::wire::{Payload, fields, put_bytes_field, put_varint_field};

fuzz_target!(|input: &[u8]| {
    for field in fields(input) {
        let Ok((number, payload)) = field else { return };
        let mut written = Vec::new();
        match payload {
            Payload::Varint(value) => put_varint_field(number, value, &mut written),
            Payload::Bytes(bytes) => put_bytes_field(number, bytes, &mut written),
            _ => continue,
        }
        let read: Vec<_> = fields(&written).collect();
        assert_eq!(read, [Ok((number, payload))]);
    }
});
