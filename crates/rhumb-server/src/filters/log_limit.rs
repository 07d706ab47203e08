//! Lines of log that clients can cause: a few a second are written, so that nobody fills a disk with them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How many lines a second.
const MOST: u64 = 20;

/// One kind of line.
#[derive(Debug, Default)]
pub(crate) struct Sparing {
    second: AtomicU64,
    count: AtomicU64,
}

impl Sparing {
    /// Whether to write a line at a moment of the clock.
    pub(crate) fn allows(&self, now: Duration) -> bool {
        let second = now.as_secs();
        if self.second.swap(second, Ordering::Relaxed) != second {
            self.count.store(0, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed) < MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_becomes_a_few_lines() {
        let sparing = Sparing::default();
        let in_second = |second| (0..1000).filter(|_| sparing.allows(Duration::from_secs(second))).count();
        assert_eq!((in_second(5), in_second(6)), (20, 20));
    }
}
