//! `events.k8s.io/v1beta1`.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{MicroTime, Object, Time};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::core::v1::{EventSource, ObjectReference};

pub use super::v1::EventSeries;

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::Event)]
pub struct Event {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, shown)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub event_time: MicroTime,
    #[field(3)]
    pub series: Option<Box<EventSeries>>,
    #[field(4)]
    pub reporting_controller: String,
    #[field(5)]
    pub reporting_instance: String,
    #[field(6)]
    pub action: String,
    #[field(7)]
    pub reason: String,
    #[field(8)]
    pub regarding: ObjectReference,
    #[field(9)]
    pub related: Option<Box<ObjectReference>>,
    #[field(10)]
    pub note: String,
    #[field(11)]
    pub type_: String,
    #[field(12)]
    pub deprecated_source: EventSource,
    #[field(13)]
    pub deprecated_first_timestamp: Time,
    #[field(14)]
    pub deprecated_last_timestamp: Time,
    #[field(15)]
    pub deprecated_count: i32,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::EventList)]
pub struct EventList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Event>,
}
