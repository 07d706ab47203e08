//! RFC 3339 parser that follows Go's layouts.
//!
//! Errors name the layout element that failed and the rest of the text at that point, so the order of the
//! checks is part of the interface.

use std::fmt;

use super::quote::quoted;
use crate::civil;

/// Layout of a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Whole seconds; a fraction is accepted all the same.
    Seconds,
    /// Exactly six fractional digits.
    Microseconds,
}

impl Layout {
    fn text(self) -> &'static str {
        match self {
            Layout::Seconds => "2006-01-02T15:04:05Z07:00",
            Layout::Microseconds => "2006-01-02T15:04:05.000000Z07:00",
        }
    }
}

/// Error of parsing a timestamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseTimeError {
    text: String,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    /// The text left at some point does not fit the layout's element there.
    Mismatch { layout: Layout, rest: Vec<u8>, element: &'static str },
    /// A field is well formed but has no such value.
    OutOfRange(&'static str),
    /// The text goes on after the last element.
    Extra(Vec<u8>),
}

impl fmt::Display for ParseTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parsing time {}", quoted(self.text.as_bytes()))?;
        match &self.reason {
            Reason::Mismatch { layout, rest, element } => {
                write!(f, " as \"{}\": cannot parse {} as \"{element}\"", layout.text(), quoted(rest))
            }
            Reason::OutOfRange(field) => write!(f, ": {field} out of range"),
            Reason::Extra(rest) => write!(f, ": extra text: {}", quoted(rest)),
        }
    }
}

impl std::error::Error for ParseTimeError {}

/// Remaining input.
struct Input<'a> {
    rest: &'a [u8],
    layout: Layout,
}

impl<'a> Input<'a> {
    /// Returns the error that the text from here on is not the given element.
    fn mismatch(&self, element: &'static str) -> Reason {
        Reason::Mismatch { layout: self.layout, rest: self.rest.to_vec(), element }
    }

    /// Consumes a separator.
    fn skip(&mut self, separator: u8, name: &'static str) -> Result<(), Reason> {
        match self.rest {
            [first, rest @ ..] if *first == separator => {
                self.rest = rest;
                Ok(())
            }
            _ => Err(self.mismatch(name)),
        }
    }

    /// Consumes exactly two digits.
    fn two_digits(&mut self, element: &'static str) -> Result<u32, Reason> {
        let (number, rest) = two_digits(self.rest).ok_or_else(|| self.mismatch(element))?;
        self.rest = rest;
        Ok(number)
    }
}

fn digit(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(10)
}

/// Two digits at the start of a text, and what follows them.
fn two_digits(text: &[u8]) -> Option<(u32, &[u8])> {
    match text {
        [tens, ones, rest @ ..] => Some((digit(*tens)? * 10 + digit(*ones)?, rest)),
        _ => None,
    }
}

/// Returns the Unix second and the nanoseconds after it.
pub(super) fn parse(text: &str, layout: Layout) -> Result<(i64, u32), ParseTimeError> {
    let mut input = Input { rest: text.as_bytes(), layout };
    date_time(&mut input).map_err(|reason| ParseTimeError { text: text.to_owned(), reason })
}

fn date_time(input: &mut Input<'_>) -> Result<(i64, u32), Reason> {
    let year = year(input)?;
    input.skip(b'-', "-")?;
    let month = input.two_digits("01")?;
    if !(1..=12).contains(&month) {
        return Err(Reason::OutOfRange("month"));
    }
    input.skip(b'-', "-")?;
    let day = input.two_digits("02")?;
    input.skip(b'T', "T")?;
    let hour = hour(input)?;
    input.skip(b':', ":")?;
    let minute = input.two_digits("04")?;
    if minute >= 60 {
        return Err(Reason::OutOfRange("minute"));
    }
    input.skip(b':', ":")?;
    let second = input.two_digits("05")?;
    if second >= 60 {
        return Err(Reason::OutOfRange("second"));
    }
    let nanos = match input.layout {
        Layout::Seconds => optional_fraction(input),
        Layout::Microseconds => six_digit_fraction(input)?,
    };
    let offset = zone_offset(input)?;
    if !input.rest.is_empty() {
        return Err(Reason::Extra(input.rest.to_vec()));
    }
    // The day is only checked here, after everything else has been found well formed.
    if !(1..=civil::days_in_month(year, month)).contains(&day) {
        return Err(Reason::OutOfRange("day"));
    }
    let second_of_day = i64::from(hour * 3600 + minute * 60 + second);
    Ok((civil::unix_seconds((year, month, day), second_of_day) - offset, nanos))
}

fn year(input: &mut Input<'_>) -> Result<i64, Reason> {
    let Some((century, rest)) = two_digits(input.rest) else { return Err(input.mismatch("2006")) };
    let Some((year, rest)) = two_digits(rest) else { return Err(input.mismatch("2006")) };
    input.rest = rest;
    Ok(i64::from(century * 100 + year))
}

/// The hour may have one digit.
fn hour(input: &mut Input<'_>) -> Result<u32, Reason> {
    let (hour, rest) = match (two_digits(input.rest), input.rest) {
        (Some(found), _) => found,
        (None, [first, rest @ ..]) if first.is_ascii_digit() => (u32::from(first - b'0'), rest),
        _ => return Err(input.mismatch("15")),
    };
    input.rest = rest;
    if hour >= 24 {
        return Err(Reason::OutOfRange("hour"));
    }
    Ok(hour)
}

/// Returns a point or comma with at least one digit. Digits beyond the ninth are dropped.
fn optional_fraction(input: &mut Input<'_>) -> u32 {
    let [b'.' | b',', decimals @ ..] = input.rest else { return 0 };
    let end = decimals.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(decimals.len());
    if end == 0 {
        return 0;
    }
    let (decimals, rest) = decimals.split_at(end);
    input.rest = rest;
    nanos(decimals)
}

/// Decimals as a number of nanoseconds.
fn nanos(decimals: &[u8]) -> u32 {
    let padded = decimals.iter().copied().chain(std::iter::repeat(b'0'));
    padded.take(9).fold(0, |sum, byte| sum * 10 + digit(byte).unwrap_or(0))
}

fn six_digit_fraction(input: &mut Input<'_>) -> Result<u32, Reason> {
    let mismatch = || input.mismatch(".000000");
    let [b'.' | b',', decimals @ ..] = input.rest else { return Err(mismatch()) };
    let Some((decimals, rest)) = decimals.split_at_checked(6) else { return Err(mismatch()) };
    // Go reads the six characters as a signed number, so a sign takes the place of the first digit.
    let (negative, digits) = match decimals {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if !digits.iter().all(u8::is_ascii_digit) {
        return Err(mismatch());
    }
    let micros = digits.iter().fold(0, |sum, &byte| sum * 10 + u32::from(byte - b'0'));
    if negative && micros > 0 {
        return Err(Reason::OutOfRange("fractional second"));
    }
    input.rest = rest;
    Ok(micros * 1000)
}

/// `Z`, or an offset from UTC such as `+01:00`, in seconds.
fn zone_offset(input: &mut Input<'_>) -> Result<i64, Reason> {
    if let [b'Z', rest @ ..] = input.rest {
        input.rest = rest;
        return Ok(0);
    }
    let mismatch = || input.mismatch("Z07:00");
    let [sign, hours @ .., b':', m1, m2] = input.rest.get(..6).unwrap_or_default() else {
        return Err(mismatch());
    };
    let hours = two_digits(hours).map(|(hours, _)| hours);
    // Without valid hours the minutes are not looked at.
    let minutes = hours.and_then(|_| two_digits(&[*m1, *m2]).map(|(minutes, _)| minutes));
    if hours.is_some_and(|hours| hours > 24) {
        if minutes.is_some_and(|minutes| minutes > 60) {
            return Err(Reason::OutOfRange("time zone offset minute"));
        }
        return Err(Reason::OutOfRange("time zone offset hour"));
    }
    if minutes.is_some_and(|minutes| minutes > 60) {
        return Err(Reason::OutOfRange("time zone offset minute"));
    }
    let (Some(hours), Some(minutes)) = (hours, minutes) else { return Err(mismatch()) };
    let offset = i64::from(hours * 3600 + minutes * 60);
    let signed = match sign {
        b'+' => offset,
        b'-' => -offset,
        _ => return Err(mismatch()),
    };
    input.rest = input.rest.get(6..).unwrap_or_default();
    Ok(signed)
}
