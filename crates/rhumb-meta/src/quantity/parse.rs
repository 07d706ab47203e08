//! Quantity parser.
//!
//! The accepted language is wider than the documented one and kept as it is in Kubernetes: a number may lack
//! its digits (`m`, `-` and `.` are zero), and exponents wrap at 32 bits. What decides between the inline and
//! the long form is also Kubernetes' rule, because the choice can be observed.

use std::fmt;

use super::amount::Amount;
use super::decimal::Decimal;
use super::{Format, Quantity, Scale, render};

/// Error of parsing a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseQuantityError {
    /// The text is empty or has a character where none of its kind may stand.
    FormatWrong,
    /// A suffix without digits.
    Numeric,
    /// The suffix is none that quantities know.
    Suffix,
}

impl fmt::Display for ParseQuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseQuantityError::FormatWrong => {
                "quantities must match the regular expression \
                 '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            ParseQuantityError::Numeric => "unable to parse numeric part of quantity",
            ParseQuantityError::Suffix => "unable to parse quantity's suffix",
        })
    }
}

impl std::error::Error for ParseQuantityError {}

/// Maximum number of decimal digits that always fit an `i64`.
const MAX_SMALL_DIGITS: usize = 18;

/// Parts of a quantity's text.
struct Parts<'a> {
    negative: bool,
    /// Whether any digit was written, be it a leading zero.
    has_digits: bool,
    /// Digits in front of the point, without leading zeros. May be empty.
    whole: &'a [u8],
    /// Digits behind the point. May be empty.
    fraction: &'a [u8],
    suffix: &'a [u8],
}

/// Meaning of a suffix.
enum Unit {
    /// Ten to this power.
    Ten(i32, Format),
    /// Two to this power.
    Two(u32),
}

/// Splits off the longest prefix whose bytes all satisfy `belongs`.
fn split_while(text: &[u8], belongs: impl Fn(&u8) -> bool) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !belongs(byte)).unwrap_or(text.len());
    text.split_at(end)
}

fn split(text: &[u8]) -> Result<Parts<'_>, ParseQuantityError> {
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (zeros, rest) = split_while(rest, |&byte| byte == b'0');
    let (whole, rest) = split_while(rest, u8::is_ascii_digit);
    let (fraction, suffix) = match rest {
        [b'.', rest @ ..] => split_while(rest, u8::is_ascii_digit),
        rest => (&[][..], rest),
    };

    // The suffix is only scanned for its characters here; its meaning is looked up later.
    let (_, exponent) = split_while(suffix, |byte| b"eEinumkKMGTP".contains(byte));
    let exponent_digits = match exponent {
        [b'+' | b'-', digits @ ..] => digits,
        digits => digits,
    };
    if !exponent_digits.iter().all(u8::is_ascii_digit) {
        return Err(ParseQuantityError::FormatWrong);
    }
    let has_digits = !(zeros.is_empty() && whole.is_empty() && fraction.is_empty());
    Ok(Parts { negative, has_digits, whole, fraction, suffix })
}

fn interpret_suffix(suffix: &[u8]) -> Option<Unit> {
    let decimal = |exponent| Some(Unit::Ten(exponent, Format::DecimalSI));
    match suffix {
        b"" => decimal(0),
        b"n" => decimal(-9),
        b"u" => decimal(-6),
        b"m" => decimal(-3),
        b"k" => decimal(3),
        b"M" => decimal(6),
        b"G" => decimal(9),
        b"T" => decimal(12),
        b"P" => decimal(15),
        b"E" => decimal(18),
        b"Ki" => Some(Unit::Two(10)),
        b"Mi" => Some(Unit::Two(20)),
        b"Gi" => Some(Unit::Two(30)),
        b"Ti" => Some(Unit::Two(40)),
        b"Pi" => Some(Unit::Two(50)),
        b"Ei" => Some(Unit::Two(60)),
        [b'e' | b'E', exponent @ ..] => {
            let exponent: i64 = std::str::from_utf8(exponent).ok()?.parse().ok()?;
            // The wrap at 32 bits is Kubernetes' own: 1e4294967296 is 1.
            Some(Unit::Ten(exponent as i32, Format::DecimalExponent))
        }
        _ => None,
    }
}

pub(super) fn parse(text: &str) -> Result<Quantity, ParseQuantityError> {
    if text.is_empty() {
        return Err(ParseQuantityError::FormatWrong);
    }
    let parts = split(text.as_bytes())?;
    let unit = interpret_suffix(parts.suffix).ok_or(ParseQuantityError::Suffix)?;

    if let Some(mut quantity) = parse_small(&parts, &unit) {
        if looks_canonical(&parts, &quantity) {
            let rendered = render::render(&quantity.amount, quantity.format);
            if rendered.as_str() != text {
                quantity.verbatim = Some(text.into());
            }
        }
        return Ok(quantity);
    }
    // A text without suffix gets here only for its many digits, so this is about "Pi", ".e-10" and the like.
    if !parts.has_digits {
        return Err(ParseQuantityError::Numeric);
    }
    Ok(parse_wide(&parts, &unit))
}

/// Returns the number of digits; an empty integer part counts as a single zero.
fn counted_digits(parts: &Parts<'_>) -> usize {
    parts.whole.len().max(1) + parts.fraction.len()
}

/// Returns the inline form, where the number is short enough to get there without overflow or rounding.
fn parse_small(parts: &Parts<'_>, unit: &Unit) -> Option<Quantity> {
    let (scale, factor, max_digits, format) = match *unit {
        Unit::Ten(exponent, format) => {
            (exponent.wrapping_sub(parts.fraction.len() as i32), 1, MAX_SMALL_DIGITS, format)
        }
        // Each factor of 1024 costs three of the fourteen digits, which leaves none for Pi and Ei.
        Unit::Two(bits) if parts.fraction.is_empty() => {
            (0, 1i64 << bits, 14usize.checked_sub(bits as usize * 3 / 10)?, Format::BinarySI)
        }
        Unit::Two(_) => return None,
    };
    if counted_digits(parts) > max_digits || scale < Scale::NANO.0 {
        return None;
    }
    let digits = parts.whole.iter().chain(parts.fraction);
    let number = digits.fold(0i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    let magnitude = number.checked_mul(factor)?;
    Some(Quantity::small(if parts.negative { -magnitude } else { magnitude }, scale, format))
}

/// Kubernetes' shallow check for a text that it may give back instead of printing the value anew.
fn looks_canonical(parts: &Parts<'_>, quantity: &Quantity) -> bool {
    let Amount::Small { scale, .. } = quantity.amount else { return false };
    if quantity.format == Format::BinarySI {
        let low_bits =
            parts.whole.iter().fold(0u8, |sum, digit| sum.wrapping_mul(10).wrapping_add(digit - b'0'));
        return low_bits & 0x07 != 0;
    }
    let trailing_zeros = parts.whole.iter().chain(parts.fraction).rev().take_while(|&&d| d == b'0').count();
    scale % 3 == 0 && trailing_zeros < 3 && !parts.whole.is_empty()
}

/// Returns the long form: any number of digits, rounded up to 10⁻⁹, and capped if the suffix is binary.
fn parse_wide(parts: &Parts<'_>, unit: &Unit) -> Quantity {
    let digits = parts.whole.iter().chain(parts.fraction).map(|digit| digit - b'0').collect();
    let point = -(parts.fraction.len() as i64);
    let nano = i64::from(Scale::NANO.0);
    let (magnitude, format) = match *unit {
        Unit::Ten(exponent, format) => {
            (Decimal::new(false, digits, point + i64::from(exponent)).round_up_to(nano), format)
        }
        Unit::Two(bits) => {
            let exact = Decimal::new(false, digits, point).times_power_of_two(bits).round_up_to(nano);
            let max = Decimal::from_scaled(i64::MAX, 0);
            if exact.compare(&max).is_gt() {
                (max, Format::BinarySI)
            } else if exact.sign() > 0 && exact.compare(&Decimal::from_scaled(1, 0)).is_lt() {
                // No binary suffix can express a fraction of one.
                (exact, Format::DecimalSI)
            } else {
                (exact, Format::BinarySI)
            }
        }
    };
    let signed = if parts.negative { magnitude.negated() } else { magnitude };
    Quantity { amount: Amount::wide(signed), format, verbatim: None }
}
