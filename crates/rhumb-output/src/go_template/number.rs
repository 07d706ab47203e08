//! Number literals.

use rhumb_jsonpath::unquoted;
use rhumb_schema::text::quoted;

use super::node::Number;

/// Reads a number. There are no imaginary ones, which Go has.
pub(super) fn number(text: &str) -> Result<Number, String> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = whole(digits);
    let int = magnitude.and_then(|size| {
        let size = i128::from(size);
        i64::try_from(if negative { -size } else { size }).ok()
    });
    if let Some(int) = int {
        return Ok(Number { written: text.to_owned(), int: Some(int), float: int as f64 });
    }
    // Go reads an unsigned number only without a sign.
    if let Some(size) = magnitude.filter(|_| digits.len() == text.len()) {
        return Ok(Number { written: text.to_owned(), int: None, float: size as f64 });
    }
    let float = underscored(text).and_then(|text| float(&text));
    let Some(float) = float else { return Err(format!("illegal number syntax: {}", quoted(text))) };
    if !text.contains(['.', 'e', 'E', 'p', 'P']) {
        return Err(format!("integer overflow: {}", quoted(text)));
    }
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    let int = (float.fract() == 0.0 && (-BEYOND..BEYOND).contains(&float)).then_some(float as i64);
    Ok(Number { written: text.to_owned(), int, float })
}

/// Reads a character between single quotes, which is a number.
pub(super) fn character(text: &str) -> Result<Number, String> {
    let inner = unquoted(text).ok_or("invalid syntax")?;
    let mut letters = inner.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => {
            let code = u32::from(letter);
            Ok(Number { written: text.to_owned(), int: Some(code.into()), float: code.into() })
        }
        (None, _) => Err("invalid syntax".to_owned()),
        _ => Err(format!("malformed character constant: {text}")),
    }
}

/// Returns a number without its underscores; none if one of them isn't between digits or behind a prefix.
fn underscored(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let well_placed = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let behind = bytes.get(at + 1);
        before.is_some_and(u8::is_ascii_alphanumeric) && behind.is_some_and(u8::is_ascii_hexdigit)
    };
    let places = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_');
    places.map(|(at, _)| at).all(well_placed).then(|| text.replace('_', ""))
}

/// Returns a whole number without a sign, in any base that Go knows.
fn whole(text: &str) -> Option<u64> {
    let text = underscored(text)?;
    let start = text.get(..2).unwrap_or_default().to_ascii_lowercase();
    let (digits, radix) = match start.as_str() {
        "0x" => (text.get(2..)?, 16),
        "0b" => (text.get(2..)?, 2),
        "0o" => (text.get(2..)?, 8),
        _ if text.len() > 1 && text.starts_with('0') => (text.as_str(), 8),
        _ => (text.as_str(), 10),
    };
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

fn float(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if !digits.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("0x")) {
        let value: f64 = digits.parse().ok()?;
        return value.is_finite().then_some(sign * value);
    }
    let (mantissa, power) = digits.get(2..)?.split_once(['p', 'P'])?;
    let (before, behind) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if before.len() + behind.len() == 0 {
        return None;
    }
    let digit = |value: f64, letter: char| Some(value * 16.0 + f64::from(letter.to_digit(16)?));
    let value = before.chars().chain(behind.chars()).try_fold(0.0, digit)?;
    let shift = i32::try_from(behind.len()).ok()?.checked_mul(4)?;
    let value = value * 2f64.powi(power.parse::<i32>().ok()?.checked_sub(shift)?);
    value.is_finite().then_some(sign * value)
}
