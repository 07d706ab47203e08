//! Which ports of nodes are taken: a bit for each, kept in the store where Kubernetes keeps them, so that all
//! servers on one store agree.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use rhumb_api::core::v1::{RangeAllocation, Service};
use rhumb_codec::{ProtobufSerializer, Serializer};
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::{ByteString, Shown};
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_store::{Expected, Key, Outcome as Answered, Revision, Store, Transaction};

use super::service_kind;
use crate::base::failure::{Failure, Outcome};

/// The ports that Services can have on nodes.
const FIRST: u16 = 30000;
const LAST: u16 = 32767;
const COUNT: u16 = LAST - FIRST + 1;
/// How many of them at the beginning are given only when all others are taken.
const BAND: u16 = 86;
/// How long a write is tried anew when other servers are faster. The request that waits for it may end before.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait at most, in milliseconds, before it is tried anew.
const PAUSE: u64 = 20;

/// The taken ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Taken(Vec<bool>);

/// Why a port can't be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortError {
    Taken,
    Outside,
    Full,
}

impl std::fmt::Display for PortError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PortError::Taken => f.write_str("provided port is already allocated"),
            PortError::Outside => {
                write!(f, "provided port is not in the valid range. The range of valid ports is {}", range())
            }
            PortError::Full => f.write_str("range is full"),
        }
    }
}

impl Default for Taken {
    fn default() -> Self {
        Taken(vec![false; usize::from(COUNT)])
    }
}

fn place(port: i32) -> Option<usize> {
    let port = u16::try_from(port).ok()?;
    (FIRST..=LAST).contains(&port).then(|| usize::from(port - FIRST))
}

impl Taken {
    /// Takes a port.
    pub(crate) fn take(&mut self, port: i32) -> Result<(), PortError> {
        let bit = place(port).and_then(|place| self.0.get_mut(place)).ok_or(PortError::Outside)?;
        if *bit {
            return Err(PortError::Taken);
        }
        *bit = true;
        Ok(())
    }

    /// Takes any port that is free.
    fn take_any(&mut self, random: u32) -> Result<i32, PortError> {
        let circle = |first: u16, last: u16| {
            let count = u32::from(last - first);
            (0..count).map(move |step| {
                let offset = random.wrapping_add(step).checked_rem(count).unwrap_or(0);
                i32::from(FIRST + first) + i32::try_from(offset).unwrap_or(0)
            })
        };
        for port in circle(BAND, COUNT).chain(circle(0, BAND)) {
            if self.take(port).is_ok() {
                return Ok(port);
            }
        }
        Err(PortError::Full)
    }

    /// Gives a port back.
    pub(crate) fn free(&mut self, port: i32) {
        if let Some(bit) = place(port).and_then(|place| self.0.get_mut(place)) {
            *bit = false;
        }
    }

    /// The ports that are taken.
    pub(crate) fn all(&self) -> BTreeSet<i32> {
        let taken = (FIRST..=LAST).zip(&self.0).filter(|(_, bit)| **bit);
        taken.map(|(port, _)| i32::from(port)).collect()
    }

    /// The bits as one number, the highest byte first and no more bytes than needed.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self
            .0
            .chunks(8)
            .map(|chunk| chunk.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit)))
            .collect();
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        bytes.reverse();
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let mut taken = Taken::default();
        for (place, bit) in taken.0.iter_mut().enumerate() {
            let byte = bytes.iter().rev().nth(place / 8).copied().unwrap_or(0);
            *bit = byte >> (place % 8) & 1 == 1;
        }
        taken
    }
}

/// Where the taken ports are kept.
pub(super) async fn read(store: &dyn Store, key: &Key) -> Outcome<(Taken, Option<Revision>)> {
    let (entry, _) = store.get(key.clone(), None).await?;
    let Some(entry) = entry else { return Ok((Taken::default(), None)) };
    let mut range = RangeAllocation::default();
    rhumb_codec::proto::open(&entry.value)
        .and_then(|envelope| rhumb_codec::proto::decode_into(envelope.raw, &mut range))
        .map_err(Failure::internal)?;
    Ok((Taken::from_bytes(&range.data.0), Some(entry.modified)))
}

/// The record of the taken ports as it is stored.
fn record(taken: &Taken) -> Outcome<Bytes> {
    let range = RangeAllocation {
        type_meta: TypeMeta { api_version: "v1".to_owned(), kind: "RangeAllocation".to_owned() },
        range: range(),
        data: ByteString(taken.to_bytes()),
        ..RangeAllocation::default()
    };
    let mut value = Vec::new();
    ProtobufSerializer.encode(&range, &mut value).map_err(Failure::internal)?;
    Ok(value.into())
}

/// Whether a Service can have a port.
pub(crate) fn is_in_range(port: i32) -> bool {
    place(port).is_some()
}

/// The ports that Services can have, as Kubernetes writes a range.
pub(crate) fn range() -> String {
    format!("{FIRST}-{LAST}")
}

/// Adds to a transaction that the record is replaced, which was read at a revision.
pub(super) fn replace(
    transaction: Transaction,
    key: &Key,
    taken: &Taken,
    read: Option<Revision>,
) -> Outcome<Transaction> {
    let expected = read.map_or(Expected::Absent, Expected::At);
    Ok(transaction.expect(key.clone(), expected).put(key.clone(), record(taken)?, None))
}

/// Changes the taken ports, again until nobody else came between. What the change gives is the answer.
///
/// Within a server one after the other changes them (`Allocator::turn`); between servers on one store whoever comes
/// second tries again after a while that is not the same for all.
pub(super) async fn change<T>(
    store: &dyn Store,
    key: &Key,
    random: &(dyn Fn() -> u32 + Sync),
    mut change: impl FnMut(&mut Taken) -> Outcome<T>,
) -> Outcome<T> {
    let changed = async {
        loop {
            let (before, revision) = read(store, key).await?;
            let mut taken = before.clone();
            let given = change(&mut taken)?;
            if taken == before {
                return Ok(given);
            }
            let transaction = replace(Transaction::default(), key, &taken, revision)?;
            if let Answered::Committed(_) = store.commit(transaction).await? {
                return Ok(given);
            }
            tokio::time::sleep(Duration::from_millis(u64::from(random()) % PAUSE)).await;
        }
    };
    let too_late = |_| Err(Failure::internal("the ports of nodes are changed by too many servers at once"));
    tokio::time::timeout(PATIENCE, changed).await.unwrap_or_else(too_late)
}

/// What a Service gets and what it gives back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ports {
    /// The ports that were taken for it.
    pub(super) taken: Vec<i32>,
    /// Those that it has no more use for.
    pub(super) freed: Vec<i32>,
}

/// Whether a Service has ports on nodes.
fn has_node_ports(service: &Service) -> bool {
    matches!(service.spec.type_.as_str(), "NodePort" | "LoadBalancer")
}

/// Whether its ports get ports on nodes by themselves.
fn wants_node_ports(service: &Service) -> bool {
    match service.spec.type_.as_str() {
        "NodePort" => true,
        "LoadBalancer" => service.spec.allocate_load_balancer_node_ports.unwrap_or(true),
        _ => false,
    }
}

/// Whether anything of the taken ports can change when a Service is made, or changed from what it was.
pub(super) fn concern(service: &Service, old: Option<&Service>) -> bool {
    let concerned = |service: &Service| has_node_ports(service) || is_checked(service);
    concerned(service) || old.is_some_and(concerned)
}

/// Whether load balancers ask nodes at a port of its own whether they have pods of it.
fn is_checked(service: &Service) -> bool {
    service.spec.type_ == "LoadBalancer" && service.spec.external_traffic_policy == "Local"
}

/// The ports on nodes that a Service has.
pub(crate) fn held(service: &Service) -> Vec<i32> {
    let check = service.spec.health_check_node_port;
    let check = Some(check).filter(|port| is_checked(service) && *port > 0);
    node_ports(service).into_iter().chain(check).collect()
}

fn node_ports(service: &Service) -> Vec<i32> {
    service.spec.ports.iter().map(|port| port.node_port).filter(|port| *port != 0).collect()
}

fn refused(service: &Service, index: usize, port: i32, error: PortError) -> Failure {
    let mut errors = FieldErrors::default();
    let path = FieldPath::new("spec").child("ports").index(index).child("nodePort");
    errors.invalid(&path, &Shown(port.to_string()), &error.to_string());
    Failure::invalid(&service_kind(), &service.metadata.name, &errors)
}

fn none_left(error: PortError) -> Failure {
    Failure::internal(format!("failed to allocate a nodePort: {error}"))
}

/// Gives a new Service its ports.
pub(super) fn for_new(service: &mut Service, taken: &mut Taken, random: &dyn Fn() -> u32) -> Outcome<Ports> {
    let mut ports = Ports::default();
    if has_node_ports(service) {
        give(service, taken, random, &mut ports)?;
    }
    if is_checked(service) {
        give_check(service, taken, random, &mut ports)?;
    }
    Ok(ports)
}

/// Ports of a Service that have the same number, for several protocols, share a port on nodes.
fn give(
    service: &mut Service,
    taken: &mut Taken,
    random: &dyn Fn() -> u32,
    ports: &mut Ports,
) -> Outcome<()> {
    let mut given: Vec<(i32, i32)> = Vec::new();
    for index in 0..service.spec.ports.len() {
        let Some((number, asked)) = service.spec.ports.get(index).map(|port| (port.port, port.node_port))
        else {
            continue;
        };
        if asked == 0 && !wants_node_ports(service) {
            continue;
        }
        let shared = given.iter().find(|(port, _)| *port == number).map(|(_, node_port)| *node_port);
        let chosen = match shared {
            Some(shared) if asked == shared || asked == 0 => shared,
            Some(_) => {
                taken.take(asked).map_err(|error| refused(service, index, asked, error))?;
                ports.taken.push(asked);
                continue;
            }
            None => {
                let asked = service.spec.ports.iter().find(|port| port.port == number && port.node_port != 0);
                let node_port = match asked.map(|port| port.node_port) {
                    Some(asked) => {
                        taken.take(asked).map_err(|error| refused(service, index, asked, error))?;
                        asked
                    }
                    None => taken.take_any(random()).map_err(none_left)?,
                };
                ports.taken.push(node_port);
                given.push((number, node_port));
                node_port
            }
        };
        if let Some(port) = service.spec.ports.get_mut(index) {
            port.node_port = chosen;
        }
    }
    Ok(())
}

fn give_check(
    service: &mut Service,
    taken: &mut Taken,
    random: &dyn Fn() -> u32,
    ports: &mut Ports,
) -> Outcome<()> {
    let asked = service.spec.health_check_node_port;
    if asked != 0 {
        taken.take(asked).map_err(|error| {
            Failure::internal(format!("failed to allocate requested HealthCheck NodePort {asked}: {error}"))
        })?;
    } else {
        let port = taken.take_any(random()).map_err(|error| {
            Failure::internal(format!("failed to allocate a HealthCheck NodePort 0: {error}"))
        })?;
        service.spec.health_check_node_port = port;
    }
    ports.taken.push(service.spec.health_check_node_port);
    Ok(())
}

/// Gives a changed Service the ports that it lacks.
pub(super) fn for_change(
    new: &mut Service,
    old: &Service,
    taken: &mut Taken,
    random: &dyn Fn() -> u32,
) -> Outcome<Ports> {
    let mut ports = Ports::default();
    let before = node_ports(old);
    if has_node_ports(old) && !has_node_ports(new) {
        ports.freed.extend(&before);
    }
    if has_node_ports(new) {
        exchange(new, &before, taken, random, &mut ports)?;
    }
    match (is_checked(old), is_checked(new)) {
        (false, true) => give_check(new, taken, random, &mut ports)?,
        (true, false) => ports.freed.push(old.spec.health_check_node_port),
        _ => {}
    }
    Ok(ports)
}

fn exchange(
    new: &mut Service,
    before: &[i32],
    taken: &mut Taken,
    random: &dyn Fn() -> u32,
    ports: &mut Ports,
) -> Outcome<()> {
    let mut seen: Vec<(String, i32)> = Vec::new();
    for index in 0..new.spec.ports.len() {
        let Some((protocol, asked)) =
            new.spec.ports.get(index).map(|port| (port.protocol.clone(), port.node_port))
        else {
            continue;
        };
        if asked == 0 && !wants_node_ports(new) {
            continue;
        }
        let chosen = if asked == 0 {
            let port = taken.take_any(random()).map_err(none_left)?;
            ports.taken.push(port);
            port
        } else {
            if !before.contains(&asked) && !ports.taken.contains(&asked) {
                taken.take(asked).map_err(|error| refused(new, index, asked, error))?;
                ports.taken.push(asked);
            }
            asked
        };
        if let Some(port) = new.spec.ports.get_mut(index) {
            port.node_port = chosen;
        }
        if seen.contains(&(protocol.clone(), chosen)) {
            return Err(Failure::unexplained(format!("duplicate nodePort: {{{protocol} {chosen}}}")));
        }
        seen.push((protocol, chosen));
    }
    let after = node_ports(new);
    ports.freed.extend(before.iter().filter(|port| !after.contains(port)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_kept_as_one_number() {
        let mut taken = Taken::default();
        assert_eq!(taken.to_bytes(), Vec::<u8>::new());
        taken.take(30000).expect("free");
        taken.take(30009).expect("free");
        assert_eq!(taken.to_bytes(), [0b10, 0b1]);
        assert_eq!(Taken::from_bytes(&taken.to_bytes()), taken);
        assert_eq!(taken.take(30009), Err(PortError::Taken));
        assert_eq!(taken.take(80), Err(PortError::Outside));
        assert_eq!(taken.take(-1), Err(PortError::Outside));
    }

    #[test]
    fn every_port_is_given_once_and_then_none() {
        let mut taken = Taken::default();
        let first = taken.take_any(u32::MAX).expect("free");
        assert!(first >= i32::from(FIRST + BAND), "{first}");
        for _ in 1..COUNT {
            taken.take_any(5).expect("free");
        }
        assert_eq!(taken.take_any(5), Err(PortError::Full));
        taken.free(31000);
        assert_eq!(taken.take_any(5), Ok(31000));
    }
}
