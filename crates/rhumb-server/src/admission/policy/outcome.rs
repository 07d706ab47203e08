//! What becomes of what policies say: refusals, warnings, and entries of the audit log.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{StatusCause, StatusDetails};
use serde_json::Value as Json;

use super::definition::{Binding, FailurePolicy, Policy};
use super::evaluation::{Annotation, Decision, Verdict};
use crate::admission::Attributes;
use crate::base::failure::Outcome;

const FAILURE: &str = "validation.policy.admission.k8s.io/validation_failure";

/// The longest value of an audit annotation, in bytes.
const LONGEST_VALUE: usize = 10 * 1024;

/// What all policies have said so far.
#[derive(Default)]
pub(super) struct Outcomes {
    /// The first refusal: its message and reason.
    denied: Option<(String, String)>,
    /// What the policy at hand has for the audit log: by key, each value once.
    annotations: BTreeMap<String, Vec<String>>,
}

impl Outcomes {
    fn deny(&mut self, policy: &Policy, binding: Option<&Binding>, message: &str, reason: &str) {
        if self.denied.is_some() {
            return;
        }
        let with = binding.map(|binding| format!(" with binding '{}'", binding.name)).unwrap_or_default();
        let policy = &policy.name;
        let message = format!("ValidatingAdmissionPolicy '{policy}'{with} denied request: {message}");
        self.denied = Some((message, reason.to_owned()));
    }

    /// Notes that a policy, or one of its bindings, can't be evaluated.
    pub(super) fn misconfigured(&mut self, policy: &Policy, binding: Option<&Binding>, error: &str) {
        if policy.failure == FailurePolicy::Fail {
            let what = if binding.is_some() { "binding" } else { "policy" };
            self.deny(policy, binding, &format!("failed to configure {what}: {error}"), "");
        }
    }

    /// Adds what a policy says by way of a binding.
    pub(super) fn add(
        &mut self,
        policy: &Policy,
        binding: &Binding,
        verdict: &Verdict,
        request: &Attributes<'_>,
    ) {
        for (index, decision) in verdict.decisions.iter().enumerate() {
            let Decision::Deny { message, reason } = decision else { continue };
            for action in &binding.spec.validation_actions {
                match action.as_str() {
                    "Deny" => self.deny(policy, Some(binding), message, reason),
                    "Audit" => annotate(request, FAILURE.to_owned(), failed(index, message, binding)),
                    "Warn" => {
                        let (policy, binding) = (&policy.name, &binding.name);
                        request.warn(format!(
                            "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': \
                             {message}"
                        ));
                    }
                    _ => {}
                }
            }
        }
        for annotation in &verdict.annotations {
            match annotation {
                Annotation::Publish { key, value } => {
                    let value = shortened(value);
                    let values = self.annotations.entry(key.clone()).or_default();
                    if !values.iter().any(|known| known == value) {
                        values.push(value.to_owned());
                    }
                }
                Annotation::Error(error) => self.deny(policy, Some(binding), error, ""),
            }
        }
    }

    /// Writes down what a policy has for the audit log.
    pub(super) fn annotate(&mut self, policy: &Policy, request: &Attributes<'_>) {
        for (key, values) in std::mem::take(&mut self.annotations) {
            annotate(request, format!("{}/{key}", policy.name), values.join(", "));
        }
    }

    /// Refuses the request if any policy has done so.
    pub(super) fn settle(self, request: &Attributes<'_>, object: Option<&dyn Object>) -> Outcome<()> {
        let Some((message, reason)) = self.denied else { return Ok(()) };
        let mut failure = request.forbidden(object, &message);
        let status = &mut *failure.0;
        let reason = if reason.is_empty() { "Invalid" } else { &reason };
        status.code = match reason {
            "Forbidden" => 403,
            "Unauthorized" => 401,
            "RequestEntityTooLarge" => 413,
            _ => 422,
        };
        reason.clone_into(&mut status.reason);
        let details = status.details.get_or_insert_with(|| Box::new(StatusDetails::default()));
        details.causes.push(StatusCause { message, ..StatusCause::default() });
        Err(failure)
    }
}

/// Adds an entry for the audit log. What was said first stays.
fn annotate(request: &Attributes<'_>, key: String, value: String) {
    request.notes.lock().annotations.entry(key).or_insert(value);
}

/// The start of a text that is as long as a value may be.
fn shortened(value: &str) -> &str {
    let mut end = value.len().min(LONGEST_VALUE);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    value.get(..end).unwrap_or_default()
}

/// A failed validation in JSON, as Go writes it.
fn failed(index: usize, message: &str, binding: &Binding) -> String {
    let text = |text: &str| Json::from(text).to_string();
    let (message, policy, name) = (text(message), text(&binding.spec.policy_name), text(&binding.name));
    let actions = Json::from(binding.spec.validation_actions.clone());
    let place = format_args!(r#""policy":{policy},"binding":{name},"expressionIndex":{index}"#);
    let written = format!(r#"[{{"message":{message},{place},"validationActions":{actions}}}]"#);
    let mut escaped = String::with_capacity(written.len());
    for character in written.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                escaped.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            other => escaped.push(other),
        }
    }
    escaped
}
