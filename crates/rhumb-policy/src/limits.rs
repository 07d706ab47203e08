//! Limit ranges: defaults and bounds for the resources of pods and claims.
//!
//! [`apply_defaults`] fills in what containers leave open, [`check_pod`] and [`check_claim`] find what is out
//! of bounds. A server goes through all limit ranges of a namespace with the first, and then, when the object
//! is otherwise valid, with the others.
//!
//! Refuses: to find the limit ranges of a namespace.

use std::borrow::Cow;
use std::collections::HashSet;

use rhumb_api::core::v1::{Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod};
use rhumb_meta::{Object, Quantity};

use crate::resources::{ResourceList, Side, of_containers};

/// Annotation that lists defaulted amounts.
pub const ANNOTATION: &str = "kubernetes.io/limit-ranger";

/// Largest number whose thousandths fit 64 bits.
const MOST_IN_MILLI: i64 = i64::MAX / 1000;

/// Object of a request that limit ranges apply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A new pod, or one whose resources are changed through `resize`: defaults and bounds.
    Pod,
    /// A claim: bounds only.
    Claim,
}

/// Reports whether limit ranges have a say in a request that creates (or else updates) an object, and as what they see
/// it.
pub fn subject(group: &str, resource: &str, subresource: &str, creates: bool) -> Option<Subject> {
    match (group, resource, subresource) {
        ("", "pods", "resize") if !creates => Some(Subject::Pod),
        ("", "pods", "") if creates => Some(Subject::Pod),
        ("", "persistentvolumeclaims", "") => Some(Subject::Claim),
        _ => None,
    }
}

/// Fills in what containers leave open and the range has a default for, and notes it in an annotation.
pub fn apply_defaults(pod: &mut Pod, range: &LimitRange) {
    let (mut requests, mut limits) = (ResourceList::new(), ResourceList::new());
    for item in range.spec.limits.iter().filter(|item| item.type_ == "Container") {
        requests.extend(item.default_request.iter().map(|(name, amount)| (name.clone(), amount.clone())));
        limits.extend(item.default.iter().map(|(name, amount)| (name.clone(), amount.clone())));
    }
    let mut notes = Vec::new();
    for container in &mut pod.spec.containers {
        fill_container(container, "container", &requests, &limits, &mut notes);
    }
    for container in &mut pod.spec.init_containers {
        fill_container(container, "init container", &requests, &limits, &mut notes);
    }
    if !notes.is_empty() {
        let text = format!("LimitRanger plugin set: {}", notes.join("; "));
        pod.metadata.annotations.insert(ANNOTATION.to_owned(), text);
    }
}

fn fill_container(
    container: &mut Container,
    sort: &str,
    requests: &ResourceList,
    limits: &ResourceList,
    notes: &mut Vec<String>,
) {
    let resources = &mut container.resources;
    for (word, set, defaults) in
        [("request", &mut resources.requests, requests), ("limit", &mut resources.limits, limits)]
    {
        let missing: Vec<&str> =
            defaults.keys().filter(|name| !set.contains_key(*name)).map(String::as_str).collect();
        if missing.is_empty() {
            continue;
        }
        notes.push(format!("{} {word} for {sort} {}", missing.join(", "), container.name));
        for (name, amount) in defaults {
            set.entry(name.clone()).or_insert_with(|| amount.clone());
        }
    }
}

/// Checks an object against a range. Only pods and claims are checked.
pub fn check(object: &dyn Object, range: &LimitRange) -> Vec<String> {
    if let Some(pod) = object.downcast_ref() {
        check_pod(pod, range)
    } else if let Some(claim) = object.downcast_ref() {
        check_claim(claim, range)
    } else {
        Vec::new()
    }
}

/// Checks a pod against a range.
pub fn check_pod(pod: &Pod, range: &LimitRange) -> Vec<String> {
    let mut problems = Vec::new();
    for item in &range.spec.limits {
        match item.type_.as_str() {
            "Container" => {
                for container in pod.spec.containers.iter().chain(&pod.spec.init_containers) {
                    let resources = &container.resources;
                    check_item(item, &resources.requests, &resources.limits, &mut problems);
                }
            }
            "Pod" => {
                let (requests, limits) = (whole_pod(pod, Side::Requests), whole_pod(pod, Side::Limits));
                check_item(item, &requests, &limits, &mut problems);
            }
            _ => {}
        }
    }
    problems
}

/// Checks a claim against a range; only its requests count.
pub fn check_claim(claim: &PersistentVolumeClaim, range: &LimitRange) -> Vec<String> {
    let requests = &claim.spec.resources.requests;
    let mut problems = Vec::new();
    for item in range.spec.limits.iter().filter(|item| item.type_ == "PersistentVolumeClaim") {
        for (name, least) in &item.min {
            problems.extend(below(&item.type_, name, least, requests.get(name), None));
        }
        for (name, most) in &item.max {
            problems.extend(above_requested(&item.type_, name, most, requests.get(name)));
        }
    }
    problems
}

/// Returns the texts of the problems that one range has with an object, as one. None of them stands there twice.
pub fn refusal(problems: &[String]) -> Option<String> {
    let mut seen = HashSet::new();
    let texts: Vec<&str> =
        problems.iter().map(String::as_str).filter(|problem| seen.insert(*problem)).collect();
    match texts.as_slice() {
        [] => None,
        [single] => Some((*single).to_owned()),
        many => Some(format!("[{}]", many.join(", "))),
    }
}

/// Returns the resources of a pod as a whole. Pod-level resources take precedence over containers'.
fn whole_pod(pod: &Pod, side: Side) -> ResourceList {
    let mut sum = of_containers(pod, |container| Cow::Borrowed(side.of(&container.resources)));
    if let Some(resources) = &pod.spec.resources {
        let own = side.of(resources).iter().filter(|(name, _)| matches!(name.as_str(), "cpu" | "memory"));
        sum.extend(own.map(|(name, amount)| (name.clone(), amount.clone())));
    }
    sum
}

fn check_item(
    item: &LimitRangeItem,
    requests: &ResourceList,
    limits: &ResourceList,
    problems: &mut Vec<String>,
) {
    for (name, least) in &item.min {
        problems.extend(below(&item.type_, name, least, requests.get(name), limits.get(name)));
    }
    for (name, most) in &item.max {
        problems.extend(above(&item.type_, name, most, requests.get(name), limits.get(name)));
    }
    for (name, most) in &item.max_limit_request_ratio {
        problems.extend(too_far_apart(&item.type_, name, most, requests.get(name), limits.get(name)));
    }
}

/// Returns the amounts as whole numbers, or as thousandths if all of them have room for that. What is missing is 0.
fn comparable<const N: usize>(amounts: [Option<&Quantity>; N]) -> [i64; N] {
    let fits = amounts.iter().flatten().all(|amount| amount.value() <= MOST_IN_MILLI);
    amounts.map(|amount| match amount {
        Some(amount) if fits => amount.milli_value(),
        Some(amount) => amount.value(),
        None => 0,
    })
}

fn below(
    type_: &str,
    name: &str,
    least: &Quantity,
    request: Option<&Quantity>,
    limit: Option<&Quantity>,
) -> Option<String> {
    let [requested, limited, bound] = comparable([request, limit, Some(least)]);
    let Some(request) = request else {
        return Some(format!("minimum {name} usage per {type_} is {least}.  No request is specified"));
    };
    if requested < bound {
        return Some(format!("minimum {name} usage per {type_} is {least}, but request is {request}"));
    }
    let limit = limit.filter(|_| limited < bound)?;
    Some(format!("minimum {name} usage per {type_} is {least}, but limit is {limit}"))
}

fn above(
    type_: &str,
    name: &str,
    most: &Quantity,
    request: Option<&Quantity>,
    limit: Option<&Quantity>,
) -> Option<String> {
    let [requested, limited, bound] = comparable([request, limit, Some(most)]);
    let Some(limit) = limit else {
        return Some(format!("maximum {name} usage per {type_} is {most}.  No limit is specified"));
    };
    if limited > bound {
        return Some(format!("maximum {name} usage per {type_} is {most}, but limit is {limit}"));
    }
    let request = request.filter(|_| requested > bound)?;
    Some(format!("maximum {name} usage per {type_} is {most}, but request is {request}"))
}

fn above_requested(type_: &str, name: &str, most: &Quantity, request: Option<&Quantity>) -> Option<String> {
    let [requested, bound] = comparable([request, Some(most)]);
    let Some(request) = request else {
        return Some(format!("maximum {name} usage per {type_} is {most}.  No request is specified"));
    };
    (requested > bound)
        .then(|| format!("maximum {name} usage per {type_} is {most}, but request is {request}"))
}

fn too_far_apart(
    type_: &str,
    name: &str,
    most: &Quantity,
    request: Option<&Quantity>,
    limit: Option<&Quantity>,
) -> Option<String> {
    let [requested, limited, _] = comparable([request, limit, Some(most)]);
    let begin = format!("{name} max limit to request ratio per {type_} is {most}, but");
    if requested == 0 {
        return Some(format!("{begin} no request is specified or request is 0"));
    }
    if limited == 0 {
        return Some(format!("{begin} no limit is specified or limit is 0"));
    }
    let ratio = limited as f64 / requested as f64;
    let (compared, bound) = if most.value() <= MOST_IN_MILLI {
        (ratio * 1000.0, most.milli_value() as f64)
    } else {
        (ratio, most.value() as f64)
    };
    (compared > bound).then(|| format!("{begin} provided ratio is {ratio:.6}"))
}
