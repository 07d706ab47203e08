//! Addresses: the object by which a Service has one is made before the Service is stored, and stays if a crash comes
//! between; and a Service that lost it, by a restored backup or by hand, gets it again.

use crate::controlplane::standing::endpoint;
use crate::loopback::{Client, Loopback, ObjectRef, all, unless_gone};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use rhumb_api::core::v1::Service;
use rhumb_api::networking::v1::IPAddress;
use rhumb_meta::v1::{DeleteOptions, Preconditions};
use rhumb_meta::validation::ip::parse_ip_sloppy;

use super::REQUEST;
use super::events::{Finding, tell};
use crate::base::failure::Outcome;
use crate::registry::Endpoint;
use crate::registry::allocation::{MANAGER, MANAGER_LABEL, held_addresses, is_of};

/// How long it may take until what a failed request was given is taken back, in seconds.
const TAKING_BACK: i64 = 5;

/// What is to be done with the object of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Keep,
    /// It may be decided in so many seconds.
    Wait(i64),
    Free,
}

/// Looks at the object of an address beside the Service that it is of, if there is one.
fn judge(address: &IPAddress, service: Option<&Service>, now: i64) -> Verdict {
    let meta = &address.metadata;
    let made = meta.creation_timestamp.unix_seconds();
    let age = now.saturating_sub(made);
    let younger_than = |limit: i64| (age <= limit).then(|| Verdict::Wait(limit.saturating_sub(age) + 1));
    if !is_of_service(address) {
        return Verdict::Free;
    }
    let Some(service) = service else { return younger_than(REQUEST).unwrap_or(Verdict::Free) };
    let own = parse_ip_sloppy(&meta.name);
    if own.is_some() && service.spec.cluster_ips.iter().any(|ip| parse_ip_sloppy(ip) == own) {
        return Verdict::Keep;
    }
    // A Service may be getting its address only now, by a change or because it was to be made a second time.
    let grace = match service.spec.type_.as_str() {
        "ExternalName" => REQUEST,
        _ if service.metadata.creation_timestamp.unix_seconds() <= made => TAKING_BACK,
        _ => return Verdict::Free,
    };
    younger_than(grace).unwrap_or(Verdict::Free)
}

fn is_ours(address: &IPAddress) -> bool {
    address.metadata.labels.get(MANAGER_LABEL).is_some_and(|manager| manager == MANAGER)
}

fn is_of_service(address: &IPAddress) -> bool {
    let parent = address.spec.parent_ref.as_deref();
    parent.is_some_and(|parent| parent.group.is_empty() && parent.resource == "services")
}

/// What is wrong with an address that a Service has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Nothing says that it is taken.
    Missing,
    /// It belongs to another Service, which has it too.
    Doubled,
    /// Its object points to something that does not have it.
    Astray,
}

/// Looks at an address that a Service has, beside the object of the address and the Service that this points to.
fn fault(
    address: IpAddr,
    service: &Service,
    object: Option<&IPAddress>,
    there: &HashMap<(&str, &str), &Service>,
) -> Option<Fault> {
    let Some(object) = object else { return Some(Fault::Missing) };
    if is_of(object, service) {
        return None;
    }
    let parent = object.spec.parent_ref.as_deref().filter(|_| is_of_service(object));
    let other = parent.and_then(|parent| there.get(&(parent.namespace.as_str(), parent.name.as_str())));
    let has = other.is_some_and(|other| held_addresses(other).contains(&address));
    Some(if has { Fault::Doubled } else { Fault::Astray })
}

fn finding(fault: Fault, address: IpAddr, service: &Service) -> Finding {
    let family = if address.is_ipv6() { "IPv6" } else { "IPv4" };
    let (reason, note) = match fault {
        Fault::Missing => {
            ("ClusterIPNotAllocated", format!("Cluster IP [{family}]: {address} is not allocated; repairing"))
        }
        Fault::Doubled => (
            "ClusterIPAlreadyAllocated",
            format!(
                "Cluster IP [{family}]:{address} was assigned to multiple services; please recreate service"
            ),
        ),
        Fault::Astray => (
            "ClusterIPNotAllocated",
            format!(
                "the ClusterIP [{family}]: {address} for Service {}/{} has a wrong reference; repairing",
                service.metadata.namespace, service.metadata.name
            ),
        ),
    };
    Finding { reason, action: "ClusterIPAllocation", note }
}

/// The Services as they were when the look began.
pub(super) struct Seen<'a> {
    /// Their resource.
    pub(super) endpoint: &'a Arc<Endpoint>,
    /// All of them.
    pub(super) services: &'a [&'a Service],
    /// The time before they were read, in seconds since 1970.
    pub(super) now: i64,
}

/// Whether a Service has an address now: it may have changed, come or gone since all were read.
async fn has_now(
    inner: &Client,
    services: &Arc<Endpoint>,
    (namespace, name): (&str, &str),
    address: IpAddr,
) -> Outcome<bool> {
    let found = inner.get(&ObjectRef::new(services, namespace, name)).await?;
    let service = found.as_ref().and_then(|found| found.downcast_ref::<Service>());
    Ok(service.is_some_and(|service| held_addresses(service).contains(&address)))
}

/// Looks at all addresses once, and mends what is wrong. Returns in how many seconds to look again, if something is
/// too young to be judged.
pub(super) async fn look(api: &Loopback, inner: &Client, seen: &Seen<'_>) -> Outcome<Option<i64>> {
    let services = seen.services;
    let Some(addresses) = endpoint(api, "networking.k8s.io", "ipaddresses") else { return Ok(None) };
    let objects = all(inner, &addresses, "").await?;
    let objects: Vec<&IPAddress> =
        objects.iter().filter_map(|object| object.downcast_ref::<IPAddress>()).collect();
    let there: HashMap<(&str, &str), &Service> = services
        .iter()
        .map(|service| ((service.metadata.namespace.as_str(), service.metadata.name.as_str()), *service))
        .collect();
    let by_name: HashMap<&str, &IPAddress> =
        objects.iter().map(|address| (address.metadata.name.as_str(), *address)).collect();
    for service in services {
        for address in held_addresses(service) {
            let object = by_name.get(address.to_string().as_str()).copied();
            let Some(fault) = fault(address, service, object, &there) else { continue };
            let place = (service.metadata.namespace.as_str(), service.metadata.name.as_str());
            if !has_now(inner, seen.endpoint, place, address).await? {
                continue;
            }
            tell(api, inner, service, &finding(fault, address, service)).await;
            if let (Fault::Astray, Some(object)) = (fault, object) {
                remove(inner, &addresses, object).await?;
            }
            if fault != Fault::Doubled {
                api.allocator().record(address, service).await?;
            }
        }
    }
    let mut again: Option<i64> = None;
    for address in objects.into_iter().filter(|address| is_ours(address)) {
        let parent = address.spec.parent_ref.as_deref();
        let parent = parent.map(|parent| (parent.namespace.as_str(), parent.name.as_str()));
        let service = parent.and_then(|parent| there.get(&parent).copied());
        match judge(address, service, seen.now) {
            Verdict::Keep => {}
            Verdict::Wait(seconds) => again = Some(again.map_or(seconds, |known| known.min(seconds))),
            Verdict::Free => {
                let own = parse_ip_sloppy(&address.metadata.name);
                let had = match (parent.filter(|_| is_of_service(address)), own) {
                    (Some(place), Some(own)) => has_now(inner, seen.endpoint, place, own).await?,
                    _ => false,
                };
                if !had {
                    tracing::warn!(
                        address = address.metadata.name,
                        "an address that no Service has is freed"
                    );
                    remove(inner, &addresses, address).await?;
                }
            }
        }
    }
    Ok(again)
}

/// Removes the object of an address, unless it is another one by now.
async fn remove(inner: &Client, addresses: &Arc<Endpoint>, address: &IPAddress) -> Outcome<()> {
    let meta = &address.metadata;
    let preconditions = Preconditions { uid: Some(meta.uid.clone()), resource_version: None };
    let options = DeleteOptions { preconditions: Some(Box::new(preconditions)), ..DeleteOptions::default() };
    unless_gone(inner.delete(&ObjectRef::new(addresses, "", &meta.name), options).await)
}

#[cfg(test)]
mod tests {
    use rhumb_api::networking::v1::{IPAddressSpec, ParentReference};
    use rhumb_meta::{ObjectMeta, Time};

    use super::*;

    const NOW: i64 = 1_000_000;

    fn meta(name: &str, age: i64) -> ObjectMeta {
        ObjectMeta {
            name: name.to_owned(),
            creation_timestamp: Time::from_unix(NOW - age, 0),
            ..ObjectMeta::default()
        }
    }

    fn address(age: i64, resource: &str) -> IPAddress {
        let parent = ParentReference { resource: resource.to_owned(), ..ParentReference::default() };
        let spec = IPAddressSpec { parent_ref: Some(Box::new(parent)) };
        IPAddress { metadata: meta("10.0.0.9", age), spec, ..IPAddress::default() }
    }

    fn service(age: i64, type_: &str, ip: &str) -> Service {
        let mut service = Service { metadata: meta("a", age), ..Service::default() };
        type_.clone_into(&mut service.spec.type_);
        service.spec.cluster_ips = vec![ip.to_owned()];
        service
    }

    #[test]
    fn only_what_no_service_can_have_is_free() {
        let judge = |address: IPAddress, service: Option<Service>| judge(&address, service.as_ref(), NOW);
        assert_eq!(judge(address(61, "services"), None), Verdict::Free);
        assert_eq!(judge(address(50, "services"), None), Verdict::Wait(11));
        assert_eq!(judge(address(0, "gateways"), None), Verdict::Free);
        let has = |ip: &str| Some(service(100, "ClusterIP", ip));
        assert_eq!(judge(address(61, "services"), has("10.0.0.9")), Verdict::Keep);
        assert_eq!(judge(address(61, "services"), has("10.0.0.8")), Verdict::Free);
        assert_eq!(judge(address(3, "services"), has("10.0.0.8")), Verdict::Wait(3));
        let alias = || Some(service(100, "ExternalName", ""));
        assert_eq!(judge(address(30, "services"), alias()), Verdict::Wait(31));
        assert_eq!(judge(address(90, "services"), alias()), Verdict::Free);
    }

    #[test]
    fn a_service_has_its_address_alone_and_with_an_object_that_says_so() {
        let mut one = service(100, "ClusterIP", "10.0.0.9");
        let mut two = one.clone();
        "one".clone_into(&mut one.metadata.name);
        "two".clone_into(&mut two.metadata.name);
        let pointing = |name: &str| {
            let mut object = address(100, "services");
            if let Some(parent) = &mut object.spec.parent_ref {
                name.clone_into(&mut parent.name);
            }
            object
        };
        let own = parse_ip_sloppy("10.0.0.9").expect("an address");
        let there: HashMap<(&str, &str), &Service> = [(("", "one"), &one), (("", "two"), &two)].into();
        assert_eq!(fault(own, &one, None, &there), Some(Fault::Missing));
        assert_eq!(fault(own, &one, Some(&pointing("one")), &there), None);
        assert_eq!(fault(own, &two, Some(&pointing("one")), &there), Some(Fault::Doubled));
        assert_eq!(fault(own, &one, Some(&pointing("gone")), &there), Some(Fault::Astray));
    }
}
