//! What the server takes from outside: the time and randomness. A test passes others in.

use std::sync::Arc;
use std::time::Duration;

use rhumb_meta::Time;

/// Tells the time.
pub trait Clock: Send + Sync + 'static {
    /// The time since 1970, in seconds and nanoseconds.
    fn now(&self) -> (i64, u32);
}

/// Gives what nobody can foresee.
pub trait Entropy: Send + Sync + 'static {
    /// Fills a buffer.
    fn fill(&self, buffer: &mut [u8]);
}

/// The clock and the randomness of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Clock for System {
    #[allow(clippy::disallowed_methods, reason = "this is where the real clock comes in")]
    fn now(&self) -> (i64, u32) {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
    }
}

impl Entropy for System {
    fn fill(&self, buffer: &mut [u8]) {
        use rustls::crypto::ring::default_provider;
        // A machine without randomness can't speak TLS either, and the server has not come this far then.
        let _ = default_provider().secure_random.fill(buffer);
    }
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
        Environment::new(Arc::new(System), Arc::new(System))
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

    /// Random bytes.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.entropy.fill(&mut bytes);
        bytes
    }

    /// A random UID.
    pub fn uid(&self) -> String {
        let mut bytes: [u8; 16] = self.random();
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let mut text = String::with_capacity(36);
        for (place, byte) in bytes.iter().enumerate() {
            if matches!(place, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            text.push_str(&format!("{byte:02x}"));
        }
        text
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
