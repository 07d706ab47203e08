//! Frees addresses that nobody has: the object by which a Service has an address is made before the Service is
//! stored, and stays if a crash comes between.
//!
//! Objects are looked at when the server starts and every few minutes. Young ones are left alone, because their
//! Service may be on its way.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rhumb_api::core::v1::Service;
use rhumb_api::networking::v1::IPAddress;
use rhumb_meta::v1::{DeleteOptions, Preconditions};
use rhumb_meta::validation::ip::parse_ip_sloppy;

use super::standing::{all, endpoint, unless_gone};
use crate::allocate::{MANAGER, MANAGER_LABEL};
use crate::api::Api;
use crate::failure::Outcome;
use crate::inner::{Inner, Place};

/// How long to wait from one look to the next.
const INTERVAL: Duration = Duration::from_secs(3 * 60);
/// How long a request may take, in seconds: a Service that is not there by then will not come.
const REQUEST: i64 = 60;
/// How long it may take until what a failed request was given is taken back, in seconds.
const TAKING_BACK: i64 = 5;

/// Starts to look.
pub(super) fn start(api: &Arc<Api>) {
    let then = Arc::downgrade(api);
    api.tasks.spawn(async move {
        while let Some(api) = then.upgrade() {
            // What can't be done now is done at the next look.
            let young = free(&api).await.unwrap_or_default();
            drop(api);
            let pause = young.and_then(|seconds| u64::try_from(seconds).ok()).map(Duration::from_secs);
            tokio::time::sleep(pause.unwrap_or(INTERVAL).min(INTERVAL)).await;
        }
    });
}

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
        _ if service.metadata.creation_timestamp.unix_seconds() < made => TAKING_BACK,
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

/// Frees what nobody has; when to look again, in seconds, if something is too young.
async fn free(api: &Arc<Api>) -> Outcome<Option<i64>> {
    let (Some(services), Some(addresses)) =
        (endpoint(api, "", "services"), endpoint(api, "networking.k8s.io", "ipaddresses"))
    else {
        return Ok(None);
    };
    let inner = Inner::server(api);
    let objects = all(&inner, &addresses, "").await?;
    let objects = objects.iter().filter_map(|object| object.downcast_ref::<IPAddress>());
    let there = all(&inner, &services, "").await?;
    let there: HashMap<(&str, &str), &Service> = there
        .iter()
        .filter_map(|object| object.downcast_ref::<Service>())
        .map(|service| ((service.metadata.namespace.as_str(), service.metadata.name.as_str()), service))
        .collect();
    let (now, _) = api.environment.now();
    let mut again: Option<i64> = None;
    for address in objects.filter(|address| is_ours(address)) {
        let parent = address.spec.parent_ref.as_deref();
        let parent = parent.map(|parent| (parent.namespace.as_str(), parent.name.as_str()));
        let service = parent.and_then(|parent| there.get(&parent).copied());
        match judge(address, service, now) {
            Verdict::Keep => {}
            Verdict::Wait(seconds) => again = Some(again.map_or(seconds, |known| known.min(seconds))),
            Verdict::Free => {
                let meta = &address.metadata;
                let preconditions = Preconditions { uid: Some(meta.uid.clone()), resource_version: None };
                let options = DeleteOptions {
                    preconditions: Some(Box::new(preconditions)),
                    ..DeleteOptions::default()
                };
                unless_gone(inner.delete(&Place::new(&addresses, "", &meta.name), options).await)?;
            }
        }
    }
    Ok(again)
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
}
