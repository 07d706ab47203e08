//! The wall clock of leases and events. Durations are measured by the runtime's clock.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use rhumb_meta::MicroTime;

use crate::rest::Client;

/// Source of the wall clock time.
///
/// ```
/// use rhumb_client::controller::WallClock;
/// use std::time::SystemTime;
///
/// let clock = WallClock::new(SystemTime::now);
/// assert!(clock.now().unix_seconds() > 0);
/// ```
#[derive(Clone)]
pub struct WallClock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl WallClock {
    /// Creates a clock from a function, such as `SystemTime::now`.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        WallClock(Arc::new(now))
    }

    /// Returns the clock of a client's configuration.
    pub fn of(client: &Client) -> Self {
        let environment = client.config().environment.clone();
        WallClock::new(move || environment.now())
    }

    /// Returns the time as a server writes it.
    pub fn now(&self) -> MicroTime {
        let since = (self.0)().duration_since(UNIX_EPOCH).unwrap_or_default();
        MicroTime::from_unix(
            i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
            i64::from(since.subsec_nanos()),
        )
    }
}

impl fmt::Debug for WallClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WallClock")
    }
}
