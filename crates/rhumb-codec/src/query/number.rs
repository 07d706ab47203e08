//! Numbers and booleans as Go's `strconv` and `strings` parse and print them.

use rhumb_schema::text::quoted;

enum Fault {
    Syntax,
    Range,
}

impl Fault {
    fn message(&self, function: &str, text: &str) -> String {
        let what = match self {
            Fault::Syntax => "invalid syntax",
            Fault::Range => "value out of range",
        };
        format!("strconv.{function}: parsing {}: {what}", quoted(text.as_bytes()))
    }
}

/// Digits up to a limit. What follows the digit that passes the limit is not looked at any more.
fn magnitude(digits: &str, limit: u64) -> Result<u64, Fault> {
    if digits.is_empty() {
        return Err(Fault::Syntax);
    }
    let mut sum = 0u64;
    for byte in digits.bytes() {
        if !byte.is_ascii_digit() {
            return Err(Fault::Syntax);
        }
        let next = sum.checked_mul(10).and_then(|tens| tens.checked_add(u64::from(byte - b'0')));
        sum = next.filter(|next| *next <= limit).ok_or(Fault::Range)?;
    }
    Ok(sum)
}

fn signed(text: &str, bits: u32) -> Result<i64, Fault> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    // Signs are looked at last, so digits may fill all bits before they are too many.
    let sum = magnitude(digits, u64::MAX >> (64 - bits))?;
    let half = 1u64 << (bits - 1);
    match negative {
        true if sum <= half => Ok((sum as i64).wrapping_neg()),
        false if sum < half => Ok(sum as i64),
        _ => Err(Fault::Range),
    }
}

pub(super) fn parse_i64(text: &str) -> Result<i64, String> {
    signed(text, 64).map_err(|fault| fault.message("ParseInt", text))
}

pub(super) fn parse_i32(text: &str) -> Result<i32, String> {
    let parsed = signed(text, 32).and_then(|value| i32::try_from(value).map_err(|_| Fault::Range));
    parsed.map_err(|fault| fault.message("ParseInt", text))
}

pub(super) fn parse_u16(text: &str) -> Result<u16, String> {
    let parsed =
        magnitude(text, u64::from(u16::MAX)).and_then(|sum| u16::try_from(sum).map_err(|_| Fault::Range));
    parsed.map_err(|fault| fault.message("ParseUint", text))
}

pub(super) fn parse_f64(text: &str) -> Result<f64, String> {
    let spelled_out = text.trim_start_matches(['+', '-']).starts_with(['i', 'I', 'n', 'N']);
    let parsed = match text.parse::<f64>() {
        Err(_) => Err(Fault::Syntax),
        Ok(value) if value.is_nan() && text.starts_with(['+', '-']) => Err(Fault::Syntax),
        Ok(value) if value.is_infinite() && !spelled_out => Err(Fault::Range),
        Ok(value) => Ok(value),
    };
    parsed.map_err(|fault| fault.message("ParseFloat", text))
}

/// Formats a float as Go's `%v` prints it: the fewest digits that give it back, with an exponent when it is far from
/// one.
pub(super) fn print_f64(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.into();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or_default() {
        -4..21 => value.to_string(),
        exponent => {
            format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs())
        }
    }
}

/// Reports whether two texts are equal but for case. The other is ASCII, and the only letters beyond it that fold into
/// it are the long s and the Kelvin sign.
pub(super) fn equal_fold(text: &str, ascii: &str) -> bool {
    let folded = |letter: char| match letter {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    };
    text.chars().map(folded).eq(ascii.chars().map(folded))
}
