//! Validation of reports on free space.

use rhumb_api::storage::v1::CSIStorageCapacity;
use rhumb_meta::validation::{NamePart, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{
    LabelSelectorOptions, Scope, immutable_field, label_selector, nonnegative_quantity, object_meta,
    object_meta_update,
};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<CSIStorageCapacity>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(capacity: &CSIStorageCapacity, _: &Context, errors: &mut FieldErrors) {
    whole(capacity, LabelSelectorOptions::default(), errors);
}

fn update(new: &CSIStorageCapacity, old: &CSIStorageCapacity, _: &Context, errors: &mut FieldErrors) {
    let mut wrong_before = FieldErrors::default();
    topology(old, LabelSelectorOptions::default(), &mut wrong_before);
    let allow_invalid_label_value = !wrong_before.is_empty();
    whole(new, LabelSelectorOptions { allow_invalid_label_value, ..Default::default() }, errors);
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    immutable_field(&new.node_topology, &old.node_topology, &FieldPath::new("nodeTopology"), errors);
    let path = FieldPath::new("storageClassName");
    immutable_field(&new.storage_class_name, &old.storage_class_name, &path, errors);
}

fn whole(capacity: &CSIStorageCapacity, options: LabelSelectorOptions, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&capacity.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    topology(capacity, options, errors);
    let class = &capacity.storage_class_name;
    let problems = name_is_dns_subdomain(class, NamePart::Whole);
    errors.invalid_each(&FieldPath::new("storageClassName"), class, problems);
    if let Some(free) = &capacity.capacity {
        nonnegative_quantity(free, &FieldPath::new("capacity"), errors);
    }
}

fn topology(capacity: &CSIStorageCapacity, options: LabelSelectorOptions, errors: &mut FieldErrors) {
    if let Some(selector) = &capacity.node_topology {
        label_selector(selector, options, &FieldPath::new("nodeTopology"), errors);
    }
}
