//! Validation of RuntimeClasses.

use std::collections::HashSet;

use rhumb_api::node::v1::{RuntimeClass, Scheduling};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::core::pod::PodOptions;
use crate::core::resources;
use crate::core::toleration::{tolerations, without_time};
use crate::internal_form::internal;
use crate::meta::{Scope, common_object_meta, common_object_meta_update, dns_label, immutable_field, labels};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<RuntimeClass>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(class: &RuntimeClass, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    common_object_meta(&class.metadata, Scope::Cluster, name_is_dns_subdomain, &metadata, errors);
    let handler = FieldPath::new("handler");
    if class.handler.is_empty() {
        errors.required(&handler, "");
    } else {
        dns_label(&class.handler, &handler, errors);
    }
    if let Some(overhead) = &class.overhead {
        resources::overhead(&overhead.pod_fixed, &FieldPath::new("overhead"), &PodOptions::default(), errors);
    }
    if let Some(each) = &class.scheduling {
        scheduling(each, &FieldPath::new("scheduling"), errors);
    }
}

fn update(new: &RuntimeClass, old: &RuntimeClass, context: &Context, errors: &mut FieldErrors) {
    create(new, context, errors);
    common_object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    immutable_field(&new.handler, &old.handler, &FieldPath::new("handler"), errors);
}

fn scheduling(scheduling: &Scheduling, path: &FieldPath, errors: &mut FieldErrors) {
    labels(&scheduling.node_selector, &path.child("nodeSelector"), errors);
    let path = path.child("tolerations");
    tolerations(&scheduling.tolerations, &path, &PodOptions::default(), errors);
    let mut seen = HashSet::new();
    for (index, toleration) in scheduling.tolerations.iter().enumerate().wanted() {
        if !seen.insert(without_time(toleration)) {
            errors.duplicate(&path.index(index), &internal(toleration));
        }
    }
}
