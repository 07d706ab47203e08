//! `admissionregistration.k8s.io/v1alpha1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::admissionregistration::v1::MatchCondition;

pub use super::v1::{
    ApplyConfiguration, AuditAnnotation, ExpressionWarning, JSONPatch, Mutation, ParamKind, TypeChecking,
    ValidatingAdmissionPolicyStatus, Validation,
};

pub use super::v1beta1::{MatchResources, NamedRuleWithOperations};

/// The values that a `FailurePolicyType` has.
pub const FAILURE_POLICY_TYPES: &[&str] = &["Ignore", "Fail"];
/// The values that a `ParameterNotFoundActionType` has.
pub const PARAMETER_NOT_FOUND_ACTION_TYPES: &[&str] = &["Allow", "Deny"];
/// The values that a `ValidationAction` has.
pub const VALIDATION_ACTIONS: &[&str] = &["Deny", "Warn", "Audit"];

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
    #[field(5, values = FAILURE_POLICY_TYPES)]
    pub failure_policy: Option<String>,
    #[field(6, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
    #[field(7)]
    pub reinvocation_policy: String,
}

#[derive(Clone, Default, Schema, Convert)]
#[schema(atomic)]
#[convert(hub = super::v1::ParamRef)]
pub struct ParamRef {
    #[field(1)]
    pub name: String,
    #[field(2)]
    pub namespace: String,
    #[field(3)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(4, values = PARAMETER_NOT_FOUND_ACTION_TYPES)]
    pub parameter_not_found_action: Option<String>,
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
    #[field(4, values = FAILURE_POLICY_TYPES)]
    pub failure_policy: Option<String>,
    #[field(5, list = "atomic")]
    pub audit_annotations: Vec<AuditAnnotation>,
    #[field(6, keys("name"), merge = "merge", merge_key = "name")]
    pub match_conditions: Vec<MatchCondition>,
    #[field(7, keys("name"), merge = "merge", merge_key = "name")]
    pub variables: Vec<Variable>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::Variable)]
pub struct Variable {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub expression: String,
}
