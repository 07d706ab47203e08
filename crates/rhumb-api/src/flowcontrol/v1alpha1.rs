//! `flowcontrol.apiserver.k8s.io/v1alpha1`: neither lending nor exempt levels with details.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use super::{shares, v1};

pub use super::v1::{
    FlowDistinguisherMethod, FlowSchemaCondition, FlowSchemaSpec, GroupSubject, LimitResponse,
    NonResourcePolicyRule, PolicyRulesWithSubjects, PriorityLevelConfigurationCondition,
    PriorityLevelConfigurationReference, QueuingConfiguration, ResourcePolicyRule, ServiceAccountSubject,
    Subject, UserSubject,
};
pub use super::v1beta2::{FlowSchema, FlowSchemaList, FlowSchemaStatus, PriorityLevelConfigurationStatus};

/// How a level shares the server with the others.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::LimitedPriorityLevelConfiguration, lacks(lendable_percent, borrowing_limit_percent))]
pub struct LimitedPriorityLevelConfiguration {
    /// The level's share of the server, in proportion to the other levels'. Later versions call it nominal.
    #[field(1, shown)]
    #[convert(rename = nominal_concurrency_shares, with = shares)]
    pub assured_concurrency_shares: i32,
    /// What happens to requests for which there is no room.
    #[field(2)]
    pub limit_response: LimitResponse,
}

/// A level of priority: its share of the server, and what happens to requests beyond it.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::PriorityLevelConfiguration)]
pub struct PriorityLevelConfiguration {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: PriorityLevelConfigurationSpec,
    #[field(3)]
    pub status: PriorityLevelConfigurationStatus,
}

/// A list of priority levels.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::PriorityLevelConfigurationList)]
pub struct PriorityLevelConfigurationList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<PriorityLevelConfiguration>,
}

/// What a priority level shall be.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::PriorityLevelConfigurationSpec, lacks(exempt))]
pub struct PriorityLevelConfigurationSpec {
    /// Exempt or Limited.
    #[field(1, required)]
    pub type_: String,
    /// The details of a limited level.
    #[field(2)]
    pub limited: Option<Box<LimitedPriorityLevelConfiguration>>,
}
