//! Validation of the `admissionregistration.k8s.io` group.

mod expressions;
mod match_conditions;
mod mutating_policies;
mod policies;
mod policy_bindings;
mod resource_rules;
mod validating_policies;
mod webhooks;

use rhumb_scheme::{RegisterError, SchemeBuilder};

const FAILURE_POLICIES: &[&str] = &["Fail", "Ignore"];
const MATCH_POLICIES: &[&str] = &["Equivalent", "Exact"];
const REINVOCATION_POLICIES: &[&str] = &["IfNeeded", "Never"];

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    webhooks::register(builder)?;
    validating_policies::register(builder)?;
    mutating_policies::register(builder)?;
    policy_bindings::register(builder)
}
