//! `IntOrString`: ports by number or name, limits by count or percentage.

#[cfg(test)]
mod tests;

use std::fmt;

use rhumb_schema::text::quoted;

/// An `i32` or a string, encoded as a JSON number or string.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IntOrString {
    /// A number.
    Int(i32),
    /// A text, which may be a name, a percentage such as `25%`, or anything else.
    String(String),
}

/// Rounding of a percentage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the next larger integer.
    Up,
    /// To the next smaller integer.
    Down,
}

/// Error: an [`IntOrString`] is neither a count nor a percentage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScaledValueError {
    /// The text does not end with a percent sign.
    NotAPercentage,
    /// The percentage is not an integer. Has the whole text.
    InvalidNumber(String),
    /// The integer before the percent sign exceeds 64 bits. Holds the whole text.
    NumberOutOfRange(String),
}

impl fmt::Display for ScaledValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid value for IntOrString: ")?;
        let (text, reason) = match self {
            ScaledValueError::NotAPercentage => {
                return f.write_str("invalid type: string is not a percentage");
            }
            ScaledValueError::InvalidNumber(text) => (text, "invalid syntax"),
            ScaledValueError::NumberOutOfRange(text) => (text, "value out of range"),
        };
        let number = text.strip_suffix('%').unwrap_or(text);
        write!(f, "invalid value {}: strconv.Atoi: parsing {}: {reason}", quoted(text), quoted(number))
    }
}

impl std::error::Error for ScaledValueError {}

impl IntOrString {
    /// Takes a text for a number if it is a decimal `i32` with an optional sign, and for a string otherwise.
    pub fn parse(text: &str) -> IntOrString {
        match text.parse() {
            Ok(number) => IntOrString::Int(number),
            Err(_) => IntOrString::String(text.to_owned()),
        }
    }

    /// Returns the number, or the number a string spells out. A string that is no number gives 0, and one that starts
    /// with more digits than 64 bits hold gives the nearest value that fits.
    pub fn int_value(&self) -> i64 {
        match self {
            IntOrString::Int(number) => i64::from(*number),
            IntOrString::String(text) => match parse_integer(text) {
                Ok(number) | Err(IntegerError::OutOfRange(number)) => number,
                Err(IntegerError::Syntax) => 0,
            },
        }
    }

    /// Returns the number itself, or the percentage of `total` that a string such as `25%` stands for.
    pub fn scaled_value(&self, total: i64, rounding: Rounding) -> Result<i64, ScaledValueError> {
        let text = match self {
            IntOrString::Int(number) => return Ok(i64::from(*number)),
            IntOrString::String(text) => text,
        };
        let number = text.strip_suffix('%').ok_or(ScaledValueError::NotAPercentage)?;
        let percent = parse_integer(number).map_err(|error| match error {
            IntegerError::Syntax => ScaledValueError::InvalidNumber(text.clone()),
            IntegerError::OutOfRange(_) => ScaledValueError::NumberOutOfRange(text.clone()),
        })?;
        // Kubernetes computes this in floating point, which is exact below 2^53 and rounds alike above.
        let scaled = percent as f64 * total as f64 / 100.0;
        Ok(match rounding {
            Rounding::Up => scaled.ceil() as i64,
            Rounding::Down => scaled.floor() as i64,
        })
    }
}

enum IntegerError {
    Syntax,
    /// Too large or too small; holds the nearest value.
    OutOfRange(i64),
}

/// Reads as Go does: once a number exceeds 64 unsigned bits, what follows is not looked at any more.
fn parse_integer(text: &str) -> Result<i64, IntegerError> {
    let (limit, digits) = match text.strip_prefix('-') {
        Some(digits) => (i64::MIN, digits),
        None => (i64::MAX, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() {
        return Err(IntegerError::Syntax);
    }
    let mut magnitude = 0u64;
    for byte in digits.bytes() {
        if !byte.is_ascii_digit() {
            return Err(IntegerError::Syntax);
        }
        let next = magnitude.checked_mul(10).and_then(|tens| tens.checked_add(u64::from(byte - b'0')));
        magnitude = next.ok_or(IntegerError::OutOfRange(limit))?;
    }
    if magnitude > limit.unsigned_abs() {
        return Err(IntegerError::OutOfRange(limit));
    }
    let number = magnitude as i64;
    Ok(if limit < 0 { number.wrapping_neg() } else { number })
}

impl Default for IntOrString {
    fn default() -> IntOrString {
        IntOrString::Int(0)
    }
}

impl fmt::Display for IntOrString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntOrString::Int(number) => number.fmt(f),
            IntOrString::String(text) => f.pad(text),
        }
    }
}

impl From<i32> for IntOrString {
    fn from(number: i32) -> IntOrString {
        IntOrString::Int(number)
    }
}

impl From<String> for IntOrString {
    fn from(text: String) -> IntOrString {
        IntOrString::String(text)
    }
}

impl From<&str> for IntOrString {
    fn from(text: &str) -> IntOrString {
        IntOrString::String(text.to_owned())
    }
}
