//! Validation of PodGroups, with every feature of them switched on.

use rhumb_api::scheduling::v1alpha2::{
    PodGroup, PodGroupResourceClaimStatus, PodGroupSpec, PodGroupTemplateReference,
};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::pod_group_parts::{
    MAX_CLAIMS, claims, constraints, disruption_mode, immutable, one_of, policy, priority, required_label,
    unique,
};
use crate::meta::{Scope, conditions, dns_subdomain, object_meta, object_meta_update};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<PodGroup>(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(group: &PodGroup, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&group.metadata, Scope::Namespaced, name_is_dns_subdomain, &metadata, errors);
    spec(&group.spec, &FieldPath::new("spec"), errors);
}

fn spec(spec: &PodGroupSpec, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(reference) = &spec.pod_group_template_ref {
        template_reference(reference, &path.child("podGroupTemplateRef"), errors);
    }
    policy(&spec.scheduling_policy, &path.child("schedulingPolicy"), errors);
    constraints(spec.scheduling_constraints.as_deref(), &path.child("schedulingConstraints"), errors);
    claims(&spec.resource_claims, &path.child("resourceClaims"), errors);
    let mode = path.child("disruptionMode");
    match &spec.disruption_mode {
        Some(name) => disruption_mode(name, &mode, errors),
        // There is a default, so that one is always there.
        None => errors.required(&mode, ""),
    }
    priority(&spec.priority_class_name, spec.priority, path, errors);
}

fn template_reference(reference: &PodGroupTemplateReference, path: &FieldPath, errors: &mut FieldErrors) {
    one_of(&[("workload", reference.workload.is_some())], path, errors);
    if let Some(workload) = &reference.workload {
        let path = path.child("workload");
        let name = path.child("workloadName");
        if workload.workload_name.is_empty() {
            errors.required(&name, "");
        } else {
            dns_subdomain(&workload.workload_name, &name, errors);
        }
        let template = path.child("podGroupTemplateName");
        required_label(&workload.pod_group_template_name, &template, errors);
    }
}

/// Nothing of the spec changes, so that there is nothing else to check of it.
fn update(new: &PodGroup, old: &PodGroup, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec");
    let (new, old) = (&new.spec, &old.spec);
    let at = |field: &str| path.child(field);
    immutable(&new.pod_group_template_ref, &old.pod_group_template_ref, &at("podGroupTemplateRef"), errors);
    immutable(&new.scheduling_policy, &old.scheduling_policy, &at("schedulingPolicy"), errors);
    immutable(&new.scheduling_constraints, &old.scheduling_constraints, &at("schedulingConstraints"), errors);
    immutable(&new.resource_claims, &old.resource_claims, &at("resourceClaims"), errors);
    if new.resource_claims != old.resource_claims && new.resource_claims.len() > MAX_CLAIMS {
        errors.too_many(&at("resourceClaims"), new.resource_claims.len(), MAX_CLAIMS);
    }
    immutable(&new.disruption_mode, &old.disruption_mode, &at("disruptionMode"), errors);
    immutable(&new.priority_class_name, &old.priority_class_name, &at("priorityClassName"), errors);
    immutable(&new.priority, &old.priority, &at("priority"), errors);
}

fn status(new: &PodGroup, old: &PodGroup, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("status");
    conditions(&new.status.conditions, &path.child("conditions"), errors);
    let path = path.child("resourceClaimStatuses");
    let statuses = &new.status.resource_claim_statuses;
    for (index, status) in statuses.iter().enumerate().wanted() {
        if !new.spec.resource_claims.iter().any(|claim| claim.name == status.name) {
            let detail = "must match the name of an entry in `spec.resourceClaims`";
            errors.invalid(&path.index(index).child("name"), &status.name, detail);
        }
    }
    let before = &old.status.resource_claim_statuses;
    if statuses != before {
        changed_claim_statuses(statuses, before, &path, errors);
    }
}

/// Claims that were made. What was there before is not looked at again.
fn changed_claim_statuses(
    statuses: &[PodGroupResourceClaimStatus],
    before: &[PodGroupResourceClaimStatus],
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if statuses.len() > MAX_CLAIMS {
        return errors.too_many(path, statuses.len(), MAX_CLAIMS);
    }
    unique(statuses, |status| &status.name, path, errors);
    for (index, status) in statuses.iter().enumerate().wanted() {
        let old = before.iter().find(|old| old.name == status.name);
        if let Some(name) = &status.resource_claim_name
            && old.is_none_or(|old| old.resource_claim_name != status.resource_claim_name)
        {
            dns_subdomain(name, &path.index(index).child("resourceClaimName"), errors);
        }
    }
}
