//! How an embedded store is to behave.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where a store reads the time from. It needs no date, only time that passes.
pub trait Clock: Send + Sync + 'static {
    /// The time since some moment that stays the same; it never goes back.
    fn now(&self) -> Duration;
}

/// The machine's clock.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "this is the clock that others are given")]
    fn default() -> Self {
        SystemClock { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "this is the clock that others are given")]
    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

/// How an embedded store is to behave.
#[derive(Clone)]
pub struct Options {
    /// Where the time comes from, for leases and the window.
    pub clock: Arc<dyn Clock>,
    /// How long the past stays readable, unless it has too many bytes. Without it nothing is forgotten unless asked
    /// for.
    pub window: Option<Duration>,
    /// About how many bytes of memory the past within the window may take: what keys held before, and what happened
    /// to them. When it is more the window becomes shorter, so that no rate of writes takes all memory.
    pub past_bytes: usize,
    /// The largest transaction in bytes of keys and values.
    pub largest_transaction: usize,
    /// How many transactions share one sync of the disk, at most.
    pub largest_batch: usize,
    /// How many bytes the journal has on the disk, at most. It is brought into the tables half by half; with 0
    /// there is none, and every write waits for the tables.
    pub journal_bytes: usize,
}

impl Default for Options {
    /// Five minutes of past in 128 MiB at most, and transactions of 1.5 MiB as etcd takes them.
    fn default() -> Self {
        Options {
            clock: Arc::new(SystemClock::default()),
            window: Some(Duration::from_secs(300)),
            past_bytes: 128 << 20,
            largest_transaction: 3 << 19,
            largest_batch: 1024,
            journal_bytes: 64 << 20,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("window", &self.window)
            .field("past_bytes", &self.past_bytes)
            .field("largest_transaction", &self.largest_transaction)
            .field("largest_batch", &self.largest_batch)
            .field("journal_bytes", &self.journal_bytes)
            .finish_non_exhaustive()
    }
}
