//! Time and randomness: what a server takes from outside, so that a test can run one on a virtual clock.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use rhumb_meta::Time;
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

/// The kernel's source of random bytes. It is asked for many at once, because most who want some want few: an object
/// that is made takes four UIDs and names.
pub struct SystemEntropy {
    source: &'static dyn SecureRandom,
    stock: Mutex<Stock>,
}

/// Random bytes that nobody has been given.
struct Stock {
    bytes: [u8; STOCK],
    given: usize,
}

/// How many random bytes are fetched at once.
const STOCK: usize = 1024;
/// What wants more asks the kernel itself.
const FEW: usize = 64;

impl Default for SystemEntropy {
    fn default() -> Self {
        let stock = Stock { bytes: [0; STOCK], given: STOCK };
        let source = rustls::crypto::ring::default_provider().secure_random;
        SystemEntropy { source, stock: Mutex::new(stock) }
    }
}

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        if bytes.len() > FEW {
            return self.fetch(bytes);
        }
        let mut stock = self.stock.lock();
        if stock.given + bytes.len() > STOCK {
            self.fetch(&mut stock.bytes);
            stock.given = 0;
        }
        let (from, to) = (stock.given, stock.given + bytes.len());
        if let Some(some) = stock.bytes.get_mut(from..to) {
            bytes.copy_from_slice(some);
            // Nobody finds in memory what somebody else was given.
            some.fill(0);
        }
        stock.given = to;
    }
}

impl SystemEntropy {
    fn fetch(&self, bytes: &mut [u8]) {
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
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| DIGITS.get(usize::from(value & 0xf)).copied().map_or('0', char::from);
    let mut bytes = [0u8; 16];
    entropy.fill(&mut bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push(digit(byte >> 4));
        text.push(digit(*byte));
    }
    text
}

/// The time and randomness, in the forms that the server needs.
#[derive(Clone)]
pub struct Environment {
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").finish_non_exhaustive()
    }
}

impl Default for Environment {
    fn default() -> Self {
        Environment::new(Arc::new(SystemClock::default()), Arc::new(SystemEntropy::default()))
    }
}

/// What generated names end with: no vowels, so that no words come out, and nothing that looks alike.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

impl Environment {
    /// A clock and a source of randomness.
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Environment { clock, entropy }
    }

    /// The time, in whole seconds as objects carry it.
    pub fn time(&self) -> Time {
        Time::from_unix(self.clock.now().0, 0)
    }

    /// The time in seconds and nanoseconds.
    pub fn now(&self) -> (i64, u32) {
        self.clock.now()
    }

    /// The time since some moment that stays the same, for measuring how long something takes.
    pub fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    /// Random bytes.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.entropy.fill(&mut bytes);
        bytes
    }

    /// A random UID.
    pub fn uid(&self) -> String {
        uuid(&*self.entropy)
    }

    /// The random end of a generated name.
    pub fn suffix(&self, length: usize) -> String {
        let bytes: [u8; 16] = self.random();
        let letter = |byte: &u8| LETTERS.get(usize::from(*byte) % LETTERS.len()).copied().map(char::from);
        bytes.iter().cycle().take(length).filter_map(letter).collect()
    }

    /// A part of a time, at random.
    pub fn jitter(&self, most: Duration) -> Duration {
        let number = u32::from_be_bytes(self.random());
        most.mul_f64(f64::from(number) / f64::from(u32::MAX))
    }
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

    #[test]
    fn nothing_random_is_given_twice() {
        let entropy = SystemEntropy::default();
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..10 * STOCK / 16 {
            assert!(seen.insert(uuid(&entropy)));
        }
        let mut many = [0; 3 * STOCK];
        entropy.fill(&mut many);
        assert!(many.chunks(16).all(|part| part.iter().any(|byte| *byte != 0)));
    }
}
