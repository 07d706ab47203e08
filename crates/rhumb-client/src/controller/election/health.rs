//! Health check of a leader election.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::controller::metrics::Leadership;

/// Health of an election, for the health check of a process.
///
/// A leader whose lease runs out ceases to work by itself, unless it is kept from it: work that blocks its thread
/// holds up the renewal, which is of the same task. Somebody else then finds here that the process had better be
/// ended.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// Expiry of the lease that we hold.
    expires: Arc<Mutex<Option<Instant>>>,
}

/// Error: we lead and have not renewed the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotRenewed {
    /// Time since the lease expired.
    pub expired_for: Duration,
}

impl fmt::Display for NotRenewed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the leader has not renewed its lease, which ran out {:?} ago", self.expired_for)
    }
}

impl Error for NotRenewed {}

impl Health {
    /// Returns an error if we hold a lease that expired longer ago than the tolerance. Candidates that don't lead are
    /// healthy.
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

/// Guard: we lead until it is dropped.
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
