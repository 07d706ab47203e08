//! Whether a leader still is one, told to those who look from outside.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::controller::metrics::Leadership;

/// Tells whether an election is as it should be, for the health check of a process.
///
/// A leader whose lease runs out ceases to work by itself, unless it is kept from it: work that blocks its thread
/// holds up the renewal, which is of the same task. Somebody else then finds here that the process had better be
/// ended.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// When the lease runs out that we hold.
    expires: Arc<Mutex<Option<Instant>>>,
}

/// We lead, and have not renewed the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotRenewed {
    /// How long ago the lease ran out.
    pub expired_for: Duration,
}

impl fmt::Display for NotRenewed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the leader has not renewed its lease, which ran out {:?} ago", self.expired_for)
    }
}

impl Error for NotRenewed {}

impl Health {
    /// Looks whether we hold a lease that ran out more than so long ago. Who doesn't lead is healthy.
    ///
    /// # Errors
    /// If it has.
    pub fn check(&self, tolerance: Duration) -> Result<(), NotRenewed> {
        let Some(expires) = *self.expires.lock() else { return Ok(()) };
        match Instant::now().checked_duration_since(expires) {
            Some(expired_for) if expired_for > tolerance => Err(NotRenewed { expired_for }),
            _ => Ok(()),
        }
    }

    pub(super) fn renewed(&self, sent: Instant, lasts: Duration) {
        *self.expires.lock() = sent.checked_add(lasts);
    }
}

/// We lead until this is dropped.
pub(super) struct Leading {
    health: Health,
    leadership: Option<Arc<Leadership>>,
}

impl Leading {
    pub(super) fn begin(health: &Health, leadership: Option<&Arc<Leadership>>) -> Self {
        if let Some(leadership) = leadership {
            leadership.set(true);
        }
        Leading { health: health.clone(), leadership: leadership.cloned() }
    }
}

impl Drop for Leading {
    fn drop(&mut self) {
        *self.health.expires.lock() = None;
        if let Some(leadership) = &self.leadership {
            leadership.set(false);
        }
    }
}
