//! Low-level JSON text: string encoding like Go's, and a scanner with Go's errors.

mod encode;
mod quote;
mod scan;
mod tree;
mod utf8;
mod write;

pub use encode::{JsonWriter, encode};
pub use quote::{is_printable, quoted};
pub use scan::{RawKey, Scanner, SyntaxError};
pub use tree::{parse_tree, tree_number};
pub use utf8::utf8;
pub use write::{compact, indent, indent_by, is_plain, write_f64, write_i64, write_str};

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, general_purpose::PAD};

use crate::error::{DecodeError, Problem};

/// Base64 decoder that, like Go's, accepts non-zero trailing bits.
static BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, PAD.with_decode_allow_trailing_bits(true));

/// Returns the text of a JSON string, which is the whole input.
pub fn unquote(json: &[u8]) -> Option<Cow<'_, str>> {
    let mut scanner = Scanner::new(json);
    if scanner.peek() != Some(b'"') {
        return None;
    }
    let text = scanner.string().ok()?;
    scanner.end().ok()?;
    Some(text)
}

/// Returns the bytes of a base64 text, with Go's error if it is none. Line ends inside it are passed over.
///
/// # Errors
/// If the text is not base64 with padding.
pub fn decode_base64(text: &str) -> Result<Vec<u8>, DecodeError> {
    let joined: Cow<'_, str> = if text.contains(['\r', '\n']) {
        Cow::Owned(text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect())
    } else {
        Cow::Borrowed(text)
    };
    BASE64.decode(joined.as_bytes()).map_err(|_| Problem::Base64(base64_fault(text.as_bytes())).into())
}

/// Returns the position at which Go's decoder reports invalid base64.
#[cold]
fn base64_fault(text: &[u8]) -> usize {
    // Only these count; the others are passed over wherever they stand.
    let mut letters = text.iter().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
    let mut filled = 0;
    while let Some((at, byte)) = letters.next() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => filled = (filled + 1) % 4,
            b'=' if filled == 2 => {
                return match letters.next() {
                    None => text.len(),
                    Some((_, b'=')) => letters.next().map_or(text.len(), |(behind, _)| behind),
                    Some((other, _)) => other - 1,
                };
            }
            b'=' if filled == 3 => return letters.next().map_or(text.len(), |(behind, _)| behind),
            _ => return at,
        }
    }
    text.len().saturating_sub(filled)
}

/// Appends bytes as base64, without quotes.
pub fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    let written = out.get_mut(start..).and_then(|space| BASE64.encode_slice(bytes, space).ok());
    out.truncate(start + written.unwrap_or_default());
}
