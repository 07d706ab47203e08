//! `coordination.k8s.io/v1beta1`: the Lease is that of v1.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{MicroTime, Object};
use rhumb_schema::Schema;

pub use super::v1::{Lease, LeaseList, LeaseSpec};

/// Someone who could hold a lease whose election is coordinated.
#[derive(Clone, Default, Schema, Object)]
pub struct LeaseCandidate {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the candidate is for and what it offers.
    #[field(2, required_omitempty)]
    pub spec: LeaseCandidateSpec,
}

/// What a candidate is for and what it offers.
#[derive(Clone, Default, Schema)]
pub struct LeaseCandidateSpec {
    /// The lease it is a candidate for. It can't be changed.
    #[field(1, required)]
    pub lease_name: String,
    /// When it was last asked whether it is alive. It answers by setting `renewTime`.
    #[field(2)]
    pub ping_time: Option<MicroTime>,
    /// When it last said that it is alive.
    #[field(3)]
    pub renew_time: Option<MicroTime>,
    /// The version of the program, such as `1.31.2`, without a `v`.
    #[field(4, required)]
    pub binary_version: String,
    /// The version that the program behaves like, not after its own.
    #[field(5)]
    pub emulation_version: String,
    /// How the leader is to be picked: `OldestEmulationVersion`, or a name with a domain before it.
    #[field(6, required_omitempty)]
    pub strategy: String,
}

/// A list of LeaseCandidates.
#[derive(Clone, Default, Schema, Object)]
pub struct LeaseCandidateList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<LeaseCandidate>,
}
