//! Quota evaluators: usage of objects by resource.

use rhumb_api::core::v1::{PersistentVolumeClaim, Pod, Service};
use rhumb_api::resource::v1::ResourceClaim;
use rhumb_meta::{Object, Time};

use super::arithmetic::count;
use super::charge::{Operation, Request};
use super::{device_claims, pods, services, volume_claims};
use crate::ResourceList;

/// How objects of a resource are charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evaluator {
    /// Pods: what their containers ask for, while they run.
    Pods,
    /// Services, their node ports and load balancers.
    Services,
    /// Claims of volumes, with storage by class.
    VolumeClaims,
    /// Claims of devices by class.
    DeviceClaims,
    /// Anything else: the number of objects, under these names.
    Objects(Vec<String>),
}

/// Resources that are not counted: not stored, or excluded for historical reasons.
const IGNORED: &[(&str, &str)] = &[
    ("", "bindings"),
    ("", "componentstatuses"),
    ("", "events"),
    ("events.k8s.io", "events"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
];

/// Resources that can also be counted by their bare name.
pub(super) const COUNTED_BY_NAME: &[&str] =
    &["configmaps", "resourcequotas", "replicationcontrollers", "secrets"];

impl Evaluator {
    /// Returns the evaluator of a resource, or none if no quota concerns it.
    pub fn of(group: &str, resource: &str) -> Option<Evaluator> {
        if IGNORED.contains(&(group, resource)) {
            return None;
        }
        Some(match (group, resource) {
            ("", "pods") => Evaluator::Pods,
            ("", "services") => Evaluator::Services,
            ("", "persistentvolumeclaims") => Evaluator::VolumeClaims,
            ("resource.k8s.io", "resourceclaims") => Evaluator::DeviceClaims,
            ("", resource) if COUNTED_BY_NAME.contains(&resource) => {
                Evaluator::Objects(vec![format!("count/{resource}"), resource.to_owned()])
            }
            ("", resource) => Evaluator::Objects(vec![format!("count/{resource}")]),
            (group, resource) => Evaluator::Objects(vec![format!("count/{resource}.{group}")]),
        })
    }

    /// Reports whether a request may change what is used.
    pub fn handles(&self, request: &Request<'_>) -> bool {
        let creates = request.operation == Operation::Create;
        match (self, request.subresource) {
            (Evaluator::Pods, "") => creates || pods::changes_scope(request.object, request.old),
            (Evaluator::Pods, "resize") => !creates,
            (Evaluator::Services | Evaluator::VolumeClaims | Evaluator::DeviceClaims, "") => true,
            // Kubernetes means to look for changes of the allocated storage here, but compares addresses.
            (Evaluator::VolumeClaims, "status") => true,
            (Evaluator::Objects(_), "") => creates,
            _ => false,
        }
    }

    /// Returns the usage of an object.
    pub fn usage(&self, object: &dyn Object, now: Time) -> ResourceList {
        let usage = match self {
            Evaluator::Pods => object.downcast_ref::<Pod>().map(|pod| pods::usage(pod, now)),
            Evaluator::Services => object.downcast_ref::<Service>().map(services::usage),
            Evaluator::VolumeClaims => {
                object.downcast_ref::<PersistentVolumeClaim>().map(volume_claims::usage)
            }
            Evaluator::DeviceClaims => object.downcast_ref::<ResourceClaim>().map(device_claims::usage),
            Evaluator::Objects(names) => Some(names.iter().map(|name| (name.clone(), count(1))).collect()),
        };
        usage.unwrap_or_default()
    }

    /// Reports whether a name in a quota concerns objects of this resource.
    pub fn concerns(&self, name: &str) -> bool {
        match self {
            Evaluator::Pods => pods::concerns(name),
            Evaluator::Services => services::concerns(name),
            Evaluator::VolumeClaims => volume_claims::concerns(name),
            Evaluator::DeviceClaims => device_claims::concerns(name),
            Evaluator::Objects(names) => names.iter().any(|own| own == name),
        }
    }

    /// Returns the names in a quota that concern objects of this resource.
    pub fn concerned<'a>(&self, hard: &'a ResourceList) -> Vec<&'a str> {
        hard.keys().map(String::as_str).filter(|name| self.concerns(name)).collect()
    }

    /// Returns the required values that an object lacks for quotas with these names.
    pub(super) fn missing(&self, names: &[&str], object: &dyn Object) -> Option<String> {
        match self {
            Evaluator::Pods => object.downcast_ref().and_then(|pod| pods::missing(names, pod)),
            _ => None,
        }
    }
}
