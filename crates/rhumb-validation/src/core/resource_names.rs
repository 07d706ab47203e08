//! Names of resources, such as `cpu` or `example.com/gpu`, and the amounts that each can have.

use rhumb_meta::Quantity;
use rhumb_meta::validation::is_qualified_name;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named};

use crate::meta::nonnegative_quantity;

const HUGE_PAGES: &str = "hugepages-";
/// What quotas of requests start with.
const REQUESTS: &str = "requests.";

/// What quotas can be set for without a domain.
const OF_QUOTAS: &[&str] = &[
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

/// What is counted in whole pieces.
const COUNTED: &[&str] = &[
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];

/// Whether the resource is one of huge pages of some size.
pub fn is_huge_pages(name: &str) -> bool {
    name.starts_with(HUGE_PAGES)
}

/// Whether the resource is one of Kubernetes' own, rather than one that a vendor brings.
pub fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Whether the resource is one that a vendor brings.
pub fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with(REQUESTS)
        && is_qualified_name(&format!("{REQUESTS}{name}")).is_empty()
}

/// Whether more of the resource may be promised than there is.
pub fn is_overcommit_allowed(name: &str) -> bool {
    is_native(name) && !is_huge_pages(name)
}

/// Whether quotas know the resource without a domain.
pub(super) fn is_standard_for_quotas(name: &str) -> bool {
    OF_QUOTAS.contains(&name) || is_huge_pages(name.strip_prefix(REQUESTS).unwrap_or(name))
}

fn is_standard(name: &str) -> bool {
    name == "storage" || is_standard_for_quotas(name)
}

fn is_standard_for_containers(name: &str) -> bool {
    matches!(name, "cpu" | "memory" | "ephemeral-storage") || is_huge_pages(name)
}

fn is_counted(name: &str) -> bool {
    COUNTED.contains(&name) || is_extended(name)
}

/// The name of any resource.
pub fn resource_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let found = is_qualified_name(name);
    if found.is_empty() && !name.contains('/') && !is_standard(name) {
        errors.invalid(path, &Named(name), "must be a standard resource type or fully qualified");
    }
    errors.invalid_each(path, &Named(name), found);
}

/// The name of a resource that containers can ask for.
pub fn container_resource_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    resource_name(name, path, errors);
    if !name.contains('/') {
        if !is_standard_for_containers(name) {
            errors.invalid(path, &Named(name), "must be a standard resource for containers");
        }
    } else if !is_native(name) && !is_extended(name) {
        errors.invalid(path, &Named(name), "doesn't follow extended resource name standard");
    }
}

/// The name of a resource that quotas can be set for.
pub fn quota_resource_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    resource_name(name, path, errors);
    if !name.contains('/') && !is_standard_for_quotas(name) {
        errors.invalid(path, &Named(name), "must be a standard resource for quota");
    }
}

/// An amount of a resource: not negative, and whole where the resource is.
pub fn resource_amount(name: &str, amount: &Quantity, path: &FieldPath, errors: &mut FieldErrors) {
    nonnegative_quantity(amount, path, errors);
    if is_counted(name) && amount.milli_value() % 1000 != 0 {
        errors.invalid(path, amount, "must be an integer");
    }
}

/// An amount that is not negative, in older words.
pub(super) fn basic_amount(amount: &Quantity, path: &FieldPath, errors: &mut FieldErrors) {
    let value = amount.value();
    if value < 0 {
        errors.invalid(path, &value, "must be a valid resource quantity");
    }
}
