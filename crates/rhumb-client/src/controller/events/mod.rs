//! Event recorders: events about objects for users.
//!
//! A [`Recorder`] takes them in without ever waiting; a [`Publisher`] writes them to the server, one after the other,
//! and keeps a controller that says the same again and again from filling it. There are two ways to do that:
//!
//! - [`Counting`], for events of `v1`: the same event is written once and then counted; many that differ in their
//!   message only become one; and no object gets more than a few in a short time.
//! - [`Series`], for events of `events.k8s.io/v1`: the second of its like begins a series, which is counted here and
//!   written now and then.

mod counting;
mod publisher;
mod recent;
mod recorder;
mod series;
mod sink;
#[cfg(test)]
mod tests;

use rhumb_api::core::v1::ObjectReference;
use rhumb_meta::validation::{NamePart, name_is_dns_subdomain};
use rhumb_meta::{MicroTime, Object, Resource};
use serde_json::Value as Json;
use tokio::time::Instant;

pub use counting::{Counting, CountingOptions};
pub use publisher::Publisher;
pub use recorder::{Draft, Recorder};
pub use series::Series;
pub use sink::EventSink;

/// Type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    /// Informational.
    Normal,
    /// Something may be wrong.
    Warning,
}

impl EventType {
    /// Returns the value of the field.
    pub fn as_str(self) -> &'static str {
        match self {
            EventType::Normal => "Normal",
            EventType::Warning => "Warning",
        }
    }
}

/// Component that reports events.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The controller, such as `example.com/backup`.
    pub controller: String,
    /// Which of the controller's processes, such as the name of its pod or node.
    pub instance: String,
}

/// An event as recorded, before correlation.
#[derive(Clone, Debug)]
pub struct Happening {
    draft: Draft,
    source: Source,
    at: MicroTime,
}

/// A write to the server.
#[derive(Clone, Debug)]
pub struct Write<E> {
    /// The event, as it is created if there is none of its name.
    event: E,
    /// Patch of an event that was written before.
    patch: Option<Json>,
}

/// Decides what is written for each event. It gets the time as an argument and does no I/O. Implemented by
/// [`Counting`] and [`Series`].
pub trait Correlator: sealed::Sealed + Send + 'static {
    /// The event type.
    type Event: Object + Default + Clone;

    /// Returns the write for a recorded event.
    fn happened(&mut self, happening: Happening, now: Instant) -> Option<Write<Self::Event>>;

    /// Returns the time of the next refresh, if one is needed without further events.
    fn next_refresh(&self) -> Option<Instant> {
        None
    }

    /// Returns the writes that are due.
    fn refresh(&mut self, now: Instant, wall: MicroTime) -> Vec<Write<Self::Event>> {
        let _ = (now, wall);
        Vec::new()
    }
}

mod sealed {
    /// Prevents implementations outside this crate.
    pub trait Sealed {}

    impl Sealed for super::Counting {}
    impl Sealed for super::Series {}
}

/// Returns an object reference to a typed object.
pub fn reference_to<K: Resource>(object: &K) -> ObjectReference {
    let mut reference = reference_to_any(object);
    K::KIND.clone_into(&mut reference.kind);
    reference.api_version = K::gvk().api_version();
    reference
}

/// Returns an object reference to any object by its own kind.
pub fn reference_to_any(object: &dyn Object) -> ObjectReference {
    let (api_version, kind) = object.type_meta();
    let mut reference = ObjectReference {
        kind: kind.to_owned(),
        api_version: api_version.to_owned(),
        ..ObjectReference::default()
    };
    if let Some(metadata) = object.metadata() {
        reference.namespace.clone_from(&metadata.namespace);
        reference.name.clone_from(&metadata.name);
        reference.uid.clone_from(&metadata.uid);
        reference.resource_version.clone_from(&metadata.resource_version);
    }
    reference
}

/// Returns the namespace of events about an object.
fn namespace_for(about: &ObjectReference) -> String {
    if about.namespace.is_empty() { "default".to_owned() } else { about.namespace.clone() }
}

/// Returns a name for an event that no other has: the object's and the time to the nanosecond.
fn name_for(about: &ObjectReference, at: MicroTime) -> String {
    let nanos = i128::from(at.unix_seconds()) * 1_000_000_000 + i128::from(at.nanos());
    let name = format!("{}.{nanos:x}", about.name);
    if name_is_dns_subdomain(&name, NamePart::Whole).is_empty() {
        return name;
    }
    // Objects may have names that events can't.
    format!("event.{nanos:x}.{:016x}", fastrand::u64(..))
}
