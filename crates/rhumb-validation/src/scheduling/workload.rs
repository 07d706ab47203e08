//! Validation of Workloads, with every feature of them switched on.

use rhumb_api::scheduling::v1alpha2::{PodGroupTemplate, TypedLocalObjectReference, Workload};
use rhumb_meta::validation::{is_path_segment_name, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::pod_group_parts::{
    claims, constraints, disruption_mode, immutable, policy, priority, required_label, unique,
};
use crate::meta::{Scope, dns_subdomain, object_meta, object_meta_update};

const MAX_TEMPLATES: usize = 8;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<Workload>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(workload: &Workload, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&workload.metadata, Scope::Namespaced, name_is_dns_subdomain, &metadata, errors);
    let path = FieldPath::new("spec");
    if let Some(reference) = &workload.spec.controller_ref {
        controller(reference, &path.child("controllerRef"), errors);
    }
    let path = path.child("podGroupTemplates");
    let templates = &workload.spec.pod_group_templates;
    if !number_of_templates(templates, &path, errors) {
        return;
    }
    unique(templates, |template| &template.name, &path, errors);
    for (index, each) in templates.iter().enumerate().wanted() {
        template(each, &path.index(index), errors);
    }
}

/// Nothing of the spec changes, so that there is nothing else to check of it than the number of templates.
fn update(new: &Workload, old: &Workload, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec");
    let (new, old) = (&new.spec, &old.spec);
    immutable(&new.controller_ref, &old.controller_ref, &path.child("controllerRef"), errors);
    if new.pod_group_templates != old.pod_group_templates {
        let path = path.child("podGroupTemplates");
        immutable(&new.pod_group_templates, &old.pod_group_templates, &path, errors);
        number_of_templates(&new.pod_group_templates, &path, errors);
    }
}

/// Reports whether there are some templates, and not too many.
fn number_of_templates(templates: &[PodGroupTemplate], path: &FieldPath, errors: &mut FieldErrors) -> bool {
    match templates.len() {
        0 => errors.required(path, ""),
        1..=MAX_TEMPLATES => return true,
        number => errors.too_many(path, number, MAX_TEMPLATES),
    }
    false
}

fn controller(reference: &TypedLocalObjectReference, path: &FieldPath, errors: &mut FieldErrors) {
    if !reference.api_group.is_empty() {
        dns_subdomain(&reference.api_group, &path.child("apiGroup"), errors);
    }
    for (field, value) in [("kind", &reference.kind), ("name", &reference.name)] {
        if value.is_empty() {
            errors.required(&path.child(field), "");
        } else {
            errors.invalid_each(&path.child(field), value, is_path_segment_name(value));
        }
    }
}

fn template(template: &PodGroupTemplate, path: &FieldPath, errors: &mut FieldErrors) {
    required_label(&template.name, &path.child("name"), errors);
    policy(&template.scheduling_policy, &path.child("schedulingPolicy"), errors);
    constraints(template.scheduling_constraints.as_deref(), &path.child("schedulingConstraints"), errors);
    claims(&template.resource_claims, &path.child("resourceClaims"), errors);
    if let Some(mode) = &template.disruption_mode {
        disruption_mode(mode, &path.child("disruptionMode"), errors);
    }
    priority(&template.priority_class_name, template.priority, path, errors);
}
