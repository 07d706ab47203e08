//! Events: what happened to objects, as told to people for an hour or so.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{MicroTime, Object, Time};
use rhumb_schema::Schema;

use super::*;

/// Something that happened to an object, for people to read. It's kept for a short time only.
#[derive(Clone, Default, Schema, Object)]
pub struct Event {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1, required)]
    pub metadata: ObjectMeta,
    /// What it happened to.
    #[field(2, required)]
    pub involved_object: ObjectReference,
    /// One CamelCase word for why it happened, for programs.
    #[field(3)]
    pub reason: String,
    /// What happened, for people.
    #[field(4)]
    pub message: String,
    /// What told of it, in the old form.
    #[field(5)]
    pub source: EventSource,
    /// When it was seen first.
    #[field(6)]
    pub first_timestamp: Time,
    /// When it was seen last.
    #[field(7)]
    pub last_timestamp: Time,
    /// How often it was seen.
    #[field(8)]
    pub count: i32,
    /// Normal or Warning.
    #[field(9)]
    pub type_: String,
    /// When it was seen first, to the microsecond. Set in events of the new form.
    #[field(10)]
    pub event_time: MicroTime,
    /// How it went on, if it was seen more than once.
    #[field(11)]
    pub series: Option<Box<EventSeries>>,
    /// What was done, or failed to be, such as Binding.
    #[field(12)]
    pub action: String,
    /// Another object that has to do with it.
    #[field(13)]
    pub related: Option<Box<ObjectReference>>,
    /// The controller that told of it, such as kubernetes.io/kubelet.
    #[field(14, shown)]
    pub reporting_component: String,
    /// Which of the controller's instances it was.
    #[field(15, shown)]
    pub reporting_instance: String,
}

/// A list of Event objects.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
pub struct EventSeries {
    /// How often so far.
    #[field(1)]
    pub count: i32,
    /// When it was seen last.
    #[field(2)]
    pub last_observed_time: MicroTime,
}

/// What told of an event.
#[derive(Clone, Default, Schema)]
pub struct EventSource {
    /// The program.
    #[field(1)]
    pub component: String,
    /// The node it runs on.
    #[field(2)]
    pub host: String,
}
