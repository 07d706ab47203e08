//! Validation of the `autoscaling` group.

mod autoscaler;
mod behavior;
mod metrics;

use rhumb_api::autoscaling::v1::Scale;
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{Scope, nonnegative, object_meta};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules(Rules::create(scale))?;
    autoscaler::register(builder)
}

fn scale(scale: &Scale, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&scale.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    nonnegative(scale.spec.replicas.into(), &FieldPath::new("spec").child("replicas"), errors);
}
