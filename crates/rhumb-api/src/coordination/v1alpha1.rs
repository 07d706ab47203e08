//! `coordination.k8s.io/v1alpha1`: candidates that name several strategies, of which v1alpha2 has left one.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{MicroTime, Object};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use super::v1beta1;

/// Someone who could hold a lease whose election is coordinated. Gone since Kubernetes 1.32.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1beta1::LeaseCandidate)]
pub struct LeaseCandidate {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the candidate is for and what it offers.
    #[field(2)]
    pub spec: LeaseCandidateSpec,
}

/// What a candidate is for and what it offers.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1beta1::LeaseCandidateSpec)]
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
    /// The version of the program, such as `1.31.0`, without a `v`.
    #[field(4)]
    pub binary_version: String,
    /// The version that the program behaves like, not after its own.
    #[field(5)]
    pub emulation_version: String,
    /// How the leader is to be picked, the best way first.
    #[field(6, list = "atomic")]
    #[convert(rename = strategy, with = strategies)]
    pub preferred_strategies: Vec<String>,
}

/// A list of LeaseCandidates.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1beta1::LeaseCandidateList)]
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

/// The hub has room for one strategy. No release of Kubernetes says what becomes of more, so they are refused.
mod strategies {
    use rhumb_scheme::{ConvertError, Scope};

    pub(super) fn to_hub(strategies: Vec<String>, _scope: &Scope) -> Result<String, ConvertError> {
        let mut strategies = strategies.into_iter();
        match (strategies.next(), strategies.next()) {
            (None, _) => Ok(String::new()),
            (Some(only), None) if !only.is_empty() => Ok(only),
            _ => Err(ConvertError::value(
                "a LeaseCandidate of coordination.k8s.io/v1alpha1 can be converted if it has one preferred strategy at most",
            )),
        }
    }

    pub(super) fn from_hub(strategy: String, _scope: &Scope) -> Result<Vec<String>, ConvertError> {
        Ok(if strategy.is_empty() { Vec::new() } else { vec![strategy] })
    }
}
