//! Keeps conditions about what the server itself is set up with, whatever controllers are wanted: whether a flow
//! schema's level is there, and whether a server that extends this one can be reached.
//!
//! There are few objects of these kinds, and they rarely change. So everything is looked at anew when
//! anything has changed, and nothing is remembered.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rhumb_api::apiregistration::v1::{APIService, APIServiceCondition, ServiceReference};
use rhumb_api::core::v1::Service;
use rhumb_api::discovery::v1::EndpointSlice;
use rhumb_api::flowcontrol::v1::{FlowSchema, FlowSchemaCondition};
use rhumb_meta::Object;
use tokio::sync::mpsc;

use crate::base::failure::Outcome;
use crate::base::health::Hook;
use crate::loopback::{Client, Loopback, ObjectRef, WeakLoopback, all, unless_gone};
use crate::registry::Endpoint;
use crate::registry::feed::From;

/// How long to wait before what failed is tried again.
const PAUSE: Duration = Duration::from_secs(1);
const FLOW: &str = "flowcontrol.apiserver.k8s.io";
const REGISTRATION: &str = "apiregistration.k8s.io";

type Look = for<'a> fn(&'a Loopback) -> Pin<Box<dyn Future<Output = Outcome<()>> + Send + 'a>>;

/// Starts to keep all of it.
pub(crate) fn start(api: &Loopback) {
    let levels = [(FLOW, "flowschemas"), (FLOW, "prioritylevelconfigurations")];
    keep(api, &levels, &[Hook::FairnessConsumer], |api| Box::pin(flows(api)));
    let reached = [(REGISTRATION, "apiservices"), ("", "services"), ("discovery.k8s.io", "endpointslices")];
    let told = &[Hook::RegistrationInformers, Hook::RemoteRegistrations];
    keep(api, &reached, told, |api| Box::pin(extensions(api)));
}

/// Looks at something at once, and whenever an object of some resources changes. Steps of the start are done with the
/// first look, or if there is nothing to look at.
fn keep(api: &Loopback, resources: &[(&str, &str)], hooks: &'static [Hook], look: Look) {
    // One ring is enough, however much has changed since the last look.
    let (ring, mut bell) = mpsc::channel::<()>(1);
    for (group, plural) in resources {
        let Some(endpoint) = endpoint(api, group, plural) else { continue };
        let Some(storage) = &endpoint.storage else { continue };
        let mut news = api.follow(storage.prefix().clone(), From::Now);
        let ring = ring.clone();
        api.tasks().spawn(async move {
            while news.recv().await.is_some() {
                if let Err(mpsc::error::TrySendError::Closed(())) = ring.try_send(()) {
                    return;
                }
            }
        });
    }
    if ring.strong_count() == 1 {
        api.hooks().done(hooks);
    }
    drop(ring);
    let api_then: WeakLoopback = api.downgrade();
    api.tasks().spawn(async move {
        while bell.recv().await.is_some() {
            loop {
                let Some(api) = api_then.upgrade() else { return };
                if look(&api).await.is_ok() {
                    api.hooks().done(hooks);
                    break;
                }
                drop(api);
                tokio::time::sleep(PAUSE).await;
            }
        }
    });
}

pub(crate) fn endpoint(api: &Loopback, group: &str, plural: &str) -> Option<Arc<Endpoint>> {
    api.resources().find(group, "v1", plural).cloned()
}

/// Says of every flow schema whether its level is there.
async fn flows(api: &Loopback) -> Outcome<()> {
    let inner = Client::server(api).managing_as("api-priority-and-fairness-config-consumer-v1");
    let (Some(schemas), Some(levels)) =
        (endpoint(api, FLOW, "flowschemas"), endpoint(api, FLOW, "prioritylevelconfigurations"))
    else {
        return Ok(());
    };
    let there = all(&inner, &levels, "").await?;
    let there: BTreeSet<String> =
        there.iter().filter_map(|level| Some(level.metadata()?.name.clone())).collect();
    for object in all(&inner, &schemas, "").await? {
        let Some(schema) = object.downcast_ref::<FlowSchema>() else { continue };
        let level = &schema.spec.priority_level_configuration.name;
        let (status, reason, end) = match there.contains(level) {
            true => ("False", "Found", "and it exists"),
            false => ("True", "NotFound", "but there is no such object"),
        };
        let wanted = FlowSchemaCondition {
            type_: "Dangling".to_owned(),
            status: status.to_owned(),
            last_transition_time: api.environment().time(),
            reason: reason.to_owned(),
            message: format!(
                "This FlowSchema references the PriorityLevelConfiguration object named {level:?} {end}"
            ),
        };
        let same = |known: &FlowSchemaCondition| {
            known.type_ == wanted.type_ && known.status == wanted.status && known.message == wanted.message
        };
        if schema.status.conditions.iter().any(same) {
            continue;
        }
        let place = ObjectRef::new(&schemas, "", &schema.metadata.name);
        let mut edit = |object: &mut dyn Object| {
            if let Some(schema) = object.downcast_mut::<FlowSchema>() {
                schema.status.conditions.retain(|known| known.type_ != wanted.type_);
                schema.status.conditions.push(wanted.clone());
            }
        };
        unless_gone(inner.change(&place, Some("status"), &schema.metadata.uid, &mut edit).await)?;
    }
    Ok(())
}

/// Says of every server that extends this one whether it can be reached.
async fn extensions(api: &Loopback) -> Outcome<()> {
    let inner = Client::server(api);
    let Some(registrations) = endpoint(api, REGISTRATION, "apiservices") else { return Ok(()) };
    for entry in inner.entries(&registrations, "").await? {
        // Nearly all of them are for what this server serves itself; their text says so without being read.
        if !entry.value.windows(10).any(|part| part == b"\"service\":") {
            continue;
        }
        let Ok(object) = registrations.model.load(&entry.value, entry.modified) else { continue };
        let Some(registration) = object.downcast_ref::<APIService>() else { continue };
        let Some(service) = &registration.spec.service else { continue };
        let (reason, message) = unreachable(&inner, service).await?;
        let known = registration.status.conditions.iter().find(|known| known.type_ == "Available");
        if known.is_some_and(|known| known.reason == reason && known.message == message) {
            continue;
        }
        let since = known.filter(|known| known.status == "False").map(|known| known.last_transition_time);
        let wanted = APIServiceCondition {
            type_: "Available".to_owned(),
            status: "False".to_owned(),
            last_transition_time: since.unwrap_or_else(|| api.environment().time()),
            reason: reason.to_owned(),
            message,
        };
        let place = ObjectRef::new(&registrations, "", &registration.metadata.name);
        let mut edit = |object: &mut dyn Object| {
            if let Some(registration) = object.downcast_mut::<APIService>() {
                registration.status.conditions.retain(|known| known.type_ != wanted.type_);
                registration.status.conditions.push(wanted.clone());
            }
        };
        unless_gone(inner.change(&place, Some("status"), &registration.metadata.uid, &mut edit).await)?;
    }
    Ok(())
}

/// Why a server behind a service can't be reached, as reason and message. Requests are not passed on to other
/// servers, so there always is a reason.
async fn unreachable(inner: &Client, service: &ServiceReference) -> Outcome<(&'static str, String)> {
    const DEFAULT_PORT: i32 = 443;
    let (name, namespace) = (&service.name, &service.namespace);
    let port = service.port.unwrap_or(DEFAULT_PORT);
    let absent = || ("ServiceNotFound", format!("service/{name} in {namespace:?} is not present"));
    let Some(services) = endpoint(inner.api(), "", "services") else { return Ok(absent()) };
    let Some(found) = inner.get(&ObjectRef::new(&services, namespace, name)).await? else {
        return Ok(absent());
    };
    let Some(found) = found.downcast_ref::<Service>() else { return Ok(absent()) };
    let beyond = "requests are not passed on to other servers".to_owned();
    if found.spec.type_ != "ClusterIP" {
        return Ok(("FailedDiscoveryCheck", beyond));
    }
    let Some(open) = found.spec.ports.iter().find(|open| open.port == port) else {
        let message = format!("service/{name} in {namespace:?} is not listening on port {port}");
        return Ok(("ServicePortError", message));
    };
    let slices = match endpoint(inner.api(), "discovery.k8s.io", "endpointslices") {
        Some(endpoint) => all(inner, &endpoint, namespace).await?,
        None => Vec::new(),
    };
    let mut slices = slices
        .iter()
        .filter_map(|slice| slice.downcast_ref::<EndpointSlice>())
        .filter(|slice| slice.metadata.labels.get("kubernetes.io/service-name") == Some(name))
        .peekable();
    if slices.peek().is_none() {
        let message = format!("cannot find endpointslices for service/{name} in {namespace:?}");
        return Ok(("EndpointsNotFound", message));
    }
    let listens = |slice: &EndpointSlice| {
        slice.ports.iter().any(|known| known.name.clone().unwrap_or_default() == open.name)
            && slice.endpoints.iter().any(|endpoint| endpoint.conditions.ready.unwrap_or(true))
    };
    if !slices.any(listens) {
        let message = format!(
            "endpointslices for service/{name} in {namespace:?} have no addresses with port name {:?}",
            open.name
        );
        return Ok(("MissingEndpoints", message));
    }
    Ok(("FailedDiscoveryCheck", beyond))
}
