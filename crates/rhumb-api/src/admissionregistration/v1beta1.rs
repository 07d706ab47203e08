//! `admissionregistration.k8s.io/v1beta1`: webhooks and policies, as before v1.

use rhumb_meta::Object;
use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::admissionregistration::v1::{REINVOCATION_POLICY_TYPES, RuleWithOperations};

pub use super::v1::{
    ApplyConfiguration, AuditAnnotation, ExpressionWarning, JSONPatch, MatchCondition, Mutation,
    NamedRuleWithOperations, ParamKind, ParamRef, ServiceReference, TypeChecking,
    ValidatingAdmissionPolicyStatus, Validation, Variable, WebhookClientConfig,
};

/// The values that a `ValidationAction` has.
pub const VALIDATION_ACTIONS: &[&str] = &["Deny", "Warn", "Audit"];

/// The requests that a policy or a binding is about. A request must match all of it.
#[derive(Clone, Default, Schema, Convert)]
#[schema(atomic)]
#[convert(hub = super::v1::MatchResources)]
pub struct MatchResources {
    /// Selects the namespaces of the objects by labels; empty selects all. What has no namespace always
    /// matches.
    #[field(1)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    /// Selects objects by their labels, on the new or the old form of the object; empty selects all.
    #[field(2)]
    pub object_selector: Option<Box<LabelSelector>>,
    /// The operations on resources that match, if any of these rules does.
    #[field(3, list = "atomic")]
    pub resource_rules: Vec<NamedRuleWithOperations>,
    /// Operations on resources that do not match, whatever the other rules say.
    #[field(4, list = "atomic")]
    pub exclude_resource_rules: Vec<NamedRuleWithOperations>,
    /// Whether a rule is also about the same resource in other groups and versions: Equivalent (the default)
    /// or Exact.
    #[field(7)]
    pub match_policy: Option<String>,
}

/// Changes objects on their way in, by expressions instead of a webhook.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::MutatingAdmissionPolicy)]
pub struct MutatingAdmissionPolicy {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: MutatingAdmissionPolicySpec,
}

/// Puts a mutating policy to use, with parameters, for some or all resources.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::MutatingAdmissionPolicyBinding)]
pub struct MutatingAdmissionPolicyBinding {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: MutatingAdmissionPolicyBindingSpec,
}

/// A list of bindings of mutating policies.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::MutatingAdmissionPolicyBindingList)]
pub struct MutatingAdmissionPolicyBindingList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<MutatingAdmissionPolicyBinding>,
}

/// Which policy is used, with what and where.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::MutatingAdmissionPolicyBindingSpec)]
pub struct MutatingAdmissionPolicyBindingSpec {
    /// The policy. A binding to a policy that does not exist does nothing.
    #[field(1)]
    pub policy_name: String,
    /// The objects that parametrise the policy.
    #[field(2)]
    pub param_ref: Option<Box<ParamRef>>,
    /// Narrows what the policy matches. Without it the policy's own constraints hold.
    #[field(3)]
    pub match_resources: Option<Box<MatchResources>>,
}

/// A list of mutating policies.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::MutatingAdmissionPolicyList)]
pub struct MutatingAdmissionPolicyList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<MutatingAdmissionPolicy>,
}

/// What a mutating policy does, and when.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::MutatingAdmissionPolicySpec)]
pub struct MutatingAdmissionPolicySpec {
    /// The kind of the objects that parametrise the policy.
    #[field(1)]
    pub param_kind: Option<Box<ParamKind>>,
    /// The requests that the policy is about.
    #[field(2)]
    pub match_constraints: Option<Box<MatchResources>>,
    /// Expressions that other expressions use by name, in this order.
    #[field(3, list = "atomic")]
    pub variables: Vec<Variable>,
    /// What is changed, in this order.
    #[field(4, list = "atomic")]
    pub mutations: Vec<Mutation>,
    /// Whether a request fails (Fail, the default) or goes on (Ignore) when the policy itself is faulty.
    #[field(5)]
    pub failure_policy: Option<String>,
    /// Further conditions; the policy applies if all are true.
    #[field(6, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
    /// Whether the policy runs again if others changed the object after it: Never or IfNeeded.
    #[field(7, values = REINVOCATION_POLICY_TYPES)]
    pub reinvocation_policy: String,
}

/// A webhook that may change the objects of a request.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::MutatingWebhook)]
pub struct MutatingWebhook {
    /// The webhook's full name, such as `images.example.com`, unique in the configuration.
    #[field(1, required)]
    pub name: String,
    /// Where the webhook is.
    #[field(2, required)]
    pub client_config: WebhookClientConfig,
    /// The operations on resources that the webhook is called for, if any of these rules matches.
    #[field(3, list = "atomic")]
    pub rules: Vec<RuleWithOperations>,
    /// Whether a request fails (Fail) or goes on (Ignore) if the webhook can't be reached or makes no sense.
    #[field(4)]
    pub failure_policy: Option<String>,
    /// Whether rules are also about the same resource in other groups and versions: Equivalent or Exact.
    #[field(9)]
    pub match_policy: Option<String>,
    /// Selects the namespaces of the objects by labels; empty selects all.
    #[field(5)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    /// Selects objects by their labels; empty selects all.
    #[field(11)]
    pub object_selector: Option<Box<LabelSelector>>,
    /// Whether the webhook does more than answer: None, or NoneOnDryRun if it knows what a dry run is.
    #[field(6)]
    pub side_effects: Option<String>,
    /// How long to wait for an answer, from 1 to 30 seconds.
    #[field(7)]
    pub timeout_seconds: Option<i32>,
    /// The versions of AdmissionReview that the webhook speaks, the best first.
    #[field(8, list = "atomic")]
    pub admission_review_versions: Vec<String>,
    /// Whether the webhook is called again if others changed the object after it: Never or IfNeeded.
    #[field(10, values = REINVOCATION_POLICY_TYPES)]
    pub reinvocation_policy: Option<String>,
    /// Further conditions; the webhook is called if all are true.
    #[field(12, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
}

/// Webhooks that may change objects before they are stored.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::MutatingWebhookConfiguration)]
pub struct MutatingWebhookConfiguration {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The webhooks. They are called one after another, in the order of their names.
    #[field(2, keys("name"), merge = "merge", merge_key = "name")]
    pub webhooks: Vec<MutatingWebhook>,
}

/// A list of configurations of mutating webhooks.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::MutatingWebhookConfigurationList)]
pub struct MutatingWebhookConfigurationList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<MutatingWebhookConfiguration>,
}

/// Accepts or refuses requests by expressions instead of a webhook.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ValidatingAdmissionPolicy)]
pub struct ValidatingAdmissionPolicy {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ValidatingAdmissionPolicySpec,
    #[field(3)]
    pub status: ValidatingAdmissionPolicyStatus,
}

/// Puts a validating policy to use, with parameters, for some or all resources.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ValidatingAdmissionPolicyBinding)]
pub struct ValidatingAdmissionPolicyBinding {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required_omitempty)]
    pub spec: ValidatingAdmissionPolicyBindingSpec,
}

/// A list of bindings of validating policies.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ValidatingAdmissionPolicyBindingList)]
pub struct ValidatingAdmissionPolicyBindingList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ValidatingAdmissionPolicyBinding>,
}

/// Which policy is used, with what, where, and what follows if it fails.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::ValidatingAdmissionPolicyBindingSpec)]
pub struct ValidatingAdmissionPolicyBindingSpec {
    /// The policy. A binding to a policy that does not exist does nothing.
    #[field(1, required_omitempty)]
    pub policy_name: String,
    /// The objects that parametrise the policy.
    #[field(2)]
    pub param_ref: Option<Box<ParamRef>>,
    /// Narrows what the policy matches. Without it the policy's own constraints hold.
    #[field(3)]
    pub match_resources: Option<Box<MatchResources>>,
    /// What follows when a validation fails: Deny, Warn, Audit; Deny and Warn exclude each other.
    #[field(4, required_omitempty, list = "set", values = VALIDATION_ACTIONS)]
    pub validation_actions: Vec<String>,
}

/// A list of validating policies.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ValidatingAdmissionPolicyList)]
pub struct ValidatingAdmissionPolicyList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ValidatingAdmissionPolicy>,
}

/// What a validating policy demands, and when.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::ValidatingAdmissionPolicySpec)]
pub struct ValidatingAdmissionPolicySpec {
    /// The kind of the objects that parametrise the policy.
    #[field(1)]
    pub param_kind: Option<Box<ParamKind>>,
    /// The requests that the policy is about.
    #[field(2)]
    pub match_constraints: Option<Box<MatchResources>>,
    /// What must be true. These or audit annotations must be given.
    #[field(3, list = "atomic")]
    pub validations: Vec<Validation>,
    /// Whether a request fails (Fail, the default) or goes on (Ignore) when the policy itself is faulty.
    #[field(4)]
    pub failure_policy: Option<String>,
    /// What the audit event of a request is to say.
    #[field(5, list = "atomic")]
    pub audit_annotations: Vec<AuditAnnotation>,
    /// Further conditions; the policy applies if all are true.
    #[field(6, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
    /// Expressions that other expressions use by name, in this order.
    #[field(7, keys("name"), merge = "merge", merge_key = "name")]
    pub variables: Vec<Variable>,
}

/// A webhook that accepts or refuses requests.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::ValidatingWebhook)]
pub struct ValidatingWebhook {
    /// The webhook's full name, such as `images.example.com`, unique in the configuration.
    #[field(1, required)]
    pub name: String,
    /// Where the webhook is.
    #[field(2, required)]
    pub client_config: WebhookClientConfig,
    /// The operations on resources that the webhook is called for, if any of these rules matches.
    #[field(3, list = "atomic")]
    pub rules: Vec<RuleWithOperations>,
    /// Whether a request fails (Fail) or goes on (Ignore) if the webhook can't be reached or makes no sense.
    #[field(4)]
    pub failure_policy: Option<String>,
    /// Whether rules are also about the same resource in other groups and versions: Equivalent or Exact.
    #[field(9)]
    pub match_policy: Option<String>,
    /// Selects the namespaces of the objects by labels; empty selects all.
    #[field(5)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    /// Selects objects by their labels; empty selects all.
    #[field(10)]
    pub object_selector: Option<Box<LabelSelector>>,
    /// Whether the webhook does more than answer: None, or NoneOnDryRun if it knows what a dry run is.
    #[field(6, list = "atomic")]
    pub side_effects: Option<String>,
    /// How long to wait for an answer, from 1 to 30 seconds.
    #[field(7)]
    pub timeout_seconds: Option<i32>,
    /// The versions of AdmissionReview that the webhook speaks, the best first.
    #[field(8, list = "atomic")]
    pub admission_review_versions: Vec<String>,
    /// Further conditions; the webhook is called if all are true.
    #[field(11, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
}

/// Webhooks that accept or refuse requests.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ValidatingWebhookConfiguration)]
pub struct ValidatingWebhookConfiguration {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The webhooks. All that match are called at the same time.
    #[field(2, keys("name"), merge = "merge", merge_key = "name")]
    pub webhooks: Vec<ValidatingWebhook>,
}

/// A list of configurations of validating webhooks.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ValidatingWebhookConfigurationList)]
pub struct ValidatingWebhookConfigurationList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ValidatingWebhookConfiguration>,
}
