//! Events about Services whose addresses or ports are not as they should be.

use crate::controlplane::standing::endpoint;
use crate::loopback::{Client, Loopback, unless_there};
use std::hash::{DefaultHasher, Hash, Hasher};

use rhumb_api::core::v1::{Event, EventSource, ObjectReference, Service};
use rhumb_meta::Object;

/// What is wrong with a Service, in the words of an Event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// What was found.
    pub(super) reason: &'static str,
    /// What was looked at.
    pub(super) action: &'static str,
    /// The sentence about it.
    pub(super) note: String,
}

/// Writes an Event about a Service. One that says the same is left as it is for as long as Events last.
pub(super) async fn tell(api: &Loopback, inner: &Client, service: &Service, finding: &Finding) {
    tracing::warn!(
        namespace = service.metadata.namespace,
        service = service.metadata.name,
        reason = finding.reason,
        "{}",
        finding.note
    );
    let Some(events) = endpoint(api, "", "events") else { return };
    let meta = &service.metadata;
    let mut hasher = DefaultHasher::new();
    (&meta.uid, finding.reason, &finding.note).hash(&mut hasher);
    let now = api.environment().time();
    let mut event = Event {
        involved_object: ObjectReference {
            kind: "Service".to_owned(),
            api_version: "v1".to_owned(),
            namespace: meta.namespace.clone(),
            name: meta.name.clone(),
            uid: meta.uid.clone(),
            resource_version: meta.resource_version.clone(),
            ..ObjectReference::default()
        },
        reason: finding.reason.to_owned(),
        message: finding.note.clone(),
        source: EventSource { component: REPORTER.to_owned(), ..EventSource::default() },
        first_timestamp: now,
        last_timestamp: now,
        count: 1,
        type_: "Warning".to_owned(),
        action: finding.action.to_owned(),
        reporting_component: REPORTER.to_owned(),
        ..Event::default()
    };
    event.metadata.name = format!("{}.{:016x}", meta.name, hasher.finish());
    event.metadata.namespace.clone_from(&meta.namespace);
    let event: Box<dyn Object> = Box::new(event);
    // A namespace that is going, or a quota, takes no Events; what was found is mended all the same.
    if let Err(failure) = unless_there(inner.create(&events, &meta.namespace, event).await) {
        tracing::debug!(error = %failure, "an Event about a Service could not be written");
    }
}

/// Who tells of it.
const REPORTER: &str = "service-allocation-repair-controller";
