//! Pod templates of kinds.

use std::collections::HashMap;

use rhumb_api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use rhumb_api::batch::v1::{CronJob, Job};
use rhumb_api::core::v1::{Pod, PodSpec, PodTemplate, PodTemplateSpec, ReplicationController};
use rhumb_meta::Object;
use rhumb_meta::v1::ObjectMeta;

/// Reports whether objects of a resource are pods or may have pods in them.
pub fn has_pod_spec(group: &str, resource: &str) -> bool {
    match group {
        "" => matches!(resource, "pods" | "replicationcontrollers" | "podtemplates"),
        "apps" => matches!(resource, "replicasets" | "deployments" | "statefulsets" | "daemonsets"),
        "batch" => matches!(resource, "jobs" | "cronjobs"),
        _ => false,
    }
}

/// Returns the metadata and spec of the pod that an object is, or of the pods that are made of it.
pub fn pod_spec(object: &dyn Object) -> Option<(&ObjectMeta, &PodSpec)> {
    if let Some(pod) = object.downcast_ref::<Pod>() {
        return Some((&pod.metadata, &pod.spec));
    }
    template(object).map(|template| (&template.metadata, &template.spec))
}

fn template(object: &dyn Object) -> Option<&PodTemplateSpec> {
    if let Some(deployment) = object.downcast_ref::<Deployment>() {
        Some(&deployment.spec.template)
    } else if let Some(set) = object.downcast_ref::<ReplicaSet>() {
        Some(&set.spec.template)
    } else if let Some(set) = object.downcast_ref::<StatefulSet>() {
        Some(&set.spec.template)
    } else if let Some(set) = object.downcast_ref::<DaemonSet>() {
        Some(&set.spec.template)
    } else if let Some(job) = object.downcast_ref::<Job>() {
        Some(&job.spec.template)
    } else if let Some(job) = object.downcast_ref::<CronJob>() {
        Some(&job.spec.job_template.spec.template)
    } else if let Some(controller) = object.downcast_ref::<ReplicationController>() {
        controller.spec.template.as_deref()
    } else if let Some(template) = object.downcast_ref::<PodTemplate>() {
        Some(&template.template)
    } else {
        None
    }
}

/// Reports whether an update of a pod is looked at. Most fields can't change, and a pod that was let in stays in, so
/// only new containers and other images count.
pub fn is_significant_update(new: &Pod, old: &Pod) -> bool {
    let (new, old) = (&new.spec, &old.spec);
    if new.containers.len() != old.containers.len() || new.init_containers.len() != old.init_containers.len()
    {
        return true;
    }
    let mut pairs = (new.containers.iter().zip(&old.containers))
        .chain(new.init_containers.iter().zip(&old.init_containers));
    if pairs.any(|(new, old)| new.image != old.image) {
        return true;
    }
    // Of several with a name the first counts.
    let olds = old.ephemeral_containers.iter().rev().map(|old| &old.ephemeral_container_common);
    let olds: HashMap<&str, &str> = olds.map(|old| (old.name.as_str(), old.image.as_str())).collect();
    new.ephemeral_containers.iter().any(|new| {
        let new = &new.ephemeral_container_common;
        olds.get(new.name.as_str()).is_none_or(|image| *image != new.image)
    })
}
