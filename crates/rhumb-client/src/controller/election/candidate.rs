//! The election's state machine: what a candidate knows of the lease and does next.

use std::sync::Arc;
use std::time::Duration;

use rhumb_api::coordination::v1::{Lease, LeaseSpec};
use rhumb_meta::MicroTime;
use tokio::sync::watch;
use tokio::time::Instant;

use super::lock::LeaseLock;
use crate::Error;
use crate::controller::metrics::Leadership;
use crate::controller::wall_clock::WallClock;

/// Result of an attempt to acquire or renew the lease.
#[derive(Debug)]
pub(super) enum Attempt {
    /// The lease is ours since this request was sent.
    Leads {
        /// Time of sending; no other candidate can have seen the renewal earlier.
        sent: Instant,
    },
    /// Another has it, and it is not expired.
    Held,
}

/// The lease as last seen.
struct Observed {
    lease: Lease,
    /// Time at which this state was first seen.
    since: Instant,
}

/// A candidate for the lease.
pub(super) struct Candidate<L> {
    lock: L,
    pub(super) identity: String,
    pub(super) lease_duration: Duration,
    clock: WallClock,
    observed: Option<Observed>,
    pub(super) leader: watch::Sender<String>,
    /// Counts how often the lease had to be read before it was renewed.
    pub(super) leadership: Option<Arc<Leadership>>,
}

impl<L: LeaseLock> Candidate<L> {
    pub(super) fn new(lock: L, identity: String, lease_duration: Duration, clock: WallClock) -> Self {
        let leader = watch::Sender::new(String::new());
        Candidate { lock, identity, lease_duration, clock, observed: None, leader, leadership: None }
    }

    /// Renews the lease if it is ours, and takes it if it is nobody's.
    pub(super) async fn attempt(&mut self) -> Result<Attempt, Error> {
        // A leader mostly knows the lease as it is, and needs not read it first.
        if let Some(observed) = &self.observed
            && holder(&observed.lease) == self.identity
            && !is_expired(observed)
        {
            let lease = observed.lease.clone();
            if let Ok(attempt) = self.write(lease).await {
                return Ok(attempt);
            }
        }
        let Some(lease) = self.lock.get().await? else { return self.create().await };
        self.observe(lease.clone());
        match &self.observed {
            Some(observed) if !self.is_free(observed) => Ok(Attempt::Held),
            _ => {
                if let Some(leadership) = self.leadership.as_ref().filter(|_| holder(&lease) == self.identity)
                {
                    leadership.took_slow_path();
                }
                self.write(lease).await
            }
        }
    }

    /// Gives the lease up if it is ours.
    pub(super) async fn release(&mut self) -> Result<(), Error> {
        let Some(mut lease) = self.lock.get().await? else { return Ok(()) };
        if holder(&lease) != self.identity {
            self.observe(lease);
            return Ok(());
        }
        let now = self.now_after(&lease.spec);
        lease.spec.holder_identity = Some(String::new());
        lease.spec.lease_duration_seconds = Some(1);
        lease.spec.acquire_time = Some(now);
        lease.spec.renew_time = Some(now);
        let lease = self.lock.update(&lease).await?;
        self.observe(lease);
        Ok(())
    }

    /// Returns the lease as it was last seen.
    pub(super) fn lease(&self) -> Option<&Lease> {
        self.observed.as_ref().map(|observed| &observed.lease)
    }

    /// Forgets the lease, except that it is not ours.
    pub(super) fn forget(&mut self) {
        self.observed = None;
        self.leader.send_if_modified(|leader| {
            let was_me = *leader == self.identity;
            if was_me {
                leader.clear();
            }
            was_me
        });
    }

    fn is_free(&self, observed: &Observed) -> bool {
        let holder = holder(&observed.lease);
        holder.is_empty() || holder == self.identity || is_expired(observed)
    }

    async fn create(&mut self) -> Result<Attempt, Error> {
        let now = self.clock.now();
        let mut lease = Lease::default();
        lease.spec = LeaseSpec { lease_transitions: Some(0), ..self.renewed(&lease.spec, now) };
        lease.spec.acquire_time = Some(now);
        let sent = Instant::now();
        let lease = self.lock.create(&lease).await?;
        Ok(self.leads(lease, sent))
    }

    async fn write(&mut self, mut lease: Lease) -> Result<Attempt, Error> {
        let now = self.now_after(&lease.spec);
        let spec = self.renewed(&lease.spec, now);
        if holder(&lease) != self.identity {
            lease.spec.acquire_time = Some(now);
            lease.spec.lease_transitions =
                Some(lease.spec.lease_transitions.unwrap_or_default().saturating_add(1));
        }
        lease.spec = LeaseSpec {
            acquire_time: lease.spec.acquire_time,
            lease_transitions: lease.spec.lease_transitions,
            ..spec
        };
        let sent = Instant::now();
        let lease = self.lock.update(&lease).await?;
        Ok(self.leads(lease, sent))
    }

    /// Returns the time, but later than that of the last renewal: others see by nothing else that the lease was
    /// renewed, and the holder before us may have had a clock that was ahead.
    fn now_after(&self, spec: &LeaseSpec) -> MicroTime {
        let now = self.clock.now();
        match spec.renew_time {
            Some(last) => now.max(MicroTime::from_unix(last.unix_seconds(), i64::from(last.nanos()) + 1000)),
            None => now,
        }
    }

    /// Returns the lease's spec with us as its holder.
    fn renewed(&self, spec: &LeaseSpec, now: MicroTime) -> LeaseSpec {
        LeaseSpec {
            holder_identity: Some(self.identity.clone()),
            lease_duration_seconds: Some(i32::try_from(self.lease_duration.as_secs()).unwrap_or(i32::MAX)),
            renew_time: Some(now),
            ..spec.clone()
        }
    }

    fn leads(&mut self, lease: Lease, sent: Instant) -> Attempt {
        self.tell_leader(holder(&lease).to_owned());
        self.observed = Some(Observed { lease, since: sent });
        Attempt::Leads { sent }
    }

    /// Takes note of a lease. Only if it says something new its time begins anew.
    fn observe(&mut self, lease: Lease) {
        self.tell_leader(holder(&lease).to_owned());
        match &mut self.observed {
            Some(observed) if says_the_same(&observed.lease.spec, &lease.spec) => observed.lease = lease,
            observed => *observed = Some(Observed { lease, since: Instant::now() }),
        }
    }

    fn tell_leader(&self, name: String) {
        self.leader.send_if_modified(|leader| {
            let changed = *leader != name;
            *leader = name;
            changed
        });
    }
}

fn holder(lease: &Lease) -> &str {
    lease.spec.holder_identity.as_deref().unwrap_or_default()
}

/// Reports whether nobody has touched the lease for as long as it says it lasts, since we saw it so.
fn is_expired(observed: &Observed) -> bool {
    let seconds = observed.lease.spec.lease_duration_seconds.unwrap_or_default();
    let lasts = Duration::from_secs(u64::try_from(seconds).unwrap_or_default());
    Instant::now().saturating_duration_since(observed.since) >= lasts
}

fn says_the_same(left: &LeaseSpec, right: &LeaseSpec) -> bool {
    let said = |spec: &LeaseSpec| {
        (
            spec.holder_identity.clone(),
            spec.lease_duration_seconds,
            spec.acquire_time,
            spec.renew_time,
            spec.lease_transitions,
        )
    };
    said(left) == said(right)
}
