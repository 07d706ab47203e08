//! Time and randomness: what a server takes from outside, so that a test can run one on a virtual clock.

use std::fmt;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustls::crypto::SecureRandom;

/// Where a server reads the time from.
pub trait Clock: Send + Sync + 'static {
    /// The time of day: seconds since 1970 and nanoseconds within the second.
    fn now(&self) -> (i64, u32);

    /// The time since some moment that stays the same; it never goes back.
    fn elapsed(&self) -> Duration;
}

/// Where a server takes random bytes from.
pub trait Entropy: Send + Sync + 'static {
    /// Fills a buffer with bytes that nobody can foresee.
    fn fill(&self, bytes: &mut [u8]);
}

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
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
    fn now(&self) -> (i64, u32) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
    }

    #[allow(clippy::disallowed_methods, reason = "this is the clock that others are given")]
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// The kernel's source of random bytes.
#[derive(Clone, Copy)]
pub struct SystemEntropy {
    source: &'static dyn SecureRandom,
}

impl Default for SystemEntropy {
    fn default() -> Self {
        SystemEntropy { source: rustls::crypto::ring::default_provider().secure_random }
    }
}

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        // The kernel refuses only while it is starting up; predictable bytes are no way out, so we wait for it.
        while self.source.fill(bytes).is_err() {
            std::thread::yield_now();
        }
    }
}

impl fmt::Debug for SystemEntropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SystemEntropy")
    }
}

/// A random UUID (version 4) in its usual form.
pub fn uuid(entropy: &dyn Entropy) -> String {
    use fmt::Write;

    let mut bytes = [0u8; 16];
    entropy.fill(&mut bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        // Writing to a string doesn't fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ones;
    impl Entropy for Ones {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0xff);
        }
    }

    #[test]
    fn uuids_are_of_version_4() {
        assert_eq!(uuid(&Ones), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_ne!(uuid(&SystemEntropy::default()), uuid(&SystemEntropy::default()));
    }
}
