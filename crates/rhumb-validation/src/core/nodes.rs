//! Validation of nodes.

use std::collections::{BTreeMap, HashSet};

use rhumb_api::core::v1::{ConfigMapNodeConfigSource, Node, NodeConfigSource};
use rhumb_meta::Quantity;
use rhumb_meta::validation::ip::parse_cidr_sloppy;
use rhumb_meta::validation::{NamePart, is_config_map_key, name_is_dns_label, name_is_dns_subdomain};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::resources::resource_quantity;
use super::taints::taints;
use crate::internal_form::internal;
use crate::meta::{OldValues, Scope, legacy_cidr, object_meta, object_meta_update};

const NETWORKS_STAY: &str = r#"node updates may not change podCIDR except from "" to valid"#;
const PROVIDER_STAYS: &str = r#"node updates may not change providerID except from "" to valid"#;
const ONE_SOURCE: &str = "exactly one reference subfield must be non-nil";
const MAX_FEATURE: usize = 253;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<Node>(Rules::create(create).update(update).on("status", changes))?;
    Ok(())
}

fn create(node: &Node, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&node.metadata, Scope::Cluster, name_is_dns_subdomain, &metadata, errors);
    // Errors of taints have always been told of the metadata.
    taints(&node.spec.taints, &metadata.child("taints"), errors);
    amounts(node, errors);
    let swap = node.status.node_info.swap.as_deref().and_then(|swap| swap.capacity);
    if let Some(capacity) = swap.filter(|capacity| *capacity <= 0) {
        let path = metadata.child("nodeSwapStatus").child("capacity");
        errors.invalid(&path, &capacity, "must be greater than zero");
    }
    declared_features(&node.status.declared_features, errors);
    networks(&node.spec.pod_cidrs, &FieldPath::new("spec").child("podCIDRs"), errors);
}

fn update(new: &Node, old: &Node, context: &Context, errors: &mut FieldErrors) {
    create(new, context, errors);
    changes(new, old, context, errors);
}

/// What holds for changes of the node and of its status alike.
fn changes(new: &Node, old: &Node, _: &Context, errors: &mut FieldErrors) {
    let (metadata, spec) = (FieldPath::new("metadata"), FieldPath::new("spec"));
    object_meta_update(&new.metadata, &old.metadata, &metadata, errors);
    amounts(new, errors);
    declared_features(&new.status.declared_features, errors);
    let mut seen = HashSet::new();
    for (index, address) in new.status.addresses.iter().enumerate().wanted() {
        if !seen.insert((&address.type_, &address.address)) {
            let path = FieldPath::new("status").child("addresses").index(index);
            errors.duplicate(&path, &internal(address));
        }
    }
    let (networks, before) = (&new.spec.pod_cidrs, &old.spec.pod_cidrs);
    if !before.is_empty() {
        let path = spec.child("podCIDRs");
        if networks.len() != before.len() {
            errors.forbidden(&path, NETWORKS_STAY);
        } else {
            for _ in networks.iter().zip(before).filter(|(network, before)| network != before) {
                errors.forbidden(&path, NETWORKS_STAY);
            }
        }
    }
    if !old.spec.provider_id.is_empty() && new.spec.provider_id != old.spec.provider_id {
        errors.forbidden(&spec.child("providerID"), PROVIDER_STAYS);
    }
    if let Some(source) = &new.spec.config_source {
        config_source(source, ConfigOf::Spec, &spec.child("configSource"), errors);
    }
    if let Some(config) = &new.status.config {
        let path = FieldPath::new("status").child("config");
        for (source, field) in [
            (&config.assigned, "assigned"),
            (&config.active, "active"),
            (&config.last_known_good, "lastKnownGood"),
        ] {
            if let Some(source) = source {
                config_source(source, ConfigOf::Status, &path.child(field), errors);
            }
        }
    }
    taints(&new.spec.taints, &metadata.child("taints"), errors);
    if new.spec.external_id != old.spec.external_id {
        errors.forbidden(&spec.child("externalID"), "may not be updated");
    }
}

fn amounts(node: &Node, errors: &mut FieldErrors) {
    let check = |amounts: &BTreeMap<String, Quantity>, field: &str, errors: &mut FieldErrors| {
        let path = FieldPath::new("status").child(field);
        for (name, amount) in amounts {
            resource_quantity(name, amount, &path.child(name), errors);
        }
    };
    check(&node.status.capacity, "capacity", errors);
    check(&node.status.allocatable, "allocatable", errors);
}

/// The features that a node says it has: in order, each once.
fn declared_features(features: &[String], errors: &mut FieldErrors) {
    let path = FieldPath::new("status").child("declaredFeatures");
    for (index, feature) in features.iter().enumerate().wanted() {
        if let Some(problem) = feature_problem(feature) {
            errors.invalid(&path.index(index), feature, &problem);
        }
        if let Some(next) = features.get(index + 1) {
            if feature == next {
                errors.duplicate(&path.index(index + 1), next);
            } else if feature > next {
                errors.invalid(&path.index(index + 1), next, "list must be sorted alphabetically");
            }
        }
    }
}

fn feature_problem(feature: &str) -> Option<String> {
    if feature.len() > MAX_FEATURE {
        let name = quoted(feature);
        return Some(format!("invalid feature name {name}: must be no more than {MAX_FEATURE} characters"));
    }
    let is_segment = |segment: &str| {
        segment.starts_with(|first: char| first.is_ascii_alphabetic())
            && segment.chars().all(|letter| letter.is_ascii_alphanumeric())
    };
    let right =
        feature.starts_with(|first: char| first.is_ascii_uppercase()) && feature.split('/').all(is_segment);
    (!right).then(|| {
        format!(
            "invalid feature name {}: must start with an UpperCamelCase segment, with subsequent segments separated \
             by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and \
             slashes",
            quoted(feature)
        )
    })
}

/// The networks of a node's pods, one per IP family at most.
fn networks(networks: &Vec<String>, path: &FieldPath, errors: &mut FieldErrors) {
    for (index, network) in networks.iter().enumerate().wanted() {
        legacy_cidr(network, &OldValues::default(), &path.index(index), errors);
    }
    if networks.len() < 2 {
        return;
    }
    let parsed: Vec<_> = networks.iter().map(|network| parse_cidr_sloppy(network)).collect();
    if let Some(index) = parsed.iter().position(Option::is_none) {
        let network = networks.get(index).map(String::as_str).unwrap_or_default();
        let detail = format!(
            "invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[{index}]: <nil> \
             (invalid CIDR address: {network})"
        );
        errors.internal(path, &detail);
        return errors.invalid(path, networks, "may specify no more than one CIDR for each IP family");
    }
    let of_ipv6 = parsed.iter().flatten().filter(|(_, network)| network.is_ipv6()).count();
    if of_ipv6 == 0 || of_ipv6 == networks.len() || networks.len() > 2 {
        errors.invalid(path, networks, "may specify no more than one CIDR for each IP family");
    }
}

/// Where the settings of a kubelet are named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConfigOf {
    /// What to use: the newest of its kind.
    Spec,
    /// What is used: exactly this one.
    Status,
}

fn config_source(source: &NodeConfigSource, of: ConfigOf, path: &FieldPath, errors: &mut FieldErrors) {
    match &source.config_map {
        Some(map) => config_map_source(map, of, &path.child("configMap"), errors),
        None => errors.invalid(path, &internal(source), ONE_SOURCE),
    }
}

/// What is wrong with a text, if anything.
type TextRule = fn(&str) -> Vec<String>;

fn config_map_source(
    source: &ConfigMapNodeConfigSource,
    of: ConfigOf,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (value, field) in [(&source.uid, "uid"), (&source.resource_version, "resourceVersion")] {
        match of {
            ConfigOf::Spec if !value.is_empty() => {
                errors.forbidden(&path.child(field), &format!("{field} must not be set in spec"));
            }
            ConfigOf::Status if value.is_empty() => errors.required(&path.child(field), ""),
            _ => {}
        }
    }
    let rules: [(_, _, TextRule); 3] = [
        (&source.namespace, "namespace", |name| name_is_dns_label(name, NamePart::Whole)),
        (&source.name, "name", |name| name_is_dns_subdomain(name, NamePart::Whole)),
        (&source.kubelet_config_key, "kubeletConfigKey", is_config_map_key),
    ];
    for (value, field, rule) in rules {
        if value.is_empty() {
            errors.required(&path.child(field), "");
        } else {
            errors.invalid_each(&path.child(field), value, rule(value));
        }
    }
}
