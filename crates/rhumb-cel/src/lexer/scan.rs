//! Finds where a token ends.

use super::Kind;

/// Skips blanks and comments.
pub(super) fn blank(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0c) => at += 1,
            Some(b'/') if bytes.get(at + 1) == Some(&b'/') => {
                at = bytes
                    .iter()
                    .skip(at)
                    .position(|byte| *byte == b'\n')
                    .map_or(bytes.len(), |length| at + length);
            }
            _ => return at,
        }
    }
}

/// Finds the token that begins at a byte, and its end; or the end of what was looked at in vain.
pub(super) fn token(text: &str, at: usize) -> Result<(Kind, usize), usize> {
    let bytes = text.as_bytes();
    let next = bytes.get(at + 1).copied();
    let one = |kind| Ok((kind, at + 1));
    let either =
        |second, long, short| Ok(if next == Some(second) { (long, at + 2) } else { (short, at + 1) });
    let both =
        |second, kind| if next == Some(second) { Ok((kind, at + 2)) } else { Err(after(text, at + 1)) };
    match bytes.get(at).copied().unwrap_or_default() {
        b'[' => one(Kind::LeftBracket),
        b']' => one(Kind::RightBracket),
        b'{' => one(Kind::LeftBrace),
        b'}' => one(Kind::RightBrace),
        b'(' => one(Kind::LeftParenthesis),
        b')' => one(Kind::RightParenthesis),
        b',' => one(Kind::Comma),
        b'-' => one(Kind::Minus),
        b'?' => one(Kind::Question),
        b':' => one(Kind::Colon),
        b'+' => one(Kind::Plus),
        b'*' => one(Kind::Star),
        b'/' => one(Kind::Slash),
        b'%' => one(Kind::Percent),
        b'!' => either(b'=', Kind::NotEquals, Kind::Exclamation),
        b'<' => either(b'=', Kind::LessEquals, Kind::Less),
        b'>' => either(b'=', Kind::GreaterEquals, Kind::Greater),
        b'=' => both(b'=', Kind::Equals),
        b'&' => both(b'&', Kind::LogicalAnd),
        b'|' => both(b'|', Kind::LogicalOr),
        b'.' if next.is_some_and(|digit| digit.is_ascii_digit()) => {
            let end = digits(bytes, at + 1);
            Ok((Kind::Float, exponent(bytes, end).unwrap_or(end)))
        }
        b'.' => one(Kind::Dot),
        b'0'..=b'9' => Ok(number(bytes, at)),
        b'"' | b'\'' => string(text, at, false).map(|end| (Kind::String, end)),
        b'`' => escaped_name(text, at),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => Ok(word(text, at)),
        _ => Err(after(text, at)),
    }
}

/// The end of the character at a byte, or of the text.
fn after(text: &str, at: usize) -> usize {
    text.get(at..)
        .and_then(|rest| rest.chars().next())
        .map_or(text.len(), |character| at + character.len_utf8())
}

fn digits(bytes: &[u8], at: usize) -> usize {
    at + bytes.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count()
}

/// The end of an exponent, if there is one.
fn exponent(bytes: &[u8], at: usize) -> Option<usize> {
    let Some(b'e' | b'E') = bytes.get(at) else { return None };
    let start = if let Some(b'+' | b'-') = bytes.get(at + 1) { at + 2 } else { at + 1 };
    let end = digits(bytes, start);
    (end > start).then_some(end)
}

fn number(bytes: &[u8], at: usize) -> (Kind, usize) {
    let unsigned = |end: usize| match bytes.get(end) {
        Some(b'u' | b'U') => (Kind::Uint, end + 1),
        _ => (Kind::Int, end),
    };
    if bytes.get(at) == Some(&b'0') && bytes.get(at + 1) == Some(&b'x') {
        let length = bytes.iter().skip(at + 2).take_while(|byte| byte.is_ascii_hexdigit()).count();
        if length > 0 {
            return unsigned(at + 2 + length);
        }
    }
    let whole = digits(bytes, at);
    if bytes.get(whole) == Some(&b'.') {
        let end = digits(bytes, whole + 1);
        if end > whole + 1 {
            return (Kind::Float, exponent(bytes, end).unwrap_or(end));
        }
    }
    match exponent(bytes, whole) {
        Some(end) => (Kind::Float, end),
        None => unsigned(whole),
    }
}

/// A name, a keyword, or a string with letters before its quote.
fn word(text: &str, at: usize) -> (Kind, usize) {
    let bytes = text.as_bytes();
    let length =
        bytes.iter().skip(at).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let end = at + length;
    let name = text.get(at..end).unwrap_or_default();
    if let Some(b'"' | b'\'') = bytes.get(end) {
        let prefix = match name {
            "r" | "R" => Some((Kind::String, true)),
            "b" | "B" => Some((Kind::Bytes, false)),
            "br" | "bR" | "Br" | "BR" => Some((Kind::Bytes, true)),
            _ => None,
        };
        if let Some((kind, raw)) = prefix
            && let Ok(end) = string(text, end, raw)
        {
            return (kind, end);
        }
    }
    let kind = match name {
        "in" => Kind::In,
        "true" => Kind::True,
        "false" => Kind::False,
        "null" => Kind::Null,
        _ => Kind::Identifier,
    };
    (kind, end)
}

fn escaped_name(text: &str, at: usize) -> Result<(Kind, usize), usize> {
    let allowed =
        |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/' | b' ');
    let length = text.as_bytes().iter().skip(at + 1).take_while(allowed).count();
    let end = at + 1 + length;
    if length > 0 && text.as_bytes().get(end) == Some(&b'`') {
        Ok((Kind::EscapedIdentifier, end + 1))
    } else {
        Err(after(text, end))
    }
}

/// The end of the string whose quote is at a byte.
fn string(text: &str, at: usize, raw: bool) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let quote = bytes.get(at).copied().unwrap_or_default();
    let triple =
        |at: usize| bytes.get(at..at + 3).is_some_and(|quotes| quotes.iter().all(|byte| *byte == quote));
    if triple(at) {
        // What is not closed by three quotes begins with an empty string.
        return Ok(body(text, at + 3, raw, |at| triple(at).then_some(at + 3), |_| false).unwrap_or(at + 2));
    }
    let closed = |at: usize| (bytes.get(at) == Some(&quote)).then_some(at + 1);
    body(text, at + 1, raw, closed, |byte| matches!(byte, b'\n' | b'\r'))
}

fn body(
    text: &str,
    mut at: usize,
    raw: bool,
    closed: impl Fn(usize) -> Option<usize>,
    refused: impl Fn(u8) -> bool,
) -> Result<usize, usize> {
    loop {
        if let Some(end) = closed(at) {
            return Ok(end);
        }
        match text.as_bytes().get(at) {
            None => return Err(text.len()),
            Some(byte) if refused(*byte) => return Err(at + 1),
            Some(b'\\') if !raw => at = escape(text, at + 1)?,
            Some(_) => at += 1,
        }
    }
}

/// The end of an escape sequence whose backslash is before a byte.
fn escape(text: &str, at: usize) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let all = |from: usize, count: usize, allowed: fn(&u8) -> bool| match (from..from + count)
        .find(|index| !bytes.get(*index).is_some_and(allowed))
    {
        Some(wrong) => Err(after(text, wrong)),
        None => Ok(from + count),
    };
    match bytes.get(at) {
        Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`') => {
            Ok(at + 1)
        }
        Some(b'x' | b'X') => all(at + 1, 2, u8::is_ascii_hexdigit),
        Some(b'u') => all(at + 1, 4, u8::is_ascii_hexdigit),
        Some(b'U') => all(at + 1, 8, u8::is_ascii_hexdigit),
        Some(b'0'..=b'3') => all(at + 1, 2, |byte| matches!(byte, b'0'..=b'7')),
        _ => Err(after(text, at)),
    }
}
