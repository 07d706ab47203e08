//! Number and character formats of `printf`.

use rhumb_schema::text::{is_printable, quoted};

/// Returns a float with an exponent: `1.500000e+00`.
pub(super) fn scientific(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// Returns a float with a number of significant digits, with an exponent if it needs more than these before the point.
pub(super) fn general(number: f64, precision: usize) -> String {
    let precision = precision.max(1);
    let text = format!("{number:.*e}", precision - 1);
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_end_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let mut limit = i32::try_from(precision).unwrap_or(i32::MAX);
    if limit > count && count > exponent {
        limit = count;
    }
    let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
    if exponent < -4 || exponent >= limit {
        let point = if rest.is_empty() { "" } else { "." };
        let power = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{point}{rest}e{power}{:02}", exponent.unsigned_abs());
    }
    let decimals = usize::try_from(count - 1 - exponent).unwrap_or_default();
    format!("{number:.decimals$}")
}

/// Returns the character of a code; a replacement if there is none.
pub(super) fn character(code: i128) -> char {
    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Returns the character of a code between single quotes.
pub(super) fn quoted_character(code: i128) -> String {
    match character(code) {
        '\'' => "'\\''".to_owned(),
        '"' => "'\"'".to_owned(),
        letter => {
            let text = quoted(letter.to_string());
            format!("'{}'", text.trim_matches('"'))
        }
    }
}

/// Returns a quoted text with the codes of all characters that ASCII doesn't have.
pub(super) fn in_ascii(text: &str) -> String {
    let escaped = |letter: char| match u32::from(letter) {
        0..0x80 => letter.to_string(),
        code @ 0x80..0x10000 => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    };
    text.chars().map(escaped).collect()
}

/// Formats a code as Unicode writes it.
pub(super) fn code_point(code: i128, with_character: bool) -> String {
    let text = format!("U+{:04X}", code.unsigned_abs());
    match character(code) {
        letter if with_character && is_printable(letter) => format!("{text} '{letter}'"),
        _ => text,
    }
}
