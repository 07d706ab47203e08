//! Timing of an election.

use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Maximum factor by which waits between attempts are extended.
const JITTER: f64 = 1.2;

/// Durations of an election.
///
/// ```
/// use rhumb_client::controller::Timing;
/// use std::time::Duration;
///
/// let seconds = Duration::from_secs;
/// assert!(Timing::new(seconds(60), seconds(40), seconds(5)).is_ok());
/// assert!(Timing::new(seconds(60), seconds(60), seconds(5)).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    lease_duration: Duration,
    renew_deadline: Duration,
    retry_period: Duration,
}

/// Error: the durations of an election are inconsistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimingError {
    /// A leader that can't renew would go on while another takes over.
    LeaseNotLongerThanDeadline,
    /// A leader would have no second attempt to renew.
    DeadlineNotLongerThanRetry,
    /// A lease is counted in whole seconds, at least one.
    LeaseTooShort,
    /// The retry period is zero.
    NoRetryPeriod,
}

impl fmt::Display for TimingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimingError::LeaseNotLongerThanDeadline => "the lease must last longer than the renew deadline",
            TimingError::DeadlineNotLongerThanRetry => {
                "the renew deadline must be longer than 1.2 times the retry period"
            }
            TimingError::LeaseTooShort => "the lease must last at least a second",
            TimingError::NoRetryPeriod => "the retry period must not be zero",
        })
    }
}

impl Error for TimingError {}

impl Timing {
    /// - `lease_duration`: how long others wait after they last saw the lease change before they take it. It is
    ///   written into the lease in whole seconds.
    /// - `renew_deadline`: how long a leader goes on after its last renewal.
    /// - `retry_period`: the pause between attempts.
    ///
    /// # Errors
    /// If they don't fit together.
    pub fn new(
        lease_duration: Duration,
        renew_deadline: Duration,
        retry_period: Duration,
    ) -> Result<Self, TimingError> {
        // What others see of it has whole seconds only.
        if Duration::from_secs(lease_duration.as_secs()) <= renew_deadline {
            return Err(TimingError::LeaseNotLongerThanDeadline);
        }
        if renew_deadline.as_secs_f64() <= retry_period.as_secs_f64() * JITTER {
            return Err(TimingError::DeadlineNotLongerThanRetry);
        }
        if lease_duration.as_secs() < 1 {
            return Err(TimingError::LeaseTooShort);
        }
        if retry_period.is_zero() {
            return Err(TimingError::NoRetryPeriod);
        }
        Ok(Timing { lease_duration, renew_deadline, retry_period })
    }

    /// Returns how long other candidates wait before they take over the lease.
    pub fn lease_duration(&self) -> Duration {
        self.lease_duration
    }

    /// Returns how long a leader continues after its last renewal.
    pub fn renew_deadline(&self) -> Duration {
        self.renew_deadline
    }

    /// Returns the pause between attempts.
    pub fn retry_period(&self) -> Duration {
        self.retry_period
    }

    /// Returns the pause between attempts of one that does not lead, so that they don't all come at once.
    pub(super) fn jittered(&self, chance: &mut fastrand::Rng) -> Duration {
        let factor = 1.0 + chance.f64() * JITTER;
        Duration::try_from_secs_f64(self.retry_period.as_secs_f64() * factor).unwrap_or(self.retry_period)
    }
}

impl Default for Timing {
    /// Returns the durations of Kubernetes' components: 15 s, 10 s and 2 s.
    fn default() -> Self {
        Timing {
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }
}
