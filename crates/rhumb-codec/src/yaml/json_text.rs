//! JSON output of the YAML reader.

use super::number::{write_int, write_json_float, write_uint};
use super::resolve::Meaning;

/// Writes a JSON string.
#[inline]
pub(super) fn write_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    if text.iter().any(|b| needs_escape(*b)) {
        write_escaped(text, out);
    } else {
        out.extend_from_slice(text);
    }
    out.push(b'"');
}

#[inline]
fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

#[cold]
fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut rest = text;
    while let Some(at) = rest.iter().position(|b| needs_escape(*b)) {
        let (clean, tail) = rest.split_at(at);
        out.extend_from_slice(clean);
        let Some((&byte, tail)) = tail.split_first() else { break };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => {
                out.extend_from_slice(b"\\u00");
                out.push(HEX[usize::from(byte >> 4)]);
                out.push(HEX[usize::from(byte & 15)]);
            }
        }
        rest = tail;
    }
    out.extend_from_slice(rest);
}

/// Writes what a scalar means; `text` is the string if it is one. A number JSON lacks is written as null.
#[inline]
pub(super) fn write_meaning(meaning: Meaning, text: &[u8], out: &mut Vec<u8>) {
    match meaning {
        Meaning::Str => write_string(text, out),
        Meaning::Null => out.extend_from_slice(b"null"),
        Meaning::Bool(true) => out.extend_from_slice(b"true"),
        Meaning::Bool(false) => out.extend_from_slice(b"false"),
        Meaning::Int(value) => write_int(value, out),
        Meaning::Uint(value) => write_uint(value, out),
        Meaning::Float(value) if value.is_finite() => write_json_float(value, out),
        Meaning::Float(_) => out.extend_from_slice(b"null"),
    }
}

/// Decodes base64 as Go's standard decoder does: padded, strict in its alphabet, deaf to line breaks.
pub(super) fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut group = 0u32;
    let mut digits = 0;
    let mut padding = 0;
    for &byte in text {
        let digit = match byte {
            b'\r' | b'\n' => continue,
            b'=' => {
                padding += 1;
                if padding > 2 || digits + padding > 4 || digits < 2 {
                    return None;
                }
                continue;
            }
            _ if padding > 0 => return None,
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        group = (group << 6) | u32::from(digit);
        digits += 1;
        if digits == 4 {
            out.extend_from_slice(group.to_be_bytes().get(1..)?);
            group = 0;
            digits = 0;
        }
    }
    match (digits, padding) {
        (0, 0) => {}
        (2, 2) => out.extend_from_slice((group << 12).to_be_bytes().get(1..2)?),
        (3, 1) => out.extend_from_slice((group << 6).to_be_bytes().get(1..3)?),
        _ => return None,
    }
    Some(out)
}

/// Replaces every byte that is not part of a UTF-8 character, one by one, as Go's JSON encoder does.
pub(super) fn replace_invalid_utf8(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.extend_from_slice(chunk.valid().as_bytes());
        for _ in chunk.invalid() {
            out.extend_from_slice("\u{FFFD}".as_bytes());
        }
    }
    out
}
