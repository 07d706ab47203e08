//! The lease that candidates compete for.

use std::collections::BTreeMap;

use rhumb_api::coordination::v1::Lease;
use rhumb_meta::v1::{CreateOptions, UpdateOptions};

use crate::rest::Client;
use crate::{Api, Error};

/// Access to a Lease. Updates must fail if it has changed since it was read, so that only one candidate acquires it.
pub trait LeaseLock: Send + Sync {
    /// Returns the lease; none if there is none yet.
    fn get(&self) -> impl Future<Output = Result<Option<Lease>, Error>> + Send;

    /// Creates the lease, and fails if there is one. The name and namespace are the lock's to fill in.
    fn create(&self, lease: &Lease) -> impl Future<Output = Result<Lease, Error>> + Send;

    /// Replaces the lease, and fails if it is not the one of this resource version any more.
    fn update(&self, lease: &Lease) -> impl Future<Output = Result<Lease, Error>> + Send;
}

/// A Lease on a server.
///
/// ```no_run
/// use rhumb_client::Client;
/// use rhumb_client::controller::{Election, ServerLease, WallClock};
///
/// # fn example(client: &Client) {
/// let lease = ServerLease::new(client, "shop", "backup").label("app", "backup");
/// let election = Election::new(lease, "backup-0", WallClock::of(client));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ServerLease {
    leases: Api<Lease>,
    namespace: String,
    name: String,
    labels: BTreeMap<String, String>,
}

impl ServerLease {
    /// Creates a lock by namespace and name. The Lease need not exist.
    pub fn new(client: &Client, namespace: &str, name: &str) -> Self {
        ServerLease {
            leases: client.resource::<Lease>().namespace(namespace),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            labels: BTreeMap::new(),
        }
    }

    /// Adds a label to the lease. Other labels of the lease are kept.
    #[must_use]
    pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.labels.insert(name.into(), value.into());
        self
    }

    /// Returns the lease as it is to be written.
    fn labelled(&self, lease: &Lease) -> Lease {
        let mut lease = lease.clone();
        lease.metadata.name.clone_from(&self.name);
        lease.metadata.namespace.clone_from(&self.namespace);
        lease.metadata.labels.extend(self.labels.clone());
        lease
    }
}

impl LeaseLock for ServerLease {
    async fn get(&self) -> Result<Option<Lease>, Error> {
        self.leases.find(&self.name).await
    }

    async fn create(&self, lease: &Lease) -> Result<Lease, Error> {
        self.leases.create(&self.labelled(lease), &CreateOptions::default()).await
    }

    async fn update(&self, lease: &Lease) -> Result<Lease, Error> {
        self.leases.update(&self.labelled(lease), &UpdateOptions::default()).await
    }
}
