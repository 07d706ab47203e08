//! Time zones for displayed dates.
//!
//! A zone comes from the bytes of a file of the tz database (RFC 9636); whoever has files passes them in.
//! What the file says of the future is a rule like `CET-1CEST,M3.5.0,M10.5.0/3`, which `rule` reads.

mod civil;
mod rule;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use rhumb_meta::Time;

use civil::Civil;
use rule::Rule;

/// A billion years in seconds.
const FAR_AWAY: i64 = 1 << 55;

/// A time zone: UTC offset and abbreviation by time.
#[derive(Clone, Debug)]
pub struct Zone(Arc<History>);

/// Error of parsing a time zone.
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

#[derive(Debug)]
struct History {
    /// State before the first transition.
    first: Clocks,
    /// Transitions in order.
    changes: Vec<(i64, Clocks)>,
    /// Rule after the last transition.
    future: Option<Rule>,
}

/// UTC offset and abbreviation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Clocks {
    /// Seconds ahead of UTC.
    offset: i64,
    name: String,
}

impl Zone {
    /// Returns Coordinated Universal Time.
    pub fn utc() -> Self {
        let first = Clocks { offset: 0, name: "UTC".to_owned() };
        Zone(Arc::new(History { first, changes: Vec::new(), future: None }))
    }

    /// Reads a file of the tz database.
    ///
    /// # Errors
    /// If it is no such file, or damaged.
    pub fn from_tzif(bytes: &[u8]) -> Result<Self, ZoneError> {
        let mut reader = Reader(bytes);
        let head = Head::read(&mut reader)?;
        if head.version == 0 {
            return Ok(Zone(Arc::new(read_body(&mut reader, &head, 4)?)));
        }
        // Everything stands there twice, the second time with times of 64 bits.
        reader.take(head.body_length(4)?)?;
        let head = Head::read(&mut reader)?;
        let mut history = read_body(&mut reader, &head, 8)?;
        let footer = reader.0.strip_prefix(b"\n").and_then(|rest| rest.split(|byte| *byte == b'\n').next());
        history.future = footer.and_then(|text| std::str::from_utf8(text).ok()).and_then(Rule::parse);
        Ok(Zone(Arc::new(history)))
    }

    /// Returns the state at a time.
    fn at(&self, seconds: i64) -> Clocks {
        let history = &self.0;
        let past = history.changes.partition_point(|(from, _)| *from <= seconds);
        if past == history.changes.len()
            && let Some(rule) = &history.future
        {
            return rule.at(seconds);
        }
        let last = past.checked_sub(1).and_then(|index| history.changes.get(index));
        last.map_or_else(|| history.first.clone(), |(_, clocks)| clocks.clone())
    }

    /// Formats a time as `Mon, 02 Jan 2006 15:04:05 -0700`.
    pub(crate) fn mail_date(&self, time: &Time) -> String {
        let (civil, clocks) = self.civil(time);
        format!(
            "{}, {:02} {} {:04} {} {}",
            civil.weekday_name(),
            civil.day,
            civil.month_name(),
            civil.year,
            civil.time_of_day(),
            offset_text(clocks.offset)
        )
    }

    /// Formats a time as `2006-01-02 15:04:05 -0700 MST`.
    pub(crate) fn plain_date(&self, time: &Time) -> String {
        let (civil, clocks) = self.civil(time);
        let fraction = match time.nanos() {
            0 => String::new(),
            nanos => format!(".{nanos:09}").trim_end_matches('0').to_owned(),
        };
        format!(
            "{:04}-{:02}-{:02} {}{fraction} {} {}",
            civil.year,
            civil.month,
            civil.day,
            civil.time_of_day(),
            offset_text(clocks.offset),
            clocks.name
        )
    }

    fn civil(&self, time: &Time) -> (Civil, Clocks) {
        // Dates further away than a billion years are nobody's, and would only overflow.
        let seconds = time.unix_seconds().clamp(-FAR_AWAY, FAR_AWAY);
        // A time that isn't set is nowhere in particular.
        let clocks = if time.is_zero() { Zone::utc().0.first.clone() } else { self.at(seconds) };
        (Civil::from_unix(seconds.saturating_add(clocks.offset)), clocks)
    }
}

impl Default for Zone {
    fn default() -> Self {
        Zone::utc()
    }
}

/// Formats an offset as `+0130`.
fn offset_text(offset: i64) -> String {
    let minutes = offset.unsigned_abs() / 60;
    format!("{}{:02}{:02}", if offset < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ZoneError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(ZoneError::Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Returns a number of 4 or 8 bytes.
    fn number(&mut self, size: usize) -> Result<i64, ZoneError> {
        let bytes = self.take(size)?;
        let start = if bytes.first().is_some_and(|byte| *byte >= 0x80) { -1 } else { 0 };
        Ok(bytes.iter().fold(start, |number, byte| number << 8 | i64::from(*byte)))
    }

    fn count(&mut self) -> Result<usize, ZoneError> {
        usize::try_from(self.number(4)?).map_err(|_| ZoneError::Damaged)
    }
}

/// Header with counts.
struct Head {
    version: u8,
    ut_indicators: usize,
    standard_indicators: usize,
    leap_seconds: usize,
    changes: usize,
    kinds: usize,
    names: usize,
}

impl Head {
    fn read(reader: &mut Reader<'_>) -> Result<Self, ZoneError> {
        if reader.take(4).map_err(|_| ZoneError::Format)? != b"TZif" {
            return Err(ZoneError::Format);
        }
        let version = reader.take(16)?.first().copied().unwrap_or_default();
        Ok(Head {
            version,
            ut_indicators: reader.count()?,
            standard_indicators: reader.count()?,
            leap_seconds: reader.count()?,
            changes: reader.count()?,
            kinds: reader.count()?,
            names: reader.count()?,
        })
    }

    fn body_length(&self, time_size: usize) -> Result<usize, ZoneError> {
        [
            (self.changes, time_size + 1),
            (self.kinds, 6),
            (self.names, 1),
            (self.leap_seconds, time_size + 4),
            (self.standard_indicators, 1),
            (self.ut_indicators, 1),
        ]
        .into_iter()
        .try_fold(0usize, |sum, (count, size)| sum.checked_add(count.checked_mul(size)?))
        .ok_or(ZoneError::Damaged)
    }
}

fn read_body(reader: &mut Reader<'_>, head: &Head, time_size: usize) -> Result<History, ZoneError> {
    let length = head.body_length(time_size)?;
    let mut body = Reader(reader.take(length)?);
    let times = (0..head.changes).map(|_| body.number(time_size)).collect::<Result<Vec<_>, _>>()?;
    let kinds_of_changes = body.take(head.changes)?;
    let mut kinds = Vec::new();
    for _ in 0..head.kinds {
        let offset = body.number(4)?;
        let rest = body.take(2)?;
        kinds.push((offset, rest.get(1).copied().map(usize::from).unwrap_or_default()));
    }
    let names = body.take(head.names)?;
    let clocks = |index: usize| {
        let (offset, name) = *kinds.get(index).ok_or(ZoneError::Damaged)?;
        let name = names.get(name..).and_then(|rest| rest.split(|byte| *byte == 0).next());
        let name = String::from_utf8_lossy(name.ok_or(ZoneError::Damaged)?).into_owned();
        Ok(Clocks { offset, name })
    };
    let changes = times.into_iter().zip(kinds_of_changes);
    let changes = changes.map(|(time, kind)| Ok((time, clocks(usize::from(*kind))?)));
    Ok(History { first: clocks(0)?, changes: changes.collect::<Result<_, _>>()?, future: None })
}
