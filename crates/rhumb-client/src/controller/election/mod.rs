//! Leader election on a Lease: one of several processes works, and another takes over when it dies.
//!
//! The holder renews the lease again and again. Who is not the holder looks at it; when it has not changed for as long
//! as it says it lasts, it is taken over. That time is measured from when *we* saw the last change, on our own clock:
//! the times in the lease are for people, because clocks of different machines differ. Only how fast clocks go must
//! be about the same everywhere.
//!
//! The holder works until its last renewal is `renew_deadline` old, counted from when that was sent; that is before
//! anybody can take the lease over. Then the work is dropped where it stands.

mod candidate;
mod health;
mod lock;
#[cfg(test)]
mod tests;
mod timing;

use std::fmt;
use std::pin::pin;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{sleep, sleep_until, timeout, timeout_at};

use super::events::{Draft, EventType, Recorder, reference_to};
use super::metrics::{Leadership, Metrics};
use super::shutdown::Shutdown;
use super::wall_clock::WallClock;
use crate::Error;
use candidate::{Attempt, Candidate};
use health::Leading;
pub use health::{Health, NotRenewed};
pub use lock::{LeaseLock, ServerLease};
pub use timing::{Timing, TimingError};

/// Maximum attempts to release a lease on conflicts.
const RELEASE_ATTEMPTS: u32 = 3;

/// What happens to the lease when the work ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnExit {
    /// It is released, so that another candidate can take it at once.
    #[default]
    Release,
    /// It is left to expire.
    Keep,
}

/// How an election ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<R> {
    /// We led until the work was done.
    Done(R),
    /// We led and lost the lease; the work was dropped.
    Lost,
    /// We were asked to end before we led.
    NotElected,
}

type OnError = Box<dyn Fn(&Error) + Send + Sync>;

/// Leader election: runs work while the lease is held.
///
/// ```no_run
/// use rhumb_client::controller::{Election, LeaseLock, Outcome, Shutdown, WallClock};
///
/// # async fn example(lock: impl LeaseLock) {
/// let shutdown = Shutdown::new();
/// let election = Election::new(lock, "pod-7f9c", WallClock::new(std::time::SystemTime::now));
/// let outcome = election
///     .run(&shutdown, || async {
///         // Only one process is here at a time.
///         shutdown.begun().await;
///     })
///     .await;
/// if outcome == Outcome::Lost {
///     // Another leads now. Most programs end here and are started again.
/// }
/// # }
/// ```
pub struct Election<L> {
    candidate: Candidate<L>,
    timing: Timing,
    on_exit: OnExit,
    on_error: Option<OnError>,
    recorder: Option<Recorder>,
    leadership: Option<Arc<Leadership>>,
    health: Health,
    chance: fastrand::Rng,
}

impl<L: LeaseLock> Election<L> {
    /// Creates a candidate with a unique identity, such as the name of its pod.
    pub fn new(lock: L, identity: impl Into<String>, clock: WallClock) -> Self {
        let timing = Timing::default();
        Election {
            candidate: Candidate::new(lock, identity.into(), timing.lease_duration(), clock),
            timing,
            on_exit: OnExit::default(),
            on_error: None,
            recorder: None,
            leadership: None,
            health: Health::default(),
            chance: fastrand::Rng::new(),
        }
    }

    /// Sets the timing in place of the default.
    #[must_use]
    pub fn timing(mut self, timing: Timing) -> Self {
        self.candidate.lease_duration = timing.lease_duration();
        self.timing = timing;
        self
    }

    /// Sets what happens to the lease when the work ends.
    #[must_use]
    pub fn on_exit(mut self, on_exit: OnExit) -> Self {
        self.on_exit = on_exit;
        self
    }

    /// Sets a function for failed requests, which are retried.
    #[must_use]
    pub fn on_error(mut self, on_error: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Box::new(on_error));
        self
    }

    /// Records events about the lease when we start and stop leading.
    #[must_use]
    pub fn events(mut self, recorder: Recorder) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Records metrics under a name, usually that of the lease.
    #[must_use]
    pub fn metrics(mut self, metrics: &Metrics, name: &str) -> Self {
        self.leadership = Some(metrics.leadership(name));
        self.candidate.leadership.clone_from(&self.leadership);
        self
    }

    /// Seeds the random waits between attempts, for tests.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.chance = fastrand::Rng::with_seed(seed);
        self
    }

    /// Returns the identity of the current leader as last seen; empty if there is none. It is updated as changes are
    /// observed.
    pub fn leader(&self) -> watch::Receiver<String> {
        self.candidate.leader.subscribe()
    }

    /// Returns the health check of the election.
    pub fn health(&self) -> Health {
        self.health.clone()
    }

    /// Waits until we lead and runs the work while we do. The lease is released when the work is done.
    ///
    /// A shutdown ends the waiting. Once we lead it is for the work to end when it is asked to; until it has we stay
    /// the leader. When the lease is lost the work is dropped at once.
    ///
    /// If this is dropped the lease is left to expire.
    pub async fn run<R, F>(mut self, shutdown: &Shutdown, work: impl FnOnce() -> F) -> Outcome<R>
    where
        F: Future<Output = R>,
    {
        let renewed = tokio::select! {
            biased;
            () = shutdown.begun() => return Outcome::NotElected,
            renewed = self.acquire() => renewed,
        };
        self.health.renewed(renewed, self.timing.lease_duration());
        let leading = Leading::begin(&self.health, self.leadership.as_ref());
        self.record("became leader");
        let done = {
            let mut work = pin!(work());
            tokio::select! {
                biased;
                () = self.renew(renewed) => None,
                done = &mut work => Some(done),
            }
        };
        drop(leading);
        self.record("stopped leading");
        let Some(done) = done else {
            self.candidate.forget();
            return Outcome::Lost;
        };
        if self.on_exit == OnExit::Release {
            self.release().await;
        }
        Outcome::Done(done)
    }

    /// Tries until we lead, and says when the request was sent that made us the leader.
    async fn acquire(&mut self) -> tokio::time::Instant {
        loop {
            match timeout(self.timing.renew_deadline(), self.candidate.attempt()).await {
                Ok(Ok(Attempt::Leads { sent })) => return sent,
                Ok(Ok(Attempt::Held)) => {}
                Ok(Err(error)) => self.tell(&error),
                Err(_) => self.tell(&Error::Timeout(self.timing.renew_deadline())),
            }
            sleep(self.timing.jittered(&mut self.chance)).await;
        }
    }

    /// Renews the lease until that fails for too long, or another has it.
    async fn renew(&mut self, mut renewed: tokio::time::Instant) {
        loop {
            sleep(self.timing.retry_period()).await;
            let deadline = renewed + self.timing.renew_deadline();
            match timeout_at(deadline, self.candidate.attempt()).await {
                Ok(Ok(Attempt::Leads { sent })) => {
                    self.health.renewed(sent, self.timing.lease_duration());
                    renewed = sent;
                }
                Ok(Ok(Attempt::Held)) => return,
                Ok(Err(error)) => {
                    self.tell(&error);
                    if tokio::time::Instant::now() + self.timing.retry_period() >= deadline {
                        return sleep_until(deadline).await;
                    }
                }
                Err(_) => return self.tell(&Error::Timeout(self.timing.renew_deadline())),
            }
        }
    }

    /// Gives the lease up. A renewal that was cut short may still be on its way, so that it takes a few attempts.
    async fn release(&mut self) {
        for _ in 0..RELEASE_ATTEMPTS {
            match timeout(self.timing.renew_deadline(), self.candidate.release()).await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => self.tell(&error),
                Err(_) => return self.tell(&Error::Timeout(self.timing.renew_deadline())),
            }
        }
    }

    fn record(&self, what: &str) {
        if let (Some(recorder), Some(lease)) = (&self.recorder, self.candidate.lease()) {
            let message = format!("{} {what}", self.candidate.identity);
            recorder.record(Draft::new(reference_to(lease), EventType::Normal, "LeaderElection", message));
        }
    }

    fn tell(&self, error: &Error) {
        if let Some(on_error) = &self.on_error {
            on_error(error);
        }
    }
}

impl<L> fmt::Debug for Election<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Election")
            .field("identity", &self.candidate.identity)
            .field("timing", &self.timing)
            .field("on_exit", &self.on_exit)
            .finish_non_exhaustive()
    }
}
