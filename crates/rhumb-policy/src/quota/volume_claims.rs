//! Usage of persistent volume claims.

use std::collections::BTreeSet;

use rhumb_api::core::v1::PersistentVolumeClaim;
use rhumb_meta::Quantity;

use super::arithmetic::count;
use crate::ResourceList;

const CLAIMS: &str = "persistentvolumeclaims";
const STORAGE: &str = "requests.storage";
const BY_CLASS: &str = ".storageclass.storage.k8s.io/";
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

pub(super) fn concerns(name: &str) -> bool {
    let of_class = name.rsplit_once(BY_CLASS).map(|(_, resource)| resource);
    matches!(of_class.unwrap_or(name), CLAIMS | STORAGE) || name == "count/persistentvolumeclaims"
}

pub(super) fn usage(claim: &PersistentVolumeClaim) -> ResourceList {
    let class = claim
        .metadata
        .annotations
        .get(CLASS_ANNOTATION)
        .or(claim.spec.storage_class_name.as_ref())
        .filter(|class| !class.is_empty());
    let mut usage = ResourceList::from([
        (CLAIMS.to_owned(), count(1)),
        ("count/persistentvolumeclaims".to_owned(), count(1)),
    ]);
    usage.extend(class.map(|class| (format!("{class}{BY_CLASS}{CLAIMS}"), count(1))));
    if let Some(storage) = storage(claim) {
        usage.extend(class.map(|class| (format!("{class}{BY_CLASS}{STORAGE}"), storage.clone())));
        usage.insert(STORAGE.to_owned(), storage);
    }
    usage
}

/// Returns the requested storage, or the allocated storage if it is larger.
fn storage(claim: &PersistentVolumeClaim) -> Option<Quantity> {
    let wanted = whole(claim.spec.resources.requests.get("storage")?);
    let allocated = claim.status.allocated_resources.get("storage");
    Some(allocated.filter(|allocated| **allocated > wanted).map_or(wanted, whole))
}

/// Returns the amount in whole bytes: a quota can't say parts of them.
fn whole(amount: &Quantity) -> Quantity {
    let rounded = Quantity::from_i64(amount.value(), amount.format());
    if rounded > *amount { rounded } else { amount.clone() }
}

/// Returns the attributes classes that a claim has, had, or will have.
pub(super) fn attributes_classes(claim: &PersistentVolumeClaim) -> BTreeSet<&str> {
    let target = claim.status.modify_volume_status.as_ref();
    [
        claim.spec.volume_attributes_class_name.as_deref(),
        claim.status.current_volume_attributes_class_name.as_deref(),
        target.map(|target| target.target_volume_attributes_class_name.as_str()),
    ]
    .into_iter()
    .flatten()
    .filter(|class| !class.is_empty())
    .collect()
}
