//! Validation of Leases.

use rhumb_api::coordination::v1::{Lease, LeaseSpec};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::strategy;
use crate::meta::{Scope, common_object_meta, common_object_meta_update};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<Lease>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(lease: &Lease, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    common_object_meta(&lease.metadata, Scope::Namespaced, name_is_dns_subdomain, &metadata, errors);
    spec(&lease.spec, errors);
}

fn update(new: &Lease, old: &Lease, _: &Context, errors: &mut FieldErrors) {
    common_object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    spec(&new.spec, errors);
}

fn spec(spec: &LeaseSpec, errors: &mut FieldErrors) {
    let path = FieldPath::new("spec");
    if let Some(seconds) = spec.lease_duration_seconds
        && seconds <= 0
    {
        errors.invalid(&path.child("leaseDurationSeconds"), &seconds, "must be greater than 0");
    }
    if let Some(transitions) = spec.lease_transitions
        && transitions < 0
    {
        let detail = "must be greater than or equal to 0";
        errors.invalid(&path.child("leaseTransitions"), &transitions, detail);
    }
    if let Some(name) = &spec.strategy {
        strategy(name, &path.child("strategy"), errors);
    }
    let filled = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    if filled(&spec.preferred_holder) && !filled(&spec.strategy) {
        errors.forbidden(&path.child("preferredHolder"), "may only be specified if `strategy` is defined");
    }
}
