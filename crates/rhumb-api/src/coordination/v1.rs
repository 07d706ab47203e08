//! `coordination.k8s.io/v1`.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{MicroTime, Object};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema, Object)]
pub struct Lease {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: LeaseSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct LeaseList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Lease>,
}

#[derive(Clone, Default, Schema)]
pub struct LeaseSpec {
    #[field(1)]
    pub holder_identity: Option<String>,
    #[field(2)]
    pub lease_duration_seconds: Option<i32>,
    #[field(3)]
    pub acquire_time: Option<MicroTime>,
    #[field(4)]
    pub renew_time: Option<MicroTime>,
    #[field(5)]
    pub lease_transitions: Option<i32>,
    #[field(6)]
    pub strategy: Option<String>,
    #[field(7)]
    pub preferred_holder: Option<String>,
}
