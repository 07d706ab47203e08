//! Scopes of quotas.

use rhumb_api::core::v1::{
    PersistentVolumeClaim, Pod, PodAffinityTerm, PodSpec, ResourceQuotaSpec,
    ScopedResourceSelectorRequirement, WeightedPodAffinityTerm,
};
use rhumb_meta::Object;

use super::evaluator::Evaluator;
use super::{pods, volume_claims};

/// A scope of a quota.
struct Scope<'a> {
    name: &'a str,
    operator: &'a str,
    values: &'a [String],
}

impl<'a> From<&'a ScopedResourceSelectorRequirement> for Scope<'a> {
    fn from(requirement: &'a ScopedResourceSelectorRequirement) -> Self {
        Scope { name: &requirement.scope_name, operator: &requirement.operator, values: &requirement.values }
    }
}

fn scopes(quota: &ResourceQuotaSpec) -> impl Iterator<Item = Scope<'_>> {
    let plain = quota.scopes.iter().map(|name| Scope { name, operator: "Exists", values: &[] });
    let selected = quota.scope_selector.iter().flat_map(|selector| &selector.match_expressions);
    plain.chain(selected.map(Scope::from))
}

/// Reports whether an object is in all scopes of a quota.
pub(super) fn is_in_scope(evaluator: &Evaluator, quota: &ResourceQuotaSpec, object: &dyn Object) -> bool {
    scopes(quota).all(|scope| match evaluator {
        Evaluator::Pods => object.downcast_ref().is_some_and(|pod| has_pod(&scope, pod)),
        Evaluator::VolumeClaims => object.downcast_ref().is_some_and(|claim| has_claim(&scope, claim)),
        _ => false,
    })
}

fn has_pod(scope: &Scope<'_>, pod: &Pod) -> bool {
    match scope.name {
        "Terminating" => pods::is_terminating(pod),
        "NotTerminating" => !pods::is_terminating(pod),
        "BestEffort" => pods::is_best_effort(pod),
        "NotBestEffort" => !pods::is_best_effort(pod),
        "PriorityClass" => {
            let class = pod.spec.priority_class_name.as_str();
            has_value(scope, Some(class).filter(|class| !class.is_empty()))
        }
        "CrossNamespacePodAffinity" => is_near_other_namespaces(&pod.spec),
        _ => false,
    }
}

fn has_claim(scope: &Scope<'_>, claim: &PersistentVolumeClaim) -> bool {
    if scope.name != "VolumeAttributesClass" {
        return false;
    }
    let classes = volume_claims::attributes_classes(claim);
    if classes.is_empty() {
        return has_value(scope, None);
    }
    classes.into_iter().any(|class| has_value(scope, Some(class)))
}

fn has_value(scope: &Scope<'_>, value: Option<&str>) -> bool {
    let is_named = || value.is_some_and(|value| scope.values.iter().any(|wanted| wanted == value));
    match scope.operator {
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "In" => is_named(),
        "NotIn" => !is_named(),
        _ => false,
    }
}

fn is_near_other_namespaces(spec: &PodSpec) -> bool {
    let names_others =
        |term: &PodAffinityTerm| !term.namespaces.is_empty() || term.namespace_selector.is_some();
    let any = |required: &[PodAffinityTerm], preferred: &[WeightedPodAffinityTerm]| {
        required.iter().any(names_others)
            || preferred.iter().any(|term| names_others(&term.pod_affinity_term))
    };
    let Some(affinity) = &spec.affinity else { return false };
    affinity.pod_affinity.as_ref().is_some_and(|near| {
        any(
            &near.required_during_scheduling_ignored_during_execution,
            &near.preferred_during_scheduling_ignored_during_execution,
        )
    }) || affinity.pod_anti_affinity.as_ref().is_some_and(|far| {
        any(
            &far.required_during_scheduling_ignored_during_execution,
            &far.preferred_during_scheduling_ignored_during_execution,
        )
    })
}
