//! Priority: pods get the number of their priority class, and one class at most is the default.

use std::sync::Arc;

use rhumb_api::core::v1::Pod;
use rhumb_api::scheduling::v1::PriorityClass;
use rhumb_meta::Object;

use super::{Admission, Attributes, Deciding};
use crate::base::failure::Outcome;

const CLASSES: (&str, &str, &str) = ("scheduling.k8s.io", "v1", "priorityclasses");

pub(super) struct Priority;

impl Admission for Priority {
    fn name(&self) -> &str {
        "Priority"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation.stores() && (request.is("", "pods") || request.is(CLASSES.0, CLASSES.2))
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(pod) = new.downcast_mut::<Pod>() else { return Ok(()) };
            let Some(old) = old.and_then(|old| old.downcast_ref::<Pod>()) else {
                return prioritize(request, pod).await;
            };
            // What was found out when the pod was made stays.
            if pod.spec.priority.is_none() {
                pod.spec.priority = old.spec.priority;
            }
            if pod.spec.preemption_policy.is_none() {
                pod.spec.preemption_policy.clone_from(&old.spec.preemption_policy);
            }
            Ok(())
        })
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(class) = new.and_then(|new| new.downcast_ref::<PriorityClass>()) else { return Ok(()) };
            if !class.global_default {
                return Ok(());
            }
            let default = default_class(request).await?;
            let Some(default) = default.as_ref().and_then(|found| found.downcast_ref::<PriorityClass>())
            else {
                return Ok(());
            };
            let name = &default.metadata.name;
            if old.is_some() && *name == class.metadata.name {
                return Ok(());
            }
            let why =
                format!("PriorityClass {name} is already marked as default. Only one default can exist");
            Err(request.forbidden(new, why))
        })
    }
}

/// The class that pods without one get: the lowest, if several say they are it.
async fn default_class(request: &Attributes<'_>) -> Outcome<Option<Arc<dyn Object>>> {
    let all = request.cluster.list(CLASSES, "").await?;
    let value = |object: &Arc<dyn Object>| {
        object.downcast_ref::<PriorityClass>().filter(|class| class.global_default).map(|class| class.value)
    };
    Ok(all.into_iter().filter(|object| value(object).is_some()).min_by_key(value))
}

async fn prioritize(request: &Attributes<'_>, pod: &mut Pod) -> Outcome<()> {
    let named = pod.spec.priority_class_name.clone();
    let found = match named.as_str() {
        "" => default_class(request).await?,
        name => {
            let found = request.cluster.get(CLASSES, "", name).await?;
            let missing =
                || request.forbidden(Some(pod), format!("no PriorityClass with name {name} was found"));
            Some(found.ok_or_else(missing)?)
        }
    };
    let class = found.as_ref().and_then(|found| found.downcast_ref::<PriorityClass>());
    let (name, priority, policy) = match class {
        Some(class) => (class.metadata.name.clone(), class.value, class.preemption_policy.clone()),
        None => (String::new(), 0, Some("PreemptLowerPriority".to_owned())),
    };
    if let Some(told) = pod.spec.priority.filter(|told| *told != priority) {
        let why = format!(
            "the integer value of priority ({told}) must not be provided in pod spec; priority admission \
             controller computed {priority} from the given PriorityClass name"
        );
        return Err(request.forbidden(Some(pod), why));
    }
    pod.spec.priority_class_name = name;
    pod.spec.priority = Some(priority);
    let Some(policy) = policy else { return Ok(()) };
    if let Some(told) = pod.spec.preemption_policy.as_ref().filter(|told| **told != policy) {
        let why = format!(
            "the string value of PreemptionPolicy ({told}) must not be provided in pod spec; priority admission \
             controller computed {policy} from the given PriorityClass name"
        );
        return Err(request.forbidden(Some(pod), why));
    }
    pod.spec.preemption_policy = Some(policy);
    Ok(())
}
