//! The lease that candidates compete for.

use rhumb_api::coordination::v1::Lease;

use crate::Error;

/// A Lease, wherever it is. Writing it must fail when it has changed since it was read: that alone keeps two
/// candidates from both getting it.
pub trait LeaseLock: Send + Sync {
    /// The lease; none if there is none yet.
    fn get(&self) -> impl Future<Output = Result<Option<Lease>, Error>> + Send;

    /// Creates the lease, and fails if there is one. The name and namespace are the lock's to fill in.
    fn create(&self, lease: &Lease) -> impl Future<Output = Result<Lease, Error>> + Send;

    /// Replaces the lease, and fails if it is not the one of this resource version any more.
    fn update(&self, lease: &Lease) -> impl Future<Output = Result<Lease, Error>> + Send;
}
