//! Warnings about pods and pod templates.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::core::v1::{
    Affinity, EnvVar, Pod, PodAffinityTerm, PodSpec, PodTemplateSpec, WeightedPodAffinityTerm,
};
use rhumb_meta::validation::is_dns1123_label;
use rhumb_meta::{ObjectMeta, Quantity};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::FieldPath;

use super::apparmor;
use super::containers::{AnyContainer, with_paths};
use super::ports::warn_ports;
use super::volume_paths::warn_overlaps;
use super::volumes::warn_volumes;
use crate::addresses::warn_ip;
use crate::node_labels::{Values, deprecated, warn_term};

const DEPRECATED_ANNOTATIONS: [(&str, &str); 3] = [
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    ("security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
];

const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";

/// Warns of a name that can't be that of a host, where names of pods come from it.
pub(crate) fn warn_name(name: &str, used_in: &str) -> Option<String> {
    let faults = is_dns1123_label(name);
    (!faults.is_empty()).then(|| {
        format!(
            "metadata.name: this is used in {used_in}, which can result in surprising behavior; a DNS label \
             is recommended: [{}]",
            faults.join(" ")
        )
    })
}

/// Warns of a new pod.
pub(crate) fn warn_pod(pod: &Pod) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(warn_name(&pod.metadata.name, "the Pod's hostname"));
    warn(&pod.metadata, &pod.spec, &FieldPath::root(), Whole::Pod, &mut warnings);
    warnings
}

/// Warns of a template.
pub(crate) fn warn_template(template: &PodTemplateSpec, path: &FieldPath) -> Vec<String> {
    let mut warnings = Vec::new();
    warn(&template.metadata, &template.spec, path, Whole::Template, &mut warnings);
    warnings
}

/// What the spec belongs to. Warnings about a pod's AppArmor annotations are made when they are converted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Pod,
    Template,
}

fn warn(metadata: &ObjectMeta, spec: &PodSpec, root: &FieldPath, whole: Whole, warnings: &mut Vec<String>) {
    let path = root.child("spec");
    let annotations = root.child("metadata").child("annotations");
    for label in spec.node_selector.keys() {
        if let Some(message) = deprecated(label) {
            warnings.push(format!("{}: {message}", path.child("nodeSelector").key(label)));
        }
    }
    if let Some(affinity) = &spec.affinity {
        warn_node_affinity(affinity, &path.child("affinity").child("nodeAffinity"), warnings);
    }
    warn_spread(spec, &path.child("topologySpreadConstraints"), warnings);
    for (key, message) in DEPRECATED_ANNOTATIONS {
        if metadata.annotations.contains_key(key) {
            warnings.push(format!("{}: {message}", annotations.key(key)));
        }
    }
    warn_volumes(&spec.volumes, &path.child("volumes"), warnings);
    warn_overlaps(&spec.volumes, warnings);
    let ips = spec.host_aliases.iter().map(|alias| alias.ip.as_str());
    warn_duplicates(ips, &path.child("hostAliases"), "ip", warnings);
    let names = spec.image_pull_secrets.iter().map(|secret| secret.name.as_str());
    let secrets = path.child("imagePullSecrets");
    warn_duplicates(names.clone(), &secrets, "name", warnings);
    for (index, _) in names.enumerate().filter(|(_, name)| name.is_empty()) {
        warnings.push(format!("{}: invalid empty name \"\"", secrets.index(index).child("name")));
    }
    for resource in ["memory", "ephemeral-storage"] {
        warn_fraction(&spec.overhead, resource, &path.child("overhead"), warnings);
    }
    if spec.security_context.as_ref().is_none_or(|security| security.seccomp_profile.is_none())
        && metadata.annotations.contains_key(SECCOMP_POD)
    {
        warnings.push(no_seccomp(&annotations.key(SECCOMP_POD)));
    }
    for (container, path) in with_paths(spec, &path) {
        warn_profiles(container, metadata, spec, &annotations, whole, warnings);
        warn_resources(container, &path.child("resources"), warnings);
        warn_env(container.env(), &path.child("env"), warnings);
    }
    warn_ports(spec, &path, warnings);
    if spec.termination_grace_period_seconds.is_some_and(|period| period < 0) {
        let path = path.child("terminationGracePeriodSeconds");
        warnings.push(format!("{path}: must be >= 0; negative values are invalid and will be treated as 1"));
    }
    if let Some(affinity) = &spec.affinity {
        warn_pod_affinity(affinity, &path.child("affinity"), warnings);
    }
    for (index, server) in spec.dns_config.iter().flat_map(|config| &config.nameservers).enumerate() {
        warnings.extend(warn_ip(&path.child("dnsConfig").child("nameservers").index(index), server));
    }
    for (index, alias) in spec.host_aliases.iter().enumerate() {
        warnings.extend(warn_ip(&path.child("hostAliases").index(index).child("ip"), &alias.ip));
    }
}

fn warn_node_affinity(affinity: &Affinity, path: &FieldPath, warnings: &mut Vec<String>) {
    let Some(affinity) = &affinity.node_affinity else { return };
    if let Some(required) = &affinity.required_during_scheduling_ignored_during_execution {
        let path = path.child("requiredDuringSchedulingIgnoredDuringExecution").child("nodeSelectorTerms");
        for (index, term) in required.node_selector_terms.iter().enumerate() {
            warn_term(term, Values::Unchecked, &path.index(index), warnings);
        }
    }
    let path = path.child("preferredDuringSchedulingIgnoredDuringExecution");
    for (index, term) in affinity.preferred_during_scheduling_ignored_during_execution.iter().enumerate() {
        warn_term(&term.preference, Values::Checked, &path.index(index).child("preference"), warnings);
    }
}

fn warn_spread(spec: &PodSpec, path: &FieldPath, warnings: &mut Vec<String>) {
    for (index, constraint) in spec.topology_spread_constraints.iter().enumerate() {
        let path = path.index(index);
        if let Some(message) = deprecated(&constraint.topology_key) {
            let (path, key) = (path.child("topologyKey"), &constraint.topology_key);
            warnings.push(format!("{path}: {key} is {message}"));
        }
        if constraint.label_selector.is_none() {
            warnings.push(no_pod(&path.child("labelSelector")));
        }
    }
}

fn no_pod(path: &FieldPath) -> String {
    format!("{path}: a null labelSelector results in matching no pod")
}

fn no_seccomp(path: &FieldPath) -> String {
    format!("{path}: non-functional in v1.27+; use the \"seccompProfile\" field instead")
}

fn warn_duplicates<'a>(
    values: impl Iterator<Item = &'a str>,
    path: &FieldPath,
    field: &str,
    warnings: &mut Vec<String>,
) {
    let mut seen = BTreeSet::new();
    for (index, value) in values.enumerate() {
        if !seen.insert(value) {
            let path = path.index(index).child(field);
            warnings.push(format!("{path}: duplicate {field} {}", quoted(value)));
        }
    }
}

/// Warns of a part of a byte.
pub(crate) fn warn_fraction(
    quantities: &BTreeMap<String, Quantity>,
    resource: &str,
    path: &FieldPath,
    warnings: &mut Vec<String>,
) {
    if let Some(quantity) = quantities.get(resource)
        && quantity.milli_value() % 1000 != 0
    {
        let (path, value) = (path.key(resource), quoted(quantity.to_string()));
        warnings.push(format!("{path}: fractional byte value {value} is invalid, must be an integer"));
    }
}

fn warn_resources(container: &dyn AnyContainer, path: &FieldPath, warnings: &mut Vec<String>) {
    let resources = container.resources();
    for resource in ["memory", "ephemeral-storage"] {
        warn_fraction(&resources.limits, resource, &path.child("limits"), warnings);
        warn_fraction(&resources.requests, resource, &path.child("requests"), warnings);
    }
}

fn warn_profiles(
    container: &dyn AnyContainer,
    metadata: &ObjectMeta,
    spec: &PodSpec,
    annotations: &FieldPath,
    whole: Whole,
    warnings: &mut Vec<String>,
) {
    let key = format!("{SECCOMP_CONTAINER}{}", container.name());
    if container.security().is_none_or(|security| security.seccomp_profile.is_none())
        && metadata.annotations.contains_key(&key)
    {
        warnings.push(no_seccomp(&annotations.key(&key)));
    }
    let key = apparmor::annotation_key(container.name());
    if whole == Whole::Template
        && container.security().is_none_or(|security| security.app_armor_profile.is_none())
        && let Some(annotation) = metadata.annotations.get(&key)
    {
        let of_pod = apparmor::of_pod(spec);
        if of_pod.is_none() || of_pod != apparmor::profile_of(annotation).as_ref() {
            warnings.push(apparmor::deprecated(&annotations.key(&key)));
        }
    }
}

/// Warns about duplicate variables, except those that refer to their earlier value.
fn warn_env(variables: &[EnvVar], path: &FieldPath, warnings: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for (index, variable) in variables.iter().enumerate() {
        if seen.insert(&variable.name) {
            continue;
        }
        let itself = format!("$({})", variable.name);
        if variable.value_from.is_some() || variable.value == itself || !variable.value.contains(&itself) {
            let (path, name) = (path.index(index), quoted(&variable.name));
            warnings.push(format!(
                "{path}: hides previous definition of {name}, which may be dropped when using apply"
            ));
        }
    }
}

fn warn_pod_affinity(affinity: &Affinity, path: &FieldPath, warnings: &mut Vec<String>) {
    if let Some(near) = &affinity.pod_affinity {
        let required = &near.required_during_scheduling_ignored_during_execution;
        let preferred = &near.preferred_during_scheduling_ignored_during_execution;
        warn_terms(required, preferred, &path.child("podAffinity"), warnings);
    }
    if let Some(far) = &affinity.pod_anti_affinity {
        let required = &far.required_during_scheduling_ignored_during_execution;
        let preferred = &far.preferred_during_scheduling_ignored_during_execution;
        warn_terms(required, preferred, &path.child("podAntiAffinity"), warnings);
    }
}

fn warn_terms(
    required: &[PodAffinityTerm],
    preferred: &[WeightedPodAffinityTerm],
    path: &FieldPath,
    warnings: &mut Vec<String>,
) {
    let at = path.child("requiredDuringSchedulingIgnoredDuringExecution");
    for (index, _) in required.iter().enumerate().filter(|(_, term)| term.label_selector.is_none()) {
        warnings.push(no_pod(&at.index(index).child("labelSelector")));
    }
    let at = path.child("preferredDuringSchedulingIgnoredDuringExecution");
    let terms = preferred.iter().enumerate();
    for (index, _) in terms.filter(|(_, term)| term.pod_affinity_term.label_selector.is_none()) {
        warnings.push(no_pod(&at.index(index).child("podAffinityTerm").child("labelSelector")));
    }
}
