//! `events.k8s.io/v1`: events in their newer form. The hub is the `Event` of the core group.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{MicroTime, Object, Time};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::core::v1::{self as hub, EventSource, ObjectReference};

/// Something that happened to an object, for people to read. It's kept for a short time only.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = hub::Event)]
pub struct Event {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1, shown)]
    pub metadata: ObjectMeta,
    /// When it was seen first, to the microsecond.
    #[field(2, required)]
    pub event_time: MicroTime,
    /// How it went on, if it was seen more than once.
    #[field(3)]
    pub series: Option<Box<EventSeries>>,
    /// The controller that told of it, such as kubernetes.io/kubelet. Required for new events.
    #[field(4)]
    #[convert(rename = reporting_component)]
    pub reporting_controller: String,
    /// Which of the controller's instances it was. Required for new events.
    #[field(5)]
    pub reporting_instance: String,
    /// What was done, or failed to be, such as Binding. Required for new events.
    #[field(6)]
    pub action: String,
    /// One CamelCase word for why it was done, for programs. Required for new events.
    #[field(7)]
    pub reason: String,
    /// What it happened to: mostly the object that the controller looks after.
    #[field(8)]
    #[convert(rename = involved_object)]
    pub regarding: ObjectReference,
    /// Another object that has to do with it.
    #[field(9)]
    pub related: Option<Box<ObjectReference>>,
    /// What happened, for people. At most 1024 bytes.
    #[field(10)]
    #[convert(rename = message)]
    pub note: String,
    /// Normal or Warning.
    #[field(11)]
    pub type_: String,
    /// What told of it, in the old form. Left empty in new events.
    #[field(12)]
    #[convert(rename = source)]
    pub deprecated_source: EventSource,
    /// When it was seen first, in the old form. Left empty in new events.
    #[field(13)]
    #[convert(rename = first_timestamp)]
    pub deprecated_first_timestamp: Time,
    /// When it was seen last, in the old form. Left empty in new events.
    #[field(14)]
    #[convert(rename = last_timestamp)]
    pub deprecated_last_timestamp: Time,
    /// How often it was seen, in the old form. Left empty in new events.
    #[field(15)]
    #[convert(rename = count)]
    pub deprecated_count: i32,
}

/// A list of Event objects.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = hub::EventList)]
pub struct EventList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<Event>,
}

/// How often something was seen, and when last.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = hub::EventSeries)]
pub struct EventSeries {
    /// How often so far. At least 2.
    #[field(1, required)]
    pub count: i32,
    /// When it was seen last.
    #[field(2, required)]
    pub last_observed_time: MicroTime,
}
