//! Validation of resource requests and limits of containers and pods.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rhumb_api::core::v1::{PodSpec, ResourceClaim, ResourceRequirements, total_limits, total_requests};
use rhumb_meta::Quantity;
use rhumb_meta::validation::is_qualified_name;
use rhumb_scheme::validation::{FieldErrors, FieldPath, FieldProblem, Named, Wanted};

use super::pod_options::PodOptions;
use crate::meta::{dns_label, nonnegative_quantity};

/// How the names of huge pages start; the rest is their size.
pub(super) const HUGE_PAGES: &str = "hugepages-";
const QUOTA_PREFIX: &str = "requests.";

const STANDARD: [&str; 20] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
];
const WHOLE: [&str; 9] = [
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

/// The check of a resource's name.
type NameCheck = fn(&str, &FieldPath, &mut FieldErrors);
type Resources = BTreeMap<String, Quantity>;

/// Reports whether Kubernetes itself has the resource.
pub(crate) fn is_native_resource(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Reports whether someone else brings the resource, in whole pieces.
pub(crate) fn is_extended_resource(name: &str) -> bool {
    !is_native_resource(name)
        && !name.starts_with(QUOTA_PREFIX)
        && is_qualified_name(&format!("{QUOTA_PREFIX}{name}")).is_empty()
}

/// Reports whether huge pages of a size can make up a quantity.
pub(super) fn is_divisible(name: &str, quantity: &Quantity) -> bool {
    let size = name.strip_prefix(HUGE_PAGES).and_then(|size| size.parse::<Quantity>().ok());
    size.is_some_and(|size| {
        size.sign() > 0
            && size.milli_value() % 1000 == 0
            && quantity.value().checked_rem(size.value()) == Some(0)
    })
}

/// The name of a resource: a standard one, or one with a domain.
pub(crate) fn resource_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let found = is_qualified_name(name);
    let is_standard = || {
        STANDARD.contains(&name) || name.starts_with(HUGE_PAGES) || name.starts_with("requests.hugepages-")
    };
    if !found.is_empty() {
        errors.invalid_each(path, &Named(name), found);
    } else if !name.contains('/') && !is_standard() {
        errors.invalid(path, &Named(name), "must be a standard resource type or fully qualified");
    }
}

/// The name of a resource that containers can ask for.
pub(crate) fn container_resource_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    resource_name(name, path, errors);
    if !name.contains('/') {
        if !matches!(name, "cpu" | "memory" | "ephemeral-storage") && !name.starts_with(HUGE_PAGES) {
            errors.invalid(path, &Named(name), "must be a standard resource for containers");
        }
    } else if !is_native_resource(name) && !is_extended_resource(name) {
        errors.invalid(path, &Named(name), "doesn't follow extended resource name standard");
    }
}

fn pod_resource_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let before = errors.len();
    resource_name(name, path, errors);
    if errors.len() == before && !matches!(name, "cpu" | "memory") && !name.starts_with(HUGE_PAGES) {
        errors.not_supported(path, &Named(name), &["cpu", HUGE_PAGES, "memory"]);
    }
}

/// The quantity of a resource: not negative, and whole where pieces are counted.
pub(crate) fn resource_quantity(name: &str, quantity: &Quantity, path: &FieldPath, errors: &mut FieldErrors) {
    nonnegative_quantity(quantity, path, errors);
    if (WHOLE.contains(&name) || is_extended_resource(name)) && quantity.milli_value() % 1000 != 0 {
        errors.invalid(path, quantity, "must be an integer");
    }
}

/// The resources of a container.
pub(super) fn container_resources(
    requirements: &ResourceRequirements,
    claim_names: &BTreeSet<&str>,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    resources(requirements, container_resource_name, claim_names, path, options, errors);
}

/// What a pod needs beside its containers.
pub(crate) fn overhead(
    overhead: &Resources,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    let requirements = ResourceRequirements { limits: overhead.clone(), ..ResourceRequirements::default() };
    container_resources(&requirements, &BTreeSet::new(), path, options, errors);
}

fn resources(
    requirements: &ResourceRequirements,
    check_name: NameCheck,
    claim_names: &BTreeSet<&str>,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    let (limits, requests) = (path.child("limits"), path.child("requests"));
    let check = |name: &str, quantity: &Quantity, at: &FieldPath, errors: &mut FieldErrors| {
        check_name(name, at, errors);
        resource_quantity(name, quantity, at, errors);
    };
    let check_pages = |name: &str, quantity: &Quantity, at: &FieldPath, errors: &mut FieldErrors| {
        if name.starts_with(HUGE_PAGES) && !options.indivisible_huge_pages && !is_divisible(name, quantity) {
            let shown = quantity.to_string();
            errors.invalid(at, &shown, &format!("{shown} is not positive integer multiple of {name}"));
        }
    };
    for (name, quantity) in &requirements.limits {
        let at = limits.key(name);
        check(name, quantity, &at, errors);
        check_pages(name, quantity, &at, errors);
    }
    for (name, quantity) in &requirements.requests {
        let at = requests.key(name);
        check(name, quantity, &at, errors);
        let may_exceed = is_native_resource(name) && !name.starts_with(HUGE_PAGES);
        match requirements.limits.get(name) {
            Some(limit) if quantity != limit && !may_exceed => {
                let detail = format!("must be equal to {name} limit of {limit}");
                errors.invalid(&requests, &quantity.to_string(), &detail);
            }
            Some(limit) if quantity > limit => {
                let detail = format!("must be less than or equal to {name} limit of {limit}");
                errors.invalid(&requests, &quantity.to_string(), &detail);
            }
            None if !may_exceed => {
                errors.required(&limits, "Limit must be set for non overcommitable resources");
            }
            _ => {}
        }
        check_pages(name, quantity, &at, errors);
    }
    let names = || requirements.limits.keys().chain(requirements.requests.keys());
    let has_compute = names().any(|name| matches!(name.as_str(), "cpu" | "memory"));
    if !has_compute && names().any(|name| name.starts_with(HUGE_PAGES)) {
        errors.forbidden(path, "HugePages require cpu or memory");
    }
    claims(&requirements.claims, claim_names, &path.child("claims"), errors);
}

fn claims(claims: &[ResourceClaim], known: &BTreeSet<&str>, path: &FieldPath, errors: &mut FieldErrors) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    // How many of these are requests of a claim.
    let mut requests: HashMap<String, usize> = HashMap::new();
    let mut none_of_these: Option<String> = None;
    for (index, claim) in claims.iter().enumerate().wanted() {
        let at = path.index(index);
        let name = &claim.name;
        if name.is_empty() {
            errors.required(&at, "");
            continue;
        }
        if seen.contains(name) {
            errors.duplicate(&at, name);
        } else {
            let mut key = name.clone();
            if !claim.request.is_empty() {
                dns_label(&claim.request, &at.child("request"), errors);
                key = format!("{name}/{}", claim.request);
            }
            if seen.contains(&key) {
                errors.duplicate(&at, &key);
            } else if claim.request.is_empty() {
                // The whole claim overlaps with each of its requests.
                for _ in 0..requests.get(name).copied().unwrap_or_default() {
                    errors.duplicate(&at, name);
                }
            }
            let of = key.split_once('/').map(|(of, _)| of.to_owned());
            if seen.insert(key)
                && let Some(of) = of
            {
                *requests.entry(of).or_default() += 1;
            }
        }
        if !known.contains(name.as_str()) {
            let detail = none_of_these.get_or_insert_with(|| none_of(known));
            errors.add(FieldProblem::NotFound, &at, name, detail);
        }
    }
}

fn none_of(known: &BTreeSet<&str>) -> String {
    let mut detail = "must be one of the names in pod.spec.resourceClaims".to_owned();
    if known.is_empty() {
        detail.push_str(" which is empty");
    } else {
        let names: Vec<&str> = known.iter().copied().collect();
        detail.push_str(&format!(": {}", names.join(", ")));
    }
    detail
}

/// The resources of a pod as a whole, and whether its containers fit in.
pub(super) fn pod_resources(
    spec: &PodSpec,
    claim_names: &BTreeSet<&str>,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    let Some(requirements) = spec.resources.as_deref() else { return };
    let path = path.child("resources");
    if spec.os.as_deref().is_some_and(|os| os.name == "windows") {
        return errors.forbidden(&path, "may not be set for a windows pod");
    }
    if !requirements.claims.is_empty() {
        errors.forbidden(&path.child("claims"), "claims may not be set for Resources at pod-level");
    }
    resources(requirements, pod_resource_name, claim_names, &path, options, errors);
    let requests = path.child("requests");
    for (name, total) in total_requests(spec) {
        if let Some(own) = requirements.requests.get(&name)
            && total > *own
        {
            let detail = format!("must be greater than or equal to aggregate container requests of {total}");
            errors.invalid(&requests.key(&name), &own.to_string(), &detail);
        }
    }
    for (name, total) in total_limits(spec) {
        if let Some(own) = requirements.limits.get(&name).filter(|_| name.starts_with(HUGE_PAGES))
            && total > *own
        {
            let detail = format!("must be greater than or equal to aggregate container limits of {total}");
            errors.invalid(&path.child("limits").key(&name), &own.to_string(), &detail);
        }
    }
    for (index, container) in spec.containers.iter().enumerate().wanted() {
        for (name, limit) in &container.resources.limits {
            if let Some(own) = requirements.limits.get(name)
                && limit > own
            {
                let at = path.child("containers").index(index).key(name).child("limits");
                let detail = format!("must be less than or equal to pod limits of {own}");
                errors.invalid(&at, &limit.to_string(), &detail);
            }
        }
    }
}
