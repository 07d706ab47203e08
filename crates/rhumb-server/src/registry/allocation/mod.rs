//! Addresses and ports that Services are given.
//!
//! An address belongs to the Service that the IPAddress object of its name points to; making that object is
//! what gives the address, so that several servers on one store never give one twice. Ports are bits in a
//! record of the store that is only replaced as it was read. Nothing is remembered here, so a crash between
//! giving and storing the Service leaves at worst something taken that nobody has, until it is found and freed.

mod families;
mod network;
pub(crate) mod ports;
mod release;

use std::net::IpAddr;
use std::sync::Arc;

use rhumb_api::core::v1::Service;
use rhumb_api::networking::v1::{IPAddress, IPAddressSpec, ParentReference, ServiceCIDR};
use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_meta::validation::ip::{parse_cidr_sloppy, parse_ip_sloppy};
use rhumb_meta::{FieldsV1, GroupVersionKind, Object, ObjectMeta};
use rhumb_schema::{RawJson, budget};
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_store::cache::At;
use rhumb_store::{Change, Expected, Key, Range, Revision, Store, Transaction};
use tokio::sync::{OnceCell, oneshot};

use self::families::{NONE, family_of, is_alias, is_headless};
use self::network::Network;
use self::ports::Ports;
use self::release::Owner;
use crate::base::environment::Environment;
use crate::base::failure::{Failure, Outcome};
use crate::base::tasks::Tasks;
use crate::registry::storage::Written;
use crate::registry::{Endpoint, Resources, Storage};

const FAMILY_LABEL: &str = "ipaddress.kubernetes.io/ip-family";
/// The label by which the object of an address says who made it.
pub(crate) const MANAGER_LABEL: &str = "ipaddress.kubernetes.io/managed-by";
/// Who made the objects of the addresses of Services.
pub(crate) const MANAGER: &str = "ipallocator.k8s.io";
/// The fields of an IPAddress that its maker sets.
const OWNED: &str = concat!(
    r#"{"f:metadata":{"f:labels":{".":{},"f:ipaddress.kubernetes.io/ip-family":{},"#,
    r#""f:ipaddress.kubernetes.io/managed-by":{}}},"#,
    r#""f:spec":{"f:parentRef":{".":{},"f:name":{},"f:namespace":{},"f:resource":{}}}}"#
);

fn service_kind() -> GroupVersionKind {
    GroupVersionKind::from_api_version_and_kind("v1", "Service")
}

/// What gives addresses and ports.
pub(crate) struct Allocator {
    store: Arc<dyn Store>,
    services: Option<Arc<Storage>>,
    addresses: Option<Arc<Storage>>,
    networks: Option<Arc<Storage>>,
    own_networks: Vec<Network>,
    ports_key: Key,
    /// Held by who changes the taken ports, so that a server's own requests don't contend for their record.
    turn: tokio::sync::Mutex<()>,
    environment: Environment,
    tasks: Tasks,
    recovered: OnceCell<()>,
}

/// Why an address can't be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressError {
    Taken,
    Elsewhere,
    Full,
}

impl std::fmt::Display for AddressError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            AddressError::Taken => "provided IP is already allocated",
            AddressError::Elsewhere => "the provided network does not match the current range",
            AddressError::Full => "range is full",
        })
    }
}

/// The addresses that a Service has.
pub(crate) fn held_addresses(service: &Service) -> Vec<IpAddr> {
    let has_addresses = !is_alias(service) && !is_headless(service);
    let all = service.spec.cluster_ips.iter().filter(|ip| has_addresses && *ip != NONE);
    all.filter(|ip| family_of(ip).is_some()).filter_map(|ip| parse_ip_sloppy(ip)).collect()
}

/// Whether an address belongs to a Service by what its object points to.
pub(crate) fn is_of(address: &IPAddress, service: &Service) -> bool {
    is_for_name(address, &service.metadata.namespace, &service.metadata.name)
}

/// Whether an address belongs to the Service of a name by what its object points to.
fn is_for_name(address: &IPAddress, namespace: &str, name: &str) -> bool {
    address.spec.parent_ref.as_deref().is_some_and(|parent| {
        parent.group.is_empty()
            && parent.resource == "services"
            && (parent.namespace.as_str(), parent.name.as_str()) == (namespace, name)
    })
}

/// Addresses and ports that were given to a Service which is not stored yet. Unless it is settled that the
/// Service keeps them, they go back.
#[must_use]
pub(crate) struct Reservation {
    allocator: Arc<Allocator>,
    owner: Owner,
    taken: Held,
    freed: Held,
    settled: bool,
}

/// Addresses and ports.
#[derive(Clone, Debug, Default)]
struct Held {
    addresses: Vec<IpAddr>,
    ports: Vec<i32>,
}

impl Held {
    fn is_empty(&self) -> bool {
        self.addresses.is_empty() && self.ports.is_empty()
    }
}

impl Reservation {
    fn nothing(allocator: &Arc<Allocator>) -> Self {
        Reservation {
            allocator: Arc::clone(allocator),
            owner: Owner::default(),
            taken: Held::default(),
            freed: Held::default(),
            settled: false,
        }
    }

    /// The Service is stored, or it is not: it keeps what it was given and gives back what it no longer has,
    /// or the other way round. That goes on even if nobody waits for it any more.
    pub(crate) async fn settle(mut self, stored: bool) {
        self.settled = true;
        let back = std::mem::take(if stored { &mut self.freed } else { &mut self.taken });
        if !back.is_empty() {
            let (done, waiting) = oneshot::channel::<()>();
            self.start_giving_back(back, move || drop(done));
            // An error is how the end is told.
            let _ = waiting.await;
        }
    }

    fn start_giving_back(&mut self, held: Held, after: impl FnOnce() + Send + 'static) {
        let (allocator, owner) = (Arc::clone(&self.allocator), std::mem::take(&mut self.owner));
        self.allocator.tasks.spawn(async move {
            allocator.give_back(held, &owner).await;
            after();
        });
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // The request was given up in the middle, perhaps while the store was already at it.
        if !self.settled && !self.taken.is_empty() {
            let taken = std::mem::take(&mut self.taken);
            self.start_giving_back(taken, || {});
        }
    }
}

impl Allocator {
    /// Gives addresses of these networks, the families in this order.
    pub(crate) fn new(
        resources: &Resources,
        store: Arc<dyn Store>,
        prefix: &str,
        networks: &[(IpAddr, u8)],
        environment: Environment,
        tasks: Tasks,
    ) -> Self {
        let storage = |group: &str, resource: &str| {
            resources.find(group, "v1", resource).and_then(|endpoint| endpoint.storage.clone())
        };
        Allocator {
            services: storage("", "services"),
            addresses: storage("networking.k8s.io", "ipaddresses"),
            networks: storage("networking.k8s.io", "servicecidrs"),
            own_networks: networks.iter().map(|(base, prefix)| Network::new(*base, *prefix)).collect(),
            ports_key: Key::from(format!("{prefix}/ranges/servicenodeports")),
            turn: tokio::sync::Mutex::default(),
            store,
            environment,
            tasks,
            recovered: OnceCell::new(),
        }
    }

    fn is_for(&self, endpoint: &Endpoint) -> bool {
        endpoint.resource.group.is_empty() && endpoint.resource.resource == "services"
    }

    /// The families that the cluster has, the default one first.
    fn families(&self) -> Vec<&'static str> {
        let mut families: Vec<&'static str> = Vec::new();
        for network in &self.own_networks {
            if !families.contains(&network.family()) {
                families.push(network.family());
            }
        }
        families
    }

    /// The networks that addresses are given from at this moment: the server's own, and those that were
    /// added.
    async fn all_networks(&self) -> Outcome<Vec<Network>> {
        let mut networks = self.own_networks.clone();
        let Some(storage) = &self.networks else { return Ok(networks) };
        let page = self.store.range(Range::all(storage.prefix().clone())).await?;
        for entry in page.entries {
            let Ok(hub) = storage.model.load(&entry.value, entry.modified) else { continue };
            let Some(added) = hub.downcast_ref::<ServiceCIDR>() else { continue };
            let ready =
                added.status.conditions.iter().any(|one| one.type_ == "Ready" && one.status == "True");
            if !ready || added.metadata.deletion_timestamp.is_some() {
                continue;
            }
            for cidr in &added.spec.cidrs {
                let Some((ip, block)) = parse_cidr_sloppy(cidr) else { continue };
                let network = Network::new(ip, block.prefix_length());
                if !networks.contains(&network) {
                    networks.push(network);
                }
            }
        }
        Ok(networks)
    }

    /// Gives a new object its addresses and ports.
    pub(crate) async fn for_new(
        self: &Arc<Self>,
        endpoint: &Endpoint,
        object: &mut dyn Object,
        dry_run: bool,
    ) -> Outcome<Reservation> {
        let mut reservation = Reservation::nothing(self);
        if !self.is_for(endpoint) {
            return Ok(reservation);
        }
        let Some(service) = object.downcast_mut::<Service>() else { return Ok(reservation) };
        reservation.owner = Owner::of(service);
        self.recovered.get_or_try_init(|| self.recover()).await?;
        families::settle(service, None, &self.families())?;
        let given = self.give_all_addresses(service, dry_run, &mut reservation.taken).await;
        if let Err(failure) = self.finish(given, service, None, dry_run, &mut reservation).await {
            reservation.settle(false).await;
            return Err(failure);
        }
        // The Service itself is not stored yet.
        budget::go_on();
        Ok(reservation)
    }

    /// Gives a changed object the addresses and ports that it lacks.
    pub(crate) async fn for_change(
        self: &Arc<Self>,
        endpoint: &Endpoint,
        new: &mut dyn Object,
        old: &dyn Object,
        dry_run: bool,
    ) -> Outcome<Reservation> {
        let mut reservation = Reservation::nothing(self);
        if !self.is_for(endpoint) {
            return Ok(reservation);
        }
        let (Some(service), Some(old)) = (new.downcast_mut::<Service>(), old.downcast_ref::<Service>())
        else {
            return Ok(reservation);
        };
        reservation.owner = Owner::of(old);
        self.recovered.get_or_try_init(|| self.recover()).await?;
        let families = self.families();
        let mut old = old.clone();
        families::complete(&mut old, families.first().copied().unwrap_or("IPv4"));
        families::settle(service, Some(&old), &families)?;
        let given = self.change_addresses(service, &old, dry_run, &mut reservation).await;
        if let Err(failure) = self.finish(given, service, Some(&old), dry_run, &mut reservation).await {
            reservation.settle(false).await;
            return Err(failure);
        }
        // The Service itself is not stored yet.
        budget::go_on();
        Ok(reservation)
    }

    /// Removes an object if it is still at a revision, and in the same transaction what it was given.
    pub(crate) async fn remove(
        &self,
        endpoint: &Endpoint,
        storage: &Storage,
        key: Key,
        current: Revision,
        object: &dyn Object,
    ) -> Outcome<Written> {
        let service = object.downcast_ref::<Service>().filter(|_| self.is_for(endpoint));
        let Some(service) = service else { return storage.remove(key, current).await };
        let ports = ports::held(service);
        let _turn = if ports.is_empty() { None } else { Some(self.turn.lock().await) };
        loop {
            let mut transaction = Transaction::delete(key.clone(), current);
            for (address, found) in self.addresses_of(service).await? {
                transaction = transaction.expect(address.clone(), Expected::At(found));
                transaction.changes.push(Change::Delete { key: address });
            }
            if !ports.is_empty() {
                let (mut taken, read) = ports::read(&*self.store, &self.ports_key).await?;
                ports.iter().for_each(|port| taken.free(*port));
                transaction = ports::replace(transaction, &self.ports_key, &taken, read)?;
            }
            match storage.write(transaction, None).await? {
                // The object is as it was, so it is another condition that didn't hold.
                Written::Lost(Some(found)) if found.revision == current => budget::go_on(),
                written => {
                    if let (Written::At(revision), Some(addresses)) = (&written, &self.addresses) {
                        addresses.note(*revision);
                    }
                    return Ok(written);
                }
            }
        }
    }

    /// The keys and revisions of the objects by which a Service has its addresses. Those that point to another
    /// Service are not its own.
    async fn addresses_of(&self, service: &Service) -> Outcome<Vec<(Key, Revision)>> {
        let Some(storage) = &self.addresses else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for address in held_addresses(service) {
            let key = storage.key("", &address.to_string())?;
            if let Some(current) = storage.current(&key).await?
                && current.hub.downcast_ref::<IPAddress>().is_some_and(|address| is_of(address, service))
                && found.iter().all(|(known, _)| *known != key)
            {
                found.push((key, current.revision));
            }
        }
        Ok(found)
    }

    /// The taken ports and the revision of their record.
    pub(crate) async fn taken_ports(&self) -> Outcome<(ports::Taken, Option<Revision>)> {
        ports::read(&*self.store, &self.ports_key).await
    }

    /// Changes the taken ports.
    pub(crate) async fn change_ports<T>(
        &self,
        change: impl FnMut(&mut ports::Taken) -> Outcome<T>,
    ) -> Outcome<T> {
        let _turn = self.turn.lock().await;
        ports::change(&*self.store, &self.ports_key, &|| self.random(), change).await
    }

    fn random(&self) -> u32 {
        u32::from_be_bytes(self.environment.random())
    }

    /// Gives ports once addresses are given.
    async fn finish(
        &self,
        addresses: Outcome<()>,
        service: &mut Service,
        old: Option<&Service>,
        dry_run: bool,
        reservation: &mut Reservation,
    ) -> Outcome<()> {
        addresses?;
        let random = || self.random();
        let asked = service.clone();
        let next = |taken: &mut ports::Taken| -> Outcome<(Service, Ports)> {
            let mut service = asked.clone();
            let ports = match old {
                None => ports::for_new(&mut service, taken, &random)?,
                Some(old) => ports::for_change(&mut service, old, taken, &random)?,
            };
            Ok((service, ports))
        };
        if dry_run {
            let (mut taken, _) = ports::read(&*self.store, &self.ports_key).await?;
            *service = next(&mut taken)?.0;
            reservation.freed = Held::default();
            return Ok(());
        }
        if !ports::concern(service, old) {
            return Ok(());
        }
        let (given, ports) = self.change_ports(next).await?;
        *service = given;
        reservation.taken.ports = ports.taken;
        reservation.freed.ports = ports.freed;
        Ok(())
    }

    /// Gives a Service all the addresses that it is to have.
    async fn give_all_addresses(
        &self,
        service: &mut Service,
        dry_run: bool,
        taken: &mut Held,
    ) -> Outcome<()> {
        if is_alias(service) || is_headless(service) {
            return Ok(());
        }
        for index in 0..service.spec.ip_families.len() {
            self.give_address(service, index, dry_run, taken).await?;
        }
        Ok(())
    }

    /// Gives a Service the address of one of its families: the one it asks for, or any.
    async fn give_address(
        &self,
        service: &mut Service,
        index: usize,
        dry_run: bool,
        taken: &mut Held,
    ) -> Outcome<()> {
        let family = service.spec.ip_families.get(index).cloned().unwrap_or_default();
        while service.spec.cluster_ips.len() <= index {
            service.spec.cluster_ips.push(String::new());
        }
        let asked = service.spec.cluster_ips.get(index).cloned().unwrap_or_default();
        let networks = self.all_networks().await?;
        let given = if asked.is_empty() {
            match self.take_any(&networks, &family, service, dry_run).await? {
                Ok(address) => address,
                Err(error) => {
                    let name = rhumb_schema::text::quoted(&service.metadata.name);
                    let why = format!("failed to allocate a serviceIP for Service {name}: {error}");
                    return Err(Failure::internal(why));
                }
            }
        } else {
            let Some(address) = parse_ip_sloppy(&asked) else {
                let shown = rhumb_schema::text::quoted(&asked);
                return Err(Failure::internal(format!("failed to parse service IP {shown}")));
            };
            if let Err(error) = self.take(&networks, address, service, dry_run).await? {
                let mut errors = FieldErrors::default();
                errors.invalid(
                    &FieldPath::new("spec").child("clusterIPs"),
                    &service.spec.cluster_ips,
                    &format!("failed to allocate IP {asked}: {error}"),
                );
                return Err(Failure::invalid(&service_kind(), &service.metadata.name, &errors));
            }
            address
        };
        if !dry_run {
            taken.addresses.push(given);
        }
        let text = if asked.is_empty() { given.to_string() } else { asked };
        if index == 0 {
            service.spec.cluster_ip.clone_from(&text);
        }
        if let Some(place) = service.spec.cluster_ips.get_mut(index) {
            *place = text;
        }
        Ok(())
    }

    async fn change_addresses(
        &self,
        new: &mut Service,
        old: &Service,
        dry_run: bool,
        reservation: &mut Reservation,
    ) -> Outcome<()> {
        if families::is_content(new, old) {
            return Ok(());
        }
        if is_alias(old) && !is_alias(new) {
            return self.give_all_addresses(new, dry_run, &mut reservation.taken).await;
        }
        if is_headless(old) || is_alias(old) {
            return Ok(());
        }
        let addresses = |service: &Service| -> Vec<IpAddr> {
            service.spec.cluster_ips.iter().filter_map(|ip| parse_ip_sloppy(ip)).collect()
        };
        if is_alias(new) {
            // There is no traffic within the cluster that it could have a policy for.
            new.spec.internal_traffic_policy = None;
            reservation.freed.addresses = addresses(old);
            return Ok(());
        }
        match (old.spec.ip_families.len(), new.spec.ip_families.len()) {
            (1, 2) => self.give_address(new, 1, dry_run, &mut reservation.taken).await,
            (2, 1) => {
                reservation.freed.addresses = addresses(old).into_iter().skip(1).collect();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    async fn take(
        &self,
        networks: &[Network],
        address: IpAddr,
        service: &Service,
        dry_run: bool,
    ) -> Outcome<Result<(), AddressError>> {
        if !networks.iter().any(|network| network.has(address)) {
            return Ok(Err(AddressError::Elsewhere));
        }
        if dry_run || self.record(address, service).await? {
            return Ok(Ok(()));
        }
        Ok(Err(AddressError::Taken))
    }

    async fn take_any(
        &self,
        networks: &[Network],
        family: &str,
        service: &Service,
        dry_run: bool,
    ) -> Outcome<Result<IpAddr, AddressError>> {
        for network in networks.iter().filter(|network| network.family() == family) {
            if dry_run {
                return Ok(Ok(network.base()));
            }
            let random = u64::from_be_bytes(self.environment.random());
            for address in network.candidates(random) {
                if self.is_known_taken(address).await {
                    continue;
                }
                if self.record(address, service).await? {
                    return Ok(Ok(address));
                }
            }
        }
        Ok(Err(AddressError::Full))
    }

    /// Whether the cache has seen that an address is taken, which saves the attempt.
    async fn is_known_taken(&self, address: IpAddr) -> bool {
        let Some(storage) = &self.addresses else { return false };
        let Ok(key) = storage.key("", &address.to_string()) else { return false };
        let found = storage.cache().get(&key, At::Any, crate::registry::deadline::deadline()).await;
        found.is_ok_and(|cached| cached.is_some())
    }

    /// Makes the object by which an address belongs to a Service; false if there is one already.
    pub(crate) async fn record(&self, address: IpAddr, service: &Service) -> Outcome<bool> {
        let Some(storage) = &self.addresses else { return Ok(true) };
        let name = address.to_string();
        let now = self.environment.time();
        let family = network::family(address.is_ipv6());
        let labels = [(FAMILY_LABEL, family), (MANAGER_LABEL, MANAGER)];
        let object = IPAddress {
            metadata: ObjectMeta {
                name: name.clone(),
                uid: self.environment.uid(),
                creation_timestamp: now,
                generation: 0,
                labels: labels.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
                managed_fields: vec![ManagedFieldsEntry {
                    manager: "kube-apiserver".to_owned(),
                    operation: "Update".to_owned(),
                    api_version: "networking.k8s.io/v1".to_owned(),
                    time: Some(now),
                    fields_type: "FieldsV1".to_owned(),
                    fields_v1: Some(FieldsV1(RawJson(OWNED.as_bytes().to_vec()))),
                    subresource: String::new(),
                }],
                ..ObjectMeta::default()
            },
            spec: IPAddressSpec {
                parent_ref: Some(Box::new(ParentReference {
                    group: String::new(),
                    resource: "services".to_owned(),
                    namespace: service.metadata.namespace.clone(),
                    name: service.metadata.name.clone(),
                })),
            },
            ..IPAddress::default()
        };
        let value = storage.model.store(Box::new(object))?;
        Ok(storage.create(storage.key("", &name)?, value).await?.is_some())
    }

    /// Takes what stored Services have, in case the records of it are not there: the store may come from a
    /// server that kept them elsewhere.
    async fn recover(&self) -> Outcome<()> {
        let Some(storage) = &self.services else { return Ok(()) };
        let page = self.store.range(Range::all(storage.prefix().clone())).await?;
        let mut taken = Vec::new();
        for entry in page.entries {
            let Ok(hub) = storage.model.load(&entry.value, entry.modified) else { continue };
            let Some(service) = hub.downcast_ref::<Service>() else { continue };
            taken.extend(ports::held(service));
            for address in held_addresses(service) {
                self.record(address, service).await?;
            }
        }
        self.change_ports(|bits| {
            for port in &taken {
                // One that is taken already is as it should be.
                let _ = bits.take(*port);
            }
            Ok(())
        })
        .await
    }
}
