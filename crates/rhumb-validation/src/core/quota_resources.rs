//! Resource names in quotas and limit ranges.

use rhumb_meta::Quantity;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named};

use super::resources::{HUGE_PAGES, is_native_resource, resource_name};

/// What quotas can be set for without a domain.
const STANDARD: &[&str] = &[
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.storage",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "persistentvolumeclaims",
    "configmaps",
    "services.nodeports",
    "services.loadbalancers",
];

/// Reports whether quotas know the resource without a domain.
pub(super) fn is_standard_for_quotas(name: &str) -> bool {
    STANDARD.contains(&name) || name.strip_prefix("requests.").unwrap_or(name).starts_with(HUGE_PAGES)
}

/// Reports whether more of the resource may be promised than there is.
pub(super) fn is_overcommit_allowed(name: &str) -> bool {
    is_native_resource(name) && !name.starts_with(HUGE_PAGES)
}

/// The name of a resource that quotas can be set for.
pub(super) fn quota_resource_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    resource_name(name, path, errors);
    if !name.contains('/') && !is_standard_for_quotas(name) {
        errors.invalid(path, &Named(name), "must be a standard resource for quota");
    }
}

/// An amount that is not negative, in older words.
pub(super) fn basic_amount(amount: &Quantity, path: &FieldPath, errors: &mut FieldErrors) {
    let value = amount.value();
    if value < 0 {
        errors.invalid(path, &value, "must be a valid resource quantity");
    }
}
