//! Spans and points of time, with the ranges and texts that Go's `time` has. No clocks.

use std::cmp::Ordering;

mod calendar;
mod duration;
mod timestamp;

pub use calendar::Civil;
pub use duration::Duration;
pub use timestamp::{ParseError, Timestamp};

/// The time zones that have names.
pub trait TimeZones: Send + Sync {
    /// Returns how many seconds a zone is ahead of UTC at a time in seconds since 1970, or nothing if there is no zone
    /// of this name. `UTC` and the empty name are not asked for.
    fn offset(&self, name: &str, seconds: i64) -> Option<i32>;
}

impl Ord for Timestamp {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.seconds(), self.nanos()).cmp(&(other.seconds(), other.nanos()))
    }
}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Timestamp {}
