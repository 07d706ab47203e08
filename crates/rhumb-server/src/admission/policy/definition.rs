//! Policies and bindings in the form in which requests are looked at: selectors parsed, expressions compiled.

use std::sync::OnceLock;

use rhumb_api::admissionregistration::v1::{
    MatchResources, ParamRef, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding,
    ValidatingAdmissionPolicyBindingSpec, ValidatingAdmissionPolicySpec,
};
use rhumb_cel_kubernetes::policy::{Compiler, Composed, Declarations, Expression, Wanted};
use rhumb_meta::GroupVersionKind;

use super::matching::Matching;

/// A policy.
pub(super) struct Policy {
    /// Its name.
    pub(super) name: String,
    /// What it is about.
    pub(super) matching: Result<Matching, &'static str>,
    /// What is done if it can't be evaluated.
    pub(super) failure: FailurePolicy,
    /// The kind of its parameters.
    pub(super) param_kind: Option<GroupVersionKind>,
    spec: ValidatingAdmissionPolicySpec,
    compiled: OnceLock<Compiled>,
}

/// What is done if a policy can't be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailurePolicy {
    /// The request is refused.
    Fail,
    /// The policy is passed over.
    Ignore,
}

/// A binding of a policy.
pub(super) struct Binding {
    /// Its name.
    pub(super) name: String,
    /// What it says.
    pub(super) spec: ValidatingAdmissionPolicyBindingSpec,
    /// What it is about; all that its policy is about, if it doesn't say.
    pub(super) matching: Option<Matching>,
}

/// The expressions of a policy.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    pub(super) conditions: Vec<Expression>,
    pub(super) variables: Composed,
    pub(super) validations: Vec<Validation>,
    pub(super) annotations: Vec<(String, Expression)>,
    /// Which values of a request they look at.
    pub(super) uses: Uses,
}

/// A validation.
#[derive(Debug)]
pub(super) struct Validation {
    pub(super) expression: Expression,
    pub(super) message_expression: Option<Expression>,
    pub(super) message: String,
    pub(super) reason: String,
}

/// Values of a request that take work to be made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uses {
    pub(super) object: bool,
    pub(super) old_object: bool,
    pub(super) params: bool,
    pub(super) request: bool,
    pub(super) namespace: bool,
    pub(super) authorizer: bool,
}

impl Uses {
    fn add(&mut self, name: &str) {
        let used = match name {
            "object" => &mut self.object,
            "oldObject" => &mut self.old_object,
            "params" => &mut self.params,
            "request" => &mut self.request,
            "namespaceObject" => &mut self.namespace,
            "authorizer" | "authorizer.requestResource" => &mut self.authorizer,
            _ => return,
        };
        *used = true;
    }
}

impl Policy {
    /// The policy of an object.
    pub(super) fn of(policy: &ValidatingAdmissionPolicy) -> Self {
        let spec = policy.spec.clone();
        let constraints = spec.match_constraints.as_deref();
        let param_kind = spec.param_kind.as_deref();
        Policy {
            name: policy.metadata.name.clone(),
            matching: constraints
                .map(Matching::of)
                .ok_or("policy contained no match constraints, a required field"),
            failure: match spec.failure_policy.as_deref() {
                Some("Ignore") => FailurePolicy::Ignore,
                _ => FailurePolicy::Fail,
            },
            param_kind: param_kind
                .map(|kind| GroupVersionKind::from_api_version_and_kind(&kind.api_version, &kind.kind)),
            spec,
            compiled: OnceLock::new(),
        }
    }

    /// Whether it is the policy of an object.
    pub(super) fn is_of(&self, policy: &ValidatingAdmissionPolicy) -> bool {
        self.name == policy.metadata.name && self.spec == policy.spec
    }

    /// Its expressions, which are compiled when a request is first evaluated.
    pub(super) fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| compile(&self.spec))
    }
}

impl Binding {
    /// The binding of an object.
    pub(super) fn of(binding: &ValidatingAdmissionPolicyBinding) -> Self {
        let spec = binding.spec.clone();
        let resources: Option<&MatchResources> = spec.match_resources.as_deref();
        Binding { name: binding.metadata.name.clone(), matching: resources.map(Matching::of), spec }
    }

    /// Which parameters it wants.
    pub(super) fn param_ref(&self) -> Option<&ParamRef> {
        self.spec.param_ref.as_deref()
    }
}

fn compile(spec: &ValidatingAdmissionPolicySpec) -> Compiled {
    let all = Declarations { params: spec.param_kind.is_some(), authorizer: true };
    let of_messages = Declarations { authorizer: false, ..all };
    let mut compiler = Compiler::composing();
    let variables = spec.variables.iter().map(|each| (each.name.as_str(), each.expression.as_str()));
    let variables = Composed::stored(&mut compiler, variables, all);
    let expression = |text: &str, wanted| Expression::stored(&compiler, text, wanted, all);
    let validations = spec.validations.iter().map(|each| Validation {
        expression: expression(&each.expression, Wanted::Bool),
        message_expression: (!each.message_expression.is_empty())
            .then(|| Expression::stored(&compiler, &each.message_expression, Wanted::Text, of_messages)),
        message: each.message.trim().to_owned(),
        reason: each.reason.clone().unwrap_or_default(),
    });
    let annotations = spec.audit_annotations.iter();
    let annotations =
        annotations.map(|each| (each.key.clone(), expression(&each.value_expression, Wanted::TextOrNull)));
    let mut compiled = Compiled {
        conditions: spec
            .match_conditions
            .iter()
            .map(|each| expression(&each.expression, Wanted::Bool))
            .collect(),
        validations: validations.collect(),
        annotations: annotations.collect(),
        variables,
        uses: Uses::default(),
    };
    let mut uses = Uses::default();
    compiled.variables.uses().for_each(|name| uses.add(name));
    compiled.expressions().flat_map(Expression::uses).for_each(|name| uses.add(name));
    compiled.uses = uses;
    compiled
}

impl Compiled {
    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let validations = self
            .validations
            .iter()
            .flat_map(|each| [Some(&each.expression), each.message_expression.as_ref()]);
        let annotations = self.annotations.iter().map(|(_, expression)| expression);
        self.conditions.iter().chain(validations.flatten()).chain(annotations)
    }
}
