//! Events in `v1`.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{MicroTime, Object, Time};
use rhumb_schema::Schema;

use super::*;

#[derive(Clone, Default, Schema, Object)]
pub struct Event {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, required)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub involved_object: ObjectReference,
    #[field(3)]
    pub reason: String,
    #[field(4)]
    pub message: String,
    #[field(5)]
    pub source: EventSource,
    #[field(6)]
    pub first_timestamp: Time,
    #[field(7)]
    pub last_timestamp: Time,
    #[field(8)]
    pub count: i32,
    #[field(9)]
    pub type_: String,
    #[field(10)]
    pub event_time: MicroTime,
    #[field(11)]
    pub series: Option<Box<EventSeries>>,
    #[field(12)]
    pub action: String,
    #[field(13)]
    pub related: Option<Box<ObjectReference>>,
    #[field(14, shown)]
    pub reporting_component: String,
    #[field(15, shown)]
    pub reporting_instance: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct EventList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Event>,
}

#[derive(Clone, Default, Schema)]
pub struct EventSeries {
    #[field(1)]
    pub count: i32,
    #[field(2)]
    pub last_observed_time: MicroTime,
}

#[derive(Clone, Default, Schema)]
pub struct EventSource {
    #[field(1)]
    pub component: String,
    #[field(2)]
    pub host: String,
}
