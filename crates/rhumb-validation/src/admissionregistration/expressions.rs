//! Validation of expressions in CEL: they are compiled as whoever evaluates them will do.
//!
//! What is written must mean the same to the release before. What the stored object has already may use everything.

use std::collections::HashSet;

use rhumb_api::admissionregistration::v1::{MatchCondition, ValidatingAdmissionPolicy};
use rhumb_cel_kubernetes::environment::Purpose;
use rhumb_cel_kubernetes::policy::{
    CompileError, CompileErrorKind, Compiled, Compiler, Declarations, Wanted as Expected,
};
use rhumb_schema::budget;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

/// Expressions of the stored object.
#[derive(Debug, Default)]
pub(super) struct Existing<'a> {
    conditions: HashSet<&'a str>,
    validations: HashSet<&'a str>,
    messages: HashSet<&'a str>,
    annotations: HashSet<&'a str>,
}

impl<'a> Existing<'a> {
    /// Those of match conditions.
    pub(super) fn conditions(conditions: impl Iterator<Item = &'a MatchCondition>) -> Self {
        let conditions = conditions.map(|condition| condition.expression.as_str()).collect();
        Existing { conditions, ..Existing::default() }
    }

    /// Those of a policy.
    pub(super) fn policy(policy: &'a ValidatingAdmissionPolicy) -> Self {
        let spec = &policy.spec;
        let messages = spec.validations.iter().map(|each| each.message_expression.as_str());
        Existing {
            validations: spec.validations.iter().map(|each| each.expression.as_str()).collect(),
            messages: messages.filter(|text| !text.is_empty()).collect(),
            annotations: spec.audit_annotations.iter().map(|each| each.value_expression.as_str()).collect(),
            ..Existing::conditions(spec.match_conditions.iter())
        }
    }
}

fn purpose(existing: &HashSet<&str>, text: &str) -> Purpose {
    if existing.contains(text) { Purpose::Stored } else { Purpose::New }
}

/// Checks the expressions of one object.
pub(super) struct Expressions<'a> {
    compiler: Compiler,
    existing: Existing<'a>,
    params: bool,
}

impl<'a> Expressions<'a> {
    /// Expressions without variables; `params` tells whether they have parameters.
    pub(super) fn new(existing: Existing<'a>, params: bool) -> Self {
        Expressions { compiler: Compiler::new(), existing, params }
    }

    /// Expressions that are composed of variables.
    pub(super) fn composing(existing: Existing<'a>, params: bool) -> Self {
        Expressions { compiler: Compiler::composing(), existing, params }
    }

    /// What all may use but those that make messages.
    fn declarations(&self) -> Declarations {
        Declarations { params: self.params, authorizer: true }
    }

    pub(super) fn condition(&self, text: &str, path: &FieldPath, errors: &mut FieldErrors) {
        // Variables are for the expressions that come after conditions.
        let purpose = purpose(&self.existing.conditions, text);
        check(&Compiler::new(), text, Expected::Bool, self.declarations(), purpose, path, errors);
    }

    pub(super) fn variable(&mut self, name: &str, text: &str, path: &FieldPath, errors: &mut FieldErrors) {
        if budget::is_stopped() {
            return;
        }
        let purpose = purpose(&self.existing.validations, text);
        let declarations = self.declarations();
        report(self.compiler.add(name, text, declarations, purpose), text, path, errors);
    }

    pub(super) fn validation(&self, text: &str, path: &FieldPath, errors: &mut FieldErrors) {
        let purpose = purpose(&self.existing.validations, text);
        check(&self.compiler, text, Expected::Bool, self.declarations(), purpose, path, errors);
    }

    pub(super) fn message(&self, text: &str, path: &FieldPath, errors: &mut FieldErrors) {
        let purpose = purpose(&self.existing.messages, text);
        let declarations = Declarations { authorizer: false, ..self.declarations() };
        check(&self.compiler, text, Expected::Text, declarations, purpose, path, errors);
    }

    /// The value of an audit annotation, which is compiled without the space around it and shown as it is.
    pub(super) fn annotation(&self, text: &str, path: &FieldPath, errors: &mut FieldErrors) {
        if budget::is_stopped() {
            return;
        }
        let purpose = purpose(&self.existing.annotations, text);
        let compiled = self.compiler.compile(text.trim(), Expected::TextOrNull, self.declarations(), purpose);
        report(compiled, text, path, errors);
    }
}

fn check(
    compiler: &Compiler,
    text: &str,
    expected: Expected,
    declarations: Declarations,
    purpose: Purpose,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if !budget::is_stopped() {
        report(compiler.compile(text, expected, declarations, purpose), text, path, errors);
    }
}

fn report(compiled: Result<Compiled, CompileError>, text: &str, path: &FieldPath, errors: &mut FieldErrors) {
    match compiled {
        Ok(_) => {}
        Err(CompileError { kind: CompileErrorKind::Invalid, detail }) => errors.invalid(path, text, &detail),
        Err(error) => errors.internal(path, &error.detail),
    }
}
