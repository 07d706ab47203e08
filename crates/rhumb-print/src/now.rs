//! Reference time of ages.

use rhumb_meta::{MicroTime, Time};

use crate::human::human_duration;

/// Time for which a table is made.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    nanos: i128,
}

impl Now {
    /// The moment of a time.
    pub fn new(now: Time) -> Self {
        Self { nanos: nanos(now.unix_seconds(), now.nanos()) }
    }

    /// Formats the age of a timestamp.
    pub fn since(&self, time: &Time) -> String {
        if time.is_zero() {
            return "<unknown>".to_owned();
        }
        self.until_now(nanos(time.unix_seconds(), time.nanos()))
    }

    /// Formats the age of a precise timestamp.
    pub fn since_micro(&self, time: &MicroTime) -> String {
        if time.is_zero() {
            return "<unknown>".to_owned();
        }
        self.until_now(nanos(time.unix_seconds(), time.nanos()))
    }

    fn until_now(&self, then: i128) -> String {
        human_duration(clamp(self.nanos - then))
    }
}

/// Returns the saturating difference of two times in nanoseconds.
pub(crate) fn between(start: &Time, end: &Time) -> i64 {
    clamp(nanos(end.unix_seconds(), end.nanos()) - nanos(start.unix_seconds(), start.nanos()))
}

fn nanos(seconds: i64, nanos: u32) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(nanos)
}

fn clamp(nanos: i128) -> i64 {
    i64::try_from(nanos).unwrap_or(if nanos < 0 { i64::MIN } else { i64::MAX })
}
