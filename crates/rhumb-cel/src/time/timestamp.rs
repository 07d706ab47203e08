//! Points in time.

use std::fmt;

use super::calendar::{self, Civil};
use super::{Duration, TimeZones};

/// A point in time between the years 1 and 9999, with the offset from UTC that it was written with.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    seconds: i64,
    nanos: u32,
    offset: i32,
}

/// Why a text is no point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// It has another form.
    Syntax,
    /// It is out of range.
    Range,
}

/// The first second of the year 1.
const MIN: i64 = -62_135_596_800;
/// The last second of the year 9999.
const MAX: i64 = 253_402_300_799;
const SECOND: i64 = 1_000_000_000;

impl Timestamp {
    /// Makes the point so many seconds and nanoseconds after the start of 1970, unless it is out of range.
    pub fn new(seconds: i64, nanos: u32) -> Option<Self> {
        let valid = (MIN..=MAX).contains(&seconds) && i64::from(nanos) < SECOND;
        valid.then_some(Self { seconds, nanos, offset: 0 })
    }

    /// Returns the seconds since the start of 1970.
    pub const fn seconds(&self) -> i64 {
        self.seconds
    }

    /// Returns the nanoseconds of the second.
    pub const fn nanos(&self) -> u32 {
        self.nanos
    }

    /// Returns the offset from UTC that it was written with, in seconds.
    pub const fn offset(&self) -> i32 {
        self.offset
    }

    /// Returns whether it is the start of the year 1.
    pub const fn is_zero(&self) -> bool {
        self.seconds == MIN && self.nanos == 0
    }

    /// Returns the same point with UTC as its zone.
    #[must_use]
    pub const fn to_utc(self) -> Self {
        Self { offset: 0, ..self }
    }

    /// Adds a span; nothing if the result is out of range.
    pub fn checked_add(self, span: Duration) -> Option<Self> {
        self.shift(i128::from(span.nanos()))
    }

    /// Subtracts a span; nothing if the result is out of range.
    pub fn checked_sub(self, span: Duration) -> Option<Self> {
        self.shift(-i128::from(span.nanos()))
    }

    fn shift(self, nanos: i128) -> Option<Self> {
        let total = i128::from(self.seconds) * i128::from(SECOND) + i128::from(self.nanos) + nanos;
        let seconds = i64::try_from(total.div_euclid(i128::from(SECOND))).ok()?;
        let nanos = u32::try_from(total.rem_euclid(i128::from(SECOND))).ok()?;
        Some(Self { offset: self.offset, ..Self::new(seconds, nanos)? })
    }

    /// Returns the span from another point to this one; nothing if it is too long.
    pub fn since(self, other: Self) -> Option<Duration> {
        let seconds = (self.seconds - other.seconds).checked_mul(SECOND)?;
        let nanos = i64::from(self.nanos) - i64::from(other.nanos);
        seconds.checked_add(nanos).map(Duration::from_nanos)
    }

    /// Returns what calendar and clock show in UTC.
    pub fn civil(&self) -> Civil {
        Civil::at(self.seconds)
    }

    /// Returns what calendar and clock show in a zone: `UTC`, an offset such as `-08:00`, or a name.
    pub fn civil_in(&self, zone: &str, zones: Option<&dyn TimeZones>) -> Result<Civil, String> {
        let Some((hours, minutes)) = zone.split_once(':') else {
            return match zone {
                "" | "UTC" => Ok(self.civil()),
                _ if zone.starts_with(['/', '\\']) || zone.split(['/', '\\']).any(|part| part == "..") => {
                    Err("time: invalid location name".to_owned())
                }
                _ => match zones.and_then(|zones| zones.offset(zone, self.seconds)) {
                    Some(offset) => Ok(Civil::at(self.seconds + i64::from(offset))),
                    None => Err(format!("unknown time zone {zone}")),
                },
            };
        };
        let hours_of_zone = parse_integer(hours)?;
        let minutes = parse_integer(minutes)?;
        let hour_minutes = hours_of_zone.wrapping_mul(60);
        let total = if hours.starts_with('-') {
            hour_minutes.wrapping_sub(minutes)
        } else {
            hour_minutes.wrapping_add(minutes)
        };
        let offset = total.wrapping_mul(60 * SECOND) / SECOND;
        Ok(Civil::at(self.seconds.saturating_add(offset)))
    }

    /// Parses what RFC 3339 defines, as leniently as Go does.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let (civil, nanos, offset) = parse_fields(text.as_bytes()).ok_or(ParseError::Syntax)?;
        let days = calendar::days(civil.year, civil.month, civil.day);
        let clock = i64::from(civil.hour * 3600 + civil.minute * 60 + civil.second);
        let seconds = days * 86_400 + clock - i64::from(offset);
        let utc = Self::new(seconds, nanos).ok_or(ParseError::Range)?;
        Ok(Self { offset, ..utc })
    }
}

/// Parses a whole number, with the errors of Go's `strconv.Atoi`.
fn parse_integer(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("strconv.Atoi: parsing {}: invalid syntax", crate::value::quote(text)));
    }
    text.parse()
        .map_err(|_| format!("strconv.Atoi: parsing {}: value out of range", crate::value::quote(text)))
}

/// Takes exactly two digits.
fn two(text: &mut &[u8]) -> Option<u32> {
    let [high @ b'0'..=b'9', low @ b'0'..=b'9', rest @ ..] = *text else { return None };
    *text = rest;
    Some(u32::from(high - b'0') * 10 + u32::from(low - b'0'))
}

fn byte(text: &mut &[u8], expected: u8) -> Option<()> {
    let (first, rest) = text.split_first()?;
    *text = rest;
    (*first == expected).then_some(())
}

fn parse_fields(mut text: &[u8]) -> Option<(Civil, u32, i32)> {
    let text = &mut text;
    let year = i64::from(two(text)? * 100 + two(text)?);
    byte(text, b'-')?;
    let month = two(text).filter(|month| (1..=12).contains(month))?;
    byte(text, b'-')?;
    let day = two(text)?;
    byte(text, b'T')?;
    let hour = match **text {
        [digit @ b'0'..=b'9', b':', ref rest @ ..] => {
            // Go takes an hour of one digit.
            *text = rest;
            u32::from(digit - b'0')
        }
        _ => {
            let hour = two(text).filter(|hour| *hour < 24)?;
            byte(text, b':')?;
            hour
        }
    };
    let minute = two(text).filter(|minute| *minute < 60)?;
    byte(text, b':')?;
    let second = two(text).filter(|second| *second < 60)?;
    let nanos = match **text {
        [b'.' | b',', digit, ..] if digit.is_ascii_digit() => {
            let digits = text.get(1..)?;
            let len = digits.iter().take_while(|digit| digit.is_ascii_digit()).count();
            let (digits, rest) = digits.split_at(len);
            *text = rest;
            (0..9).fold(0, |nanos, at| nanos * 10 + digits.get(at).map_or(0, |digit| u32::from(digit - b'0')))
        }
        _ => 0,
    };
    let (sign, rest) = text.split_first()?;
    *text = rest;
    let offset = match sign {
        b'Z' => 0,
        b'+' | b'-' => {
            let hours = two(text).filter(|hours| *hours <= 24)?;
            byte(text, b':')?;
            let minutes = two(text).filter(|minutes| *minutes <= 60)?;
            let offset = i32::try_from(hours * 3600 + minutes * 60).ok()?;
            if *sign == b'-' { -offset } else { offset }
        }
        _ => return None,
    };
    if !text.is_empty() || day < 1 || day > calendar::days_in(year, month) {
        return None;
    }
    let civil = Civil { year, month, day, day_of_year: 0, weekday: 0, hour, minute, second };
    Some((civil, nanos, offset))
}

impl fmt::Display for Timestamp {
    /// Writes what RFC 3339 defines, with as many digits of the second as are needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = Civil::at(self.seconds + i64::from(self.offset));
        let Civil { year, month, day, hour, minute, second, .. } = civil;
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if self.nanos != 0 {
            let digits = format!("{:09}", self.nanos);
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        match self.offset / 60 {
            0 if self.offset == 0 => f.write_str("Z"),
            minutes => {
                let sign = if self.offset < 0 { '-' } else { '+' };
                let minutes = minutes.abs();
                write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        }
    }
}
