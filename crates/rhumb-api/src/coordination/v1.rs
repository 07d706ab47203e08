//! `coordination.k8s.io/v1`: leases, by which processes agree on who leads.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{MicroTime, Object};
use rhumb_schema::Schema;

/// A lock that its holder must renew, by which processes agree on who leads.
#[derive(Clone, Default, Schema, Object)]
pub struct Lease {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// Who holds the lease and until when.
    #[field(2)]
    pub spec: LeaseSpec,
}

/// Who holds a lease and until when.
#[derive(Clone, Default, Schema)]
pub struct LeaseSpec {
    /// The holder; under coordinated election the one that was elected.
    #[field(1)]
    pub holder_identity: Option<String>,
    /// How long others wait after the last renewal before they take the lease.
    #[field(2)]
    pub lease_duration_seconds: Option<i32>,
    /// When the holder got it.
    #[field(3)]
    pub acquire_time: Option<MicroTime>,
    /// When the holder last renewed it.
    #[field(4)]
    pub renew_time: Option<MicroTime>,
    /// How often it has gone from one holder to another.
    #[field(5)]
    pub lease_transitions: Option<i32>,
    /// How a leader is picked in coordinated election; without it no election is coordinated.
    #[field(6)]
    pub strategy: Option<String>,
    /// Someone who suits better than the holder, to whom the holder is to leave the lease.
    #[field(7)]
    pub preferred_holder: Option<String>,
}

/// A list of Leases.
#[derive(Clone, Default, Schema, Object)]
pub struct LeaseList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<Lease>,
}
