//! Validation of storage classes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rhumb_api::core::v1::TopologySelectorTerm;
use rhumb_api::storage::v1::{StorageClass, VOLUME_BINDING_MODES};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::core::topology::topology_selector_term;
use crate::meta::{Scope, immutable_field, object_meta, object_meta_update, qualified_name};

/// The most bytes that all parameters together may have.
const MAX_PARAMETERS_SIZE: usize = 256 * 1024;
/// The most parameters that a class may have.
const MAX_PARAMETERS: usize = 512;
const RECLAIM_POLICIES: [&str; 2] = ["Delete", "Retain"];

/// Whether a class may have no parameters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NoParameters {
    Allowed,
    Refused,
}

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<StorageClass>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(class: &StorageClass, _: &Context, errors: &mut FieldErrors) {
    object_meta(&class.metadata, Scope::Cluster, name_is_dns_subdomain, &FieldPath::new("metadata"), errors);
    provisioner(&class.provisioner, &FieldPath::new("provisioner"), errors);
    parameters(&class.parameters, NoParameters::Allowed, &FieldPath::new("parameters"), errors);
    if let Some(policy) = class.reclaim_policy.as_deref()
        && !policy.is_empty()
        && !RECLAIM_POLICIES.contains(&policy)
    {
        errors.not_supported(&FieldPath::new("reclaimPolicy"), &Named(policy), &RECLAIM_POLICIES);
    }
    let path = FieldPath::new("volumeBindingMode");
    match class.volume_binding_mode.as_deref() {
        None => errors.required(&path, ""),
        Some(mode) if VOLUME_BINDING_MODES.contains(&mode) => {}
        Some(mode) => errors.not_supported(&path, &Named(mode), VOLUME_BINDING_MODES),
    }
    allowed_topologies(&class.allowed_topologies, &FieldPath::new("allowedTopologies"), errors);
}

fn update(new: &StorageClass, old: &StorageClass, context: &Context, errors: &mut FieldErrors) {
    create(new, context, errors);
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    immutable_field(&new.parameters, &old.parameters, &FieldPath::new("parameters"), errors);
    immutable_field(&new.provisioner, &old.provisioner, &FieldPath::new("provisioner"), errors);
    immutable_field(&new.reclaim_policy, &old.reclaim_policy, &FieldPath::new("reclaimPolicy"), errors);
    let path = FieldPath::new("volumeBindingMode");
    immutable_field(&new.volume_binding_mode, &old.volume_binding_mode, &path, errors);
}

/// The name of what makes volumes.
pub(super) fn provisioner(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if name.is_empty() {
        errors.required(path, "");
    } else {
        qualified_name(&name.to_lowercase(), path, errors);
    }
}

/// Options for what makes volumes: not too many of them, and each with a name.
pub(super) fn parameters(
    parameters: &BTreeMap<String, String>,
    none: NoParameters,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if parameters.len() > MAX_PARAMETERS {
        return errors.too_long(path, MAX_PARAMETERS);
    }
    if parameters.contains_key("") {
        errors.invalid(path, "", "field can not be empty.");
    }
    let size: usize = parameters.iter().map(|(name, value)| name.len() + value.len()).sum();
    if size > MAX_PARAMETERS_SIZE {
        errors.too_long(path, MAX_PARAMETERS_SIZE);
    }
    if none == NoParameters::Refused && parameters.is_empty() {
        errors.required(path, "must contain at least one key/value pair");
    }
}

/// Parts of the topology, each said once.
fn allowed_topologies(terms: &[TopologySelectorTerm], path: &FieldPath, errors: &mut FieldErrors) {
    // Kubernetes starts with as many empty terms as there are terms, so an empty one counts as said already.
    let mut seen: HashMap<BTreeMap<&str, BTreeSet<&str>>, usize> =
        HashMap::from([(BTreeMap::new(), terms.len())]);
    for (index, term) in terms.iter().enumerate().wanted() {
        let path = path.index(index);
        let values = topology_selector_term(term, &path, errors);
        let times = seen.entry(values).or_default();
        for _ in 0..*times {
            if errors.is_full() {
                break;
            }
            errors.duplicate(&path.child("matchLabelExpressions"), "");
        }
        *times += 1;
    }
}
