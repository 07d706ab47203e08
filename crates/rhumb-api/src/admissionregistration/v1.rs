//! `admissionregistration.k8s.io/v1`: which webhooks and policies see a request before it is stored.

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

/// A mutation by server-side apply.
#[derive(Clone, Default, Schema)]
pub struct ApplyConfiguration {
    /// A CEL expression that gives the configuration to apply, as an `Object{…}`.
    #[field(1)]
    pub expression: String,
}

/// An annotation that a policy adds to the audit event of a request.
#[derive(Clone, Default, Schema)]
pub struct AuditAnnotation {
    /// The second part of the annotation's name; the first is the name of the policy.
    #[field(1, required)]
    pub key: String,
    /// A CEL expression that gives the annotation's text, or null for no annotation.
    #[field(2, required)]
    pub value_expression: String,
}

/// What type checking found in an expression.
#[derive(Clone, Default, Schema)]
pub struct ExpressionWarning {
    /// The path of the field that holds the expression.
    #[field(2, required)]
    pub field_ref: String,
    /// What was found, in words for people.
    #[field(3, required)]
    pub warning: String,
}

/// A mutation by JSON patch.
#[derive(Clone, Default, Schema)]
pub struct JSONPatch {
    /// A CEL expression that gives the list of operations, each a `JSONPatch{…}`.
    #[field(1)]
    pub expression: String,
}

/// A condition on which a webhook is called or a policy applies.
#[derive(Clone, Default, Schema)]
pub struct MatchCondition {
    /// The condition's name, unique in its list; errors and audit name it.
    #[field(1, required)]
    pub name: String,
    /// A CEL expression over object, oldObject, request and authorizer that says true or false.
    #[field(2, required)]
    pub expression: String,
}

/// The requests that a policy or a binding is about. A request must match all of it.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
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
    #[field(7, values = MATCH_POLICY_TYPES)]
    pub match_policy: Option<String>,
}

/// Changes objects on their way in, by expressions instead of a webhook.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
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
    #[field(5, values = FAILURE_POLICY_TYPES)]
    pub failure_policy: Option<String>,
    /// Further conditions; the policy applies if all are true.
    #[field(6, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
    /// Whether the policy runs again if others changed the object after it: Never or IfNeeded.
    #[field(7, values = REINVOCATION_POLICY_TYPES)]
    pub reinvocation_policy: String,
}

/// A webhook that may change the objects of a request.
#[derive(Clone, Default, Schema)]
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
    #[field(4, values = FAILURE_POLICY_TYPES)]
    pub failure_policy: Option<String>,
    /// Whether rules are also about the same resource in other groups and versions: Equivalent or Exact.
    #[field(9, values = MATCH_POLICY_TYPES)]
    pub match_policy: Option<String>,
    /// Selects the namespaces of the objects by labels; empty selects all.
    #[field(5)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    /// Selects objects by their labels; empty selects all.
    #[field(11)]
    pub object_selector: Option<Box<LabelSelector>>,
    /// Whether the webhook does more than answer: None, or NoneOnDryRun if it knows what a dry run is.
    #[field(6, required, values = SIDE_EFFECT_CLASS)]
    pub side_effects: Option<String>,
    /// How long to wait for an answer, from 1 to 30 seconds.
    #[field(7)]
    pub timeout_seconds: Option<i32>,
    /// The versions of AdmissionReview that the webhook speaks, the best first.
    #[field(8, required, list = "atomic")]
    pub admission_review_versions: Vec<String>,
    /// Whether the webhook is called again if others changed the object after it: Never or IfNeeded.
    #[field(10, values = REINVOCATION_POLICY_TYPES)]
    pub reinvocation_policy: Option<String>,
    /// Further conditions; the webhook is called if all are true.
    #[field(12, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
}

/// Webhooks that may change objects before they are stored.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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

/// One change that a mutating policy makes.
#[derive(Clone, Default, Schema)]
pub struct Mutation {
    /// How the change is said: ApplyConfiguration or JSONPatch.
    #[field(2, required, values = PATCH_TYPES)]
    pub patch_type: String,
    /// The change by server-side apply, if that is the type.
    #[field(3)]
    pub apply_configuration: Option<Box<ApplyConfiguration>>,
    /// The change by JSON patch, if that is the type.
    #[field(4)]
    pub json_patch: Option<Box<JSONPatch>>,
}

/// Operations on resources, perhaps only on objects with certain names.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct NamedRuleWithOperations {
    /// The names of the objects; empty means all.
    #[field(1, list = "atomic")]
    pub resource_names: Vec<String>,
    #[field(2, inline)]
    pub rule_with_operations: RuleWithOperations,
}

/// The kind of the objects that parametrise a policy.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct ParamKind {
    /// The group and version of the kind.
    #[field(1)]
    pub api_version: String,
    /// The kind.
    #[field(2)]
    pub kind: String,
}

/// Which objects parametrise a policy, by name or by labels.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct ParamRef {
    /// The name of the object. Either this or a selector is given.
    #[field(1)]
    pub name: String,
    /// Where to look. Without it, the namespace of the request's object, if the parameters have one.
    #[field(2)]
    pub namespace: String,
    /// Selects objects by their labels. The policy is evaluated for each of them.
    #[field(3)]
    pub selector: Option<Box<LabelSelector>>,
    /// What happens if there is no such object: Allow or Deny.
    #[field(4)]
    pub parameter_not_found_action: Option<String>,
}

/// Resources by group, version and name.
#[derive(Clone, Default, Schema)]
pub struct Rule {
    /// The groups; `*` alone is every group.
    #[field(1, list = "atomic")]
    pub api_groups: Vec<String>,
    /// The versions; `*` alone is every version.
    #[field(2, list = "atomic")]
    pub api_versions: Vec<String>,
    /// The plural names, `pods/log` for a subresource, `pods/*` for all subresources, `*` for all resources
    /// without subresources, `*/*` for everything.
    #[field(3, list = "atomic")]
    pub resources: Vec<String>,
    /// Whether objects with a namespace (Namespaced), without one (Cluster) or both (`*`, the default) match.
    #[field(4, values = SCOPE_TYPES)]
    pub scope: Option<String>,
}

/// Operations on resources.
#[derive(Clone, Default, Schema)]
pub struct RuleWithOperations {
    /// CREATE, UPDATE, DELETE, CONNECT, or `*` alone for all of them.
    #[field(1, list = "atomic", values = OPERATION_TYPES)]
    pub operations: Vec<String>,
    #[field(2, inline)]
    pub rule: Rule,
}

/// A service that answers for a webhook.
#[derive(Clone, Default, Schema)]
pub struct ServiceReference {
    /// The service's namespace.
    #[field(1, required)]
    pub namespace: String,
    /// The service's name.
    #[field(2, required)]
    pub name: String,
    /// The path of the URL that requests go to.
    #[field(3)]
    pub path: Option<String>,
    /// The service's port. Defaults to 443.
    #[field(4)]
    pub port: Option<i32>,
}

/// The result of checking the types in a policy's expressions.
#[derive(Clone, Default, Schema)]
pub struct TypeChecking {
    /// What was found, per expression.
    #[field(1, list = "atomic")]
    pub expression_warnings: Vec<ExpressionWarning>,
}

/// Accepts or refuses requests by expressions instead of a webhook.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
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
    #[field(4, values = FAILURE_POLICY_TYPES)]
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

/// What the server found out about a policy.
#[derive(Clone, Default, Schema)]
pub struct ValidatingAdmissionPolicyStatus {
    /// The generation of the spec that this is about.
    #[field(1)]
    pub observed_generation: i64,
    /// The result of checking the types in the policy's expressions.
    #[field(2)]
    pub type_checking: Option<Box<TypeChecking>>,
    /// Conditions of the policy.
    #[field(3, keys("type"))]
    pub conditions: Vec<Condition>,
}

/// A webhook that accepts or refuses requests.
#[derive(Clone, Default, Schema)]
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
    #[field(4, values = FAILURE_POLICY_TYPES)]
    pub failure_policy: Option<String>,
    /// Whether rules are also about the same resource in other groups and versions: Equivalent or Exact.
    #[field(9, values = MATCH_POLICY_TYPES)]
    pub match_policy: Option<String>,
    /// Selects the namespaces of the objects by labels; empty selects all.
    #[field(5)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    /// Selects objects by their labels; empty selects all.
    #[field(10)]
    pub object_selector: Option<Box<LabelSelector>>,
    /// Whether the webhook does more than answer: None, or NoneOnDryRun if it knows what a dry run is.
    #[field(6, required, values = SIDE_EFFECT_CLASS)]
    pub side_effects: Option<String>,
    /// How long to wait for an answer, from 1 to 30 seconds.
    #[field(7)]
    pub timeout_seconds: Option<i32>,
    /// The versions of AdmissionReview that the webhook speaks, the best first.
    #[field(8, required, list = "atomic")]
    pub admission_review_versions: Vec<String>,
    /// Further conditions; the webhook is called if all are true.
    #[field(11, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
}

/// Webhooks that accept or refuse requests.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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

/// Something that must be true of a request.
#[derive(Clone, Default, Schema)]
pub struct Validation {
    /// A CEL expression over object, oldObject, request, params, variables and authorizer that must be true.
    #[field(1, required)]
    pub expression: String,
    /// What a client reads if it is not true.
    #[field(2)]
    pub message: String,
    /// The reason in the answer to the client: Invalid (the default), Forbidden, RequestEntityTooLarge or
    /// Unauthorized.
    #[field(3)]
    pub reason: Option<String>,
    /// A CEL expression that gives the message; it wins over the fixed one.
    #[field(4)]
    pub message_expression: String,
}

/// An expression with a name, evaluated when another expression uses it.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct Variable {
    /// The name, used as `variables.name`.
    #[field(1, required)]
    pub name: String,
    /// The CEL expression that gives its value.
    #[field(2, required)]
    pub expression: String,
}

/// Where a webhook is: a URL or a service of the cluster.
#[derive(Clone, Default, Schema)]
pub struct WebhookClientConfig {
    /// The address, `https` only. Either this or a service is given.
    #[field(3)]
    pub url: Option<String>,
    /// The service. Either this or a URL is given.
    #[field(1)]
    pub service: Option<Box<ServiceReference>>,
    /// Certificates in PEM that the webhook's own must be signed by. Without it the system's are trusted.
    #[field(2)]
    pub ca_bundle: ByteString,
}
