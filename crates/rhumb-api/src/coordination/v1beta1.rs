//! `coordination.k8s.io/v1beta1`.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{MicroTime, Object};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::Lease)]
pub struct Lease {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: LeaseSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct LeaseCandidate {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required_omitempty)]
    pub spec: LeaseCandidateSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct LeaseCandidateList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<LeaseCandidate>,
}

#[derive(Clone, Default, Schema)]
pub struct LeaseCandidateSpec {
    #[field(1, required)]
    pub lease_name: String,
    #[field(2)]
    pub ping_time: Option<MicroTime>,
    #[field(3)]
    pub renew_time: Option<MicroTime>,
    #[field(4, required)]
    pub binary_version: String,
    #[field(5)]
    pub emulation_version: String,
    #[field(6, required_omitempty)]
    pub strategy: String,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::LeaseList)]
pub struct LeaseList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Lease>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::LeaseSpec)]
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
