//! Expiry: leases for objects that don't stay for ever. Granting one is a write of its own, so what is written soon
//! after another lives by the same: it may stay a little longer than it has to.

use std::time::Duration;

use rhumb_store::{LeaseId, Store, StoreError};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How much longer than it has to an object may stay, as a part of its time and at most.
const LONGER: u32 = 20;
const LONGEST: Duration = Duration::from_secs(60);
/// How many objects live by one lease at most: they go together, in one transaction.
const SHARED_BY: usize = 100;

/// How long objects of a resource live, and the lease that the last ones got.
pub(crate) struct Expiry {
    time: Duration,
    last: Mutex<Option<Granted>>,
}

#[derive(Clone, Copy)]
struct Granted {
    lease: LeaseId,
    at: Instant,
    given: usize,
}

impl Expiry {
    pub(crate) fn after(time: Duration) -> Self {
        Expiry { time, last: Mutex::default() }
    }

    /// A lease for an object that is written now.
    pub(crate) async fn lease(&self, store: &dyn Store) -> Result<LeaseId, StoreError> {
        let longer = (self.time / LONGER).min(LONGEST);
        // Who comes while one is granted waits for it, and gets the same.
        let mut last = self.last.lock().await;
        let usable = |granted: &&mut Granted| granted.at.elapsed() < longer && granted.given < SHARED_BY;
        if let Some(granted) = last.as_mut().filter(usable) {
            granted.given += 1;
            return Ok(granted.lease);
        }
        let at = Instant::now();
        let lease = store.grant(self.time + longer).await?;
        *last = Some(Granted { lease, at, given: 1 });
        Ok(lease)
    }

    /// Forgets a lease that the store doesn't know.
    pub(crate) async fn forget(&self, lease: LeaseId) {
        let mut last = self.last.lock().await;
        if last.is_some_and(|granted| granted.lease == lease) {
            *last = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rhumb_store::{Embedded, Options};

    #[tokio::test(start_paused = true)]
    async fn what_is_written_soon_after_another_lives_by_the_same_lease() {
        let store = Embedded::in_memory(Options::default()).unwrap();
        let expiry = Expiry::after(Duration::from_secs(3600));
        let mut leases = Vec::new();
        for _ in 0..SHARED_BY + 1 {
            leases.push(expiry.lease(&store).await.unwrap());
        }
        leases.dedup();
        assert_eq!(leases.len(), 2, "so many share one, and no more");
        tokio::time::advance(LONGEST - Duration::from_secs(1)).await;
        assert_eq!(expiry.lease(&store).await.unwrap(), leases[1]);
        tokio::time::advance(Duration::from_secs(2)).await;
        let next = expiry.lease(&store).await.unwrap();
        assert_ne!(next, leases[1]);
        store.revoke(next).await.unwrap();
        expiry.forget(next).await;
        assert_ne!(expiry.lease(&store).await.unwrap(), next);
        let short = Expiry::after(Duration::from_secs(1));
        let first = short.lease(&store).await.unwrap();
        tokio::time::advance(Duration::from_millis(51)).await;
        assert_ne!(short.lease(&store).await.unwrap(), first);
    }
}
