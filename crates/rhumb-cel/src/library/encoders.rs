//! The extension library of encodings: base64.

use super::Library;
use crate::eval::Error;
use crate::functions::Function;
use crate::types::Type;
use crate::value::Value;

/// The extension library of encodings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Encoders;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Library for Encoders {
    fn name(&self) -> &str {
        "cel.lib.ext.encoders"
    }

    fn functions(&self) -> Vec<Function> {
        vec![
            Function::global("base64.decode", "base64_decode_string", vec![Type::String], Type::Bytes).with(
                |context, args| match args {
                    [Value::String(text)] => {
                        context.allocate(text.len())?;
                        // Without padding is fine, too; the error is that of the second attempt.
                        let decoded =
                            decode(text.as_bytes(), true).or_else(|_| decode(text.as_bytes(), false));
                        decoded
                            .map(Value::from)
                            .map_err(|at| Error::new(format!("illegal base64 data at input byte {at}")))
                    }
                    _ => Err(Error::no_such_overload()),
                },
            ),
            Function::global("base64.encode", "base64_encode_bytes", vec![Type::Bytes], Type::String).with(
                |context, args| match args {
                    [Value::Bytes(bytes)] => {
                        context.allocate(bytes.len() / 3 * 4 + 4)?;
                        Ok(encode(bytes).into())
                    }
                    _ => Err(Error::no_such_overload()),
                },
            ),
        ]
    }
}

fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let letter = ALPHABET.get((bits >> (18 - 6 * at) & 63) as usize).copied().unwrap_or(b'=');
            text.push(if at <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// Decodes a text, skipping line breaks; the error is where Go's decoder stops.
fn decode(text: &[u8], padded: bool) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let mut at = 0;
    let skip = |at: &mut usize| {
        while text.get(*at).is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            *at += 1;
        }
    };
    loop {
        let (mut bits, mut count) = (0u32, 0usize);
        while count < 4 {
            skip(&mut at);
            let Some(byte) = text.get(at) else {
                match count {
                    0 => return Ok(bytes),
                    1 => return Err(at - count),
                    _ if padded => return Err(at - count),
                    _ => break,
                }
            };
            at += 1;
            if let Some(value) = ALPHABET.iter().position(|letter| letter == byte) {
                bits = bits << 6 | value as u32;
                count += 1;
                continue;
            }
            if *byte != b'=' || !padded || count < 2 {
                return Err(at - 1);
            }
            skip(&mut at);
            if count == 2 {
                match text.get(at) {
                    None => return Err(text.len()),
                    Some(b'=') => at += 1,
                    Some(_) => return Err(at - 1),
                }
                skip(&mut at);
            }
            if at < text.len() {
                return Err(at);
            }
            break;
        }
        bits <<= 6 * (4 - count);
        let decoded = bits.to_be_bytes();
        bytes.extend(decoded.iter().skip(1).take(count.saturating_sub(1)));
        if count < 4 {
            return Ok(bytes);
        }
    }
}
