//! Validation of webhook configurations. What newer rules forbid may stay in objects that have it already.

use std::collections::HashSet;

use rhumb_api::admissionregistration::v1::{
    MatchCondition, MutatingWebhook, MutatingWebhookConfiguration, RuleWithOperations, ValidatingWebhook,
    ValidatingWebhookConfiguration, WebhookClientConfig,
};
use rhumb_meta::ObjectMeta;
use rhumb_meta::v1::LabelSelector;
use rhumb_meta::validation::{is_dns1035_label, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::expressions::{Existing, Expressions};
use super::match_conditions::match_conditions;
use super::resource_rules::rule_with_operations;
use super::{FAILURE_POLICIES, MATCH_POLICIES, REINVOCATION_POLICIES};
use crate::meta::{LabelSelectorOptions, Scope, common_object_meta, fully_qualified_name, label_selector};
use crate::webhook::{WebhookService, Wording, client_config};

const REVIEW_VERSIONS: &[&str] = &["v1", "v1beta1"];
const NO_SIDE_EFFECTS: &[&str] = &["None", "NoneOnDryRun"];
const SIDE_EFFECTS: &[&str] = &["None", "NoneOnDryRun", "Some", "Unknown"];

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder
        .rules::<ValidatingWebhookConfiguration>(Rules::create(validating).update(validating_update))?
        .rules::<MutatingWebhookConfiguration>(Rules::create(mutating).update(mutating_update))?;
    Ok(())
}

fn validating(configuration: &ValidatingWebhookConfiguration, _: &Context, errors: &mut FieldErrors) {
    let hooks = views(&configuration.webhooks);
    webhooks(&configuration.metadata, &hooks, Leniency::default(), Existing::default(), errors);
}

fn validating_update(
    new: &ValidatingWebhookConfiguration,
    old: &ValidatingWebhookConfiguration,
    _: &Context,
    errors: &mut FieldErrors,
) {
    let hooks = views(&new.webhooks);
    let before = views(&old.webhooks);
    let existing = before.iter().flat_map(|hook| hook.match_conditions);
    let leniency = Leniency::towards(&hooks, &before);
    webhooks(&new.metadata, &hooks, leniency, Existing::conditions(existing), errors);
}

fn mutating(configuration: &MutatingWebhookConfiguration, _: &Context, errors: &mut FieldErrors) {
    let hooks = views(&configuration.webhooks);
    webhooks(&configuration.metadata, &hooks, Leniency::default(), Existing::default(), errors);
}

fn mutating_update(
    new: &MutatingWebhookConfiguration,
    old: &MutatingWebhookConfiguration,
    _: &Context,
    errors: &mut FieldErrors,
) {
    let hooks = views(&new.webhooks);
    let before = views(&old.webhooks);
    let existing = before.iter().flat_map(|hook| hook.match_conditions);
    let leniency = Leniency::towards(&hooks, &before);
    webhooks(&new.metadata, &hooks, leniency, Existing::conditions(existing), errors);
}

/// What both kinds of webhooks have.
struct Hook<'a> {
    name: &'a String,
    client_config: &'a WebhookClientConfig,
    rules: &'a [RuleWithOperations],
    failure_policy: Option<&'a str>,
    match_policy: Option<&'a str>,
    namespace_selector: Option<&'a LabelSelector>,
    object_selector: Option<&'a LabelSelector>,
    side_effects: Option<&'a str>,
    timeout_seconds: Option<i32>,
    admission_review_versions: &'a Vec<String>,
    reinvocation_policy: Option<&'a str>,
    match_conditions: &'a [MatchCondition],
}

fn views<'a, T>(hooks: &'a [T]) -> Vec<Hook<'a>>
where
    Hook<'a>: From<&'a T>,
{
    hooks.iter().map(Hook::from).collect()
}

impl<'a> From<&'a ValidatingWebhook> for Hook<'a> {
    fn from(hook: &'a ValidatingWebhook) -> Self {
        Hook {
            name: &hook.name,
            client_config: &hook.client_config,
            rules: &hook.rules,
            failure_policy: hook.failure_policy.as_deref(),
            match_policy: hook.match_policy.as_deref(),
            namespace_selector: hook.namespace_selector.as_deref(),
            object_selector: hook.object_selector.as_deref(),
            side_effects: hook.side_effects.as_deref(),
            timeout_seconds: hook.timeout_seconds,
            admission_review_versions: &hook.admission_review_versions,
            reinvocation_policy: None,
            match_conditions: &hook.match_conditions,
        }
    }
}

impl<'a> From<&'a MutatingWebhook> for Hook<'a> {
    fn from(hook: &'a MutatingWebhook) -> Self {
        Hook {
            name: &hook.name,
            client_config: &hook.client_config,
            rules: &hook.rules,
            failure_policy: hook.failure_policy.as_deref(),
            match_policy: hook.match_policy.as_deref(),
            namespace_selector: hook.namespace_selector.as_deref(),
            object_selector: hook.object_selector.as_deref(),
            side_effects: hook.side_effects.as_deref(),
            timeout_seconds: hook.timeout_seconds,
            admission_review_versions: &hook.admission_review_versions,
            reinvocation_policy: hook.reinvocation_policy.as_deref(),
            match_conditions: &hook.match_conditions,
        }
    }
}

/// What is let pass because the stored object has it.
#[derive(Clone, Copy, Default)]
struct Leniency {
    same_match_conditions: bool,
    side_effects: bool,
    unknown_review_versions: bool,
    doubled_names: bool,
    selectors: LabelSelectorOptions,
}

impl Leniency {
    fn towards(new: &[Hook<'_>], old: &[Hook<'_>]) -> Self {
        let conditions = |hooks: &[Hook<'_>]| -> Vec<Vec<MatchCondition>> {
            hooks.iter().map(|hook| hook.match_conditions.to_vec()).collect()
        };
        let unknown =
            |versions: &[String]| !versions.is_empty() && !versions.iter().any(|version| is_known(version));
        let harmless =
            |hook: &Hook<'_>| hook.side_effects.is_some_and(|effects| NO_SIDE_EFFECTS.contains(&effects));
        let mut names = HashSet::new();
        let mut selectors = old.iter().flat_map(|hook| [hook.namespace_selector, hook.object_selector]);
        Leniency {
            same_match_conditions: conditions(new) == conditions(old),
            side_effects: !old.iter().all(harmless),
            unknown_review_versions: old.iter().any(|hook| unknown(hook.admission_review_versions)),
            doubled_names: !old.iter().all(|hook| names.insert(hook.name)),
            selectors: LabelSelectorOptions {
                allow_invalid_label_value: selectors.any(|selector| selector.is_some_and(is_invalid)),
                ..LabelSelectorOptions::default()
            },
        }
    }
}

fn is_invalid(selector: &LabelSelector) -> bool {
    let mut found = FieldErrors::default();
    label_selector(selector, LabelSelectorOptions::default(), &FieldPath::root(), &mut found);
    !found.is_empty()
}

fn is_known(version: &str) -> bool {
    REVIEW_VERSIONS.contains(&version)
}

fn webhooks(
    metadata: &ObjectMeta,
    hooks: &[Hook<'_>],
    leniency: Leniency,
    existing: Existing<'_>,
    errors: &mut FieldErrors,
) {
    let expressions = Expressions::new(existing, false);
    let path = FieldPath::new("metadata");
    common_object_meta(metadata, Scope::Cluster, name_is_dns_subdomain, &path, errors);
    let mut names = HashSet::new();
    for (index, hook) in hooks.iter().enumerate().wanted() {
        let path = FieldPath::new("webhooks").index(index);
        webhook(hook, leniency, &expressions, &path, errors);
        let versions = path.child("admissionReviewVersions");
        review_versions(hook.admission_review_versions, leniency, &versions, errors);
        if !leniency.doubled_names && !hook.name.is_empty() && !names.insert(hook.name) {
            errors.duplicate(&path.child("name"), hook.name);
        }
    }
}

fn webhook(
    hook: &Hook<'_>,
    leniency: Leniency,
    expressions: &Expressions<'_>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    fully_qualified_name(hook.name, &path.child("name"), errors);
    for (index, rule) in hook.rules.iter().enumerate().wanted() {
        rule_with_operations(rule, &path.child("rules").index(index), errors);
    }
    one_of(hook.failure_policy, FAILURE_POLICIES, &path.child("failurePolicy"), errors);
    one_of(hook.match_policy, MATCH_POLICIES, &path.child("matchPolicy"), errors);
    let allowed = if leniency.side_effects { SIDE_EFFECTS } else { NO_SIDE_EFFECTS };
    let side_effects = path.child("sideEffects");
    if hook.side_effects.is_none() {
        errors.required(&side_effects, &format!("must specify one of {}", allowed.join(", ")));
    }
    one_of(hook.side_effects, allowed, &side_effects, errors);
    if let Some(seconds) = hook.timeout_seconds
        && !(1..=30).contains(&seconds)
    {
        let detail = "the timeout value must be between 1 and 30 seconds";
        errors.invalid(&path.child("timeoutSeconds"), &seconds, detail);
    }
    if let Some(selector) = hook.namespace_selector {
        label_selector(selector, leniency.selectors, &path.child("namespaceSelector"), errors);
    }
    if let Some(selector) = hook.object_selector {
        label_selector(selector, leniency.selectors, &path.child("objectSelector"), errors);
    }
    one_of(hook.reinvocation_policy, REINVOCATION_POLICIES, &path.child("reinvocationPolicy"), errors);
    let config = hook.client_config;
    let service = config.service.as_deref().map(|service| WebhookService {
        namespace: &service.namespace,
        name: &service.name,
        path: service.path.as_deref(),
        port: service.port.unwrap_or_default(),
    });
    let at = path.child("clientConfig");
    client_config(config.url.as_ref(), service.as_ref(), Wording::Current, &at, errors);
    if !leniency.same_match_conditions {
        match_conditions(hook.match_conditions, expressions, &path.child("matchConditions"), errors);
    }
}

fn one_of(value: Option<&str>, supported: &[&str], path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(value) = value
        && !supported.contains(&value)
    {
        errors.not_supported(path, &Named(value), supported);
    }
}

fn review_versions(versions: &Vec<String>, leniency: Leniency, path: &FieldPath, errors: &mut FieldErrors) {
    if versions.is_empty() {
        return errors.required(path, &format!("must specify one of {}", REVIEW_VERSIONS.join(", ")));
    }
    let mut seen = HashSet::new();
    for (index, version) in versions.iter().enumerate().wanted() {
        if !seen.insert(version) {
            errors.invalid(&path.index(index), version, "duplicate version");
            continue;
        }
        errors.invalid_each(&path.index(index), version, is_dns1035_label(version));
    }
    if !leniency.unknown_review_versions && !versions.iter().any(|version| is_known(version)) {
        let detail = format!("must include at least one of {}", REVIEW_VERSIONS.join(", "));
        errors.invalid(path, versions, &detail);
    }
}
