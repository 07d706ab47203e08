//! Charging of requests to the quotas of their namespace.

use std::fmt;

use rhumb_api::core::v1::ResourceQuota;
use rhumb_meta::{Object, Time};

use super::arithmetic::{add, exceeding, mask, subtract_to_zero};
use super::evaluator::Evaluator;
use super::scopes::is_in_scope;
use crate::ResourceList;

/// Operation of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Makes an object.
    Create,
    /// Changes one.
    Update,
}

/// A request to charge.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Operation.
    pub operation: Operation,
    /// The part of the object it is about; empty for the whole.
    pub subresource: &'a str,
    /// The object as it would be afterwards.
    pub object: &'a dyn Object,
    /// The object as it is.
    pub old: Option<&'a dyn Object>,
}

/// Usage of a quota after a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The quota's place among those that were passed in.
    pub quota: usize,
    /// New usage of all bounded resources.
    pub used: ResourceList,
}

/// Refusal of a request; displays as the message to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The object must say what it needs.
    Constraint {
        /// The quota's name.
        quota: String,
        /// Missing resources.
        missing: String,
    },
    /// The quota's usage is not known yet.
    Unknown {
        /// The quota's name.
        quota: String,
        /// The names that the object would be charged under.
        resources: Vec<String>,
    },
    /// The object would use less than nothing.
    Negative {
        /// The names of which it does.
        resources: Vec<String>,
    },
    /// An update of something that is not there.
    NoOld,
    /// The quota is exceeded.
    Exceeded {
        /// The quota's name.
        quota: String,
        /// Requested amounts.
        requested: ResourceList,
        /// Used amounts.
        used: ResourceList,
        /// Limits.
        hard: ResourceList,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Constraint { quota, missing } => write!(f, "failed quota: {quota}: {missing}"),
            Refusal::Unknown { quota, resources } => {
                write!(f, "status unknown for quota: {quota}, resources: {}", resources.join(","))
            }
            Refusal::Negative { resources } => {
                write!(f, "quota usage is negative for resource(s): {}", resources.join(","))
            }
            Refusal::NoOld => {
                f.write_str("unable to get previous usage since prior version of object was not found")
            }
            Refusal::Exceeded { quota, requested, used, hard } => write!(
                f,
                "exceeded quota: {quota}, requested: {}, used: {}, limited: {}",
                amounts(requested),
                amounts(used),
                amounts(hard)
            ),
        }
    }
}

impl std::error::Error for Refusal {}

fn amounts(list: &ResourceList) -> String {
    let texts: Vec<String> = list.iter().map(|(name, amount)| format!("{name}={amount}")).collect();
    texts.join(",")
}

/// Reports whether a quota is about an object.
fn matches(evaluator: &Evaluator, quota: &ResourceQuota, object: &dyn Object) -> bool {
    !evaluator.concerned(&quota.status.hard).is_empty() && is_in_scope(evaluator, &quota.spec, object)
}

/// Charges a request to all quotas of its namespace.
///
/// What is bounded and used is read from their status. Quotas that the request changes nothing in are not
/// among the charges.
///
/// # Errors
/// If a quota refuses it.
pub fn charge(
    evaluator: &Evaluator,
    quotas: &[&ResourceQuota],
    request: &Request<'_>,
    now: Time,
) -> Result<Vec<Charge>, Refusal> {
    if !evaluator.handles(request) {
        return Ok(Vec::new());
    }
    let mut concerned = Vec::new();
    for (index, quota) in quotas.iter().enumerate() {
        if matches(evaluator, quota, request.object) {
            check_object(evaluator, quota, request.object)?;
            concerned.push((index, *quota));
        }
    }
    let usage = evaluator.usage(request.object, now);
    let negative = usage.iter().filter(|(_, amount)| amount.sign() < 0);
    let negative: Vec<String> = negative.map(|(name, _)| name.clone()).collect();
    if !negative.is_empty() {
        return Err(Refusal::Negative { resources: negative });
    }
    let old = match request.operation {
        Operation::Create => None,
        Operation::Update => Some(request.old.ok_or(Refusal::NoOld)?),
    };
    // An object that is made by an update has no old version, whatever it is compared with.
    let old = old.filter(|old| !old.identity().resource_version.is_empty());
    let more = old.map(|old| subtract_to_zero(&usage, &evaluator.usage(old, now)));

    let mut charges = Vec::new();
    for (index, quota) in concerned {
        let was_in = old.is_some_and(|old| matches(evaluator, quota, old));
        let delta = more.as_ref().filter(|_| was_in).unwrap_or(&usage);
        let mut delta = delta.clone();
        delta.retain(|_, amount| !amount.is_zero());
        if delta.is_empty() {
            continue;
        }
        let requested = mask(&delta, quota.status.hard.keys().map(String::as_str));
        let used = add(&quota.status.used, &requested);
        if request.subresource != "status" {
            let touched = mask(&used, requested.keys().map(String::as_str));
            check_bounds(quota, &requested, &touched)?;
        }
        charges.push(Charge { quota: index, used });
    }
    Ok(charges)
}

fn check_object(evaluator: &Evaluator, quota: &ResourceQuota, object: &dyn Object) -> Result<(), Refusal> {
    let names = evaluator.concerned(&quota.status.hard);
    let name = || quota.metadata.name.clone();
    if let Some(missing) = evaluator.missing(&names, object) {
        return Err(Refusal::Constraint { quota: name(), missing });
    }
    if names.iter().any(|name| !quota.status.used.contains_key(*name)) {
        let resources = names.into_iter().map(str::to_owned).collect();
        return Err(Refusal::Unknown { quota: name(), resources });
    }
    Ok(())
}

fn check_bounds(quota: &ResourceQuota, requested: &ResourceList, used: &ResourceList) -> Result<(), Refusal> {
    let hard = &quota.status.hard;
    let exceeded = exceeding(used, hard);
    if exceeded.is_empty() {
        return Ok(());
    }
    let part = |list: &ResourceList| mask(list, exceeded.iter().copied());
    Err(Refusal::Exceeded {
        quota: quota.metadata.name.clone(),
        requested: part(requested),
        used: part(&quota.status.used),
        hard: part(hard),
    })
}
