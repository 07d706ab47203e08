//! `flowcontrol.apiserver.k8s.io/v1alpha1`: equal to v1beta1 in v1.28, the last release that had it.

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
