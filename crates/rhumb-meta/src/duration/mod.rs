//! Durations in Go's syntax: `1h30m0s`, `1.5ms`, `-10s`.

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use super::time::quote;

/// Signed duration in nanoseconds, up to about 292 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(
    /// Nanoseconds.
    pub i64,
);

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// Magnitude of the most negative duration.
const MAX_MAGNITUDE: u64 = 1 << 63;

/// Error of parsing a duration. Each variant has the whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseDurationError {
    /// The text is empty, malformed or stands for a span that does not fit.
    Invalid(String),
    /// A number has no unit.
    MissingUnit(String),
    /// A number has a unit that is not known.
    UnknownUnit {
        /// The unit.
        unit: String,
        /// The whole text.
        text: String,
    },
}

impl fmt::Display for ParseDurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseDurationError::Invalid(text) => {
                write!(f, "time: invalid duration {}", quote::quoted(text.as_bytes()))
            }
            ParseDurationError::MissingUnit(text) => {
                write!(f, "time: missing unit in duration {}", quote::quoted(text.as_bytes()))
            }
            ParseDurationError::UnknownUnit { unit, text } => write!(
                f,
                "time: unknown unit {} in duration {}",
                quote::quoted(unit.as_bytes()),
                quote::quoted(text.as_bytes())
            ),
        }
    }
}

impl std::error::Error for ParseDurationError {}

fn unit_nanoseconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        // The micro sign and the Greek letter look alike and are both accepted.
        "us" | "\u{b5}s" | "\u{3bc}s" => MICROSECOND,
        "ms" => MILLISECOND,
        "s" => SECOND,
        "m" => MINUTE,
        "h" => HOUR,
        _ => return None,
    })
}

/// Splits off the leading ASCII digits.
fn split_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Returns the digits as a number, unless it exceeds 2^63.
fn whole_number(digits: &str) -> Option<u64> {
    if digits.is_empty() {
        return Some(0);
    }
    digits.parse().ok().filter(|&number| number <= MAX_MAGNITUDE)
}

/// Returns the digits behind a decimal point as numerator and denominator. Digits that no longer fit are ignored.
fn fraction(digits: &str) -> (u64, f64) {
    let (mut numerator, mut denominator) = (0u64, 1.0);
    for digit in digits.bytes() {
        if numerator > (MAX_MAGNITUDE - 1) / 10 {
            break;
        }
        let next = numerator * 10 + u64::from(digit - b'0');
        if next > MAX_MAGNITUDE {
            break;
        }
        numerator = next;
        denominator *= 10.0;
    }
    (numerator, denominator)
}

impl FromStr for Duration {
    type Err = ParseDurationError;

    /// Reads an optional sign and a sequence of decimal numbers, each with a unit: `ns`, `us`, `ms`, `s`, `m`
    /// or `h`. Only `0` may stand without a unit.
    fn from_str(text: &str) -> Result<Duration, ParseDurationError> {
        let invalid = || ParseDurationError::Invalid(text.to_owned());
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        if unsigned == "0" {
            return Ok(Duration(0));
        }
        if unsigned.is_empty() {
            return Err(invalid());
        }
        let mut total = 0u64;
        let mut rest = unsigned;
        while !rest.is_empty() {
            let (whole, behind_whole) = split_digits(rest);
            let (decimals, behind_number) = match behind_whole.strip_prefix('.') {
                Some(behind_point) => split_digits(behind_point),
                None => ("", behind_whole),
            };
            let number = whole_number(whole).ok_or_else(invalid)?;
            if whole.is_empty() && decimals.is_empty() {
                return Err(invalid());
            }
            let unit_end = behind_number.find(|c: char| c == '.' || c.is_ascii_digit());
            let (unit, behind_unit) = behind_number.split_at(unit_end.unwrap_or(behind_number.len()));
            if unit.is_empty() {
                return Err(ParseDurationError::MissingUnit(text.to_owned()));
            }
            let nanoseconds = unit_nanoseconds(unit).ok_or_else(|| ParseDurationError::UnknownUnit {
                unit: unit.to_owned(),
                text: text.to_owned(),
            })?;
            if number > MAX_MAGNITUDE / nanoseconds {
                return Err(invalid());
            }
            let mut part = number * nanoseconds;
            let (numerator, denominator) = fraction(decimals);
            if numerator > 0 {
                // In floating point as in Go, so that the last nanosecond of a fraction falls the same way.
                part += (numerator as f64 * (nanoseconds as f64 / denominator)) as u64;
                if part > MAX_MAGNITUDE {
                    return Err(invalid());
                }
            }
            // Two halves of the full range wrap around to zero, in Go too.
            total = total.wrapping_add(part);
            if total > MAX_MAGNITUDE {
                return Err(invalid());
            }
            rest = behind_unit;
        }
        if text.starts_with('-') {
            return Ok(Duration((total as i64).wrapping_neg()));
        }
        i64::try_from(total).map(Duration).map_err(|_| invalid())
    }
}

impl Duration {
    /// Reads a duration; see the `FromStr` implementation.
    pub fn parse(text: &str) -> Result<Duration, ParseDurationError> {
        text.parse()
    }

    /// Returns the number of nanoseconds.
    pub fn nanoseconds(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Duration {
    /// Prints hours, minutes and seconds without leading zero units, and spans below a second in the largest
    /// unit that leaves a whole part.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        let text = if magnitude == 0 {
            "0s".to_owned()
        } else if magnitude < MICROSECOND {
            format!("{sign}{magnitude}ns")
        } else if magnitude < MILLISECOND {
            format!("{sign}{}\u{b5}s", decimal(magnitude, 3))
        } else if magnitude < SECOND {
            format!("{sign}{}ms", decimal(magnitude, 6))
        } else {
            let (hours, minutes) = (magnitude / HOUR, magnitude / MINUTE % 60);
            let seconds = decimal(magnitude % MINUTE, 9);
            if hours > 0 {
                format!("{sign}{hours}h{minutes}m{seconds}s")
            } else if minutes > 0 {
                format!("{sign}{minutes}m{seconds}s")
            } else {
                format!("{sign}{seconds}s")
            }
        };
        f.pad(&text)
    }
}

/// `number` with its last `places` digits behind the point, without trailing zeros.
fn decimal(number: u64, places: usize) -> String {
    let unit = 10u64.pow(places as u32);
    let text = format!("{}.{:0places$}", number / unit, number % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
