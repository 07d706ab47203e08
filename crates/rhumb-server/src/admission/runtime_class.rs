//! RuntimeClass: what the runtime of a pod's class costs is added to the pod, and so is what its nodes want of pods.

use std::sync::Arc;

use rhumb_api::core::v1::{Pod, PodSpec, Toleration};
use rhumb_api::node::v1::RuntimeClass as Class;
use rhumb_meta::Object;

use super::{Admission, Attributes, Deciding, Operation};
use crate::failure::Outcome;

const DIFFERS: &str = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

pub(super) struct RuntimeClass;

impl Admission for RuntimeClass {
    fn name(&self) -> &str {
        "RuntimeClass"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation == Operation::Create && request.is("", "pods")
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(pod) = new.downcast_mut::<Pod>() else { return Ok(()) };
            let found = class_of(request, pod).await?;
            let Some(class) = found.as_ref().and_then(|found| found.downcast_ref::<Class>()) else {
                return Ok(());
            };
            complete(&mut pod.spec, class).map_err(|why| request.forbidden(Some(&*pod), why))
        })
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(pod) = new.and_then(|new| new.downcast_ref::<Pod>()) else { return Ok(()) };
            if pod.spec.runtime_class_name.is_none() && pod.spec.overhead.is_empty() {
                return Ok(());
            }
            let found = class_of(request, pod).await?;
            let class = found.as_ref().and_then(|found| found.downcast_ref::<Class>());
            match class.and_then(|class| class.overhead.as_ref()) {
                Some(overhead) if overhead.pod_fixed != pod.spec.overhead => {
                    Err(request.forbidden(new, DIFFERS))
                }
                None if !pod.spec.overhead.is_empty() => {
                    let why =
                        "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
                    Err(request.forbidden(new, why))
                }
                _ => Ok(()),
            }
        })
    }
}

/// The class that a pod names, which has to be there.
async fn class_of(request: &Attributes<'_>, pod: &Pod) -> Outcome<Option<Arc<dyn Object>>> {
    let Some(name) = &pod.spec.runtime_class_name else { return Ok(None) };
    let found = request.cluster.get(("node.k8s.io", "v1", "runtimeclasses"), "", name).await?;
    let missing = || {
        let shown = rhumb_schema::text::quoted(name);
        request.forbidden(Some(pod), format!("pod rejected: RuntimeClass {shown} not found"))
    };
    found.ok_or_else(missing).map(Some)
}

/// Adds what a class wants to a pod; why not, if the pod wants something else.
fn complete(pod: &mut PodSpec, class: &Class) -> Result<(), String> {
    if let Some(overhead) = &class.overhead {
        if !pod.overhead.is_empty() && pod.overhead != overhead.pod_fixed {
            return Err(DIFFERS.to_owned());
        }
        pod.overhead.clone_from(&overhead.pod_fixed);
    }
    let Some(scheduling) = &class.scheduling else { return Ok(()) };
    for (key, wanted) in &scheduling.node_selector {
        if let Some(own) = pod.node_selector.get(key).filter(|own| *own != wanted) {
            return Err(format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {wanted}; pod.spec.nodeSelector[{key}] = {own}"
            ));
        }
    }
    let selector = scheduling.node_selector.iter().map(|(key, value)| (key.clone(), value.clone()));
    pod.node_selector.extend(selector);
    let own = std::mem::take(&mut pod.tolerations);
    pod.tolerations = together(own, &scheduling.tolerations);
    Ok(())
}

/// Two lists of tolerations as one, without those that another one has in it.
fn together(mut first: Vec<Toleration>, second: &[Toleration]) -> Vec<Toleration> {
    first.extend_from_slice(second);
    let mut kept: Vec<Toleration> = Vec::with_capacity(first.len());
    for (place, one) in first.iter().enumerate() {
        let later = first.get(place + 1..).unwrap_or_default();
        let is_known = kept.iter().any(|other| has_in_it(other, one));
        if !is_known && !later.iter().any(|other| other != one && has_in_it(other, one)) {
            kept.push(one.clone());
        }
    }
    kept
}

/// Whether a toleration bears all that another one does.
fn has_in_it(wide: &Toleration, narrow: &Toleration) -> bool {
    if wide == narrow {
        return true;
    }
    let exists = wide.operator == "Exists";
    let fits = wide.key == narrow.key || wide.key.is_empty() && exists;
    let has_effect = wide.effect == narrow.effect || wide.effect.is_empty();
    let is_as_long = match (wide.toleration_seconds, narrow.toleration_seconds) {
        (Some(most), seconds) if wide.effect == "NoExecute" => seconds.is_some_and(|told| told <= most),
        _ => true,
    };
    let has_value = match wide.operator.as_str() {
        "Equal" | "" => narrow.operator == "Equal" && narrow.value == wide.value,
        _ => exists,
    };
    fits && has_effect && is_as_long && has_value
}
