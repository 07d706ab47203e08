//! Loading of audit policies from files.

use std::fmt;
use std::sync::Arc;

use rhumb_codec::{CodecError, Codecs, Strictness};
use rhumb_meta::validation::is_dns1123_subdomain;
use rhumb_meta::{GroupVersion, GroupVersionKind, INTERNAL};
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_scheme::{RegisterError, Scheme, SchemeBuilder};

use super::decide::{Decision, Policy, Rule};
use super::{Level, Stage, Stages, v1};

/// `audit.k8s.io/v1`.
const V1: GroupVersion = GroupVersion::new_static("audit.k8s.io", "v1");
/// Default version of policies without one.
const HUB: GroupVersion = GroupVersion::new_static("audit.k8s.io", INTERNAL);
/// Prefix of errors about unknown kinds: the position in Kubernetes' source.
const SCHEME: &str = "pkg/runtime/scheme.go:111";

/// Error of loading a policy.
#[derive(Debug)]
#[non_exhaustive]
pub enum PolicyError {
    /// Malformed, or of another kind.
    Decode(CodecError),
    /// Another kind of the same group.
    NoPolicy,
    /// Missing version; has the assumed kind.
    NoVersion(GroupVersionKind),
    /// Invalid fields.
    Invalid(FieldErrors),
    /// No rules, so that nothing would be logged.
    NoRules,
    /// The kinds could not be registered, which is no fault of the policy.
    Register(RegisterError),
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PolicyError::Decode(error) => write!(f, "failed decoding: {error}"),
            PolicyError::NoPolicy => f.write_str("failed decoding: the object is no Policy"),
            PolicyError::NoVersion(gvk) => write!(f, "unknown group version field {gvk} in policy"),
            PolicyError::Invalid(errors) => write!(f, "{errors}"),
            PolicyError::NoRules => f.write_str("loaded illegal policy with 0 rules"),
            PolicyError::Register(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for PolicyError {}

fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for version in [&V1, &HUB] {
        builder.register::<v1::Policy>(version)?.register::<v1::Event>(version)?;
    }
    Ok(())
}

pub(super) fn read(text: &[u8]) -> Result<(Policy, Vec<String>), PolicyError> {
    let scheme = Scheme::builder().named(SCHEME).install(install).and_then(SchemeBuilder::freeze);
    let codecs =
        Codecs::new(Arc::new(scheme.map_err(PolicyError::Register)?)).with_strictness(Strictness::Warn);
    let assumed = GroupVersionKind::new(HUB.group.clone(), HUB.version.clone(), "Policy");
    let decoded = codecs.decode(text, Some(&assumed)).map_err(PolicyError::Decode)?;
    if decoded.gvk.group_version() == HUB {
        return Err(PolicyError::NoVersion(decoded.gvk));
    }
    let policy = decoded.object.downcast_ref::<v1::Policy>().ok_or(PolicyError::NoPolicy)?;
    let errors = check(policy);
    if !errors.is_empty() {
        return Err(PolicyError::Invalid(errors));
    }
    if policy.rules.is_empty() {
        return Err(PolicyError::NoRules);
    }
    Ok((compile(policy), decoded.warnings))
}

fn stages(names: &[String]) -> Stages {
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

fn compile(policy: &v1::Policy) -> Policy {
    let omit_stages = stages(&policy.omit_stages);
    let rules = policy.rules.iter().map(|rule| Rule {
        decision: Decision {
            level: rule.level.parse().unwrap_or(Level::None),
            omit_stages: omit_stages.and(stages(&rule.omit_stages)),
            omit_managed_fields: rule.omit_managed_fields.unwrap_or(policy.omit_managed_fields),
        },
        fits: rule.clone(),
    });
    Policy { rules: rules.collect(), omit_stages, omit_managed_fields: policy.omit_managed_fields }
}

fn check(policy: &v1::Policy) -> FieldErrors {
    let mut errors = FieldErrors::default();
    check_stages(&policy.omit_stages, &FieldPath::new("omitStages"), &mut errors);
    for (index, rule) in policy.rules.iter().enumerate() {
        check_rule(rule, &FieldPath::new("rules").index(index), &mut errors);
    }
    errors
}

fn check_rule(rule: &v1::PolicyRule, path: &FieldPath, errors: &mut FieldErrors) {
    let level = path.child("level");
    if rule.level.is_empty() {
        errors.required(&level, "");
    } else if rule.level.parse::<Level>().is_err() {
        errors.not_supported(&level, rule.level.as_str(), &Level::ALL.map(Level::as_str));
    }
    let urls = path.child("nonResourceURLs");
    for (index, url) in rule.non_resource_urls.iter().enumerate().filter(|(_, url)| *url != "*") {
        let path = urls.index(index);
        if !url.starts_with('/') {
            errors.invalid(&path, url.as_str(), "non-resource URL rules must begin with a '/' character");
        }
        if url.find('*').is_some_and(|at| at + 1 < url.len()) {
            let detail = "non-resource URL wildcards '*' must be the final character of the rule";
            errors.invalid(&path, url.as_str(), detail);
        }
    }
    check_resources(&rule.resources, &path.child("resources"), errors);
    check_stages(&rule.omit_stages, &path.child("omitStages"), errors);
    let is_about_resources = !rule.resources.is_empty() || !rule.namespaces.is_empty();
    if is_about_resources && !rule.non_resource_urls.is_empty() {
        let detail = "rules cannot apply to both regular resources and non-resource URLs";
        errors.invalid(&urls, &rule.non_resource_urls, detail);
    }
}

fn check_resources(resources: &[v1::GroupResources], path: &FieldPath, errors: &mut FieldErrors) {
    for wanted in resources {
        if !wanted.group.is_empty() && wanted.group != "*" {
            let problems = is_dns1123_subdomain(&wanted.group);
            if !problems.is_empty() {
                errors.invalid(&path.child("group"), wanted.group.as_str(), &problems.join(","));
            }
        }
        if !wanted.resource_names.is_empty() && wanted.resources.is_empty() {
            let detail = "using resourceNames requires at least one resource";
            errors.invalid(&path.child("resourceNames"), &wanted.resource_names, detail);
        }
    }
}

fn check_stages(names: &[String], path: &FieldPath, errors: &mut FieldErrors) {
    let known = Stage::ALL.map(Stage::as_str).join(",");
    for (index, name) in names.iter().enumerate().filter(|(_, name)| name.parse::<Stage>().is_err()) {
        errors.invalid(&path.index(index), name.as_str(), &format!("allowed stages are {known}"));
    }
}
