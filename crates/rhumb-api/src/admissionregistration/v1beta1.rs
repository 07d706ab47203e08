//! `admissionregistration.k8s.io/v1beta1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::admissionregistration::v1::RuleWithOperations;

pub use super::v1::{
    ApplyConfiguration, AuditAnnotation, ExpressionWarning, JSONPatch, MatchCondition, Mutation, ParamKind,
    ParamRef, ServiceReference, TypeChecking, ValidatingAdmissionPolicyStatus, Validation, Variable,
    WebhookClientConfig,
};

/// The values that a `ValidationAction` has.
pub const VALIDATION_ACTIONS: &[&str] = &["Deny", "Warn", "Audit"];

#[derive(Clone, Default, Schema, Convert)]
#[schema(atomic)]
#[convert(hub = super::v1::MatchResources)]
pub struct MatchResources {
    #[field(1)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    #[field(2)]
    pub object_selector: Option<Box<LabelSelector>>,
    #[field(3, list = "atomic")]
    pub resource_rules: Vec<NamedRuleWithOperations>,
    #[field(4, list = "atomic")]
    pub exclude_resource_rules: Vec<NamedRuleWithOperations>,
    #[field(7)]
    pub match_policy: Option<String>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::MutatingAdmissionPolicy)]
pub struct MutatingAdmissionPolicy {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: MutatingAdmissionPolicySpec,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::MutatingAdmissionPolicyBinding)]
pub struct MutatingAdmissionPolicyBinding {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: MutatingAdmissionPolicyBindingSpec,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::MutatingAdmissionPolicyBindingList)]
pub struct MutatingAdmissionPolicyBindingList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<MutatingAdmissionPolicyBinding>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::MutatingAdmissionPolicyBindingSpec)]
pub struct MutatingAdmissionPolicyBindingSpec {
    #[field(1)]
    pub policy_name: String,
    #[field(2)]
    pub param_ref: Option<Box<ParamRef>>,
    #[field(3)]
    pub match_resources: Option<Box<MatchResources>>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::MutatingAdmissionPolicyList)]
pub struct MutatingAdmissionPolicyList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<MutatingAdmissionPolicy>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::MutatingAdmissionPolicySpec)]
pub struct MutatingAdmissionPolicySpec {
    #[field(1)]
    pub param_kind: Option<Box<ParamKind>>,
    #[field(2)]
    pub match_constraints: Option<Box<MatchResources>>,
    #[field(3, list = "atomic")]
    pub variables: Vec<Variable>,
    #[field(4, list = "atomic")]
    pub mutations: Vec<Mutation>,
    #[field(5)]
    pub failure_policy: Option<String>,
    #[field(6, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
    #[field(7)]
    pub reinvocation_policy: String,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::MutatingWebhook)]
pub struct MutatingWebhook {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub client_config: WebhookClientConfig,
    #[field(3, list = "atomic")]
    pub rules: Vec<RuleWithOperations>,
    #[field(4)]
    pub failure_policy: Option<String>,
    #[field(9)]
    pub match_policy: Option<String>,
    #[field(5)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    #[field(11)]
    pub object_selector: Option<Box<LabelSelector>>,
    #[field(6)]
    pub side_effects: Option<String>,
    #[field(7)]
    pub timeout_seconds: Option<i32>,
    #[field(8, list = "atomic")]
    pub admission_review_versions: Vec<String>,
    #[field(10)]
    pub reinvocation_policy: Option<String>,
    #[field(12, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::MutatingWebhookConfiguration)]
pub struct MutatingWebhookConfiguration {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, keys("name"), merge = "merge", merge_key = "name")]
    pub webhooks: Vec<MutatingWebhook>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::MutatingWebhookConfigurationList)]
pub struct MutatingWebhookConfigurationList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<MutatingWebhookConfiguration>,
}

#[derive(Clone, Default, Schema, Convert)]
#[schema(atomic)]
#[convert(hub = super::v1::NamedRuleWithOperations)]
pub struct NamedRuleWithOperations {
    #[field(1, list = "atomic")]
    pub resource_names: Vec<String>,
    #[field(2, inline)]
    pub rule_with_operations: RuleWithOperations,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ValidatingAdmissionPolicy)]
pub struct ValidatingAdmissionPolicy {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ValidatingAdmissionPolicySpec,
    #[field(3)]
    pub status: ValidatingAdmissionPolicyStatus,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ValidatingAdmissionPolicyBinding)]
pub struct ValidatingAdmissionPolicyBinding {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required_omitempty)]
    pub spec: ValidatingAdmissionPolicyBindingSpec,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ValidatingAdmissionPolicyBindingList)]
pub struct ValidatingAdmissionPolicyBindingList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ValidatingAdmissionPolicyBinding>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::ValidatingAdmissionPolicyBindingSpec)]
pub struct ValidatingAdmissionPolicyBindingSpec {
    #[field(1, required_omitempty)]
    pub policy_name: String,
    #[field(2)]
    pub param_ref: Option<Box<ParamRef>>,
    #[field(3)]
    pub match_resources: Option<Box<MatchResources>>,
    #[field(4, required_omitempty, list = "set", values = VALIDATION_ACTIONS)]
    pub validation_actions: Vec<String>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ValidatingAdmissionPolicyList)]
pub struct ValidatingAdmissionPolicyList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ValidatingAdmissionPolicy>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::ValidatingAdmissionPolicySpec)]
pub struct ValidatingAdmissionPolicySpec {
    #[field(1)]
    pub param_kind: Option<Box<ParamKind>>,
    #[field(2)]
    pub match_constraints: Option<Box<MatchResources>>,
    #[field(3, list = "atomic")]
    pub validations: Vec<Validation>,
    #[field(4)]
    pub failure_policy: Option<String>,
    #[field(5, list = "atomic")]
    pub audit_annotations: Vec<AuditAnnotation>,
    #[field(6, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
    #[field(7, keys("name"), merge = "merge", merge_key = "name")]
    pub variables: Vec<Variable>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::ValidatingWebhook)]
pub struct ValidatingWebhook {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub client_config: WebhookClientConfig,
    #[field(3, list = "atomic")]
    pub rules: Vec<RuleWithOperations>,
    #[field(4)]
    pub failure_policy: Option<String>,
    #[field(9)]
    pub match_policy: Option<String>,
    #[field(5)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    #[field(10)]
    pub object_selector: Option<Box<LabelSelector>>,
    #[field(6, list = "atomic")]
    pub side_effects: Option<String>,
    #[field(7)]
    pub timeout_seconds: Option<i32>,
    #[field(8, list = "atomic")]
    pub admission_review_versions: Vec<String>,
    #[field(11, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ValidatingWebhookConfiguration)]
pub struct ValidatingWebhookConfiguration {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, keys("name"), merge = "merge", merge_key = "name")]
    pub webhooks: Vec<ValidatingWebhook>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ValidatingWebhookConfigurationList)]
pub struct ValidatingWebhookConfigurationList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ValidatingWebhookConfiguration>,
}
