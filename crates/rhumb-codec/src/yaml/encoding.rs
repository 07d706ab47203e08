//! Input encodings: byte order marks, UTF-16, and characters that YAML forbids.

use std::borrow::Cow;

use super::YamlError;

/// Returns the input as UTF-8 without a byte order mark, or go-yaml's complaint about it.
pub(super) fn decode(input: &[u8]) -> Result<Cow<'_, [u8]>, YamlError> {
    let text: Cow<'_, [u8]> = match input {
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_le_bytes)?),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_be_bytes)?),
        [0xEF, 0xBB, 0xBF, rest @ ..] => Cow::Borrowed(rest),
        _ => Cow::Borrowed(input),
    };
    check(&text)?;
    Ok(text)
}

fn check(text: &[u8]) -> Result<(), YamlError> {
    // One pass without branches settles ordinary ASCII; anything else is looked at character by character.
    let odd = text.iter().fold(false, |odd, &b| odd | !matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7E));
    if !odd {
        return Ok(());
    }
    let (valid, problem) = match std::str::from_utf8(text) {
        Ok(valid) => (valid, None),
        Err(error) => {
            let (before, rest) = text.split_at(error.valid_up_to());
            (std::str::from_utf8(before).unwrap_or_default(), Some(utf8_problem(rest)))
        }
    };
    if !valid.chars().all(is_allowed) {
        return Err(YamlError::unreadable("control characters are not allowed"));
    }
    problem.map_or(Ok(()), |problem| Err(YamlError::unreadable(problem)))
}

fn is_allowed(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..
    )
}

fn utf8_problem(rest: &[u8]) -> &'static str {
    let Some(&first) = rest.first() else { return "incomplete UTF-8 octet sequence" };
    let (width, low_bits) = match first.leading_ones() {
        2 => (2, first & 0x1F),
        3 => (3, first & 0x0F),
        4 => (4, first & 0x07),
        _ => return "invalid leading UTF-8 octet",
    };
    let Some(trailing) = rest.get(1..width) else { return "incomplete UTF-8 octet sequence" };
    let mut value = u32::from(low_bits);
    for octet in trailing {
        if octet & 0xC0 != 0x80 {
            return "invalid trailing UTF-8 octet";
        }
        value = (value << 6) | u32::from(octet & 0x3F);
    }
    let shortest = match width {
        2 => 0x80,
        3 => 0x800,
        _ => 0x10000,
    };
    if value < shortest { "invalid length of a UTF-8 sequence" } else { "invalid Unicode character" }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Vec<u8>, YamlError> {
    let mut units = Vec::with_capacity(bytes.len() / 2);
    let mut rest = bytes;
    while let [a, b, tail @ ..] = rest {
        units.push(unit([*a, *b]));
        rest = tail;
    }
    let mut text = String::with_capacity(units.len());
    let mut units = units.into_iter().peekable();
    while let Some(first) = units.next() {
        let value = match first & 0xFC00 {
            0xDC00 => return Err(YamlError::unreadable("unexpected low surrogate area")),
            0xD800 => match units.next() {
                None => return Err(YamlError::unreadable("incomplete UTF-16 surrogate pair")),
                Some(second) if second & 0xFC00 == 0xDC00 => {
                    0x10000 + (u32::from(first & 0x3FF) << 10) + u32::from(second & 0x3FF)
                }
                Some(_) => return Err(YamlError::unreadable("expected low surrogate area")),
            },
            _ => u32::from(first),
        };
        text.extend(char::from_u32(value));
    }
    if !rest.is_empty() {
        return Err(YamlError::unreadable("incomplete UTF-16 character"));
    }
    Ok(text.into_bytes())
}
