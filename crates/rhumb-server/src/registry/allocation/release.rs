//! Making free what a Service was given and does not have.
//!
//! A request may end at any point: its client hangs up, or the store does not say whether a write happened. So what to
//! free is not concluded from how the request ended but looked up: a Service that is stored keeps what stands in it.
//! All goes back in one transaction on the condition that the Service has not changed since. A write of it that is
//! still on its way comes before that transaction or after it, and either way one of the two is refused.

use std::time::Duration;

use rhumb_api::core::v1::Service;
use rhumb_api::networking::v1::IPAddress;
use rhumb_store::{Change, Expected, Key, Outcome as Answered, Revision, Transaction};

use super::{Allocator, Held, held_addresses, is_for_name, ports};
use crate::base::failure::{Failure, Outcome};

/// How long freeing is tried anew while others change the same records.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait at most, in milliseconds, before it is tried anew.
const PAUSE: u64 = 20;

/// The Service that a reservation is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
}

impl Owner {
    pub(super) fn of(service: &Service) -> Self {
        let meta = &service.metadata;
        Owner { namespace: meta.namespace.clone(), name: meta.name.clone(), uid: meta.uid.clone() }
    }
}

impl Held {
    /// Leaves out what a stored Service has.
    fn without(&self, service: &Service) -> Held {
        let (addresses, ports) = (held_addresses(service), ports::held(service));
        Held {
            addresses: self.addresses.iter().filter(|one| !addresses.contains(one)).copied().collect(),
            ports: self.ports.iter().filter(|one| !ports.contains(one)).copied().collect(),
        }
    }
}

impl Allocator {
    /// Makes addresses and ports free that a Service does not have. What can't be reached now stays taken until it is
    /// repaired.
    pub(super) async fn give_back(&self, held: Held, owner: &Owner) {
        if held.is_empty() {
            return;
        }
        let freed = tokio::time::timeout(PATIENCE, self.free(&held, owner));
        let too_late = |_| Err(Failure::internal("the records are changed by too many at once"));
        if let Err(failure) = freed.await.unwrap_or_else(too_late) {
            tracing::warn!(
                addresses = ?held.addresses, ports = ?held.ports, error = %failure,
                "addresses and ports stay taken until they are repaired",
            );
        }
    }

    async fn free(&self, held: &Held, owner: &Owner) -> Outcome<()> {
        let Some(services) = &self.services else { return Ok(()) };
        let Ok(key) = services.key(&owner.namespace, &owner.name) else {
            // Nothing of such a name is ever stored, so nothing can come between.
            return self.free_if(held, owner, None, None).await.map(drop);
        };
        loop {
            let stored = services.current(&key).await?;
            let expected = stored.as_ref().map_or(Expected::Absent, |stored| Expected::At(stored.revision));
            let service = stored.as_ref().and_then(|stored| stored.hub.downcast_ref::<Service>());
            // Another Service of the name has nothing to do with what this one was given.
            let own = service.filter(|service| service.metadata.uid == owner.uid);
            let held = own.map_or_else(|| held.clone(), |service| held.without(service));
            if held.is_empty() || self.free_if(&held, owner, Some((&key, expected)), service).await? {
                return Ok(());
            }
            let pause = u64::from(self.random()).checked_rem(PAUSE).unwrap_or_default();
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }

    /// Makes addresses and ports free if a Service is as expected; false if something changed meanwhile.
    async fn free_if(
        &self,
        held: &Held,
        owner: &Owner,
        expected: Option<(&Key, Expected)>,
        there: Option<&Service>,
    ) -> Outcome<bool> {
        let mut transaction = Transaction::default();
        if let Some((key, expected)) = expected {
            transaction = transaction.expect(key.clone(), expected);
        }
        let addresses = self.records_of(held, owner, there).await?;
        for (address, found) in addresses {
            transaction = transaction.expect(address.clone(), Expected::At(found));
            transaction.changes.push(Change::Delete { key: address });
        }
        let _turn = if held.ports.is_empty() { None } else { Some(self.turn.lock().await) };
        if !held.ports.is_empty() {
            let (before, read) = ports::read(&*self.store, &self.ports_key).await?;
            let mut taken = before.clone();
            held.ports.iter().for_each(|port| taken.free(*port));
            if taken != before {
                transaction = ports::replace(transaction, &self.ports_key, &taken, read)?;
            }
        }
        if transaction.changes.is_empty() {
            return Ok(true);
        }
        let Answered::Committed(committed) = self.store.commit(transaction).await? else { return Ok(false) };
        if let Some(storage) = &self.addresses {
            storage.note(committed.revision);
        }
        Ok(true)
    }

    /// The keys and revisions of the objects of these addresses. One that names the Service's name belongs to another
    /// Service if that is there and has it.
    async fn records_of(
        &self,
        held: &Held,
        owner: &Owner,
        there: Option<&Service>,
    ) -> Outcome<Vec<(Key, Revision)>> {
        let Some(storage) = &self.addresses else { return Ok(Vec::new()) };
        let others = there.map(held_addresses).unwrap_or_default();
        let mut found = Vec::new();
        for address in held.addresses.iter().filter(|address| !others.contains(address)) {
            let key = storage.key("", &address.to_string())?;
            if let Some(current) = storage.current(&key).await?
                && let Some(address) = current.hub.downcast_ref::<IPAddress>()
                && is_for_name(address, &owner.namespace, &owner.name)
            {
                found.push((key, current.revision));
            }
        }
        Ok(found)
    }
}
