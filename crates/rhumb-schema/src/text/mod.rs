//! JSON text at its lowest level: strings written as Go writes them, and a scanner that fails with Go's words.

mod encode;
mod quote;
mod scan;
mod utf8;
mod write;

pub use encode::encode;
pub use quote::quoted;
pub use scan::{Scanner, SyntaxError};
pub use utf8::utf8;
pub use write::{compact, indent, write_f64, write_i64, write_str};

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, general_purpose::PAD};

use crate::error::{DecodeError, Problem};

static BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, PAD);

/// The text of a JSON string, which is the whole input.
pub fn unquote(json: &[u8]) -> Option<Cow<'_, str>> {
    let mut scanner = Scanner::new(json);
    if scanner.peek() != Some(b'"') {
        return None;
    }
    let text = scanner.string().ok()?;
    scanner.end().ok()?;
    Some(text)
}

/// The bytes of a base64 text, with Go's error if it is none. Line ends inside it are passed over.
///
/// # Errors
/// If the text is not base64 with padding.
pub fn decode_base64(text: &str) -> Result<Vec<u8>, DecodeError> {
    let joined: Cow<'_, str> = if text.contains(['\r', '\n']) {
        Cow::Owned(text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect())
    } else {
        Cow::Borrowed(text)
    };
    BASE64.decode(joined.as_bytes()).map_err(|error| {
        let at = match error {
            base64::DecodeError::InvalidByte(at, _) => at,
            base64::DecodeError::InvalidLastSymbol { offset, .. } => offset,
            _ => joined.len() / 4 * 4,
        };
        Problem::Leaf(format!("illegal base64 data at input byte {at}")).into()
    })
}

/// Appends bytes as base64, without quotes.
pub fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    let written = out.get_mut(start..).and_then(|space| BASE64.encode_slice(bytes, space).ok());
    out.truncate(start + written.unwrap_or_default());
}
