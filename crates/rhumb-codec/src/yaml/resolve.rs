//! Resolution of untyped scalars.
//!
//! The rules are those of go-yaml v2, which Kubernetes reads manifests with: YAML 1.1's booleans (`yes`, `on`,
//! `y`), C-like integers (`0777`, `0x1F`, `0b1`, `1_000`), floats, and nulls. Sexagesimal numbers (`1:30`) stay
//! strings, and so do timestamps; the writer still quotes both, because other readers would convert them.

use rhumb_meta::civil;

/// Value of a scalar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meaning {
    Null,
    Bool(bool),
    Int(i64),
    /// A whole number beyond the signed range.
    Uint(u64),
    Float(f64),
    Str,
}

/// Explicit tag of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// No tag: the style and the text decide.
    None,
    Str,
    Bool,
    Int,
    Float,
    Null,
    Timestamp,
    Binary,
    Merge,
    /// A lone `!`.
    NonSpecific,
    /// Any other tag: the text is taken as a string.
    Other,
}

const LONG_PREFIX: &[u8] = b"tag:yaml.org,2002:";

impl Tag {
    /// Recognizes a tag with its handle already replaced by the handle's prefix.
    pub(super) fn from_long(tag: &[u8]) -> Tag {
        if tag == b"!" {
            return Tag::NonSpecific;
        }
        match tag.strip_prefix(LONG_PREFIX) {
            Some(b"str") => Tag::Str,
            Some(b"bool") => Tag::Bool,
            Some(b"int") => Tag::Int,
            Some(b"float") => Tag::Float,
            Some(b"null") => Tag::Null,
            Some(b"timestamp") => Tag::Timestamp,
            Some(b"binary") => Tag::Binary,
            Some(b"merge") => Tag::Merge,
            _ => Tag::Other,
        }
    }

    fn short(self) -> &'static str {
        match self {
            Tag::Bool => "!!bool",
            Tag::Int => "!!int",
            Tag::Float => "!!float",
            Tag::Null => "!!null",
            Tag::Timestamp => "!!timestamp",
            Tag::None | Tag::Str | Tag::Binary | Tag::Merge | Tag::NonSpecific | Tag::Other => "!!str",
        }
    }
}

/// Resolves the text of a tagged scalar; the error is the reader's complaint.
///
/// [`Tag::Binary`] is left to the caller, which has to decode the text.
pub(super) fn resolve_tagged(tag: Tag, text: &[u8]) -> Result<Meaning, String> {
    let (meaning, found) = match tag {
        Tag::Str | Tag::Binary | Tag::Merge | Tag::NonSpecific | Tag::Other => return Ok(Meaning::Str),
        Tag::Timestamp if is_timestamp(text) => return Ok(Meaning::Str),
        Tag::None | Tag::Bool | Tag::Int | Tag::Float | Tag::Null | Tag::Timestamp => {
            let meaning = resolve(text);
            let found = match meaning {
                Meaning::Null => Tag::Null,
                Meaning::Bool(_) => Tag::Bool,
                Meaning::Int(_) | Meaning::Uint(_) => Tag::Int,
                Meaning::Float(_) => Tag::Float,
                Meaning::Str => Tag::Str,
            };
            (meaning, found)
        }
    };
    match (tag, meaning) {
        (Tag::None, _) => Ok(meaning),
        (Tag::Float, Meaning::Int(value)) => Ok(Meaning::Float(value as f64)),
        _ if tag == found => Ok(meaning),
        _ => Err(format!(
            "cannot decode {} `{}` as a {}",
            found.short(),
            String::from_utf8_lossy(text),
            tag.short()
        )),
    }
}

/// Resolves the text of a plain, untagged scalar.
#[inline]
pub(super) fn resolve(text: &[u8]) -> Meaning {
    let Some(&first) = text.first() else { return Meaning::Null };
    match first {
        b'0'..=b'9' | b'+' | b'-' => resolve_number(text),
        b'.' => resolve_point(text),
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' if text.len() <= 5 => {
            resolve_word(text)
        }
        _ => Meaning::Str,
    }
}

fn resolve_word(text: &[u8]) -> Meaning {
    match text {
        b"y" | b"Y" | b"yes" | b"Yes" | b"YES" | b"true" | b"True" | b"TRUE" | b"on" | b"On" | b"ON" => {
            Meaning::Bool(true)
        }
        b"n" | b"N" | b"no" | b"No" | b"NO" | b"false" | b"False" | b"FALSE" | b"off" | b"Off" | b"OFF" => {
            Meaning::Bool(false)
        }
        b"~" | b"null" | b"Null" | b"NULL" => Meaning::Null,
        _ => Meaning::Str,
    }
}

fn resolve_point(text: &[u8]) -> Meaning {
    match text {
        b".nan" | b".NaN" | b".NAN" => Meaning::Float(f64::NAN),
        b".inf" | b".Inf" | b".INF" => Meaning::Float(f64::INFINITY),
        _ => parse_float(text).map_or(Meaning::Str, Meaning::Float),
    }
}

fn resolve_number(text: &[u8]) -> Meaning {
    match text {
        b"+.inf" | b"+.Inf" | b"+.INF" => return Meaning::Float(f64::INFINITY),
        b"-.inf" | b"-.Inf" | b"-.INF" => return Meaning::Float(f64::NEG_INFINITY),
        _ => {}
    }
    // Numbers hold no other characters, and most strings that begin with a digit or a dash are settled here.
    let in_numbers =
        |b: &u8| b.is_ascii_hexdigit() || matches!(b, b'x' | b'X' | b'o' | b'O' | b'+' | b'-' | b'.' | b'_');
    if !text.iter().all(in_numbers) {
        return Meaning::Str;
    }
    let without_underscores: Vec<u8>;
    let plain = if text.contains(&b'_') {
        without_underscores = text.iter().copied().filter(|b| *b != b'_').collect();
        &without_underscores[..]
    } else {
        text
    };
    if let Some(meaning) = parse_int(plain) {
        return meaning;
    }
    if let Some(value) = parse_float(plain) {
        return Meaning::Float(value);
    }
    // go-yaml tries binary once more with a sign after the prefix, so `0b-1` is a number too.
    if let Some(digits) = plain.strip_prefix(b"0b")
        && let Some((sign @ (b'-' | b'+'), digits)) = digits.split_first()
        && let Some(size) = digits_in_base(digits, 2)
        && let Some(value) = signed(*sign == b'-', size)
    {
        return Meaning::Int(value);
    }
    Meaning::Str
}

/// Parses a whole number with an optional sign and C's prefixes for its base.
fn parse_int(text: &[u8]) -> Option<Meaning> {
    let (sign, digits) = match text.split_first()? {
        (sign @ (b'-' | b'+'), rest) => (Some(*sign), rest),
        _ => (None, text),
    };
    let size = match digits {
        [b'0', b'x' | b'X', rest @ ..] => digits_in_base(rest, 16)?,
        [b'0', b'b' | b'B', rest @ ..] => digits_in_base(rest, 2)?,
        [b'0', b'o' | b'O', rest @ ..] => digits_in_base(rest, 8)?,
        [b'0'] => 0,
        [b'0', rest @ ..] => digits_in_base(rest, 8)?,
        _ => digits_in_base(digits, 10)?,
    };
    match signed(sign == Some(b'-'), size) {
        Some(value) => Some(Meaning::Int(value)),
        None if sign.is_none() => Some(Meaning::Uint(size)),
        None => None,
    }
}

fn signed(negative: bool, size: u64) -> Option<i64> {
    if negative { 0i64.checked_sub_unsigned(size) } else { i64::try_from(size).ok() }
}

fn digits_in_base(digits: &[u8], base: u32) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |value, &byte| {
        let digit = char::from(byte).to_digit(base)?;
        value.checked_mul(u64::from(base))?.checked_add(u64::from(digit))
    })
}

/// Parses a decimal float; one too large for 64 bits is not a number but a string.
fn parse_float(text: &[u8]) -> Option<f64> {
    let unsigned = match text {
        [b'-' | b'+', rest @ ..] => rest,
        _ => text,
    };
    let whole = leading_digits(unsigned);
    let mut rest = unsigned.get(whole..)?;
    if let [b'.', after @ ..] = rest {
        let fraction = leading_digits(after);
        if whole + fraction == 0 {
            return None;
        }
        rest = after.get(fraction..)?;
    } else if whole == 0 {
        return None;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        let digits = match after {
            [b'-' | b'+', digits @ ..] => digits,
            _ => after,
        };
        if digits.is_empty() || leading_digits(digits) != digits.len() {
            return None;
        }
    } else if !rest.is_empty() {
        return None;
    }
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

fn leading_digits(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// Reports whether a string may be written without quotes and still be read back as the same string.
pub(super) fn is_plain_string(text: &[u8]) -> bool {
    matches!(resolve(text), Meaning::Str)
        && match text.first() {
            Some(b'0'..=b'9') => !is_timestamp(text) && !is_sexagesimal(text),
            Some(b'+' | b'-') => !is_sexagesimal(text),
            _ => true,
        }
}

/// Reports whether the text is a YAML 1.1 base-60 number such as `1:30` or `-12:30:59.5`.
fn is_sexagesimal(text: &[u8]) -> bool {
    let text = match text {
        [b'-' | b'+', rest @ ..] => rest,
        _ => text,
    };
    let mut parts = text.split(|b| *b == b':');
    let Some([b'0'..=b'9', rest @ ..]) = parts.next() else { return false };
    if !rest.iter().all(|b| b.is_ascii_digit() || *b == b'_') {
        return false;
    }
    let mut groups = 0;
    let mut ended = false;
    for part in parts {
        if ended {
            return false;
        }
        groups += 1;
        let whole = leading_digits(part);
        let (digits, tail) = part.split_at(whole);
        if !matches!(digits, [_] | [b'0'..=b'5', _]) {
            return false;
        }
        match tail {
            [] => {}
            [b'.', fraction @ ..] if fraction.iter().all(|b| b.is_ascii_digit() || *b == b'_') => {
                ended = true
            }
            _ => return false,
        }
    }
    groups > 0
}

/// Reports whether the text is a date, or a date and a time, in one of the forms go-yaml takes for a timestamp.
pub(super) fn is_timestamp(text: &[u8]) -> bool {
    if leading_digits(text) != 4 || text.get(4) != Some(&b'-') {
        return false;
    }
    date_and_time(text).is_some()
}

fn date_and_time(text: &[u8]) -> Option<()> {
    let year = text.get(..4)?.iter().fold(0, |year, b| year * 10 + i64::from(b - b'0'));
    let (month, rest) = one_or_two_digits(text.get(5..)?)?;
    let (day, rest) = one_or_two_digits(rest.strip_prefix(b"-")?)?;
    if !(1..=civil::days_in_month(year, month)).contains(&day) {
        return None;
    }
    let (separator, rest) = match rest.split_first() {
        None => return Some(()),
        Some((separator @ (b'T' | b't' | b' '), rest)) => (*separator, rest),
        Some(_) => return None,
    };
    let (hour, rest) = one_or_two_digits(rest)?;
    let (minute, rest) = one_or_two_digits(rest.strip_prefix(b":")?)?;
    let (second, mut rest) = one_or_two_digits(rest.strip_prefix(b":")?)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    if let [b'.' | b',', b'0'..=b'9', ..] = rest {
        let fraction = rest.get(1..)?;
        rest = fraction.get(leading_digits(fraction)..)?;
    }
    match (separator, rest) {
        (b' ', []) | (b'T' | b't', b"Z") => Some(()),
        (b'T' | b't', [b'+' | b'-', h1, h2, b':', m1, m2]) => {
            let (hours, _) = one_or_two_digits(&[*h1, *h2]).filter(|(_, rest)| rest.is_empty())?;
            let (minutes, _) = one_or_two_digits(&[*m1, *m2]).filter(|(_, rest)| rest.is_empty())?;
            (hours <= 24 && minutes <= 60).then_some(())
        }
        _ => None,
    }
}

fn one_or_two_digits(text: &[u8]) -> Option<(u32, &[u8])> {
    match text {
        [a @ b'0'..=b'9', b @ b'0'..=b'9', rest @ ..] => {
            Some((u32::from(a - b'0') * 10 + u32::from(b - b'0'), rest))
        }
        [a @ b'0'..=b'9', rest @ ..] => Some((u32::from(a - b'0'), rest)),
        _ => None,
    }
}
