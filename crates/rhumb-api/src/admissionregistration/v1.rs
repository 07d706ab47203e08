//! `admissionregistration.k8s.io/v1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{Condition, LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::{ByteString, Schema};

/// The values that a `FailurePolicyType` has.
pub const FAILURE_POLICY_TYPES: &[&str] = &["Ignore", "Fail"];
/// The values that a `MatchPolicyType` has.
pub const MATCH_POLICY_TYPES: &[&str] = &["Exact", "Equivalent"];
/// The values that a `OperationType` has.
pub const OPERATION_TYPES: &[&str] = &["*", "CREATE", "UPDATE", "DELETE", "CONNECT"];
/// The values that a `PatchType` has.
pub const PATCH_TYPES: &[&str] = &["ApplyConfiguration", "JSONPatch"];
/// The values that a `ReinvocationPolicyType` has.
pub const REINVOCATION_POLICY_TYPES: &[&str] = &["Never", "IfNeeded"];
/// The values that a `ScopeType` has.
pub const SCOPE_TYPES: &[&str] = &["Cluster", "Namespaced", "*"];
/// The values that a `SideEffectClass` has.
pub const SIDE_EFFECT_CLASS: &[&str] = &["Unknown", "None", "Some", "NoneOnDryRun"];
/// The values that a `ValidationAction` has.
pub const VALIDATION_ACTIONS: &[&str] = &["Deny", "Warn", "Audit"];

#[derive(Clone, Default, Schema)]
pub struct ApplyConfiguration {
    #[field(1)]
    pub expression: String,
}

#[derive(Clone, Default, Schema)]
pub struct AuditAnnotation {
    #[field(1, required)]
    pub key: String,
    #[field(2, required)]
    pub value_expression: String,
}

#[derive(Clone, Default, Schema)]
pub struct ExpressionWarning {
    #[field(2, required)]
    pub field_ref: String,
    #[field(3, required)]
    pub warning: String,
}

#[derive(Clone, Default, Schema)]
pub struct JSONPatch {
    #[field(1)]
    pub expression: String,
}

#[derive(Clone, Default, Schema)]
pub struct MatchCondition {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub expression: String,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct MatchResources {
    #[field(1)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    #[field(2)]
    pub object_selector: Option<Box<LabelSelector>>,
    #[field(3, list = "atomic")]
    pub resource_rules: Vec<NamedRuleWithOperations>,
    #[field(4, list = "atomic")]
    pub exclude_resource_rules: Vec<NamedRuleWithOperations>,
    #[field(7, values = MATCH_POLICY_TYPES)]
    pub match_policy: Option<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct MutatingAdmissionPolicy {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: MutatingAdmissionPolicySpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct MutatingAdmissionPolicyBinding {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: MutatingAdmissionPolicyBindingSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct MutatingAdmissionPolicyBindingList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<MutatingAdmissionPolicyBinding>,
}

#[derive(Clone, Default, Schema)]
pub struct MutatingAdmissionPolicyBindingSpec {
    #[field(1)]
    pub policy_name: String,
    #[field(2)]
    pub param_ref: Option<Box<ParamRef>>,
    #[field(3)]
    pub match_resources: Option<Box<MatchResources>>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct MutatingAdmissionPolicyList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<MutatingAdmissionPolicy>,
}

#[derive(Clone, Default, Schema)]
pub struct MutatingAdmissionPolicySpec {
    #[field(1)]
    pub param_kind: Option<Box<ParamKind>>,
    #[field(2)]
    pub match_constraints: Option<Box<MatchResources>>,
    #[field(3, list = "atomic")]
    pub variables: Vec<Variable>,
    #[field(4, list = "atomic")]
    pub mutations: Vec<Mutation>,
    #[field(5, values = FAILURE_POLICY_TYPES)]
    pub failure_policy: Option<String>,
    #[field(6, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
    #[field(7, values = REINVOCATION_POLICY_TYPES)]
    pub reinvocation_policy: String,
}

#[derive(Clone, Default, Schema)]
pub struct MutatingWebhook {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub client_config: WebhookClientConfig,
    #[field(3, list = "atomic")]
    pub rules: Vec<RuleWithOperations>,
    #[field(4, values = FAILURE_POLICY_TYPES)]
    pub failure_policy: Option<String>,
    #[field(9, values = MATCH_POLICY_TYPES)]
    pub match_policy: Option<String>,
    #[field(5)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    #[field(11)]
    pub object_selector: Option<Box<LabelSelector>>,
    #[field(6, required, values = SIDE_EFFECT_CLASS)]
    pub side_effects: Option<String>,
    #[field(7)]
    pub timeout_seconds: Option<i32>,
    #[field(8, required, list = "atomic")]
    pub admission_review_versions: Vec<String>,
    #[field(10, values = REINVOCATION_POLICY_TYPES)]
    pub reinvocation_policy: Option<String>,
    #[field(12, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct MutatingWebhookConfiguration {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, keys("name"), merge = "merge", merge_key = "name")]
    pub webhooks: Vec<MutatingWebhook>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct MutatingWebhookConfigurationList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<MutatingWebhookConfiguration>,
}

#[derive(Clone, Default, Schema)]
pub struct Mutation {
    #[field(2, required, values = PATCH_TYPES)]
    pub patch_type: String,
    #[field(3)]
    pub apply_configuration: Option<Box<ApplyConfiguration>>,
    #[field(4)]
    pub json_patch: Option<Box<JSONPatch>>,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct NamedRuleWithOperations {
    #[field(1, list = "atomic")]
    pub resource_names: Vec<String>,
    #[field(2, inline)]
    pub rule_with_operations: RuleWithOperations,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct ParamKind {
    #[field(1)]
    pub api_version: String,
    #[field(2)]
    pub kind: String,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct ParamRef {
    #[field(1)]
    pub name: String,
    #[field(2)]
    pub namespace: String,
    #[field(3)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(4)]
    pub parameter_not_found_action: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct Rule {
    #[field(1, list = "atomic")]
    pub api_groups: Vec<String>,
    #[field(2, list = "atomic")]
    pub api_versions: Vec<String>,
    #[field(3, list = "atomic")]
    pub resources: Vec<String>,
    #[field(4, values = SCOPE_TYPES)]
    pub scope: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct RuleWithOperations {
    #[field(1, list = "atomic", values = OPERATION_TYPES)]
    pub operations: Vec<String>,
    #[field(2, inline)]
    pub rule: Rule,
}

#[derive(Clone, Default, Schema)]
pub struct ServiceReference {
    #[field(1, required)]
    pub namespace: String,
    #[field(2, required)]
    pub name: String,
    #[field(3)]
    pub path: Option<String>,
    #[field(4)]
    pub port: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct TypeChecking {
    #[field(1, list = "atomic")]
    pub expression_warnings: Vec<ExpressionWarning>,
}

#[derive(Clone, Default, Schema, Object)]
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

#[derive(Clone, Default, Schema, Object)]
pub struct ValidatingAdmissionPolicyBinding {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required_omitempty)]
    pub spec: ValidatingAdmissionPolicyBindingSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ValidatingAdmissionPolicyBindingList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ValidatingAdmissionPolicyBinding>,
}

#[derive(Clone, Default, Schema)]
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

#[derive(Clone, Default, Schema, Object)]
pub struct ValidatingAdmissionPolicyList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ValidatingAdmissionPolicy>,
}

#[derive(Clone, Default, Schema)]
pub struct ValidatingAdmissionPolicySpec {
    #[field(1)]
    pub param_kind: Option<Box<ParamKind>>,
    #[field(2)]
    pub match_constraints: Option<Box<MatchResources>>,
    #[field(3, list = "atomic")]
    pub validations: Vec<Validation>,
    #[field(4, values = FAILURE_POLICY_TYPES)]
    pub failure_policy: Option<String>,
    #[field(5, list = "atomic")]
    pub audit_annotations: Vec<AuditAnnotation>,
    #[field(6, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
    #[field(7, keys("name"), merge = "merge", merge_key = "name")]
    pub variables: Vec<Variable>,
}

#[derive(Clone, Default, Schema)]
pub struct ValidatingAdmissionPolicyStatus {
    #[field(1)]
    pub observed_generation: i64,
    #[field(2)]
    pub type_checking: Option<Box<TypeChecking>>,
    #[field(3, keys("type"))]
    pub conditions: Vec<Condition>,
}

#[derive(Clone, Default, Schema)]
pub struct ValidatingWebhook {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub client_config: WebhookClientConfig,
    #[field(3, list = "atomic")]
    pub rules: Vec<RuleWithOperations>,
    #[field(4, values = FAILURE_POLICY_TYPES)]
    pub failure_policy: Option<String>,
    #[field(9, values = MATCH_POLICY_TYPES)]
    pub match_policy: Option<String>,
    #[field(5)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    #[field(10)]
    pub object_selector: Option<Box<LabelSelector>>,
    #[field(6, required, values = SIDE_EFFECT_CLASS)]
    pub side_effects: Option<String>,
    #[field(7)]
    pub timeout_seconds: Option<i32>,
    #[field(8, required, list = "atomic")]
    pub admission_review_versions: Vec<String>,
    #[field(11, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ValidatingWebhookConfiguration {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, keys("name"), merge = "merge", merge_key = "name")]
    pub webhooks: Vec<ValidatingWebhook>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ValidatingWebhookConfigurationList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ValidatingWebhookConfiguration>,
}

#[derive(Clone, Default, Schema)]
pub struct Validation {
    #[field(1, required)]
    pub expression: String,
    #[field(2)]
    pub message: String,
    #[field(3)]
    pub reason: Option<String>,
    #[field(4)]
    pub message_expression: String,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct Variable {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub expression: String,
}

#[derive(Clone, Default, Schema)]
pub struct WebhookClientConfig {
    #[field(3)]
    pub url: Option<String>,
    #[field(1)]
    pub service: Option<Box<ServiceReference>>,
    #[field(2)]
    pub ca_bundle: ByteString,
}
