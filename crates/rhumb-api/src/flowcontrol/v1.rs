//! `flowcontrol.apiserver.k8s.io/v1`.

use rhumb_meta::Object;
use rhumb_meta::Time;
use rhumb_meta::v1::ListMeta;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::Schema;


#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ExemptPriorityLevelConfiguration {
    #[field(1)]
    pub nominal_concurrency_shares: Option<i32>,
    #[field(2)]
    pub lendable_percent: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct FlowDistinguisherMethod {
    #[field(1, required)]
    pub type_: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct FlowSchema {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: FlowSchemaSpec,
    #[field(3)]
    pub status: FlowSchemaStatus,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct FlowSchemaCondition {
    #[field(1)]
    pub type_: String,
    #[field(2)]
    pub status: String,
    #[field(3)]
    pub last_transition_time: Time,
    #[field(4)]
    pub reason: String,
    #[field(5)]
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct FlowSchemaList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<FlowSchema>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct FlowSchemaSpec {
    #[field(1, required)]
    pub priority_level_configuration: PriorityLevelConfigurationReference,
    #[field(2, shown)]
    pub matching_precedence: i32,
    #[field(3)]
    pub distinguisher_method: Option<Box<FlowDistinguisherMethod>>,
    #[field(4, list = "atomic")]
    pub rules: Vec<PolicyRulesWithSubjects>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct FlowSchemaStatus {
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<FlowSchemaCondition>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct GroupSubject {
    #[field(1, required)]
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct LimitResponse {
    #[field(1, required)]
    pub type_: String,
    #[field(2)]
    pub queuing: Option<Box<QueuingConfiguration>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct LimitedPriorityLevelConfiguration {
    #[field(1, shown)]
    pub nominal_concurrency_shares: Option<i32>,
    #[field(2)]
    pub limit_response: LimitResponse,
    #[field(3)]
    pub lendable_percent: Option<i32>,
    #[field(4)]
    pub borrowing_limit_percent: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct NonResourcePolicyRule {
    #[field(1, required, list = "set")]
    pub verbs: Vec<String>,
    #[field(6, json = "nonResourceURLs", required, list = "set")]
    pub non_resource_urls: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PolicyRulesWithSubjects {
    #[field(1, required, list = "atomic")]
    pub subjects: Vec<Subject>,
    #[field(2, list = "atomic")]
    pub resource_rules: Vec<ResourcePolicyRule>,
    #[field(3, list = "atomic")]
    pub non_resource_rules: Vec<NonResourcePolicyRule>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PriorityLevelConfigurationCondition {
    #[field(1)]
    pub type_: String,
    #[field(2)]
    pub status: String,
    #[field(3)]
    pub last_transition_time: Time,
    #[field(4)]
    pub reason: String,
    #[field(5)]
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct PriorityLevelConfigurationList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PriorityLevelConfiguration>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PriorityLevelConfigurationReference {
    #[field(1, required)]
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PriorityLevelConfigurationSpec {
    #[field(1, required)]
    pub type_: String,
    #[field(2)]
    pub limited: Option<Box<LimitedPriorityLevelConfiguration>>,
    #[field(3)]
    pub exempt: Option<Box<ExemptPriorityLevelConfiguration>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PriorityLevelConfigurationStatus {
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<PriorityLevelConfigurationCondition>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct QueuingConfiguration {
    #[field(1, shown)]
    pub queues: i32,
    #[field(2, shown)]
    pub hand_size: i32,
    #[field(3, shown)]
    pub queue_length_limit: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ResourcePolicyRule {
    #[field(1, required, list = "set")]
    pub verbs: Vec<String>,
    #[field(2, required, list = "set")]
    pub api_groups: Vec<String>,
    #[field(3, required, list = "set")]
    pub resources: Vec<String>,
    #[field(4)]
    pub cluster_scope: bool,
    #[field(5, shown, list = "set")]
    pub namespaces: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ServiceAccountSubject {
    #[field(1, required)]
    pub namespace: String,
    #[field(2, required)]
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct Subject {
    #[field(1, required)]
    pub kind: String,
    #[field(2)]
    pub user: Option<Box<UserSubject>>,
    #[field(3)]
    pub group: Option<Box<GroupSubject>>,
    #[field(4)]
    pub service_account: Option<Box<ServiceAccountSubject>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct UserSubject {
    #[field(1, required)]
    pub name: String,
}
