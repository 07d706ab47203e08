//! `flowcontrol.apiserver.k8s.io/v1beta1`: equal to v1beta2.

pub use super::v1::{
    ExemptPriorityLevelConfiguration, FlowDistinguisherMethod, FlowSchemaCondition, FlowSchemaSpec,
    GroupSubject, LimitResponse, NonResourcePolicyRule, PolicyRulesWithSubjects,
    PriorityLevelConfigurationCondition, PriorityLevelConfigurationReference, QueuingConfiguration,
    ResourcePolicyRule, ServiceAccountSubject, Subject, UserSubject,
};
pub use super::v1beta2::{
    FlowSchema, FlowSchemaList, FlowSchemaStatus, LimitedPriorityLevelConfiguration,
    PriorityLevelConfiguration, PriorityLevelConfigurationList, PriorityLevelConfigurationSpec,
    PriorityLevelConfigurationStatus,
};
