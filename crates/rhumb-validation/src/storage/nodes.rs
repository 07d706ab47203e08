//! Validation of what is known about CSI drivers on a node.

use std::collections::{HashMap, HashSet};

use rhumb_api::storage::v1::{CSINode, CSINodeDriver};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::core::volume_backend::csi_driver_name;
use crate::internal_form::internal;
use crate::meta::{Scope, nonnegative, object_meta, qualified_name};

/// The most bytes that a driver's name for a node may have.
const MAX_NODE_ID: usize = 256;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<CSINode>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(node: &CSINode, _: &Context, errors: &mut FieldErrors) {
    object_meta(&node.metadata, Scope::Cluster, name_is_dns_subdomain, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec").child("drivers");
    let mut names = HashSet::new();
    for (index, each) in node.spec.drivers.iter().enumerate().wanted() {
        let path = path.index(index);
        csi_driver_name(&each.name, &path.child("name"), errors);
        node_id(&each.node_id, &path.child("nodeID"), errors);
        if let Some(count) = each.allocatable.as_ref().and_then(|allocatable| allocatable.count) {
            nonnegative(i64::from(count), &path.child("allocatable").child("count"), errors);
        }
        if !names.insert(&each.name) {
            errors.duplicate(&path.child("name"), &each.name);
        }
        topology_keys(&each.topology_keys, &path, errors);
    }
}

/// Of a driver that stays, only the number of volumes may change.
fn update(new: &CSINode, old: &CSINode, context: &Context, errors: &mut FieldErrors) {
    create(new, context, errors);
    let path = FieldPath::new("spec").child("drivers");
    let uncounted = |driver: &CSINodeDriver| CSINodeDriver { allocatable: None, ..driver.clone() };
    let mut now: HashMap<&str, Vec<&CSINodeDriver>> = HashMap::new();
    for driver in &new.spec.drivers {
        now.entry(driver.name.as_str()).or_default().push(driver);
    }
    for before in &old.spec.drivers {
        for driver in now.get(before.name.as_str()).into_iter().flatten() {
            let driver = uncounted(driver);
            if driver != uncounted(before) {
                errors.invalid(&path, &internal(&driver), "field is immutable");
            }
        }
    }
}

fn node_id(id: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if id.is_empty() {
        errors.required(path, "");
    }
    if id.len() > MAX_NODE_ID {
        errors.invalid(path, id, "must be 256 characters or less");
    }
}

/// The keys of labels, each once. Errors speak of the driver as a whole.
fn topology_keys(keys: &[String], path: &FieldPath, errors: &mut FieldErrors) {
    let mut seen = HashSet::new();
    for key in keys {
        if key.is_empty() {
            errors.required(path, "");
        }
        if !seen.insert(key) {
            errors.duplicate(path, key);
        }
        qualified_name(key, path, errors);
    }
}
