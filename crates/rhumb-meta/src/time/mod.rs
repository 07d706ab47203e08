//! Timestamps of objects: [`Time`] in seconds, [`MicroTime`] in microseconds.
//!
//! Both hold an instant, not a zone: offsets are resolved when read and everything is written in UTC. The
//! module refuses to look at a clock; whoever needs the current time passes
//! it in.
//!
//! The default of both types is Go's zero time, the first second of year 1, which stands for "not set" and is
//! written as `null` in JSON and as an empty message in protobuf.

mod parse;
pub(crate) mod quote;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use crate::civil;

pub use parse::ParseTimeError;

/// Unix seconds of 0001-01-01T00:00:00Z.
const ZERO_SECONDS: i64 = -62_135_596_800;

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// Timestamp written with a precision of one second.
///
/// A fraction that was read is kept in memory and takes part in comparisons, but is neither written as text
/// nor as a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    seconds: i64,
    nanos: u32,
}

/// Timestamp written with a precision of one microsecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MicroTime {
    seconds: i64,
    nanos: u32,
}

/// Carries nanoseconds outside a second's range over to the seconds.
fn normalize(seconds: i64, nanos: i64) -> (i64, u32) {
    let carry = nanos.div_euclid(NANOS_PER_SECOND);
    (seconds.saturating_add(carry), nanos.rem_euclid(NANOS_PER_SECOND) as u32)
}

impl Time {
    /// Returns the instant `nanos` nanoseconds after the given Unix second. `nanos` may have any value.
    pub fn from_unix(seconds: i64, nanos: i64) -> Time {
        let (seconds, nanos) = normalize(seconds, nanos);
        Time { seconds, nanos }
    }

    /// Reads RFC 3339 with the leniency of Go: an hour of one digit, a comma before the fraction, any number
    /// of fractional digits, and offsets up to `24:60`.
    pub fn parse(text: &str) -> Result<Time, ParseTimeError> {
        let (seconds, nanos) = parse::parse(text, parse::Layout::Seconds)?;
        Ok(Time { seconds, nanos })
    }

    /// Reads a protobuf timestamp, whose nanoseconds this type ignores.
    pub fn from_timestamp(seconds: i64, _nanos: i32) -> Time {
        Time { seconds, nanos: 0 }
    }

    /// Seconds and nanoseconds for a protobuf timestamp; the latter are always 0.
    pub fn to_timestamp(&self) -> (i64, i32) {
        (self.seconds, 0)
    }

    /// Reports whether this is the zero time, which stands for "not set".
    pub fn is_zero(&self) -> bool {
        *self == Time::default()
    }

    /// Seconds since 1970-01-01T00:00:00Z, rounded down.
    pub fn unix_seconds(&self) -> i64 {
        self.seconds
    }

    /// Nanoseconds since the last full second, below one billion.
    pub fn nanos(&self) -> u32 {
        self.nanos
    }

    /// Appends the time in UTC, such as `2024-02-29T12:00:00Z`.
    pub fn write_rfc3339(&self, out: &mut Vec<u8>) {
        civil::write_date_time(self.seconds, out);
        out.push(b'Z');
    }
}

impl MicroTime {
    /// Returns the instant `nanos` nanoseconds after the given Unix second. `nanos` may have any value.
    pub fn from_unix(seconds: i64, nanos: i64) -> MicroTime {
        let (seconds, nanos) = normalize(seconds, nanos);
        MicroTime { seconds, nanos }
    }

    /// Reads RFC 3339 with exactly six fractional digits, and otherwise with the leniency of [`Time::parse`].
    pub fn parse(text: &str) -> Result<MicroTime, ParseTimeError> {
        let (seconds, nanos) = parse::parse(text, parse::Layout::Microseconds)?;
        Ok(MicroTime { seconds, nanos })
    }

    /// Reads a protobuf timestamp, cutting its nanoseconds to whole microseconds.
    pub fn from_timestamp(seconds: i64, nanos: i32) -> MicroTime {
        MicroTime::from_unix(seconds, i64::from(nanos / 1000 * 1000))
    }

    /// Seconds and nanoseconds for a protobuf timestamp; the latter are cut to whole microseconds.
    pub fn to_timestamp(&self) -> (i64, i32) {
        (self.seconds, (self.nanos / 1000 * 1000) as i32)
    }

    /// Reports whether this is the zero time, which stands for "not set".
    pub fn is_zero(&self) -> bool {
        *self == MicroTime::default()
    }

    /// Seconds since 1970-01-01T00:00:00Z, rounded down.
    pub fn unix_seconds(&self) -> i64 {
        self.seconds
    }

    /// Nanoseconds since the last full second, below one billion.
    pub fn nanos(&self) -> u32 {
        self.nanos
    }

    /// Appends the time in UTC, such as `2024-02-29T12:00:00.000000Z`.
    pub fn write_rfc3339(&self, out: &mut Vec<u8>) {
        civil::write_date_time(self.seconds, out);
        out.push(b'.');
        civil::write_padded(u64::from(self.nanos / 1000), 6, out);
        out.push(b'Z');
    }
}

impl Default for Time {
    fn default() -> Time {
        Time { seconds: ZERO_SECONDS, nanos: 0 }
    }
}

impl Default for MicroTime {
    fn default() -> MicroTime {
        MicroTime { seconds: ZERO_SECONDS, nanos: 0 }
    }
}

impl FromStr for Time {
    type Err = ParseTimeError;

    fn from_str(text: &str) -> Result<Time, ParseTimeError> {
        Time::parse(text)
    }
}

impl FromStr for MicroTime {
    type Err = ParseTimeError;

    fn from_str(text: &str) -> Result<MicroTime, ParseTimeError> {
        MicroTime::parse(text)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(20);
        self.write_rfc3339(&mut text);
        f.pad(&String::from_utf8_lossy(&text))
    }
}

impl fmt::Display for MicroTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(27);
        self.write_rfc3339(&mut text);
        f.pad(&String::from_utf8_lossy(&text))
    }
}

impl From<Time> for MicroTime {
    fn from(time: Time) -> MicroTime {
        MicroTime { seconds: time.seconds, nanos: time.nanos }
    }
}

impl From<MicroTime> for Time {
    fn from(time: MicroTime) -> Time {
        Time { seconds: time.seconds, nanos: time.nanos }
    }
}
