//! `flowcontrol.apiserver.k8s.io/v1alpha1`.

use rhumb_meta::Object;
use rhumb_meta::v1::ListMeta;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::Schema;

pub use super::v1::{FlowDistinguisherMethod, FlowSchemaCondition, FlowSchemaSpec, GroupSubject, LimitResponse, NonResourcePolicyRule, PolicyRulesWithSubjects, PriorityLevelConfigurationCondition, PriorityLevelConfigurationReference, QueuingConfiguration, ResourcePolicyRule, ServiceAccountSubject, Subject, UserSubject};

pub use super::v1beta2::{FlowSchema, FlowSchemaList, FlowSchemaStatus, PriorityLevelConfigurationStatus};


#[derive(Clone, Default, Schema)]
pub struct LimitedPriorityLevelConfiguration {
    #[field(1, shown)]
    pub assured_concurrency_shares: i32,
    #[field(2)]
    pub limit_response: LimitResponse,
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
}
