//! The time zone that dates are written in.
//!
//! A zone comes from the bytes of a file of the tz database (RFC 9636); whoever has files passes them in.

#[cfg(test)]
mod tests;

use std::error::Error;
use std::fmt;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rhumb_meta::Time;

/// A time zone: how far clocks are ahead of UTC at a time, and what the zone is called then.
#[derive(Clone, Debug)]
pub struct Zone(TimeZone);

/// Why bytes are no time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ZoneError {
    /// They don't begin as such a file does.
    Format,
    /// They end too early, or refer to what isn't there.
    Damaged,
}

impl fmt::Display for ZoneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ZoneError::Format => "not a file of the time zone database",
            ZoneError::Damaged => "the time zone's file is damaged",
        })
    }
}

impl Error for ZoneError {}

/// What clocks show at a time.
struct Shown {
    date: DateTime,
    /// Their distance from UTC, `+0130`.
    offset: String,
    /// What the zone is called then.
    name: String,
}

impl Zone {
    /// Coordinated Universal Time.
    pub fn utc() -> Self {
        Zone(TimeZone::UTC)
    }

    /// Reads a file of the tz database.
    ///
    /// # Errors
    /// If it is no such file, or damaged.
    pub fn from_tzif(bytes: &[u8]) -> Result<Self, ZoneError> {
        if !bytes.starts_with(b"TZif") {
            return Err(ZoneError::Format);
        }
        TimeZone::tzif("", bytes).map(Zone).map_err(|_| ZoneError::Damaged)
    }

    /// `Mon, 02 Jan 2006 15:04:05 -0700`.
    pub(crate) fn mail_date(&self, time: &Time) -> String {
        let Shown { date, offset, .. } = self.shown(time);
        format!("{} {offset}", date.strftime("%a, %d %b %Y %H:%M:%S"))
    }

    /// `2006-01-02 15:04:05 -0700 MST`.
    pub(crate) fn plain_date(&self, time: &Time) -> String {
        let Shown { date, offset, name } = self.shown(time);
        let fraction = match time.nanos() {
            0 => String::new(),
            nanos => format!(".{nanos:09}").trim_end_matches('0').to_owned(),
        };
        format!("{}{fraction} {offset} {name}", date.strftime("%Y-%m-%d %H:%M:%S"))
    }

    fn shown(&self, time: &Time) -> Shown {
        // Dates before and after those that have four digits are nobody's.
        let clamped = time.unix_seconds().clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
        let at = Timestamp::from_second(clamped).unwrap_or_default();
        // A time that isn't set is nowhere in particular.
        let zone = if time.is_zero() { &TimeZone::UTC } else { &self.0 };
        let info = zone.to_offset_info(at);
        let seconds = info.offset().seconds();
        let (sign, minutes) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs() / 60);
        Shown {
            date: info.offset().to_datetime(at),
            offset: format!("{sign}{:02}{:02}", minutes / 60, minutes % 60),
            name: info.abbreviation().to_owned(),
        }
    }
}

impl Default for Zone {
    fn default() -> Self {
        Zone::utc()
    }
}
