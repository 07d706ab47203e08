//! Defaults of the group. Webhooks of v1 fail closed and match widely; those of v1beta1 did neither.

use rhumb_scheme::SchemeBuilder;

use super::{v1, v1alpha1, v1beta1};

/// Registers the functions. Rules and services have the same type in every version, and so the same defaults.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder
        .defaults(|rule: &mut v1::Rule| fill(&mut rule.scope, "*"))
        .defaults(|service: &mut v1::ServiceReference| {
            service.port.get_or_insert(443);
        })
        .defaults(mutating_webhook)
        .defaults(validating_webhook)
        .defaults(mutating_webhook_v1beta1)
        .defaults(validating_webhook_v1beta1);
    builder
        .defaults(match_resources)
        .defaults(match_resources_v1beta1)
        .defaults(|spec: &mut v1::ValidatingAdmissionPolicySpec| fill(&mut spec.failure_policy, "Fail"))
        .defaults(|spec: &mut v1::MutatingAdmissionPolicySpec| fill(&mut spec.failure_policy, "Fail"))
        .defaults(|spec: &mut v1beta1::ValidatingAdmissionPolicySpec| fill(&mut spec.failure_policy, "Fail"))
        .defaults(|spec: &mut v1beta1::MutatingAdmissionPolicySpec| fill(&mut spec.failure_policy, "Fail"))
        .defaults(|spec: &mut v1alpha1::ValidatingAdmissionPolicySpec| fill(&mut spec.failure_policy, "Fail"))
        .defaults(|spec: &mut v1alpha1::MutatingAdmissionPolicySpec| fill(&mut spec.failure_policy, "Fail"))
        // Later versions want to be told.
        .defaults(|param: &mut v1alpha1::ParamRef| fill(&mut param.parameter_not_found_action, "Deny"));
}

fn mutating_webhook(hook: &mut v1::MutatingWebhook) {
    fill(&mut hook.failure_policy, "Fail");
    fill(&mut hook.match_policy, "Equivalent");
    hook.namespace_selector.get_or_insert_default();
    hook.object_selector.get_or_insert_default();
    hook.timeout_seconds.get_or_insert(10);
    fill(&mut hook.reinvocation_policy, "Never");
}

fn validating_webhook(hook: &mut v1::ValidatingWebhook) {
    fill(&mut hook.failure_policy, "Fail");
    fill(&mut hook.match_policy, "Equivalent");
    hook.namespace_selector.get_or_insert_default();
    hook.object_selector.get_or_insert_default();
    hook.timeout_seconds.get_or_insert(10);
}

fn mutating_webhook_v1beta1(hook: &mut v1beta1::MutatingWebhook) {
    fill(&mut hook.failure_policy, "Ignore");
    fill(&mut hook.match_policy, "Exact");
    hook.namespace_selector.get_or_insert_default();
    hook.object_selector.get_or_insert_default();
    fill(&mut hook.side_effects, "Unknown");
    hook.timeout_seconds.get_or_insert(30);
    fill(&mut hook.reinvocation_policy, "Never");
    review_versions(&mut hook.admission_review_versions);
}

fn validating_webhook_v1beta1(hook: &mut v1beta1::ValidatingWebhook) {
    fill(&mut hook.failure_policy, "Ignore");
    fill(&mut hook.match_policy, "Exact");
    hook.namespace_selector.get_or_insert_default();
    hook.object_selector.get_or_insert_default();
    fill(&mut hook.side_effects, "Unknown");
    hook.timeout_seconds.get_or_insert(30);
    review_versions(&mut hook.admission_review_versions);
}

fn review_versions(versions: &mut Vec<String>) {
    if versions.is_empty() {
        versions.push("v1beta1".to_owned());
    }
}

/// v1alpha1 has the same type.
fn match_resources(resources: &mut v1::MatchResources) {
    fill(&mut resources.match_policy, "Equivalent");
    resources.namespace_selector.get_or_insert_default();
    resources.object_selector.get_or_insert_default();
}

fn match_resources_v1beta1(resources: &mut v1beta1::MatchResources) {
    fill(&mut resources.match_policy, "Equivalent");
    resources.namespace_selector.get_or_insert_default();
    resources.object_selector.get_or_insert_default();
}

fn fill(field: &mut Option<String>, default: &str) {
    field.get_or_insert_with(|| default.to_owned());
}
