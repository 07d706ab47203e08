//! `admissionregistration.k8s.io/v1alpha1`: policies in their first form.

use rhumb_meta::Object;
use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::admissionregistration::v1::{MatchCondition, REINVOCATION_POLICY_TYPES};

pub use super::v1::{
    ApplyConfiguration, AuditAnnotation, ExpressionWarning, JSONPatch, MatchResources, Mutation,
    NamedRuleWithOperations, ParamKind, TypeChecking, ValidatingAdmissionPolicyStatus, Validation,
};

/// The values that a `FailurePolicyType` has.
pub const FAILURE_POLICY_TYPES: &[&str] = &["Ignore", "Fail"];
/// The values that a `ParameterNotFoundActionType` has.
pub const PARAMETER_NOT_FOUND_ACTION_TYPES: &[&str] = &["Allow", "Deny"];
/// The values that a `ValidationAction` has.
pub const VALIDATION_ACTIONS: &[&str] = &["Deny", "Warn", "Audit"];

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
    #[field(5, values = FAILURE_POLICY_TYPES)]
    pub failure_policy: Option<String>,
    /// Further conditions; the policy applies if all are true.
    #[field(6, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
    /// Whether the policy runs again if others changed the object after it: Never or IfNeeded.
    #[field(7, values = REINVOCATION_POLICY_TYPES)]
    pub reinvocation_policy: String,
}

/// Which objects parametrise a policy, by name or by labels.
#[derive(Clone, Default, Schema, Convert)]
#[schema(atomic)]
#[convert(hub = super::v1::ParamRef)]
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
    #[field(4, values = PARAMETER_NOT_FOUND_ACTION_TYPES)]
    pub parameter_not_found_action: Option<String>,
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

/// An expression with a name, evaluated when another expression uses it.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::Variable)]
pub struct Variable {
    /// The name, used as `variables.name`.
    #[field(1, required)]
    pub name: String,
    /// The CEL expression that gives its value.
    #[field(2, required)]
    pub expression: String,
}
