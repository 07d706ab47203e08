//! `flowcontrol.apiserver.k8s.io/v1beta3`.

use rhumb_meta::Object;
use rhumb_meta::v1::ListMeta;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::Schema;

pub use super::v1::{ExemptPriorityLevelConfiguration, FlowDistinguisherMethod, FlowSchema, FlowSchemaCondition, FlowSchemaList, FlowSchemaSpec, FlowSchemaStatus, GroupSubject, LimitResponse, NonResourcePolicyRule, PolicyRulesWithSubjects, PriorityLevelConfigurationCondition, PriorityLevelConfigurationReference, PriorityLevelConfigurationStatus, QueuingConfiguration, ResourcePolicyRule, ServiceAccountSubject, Subject, UserSubject};


#[derive(Clone, Default, Schema)]
pub struct LimitedPriorityLevelConfiguration {
    #[field(1, shown)]
    pub nominal_concurrency_shares: i32,
    #[field(2)]
    pub limit_response: LimitResponse,
    #[field(3)]
    pub lendable_percent: Option<i32>,
    #[field(4)]
    pub borrowing_limit_percent: Option<i32>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PriorityLevelConfiguration {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: PriorityLevelConfigurationSpec,
    #[field(3)]
    pub status: PriorityLevelConfigurationStatus,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PriorityLevelConfigurationList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PriorityLevelConfiguration>,
}

#[derive(Clone, Default, Schema)]
pub struct PriorityLevelConfigurationSpec {
    #[field(1, required)]
    pub type_: String,
    #[field(2)]
    pub limited: Option<Box<LimitedPriorityLevelConfiguration>>,
    #[field(3)]
    pub exempt: Option<Box<ExemptPriorityLevelConfiguration>>,
}
