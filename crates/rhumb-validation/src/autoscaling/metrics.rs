//! Validation of metrics.

use rhumb_api::autoscaling::v2::{
    ContainerResourceMetricSource, ExternalMetricSource, HorizontalPodAutoscalerSpec, MetricIdentifier,
    MetricSpec, MetricTarget, ObjectMetricSource, PodsMetricSource, ResourceMetricSource,
};
use rhumb_meta::Quantity;
use rhumb_meta::validation::is_path_segment_name;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use super::autoscaler::{Versions, reference};
use crate::core::resources::container_resource_name;
use crate::meta::dns_label;

const TYPES: [&str; 5] = ["ContainerResource", "External", "Object", "Pods", "Resource"];

/// All metrics. Scaling to nothing needs one that exists without pods.
pub(super) fn metrics(
    spec: &HorizontalPodAutoscalerSpec,
    versions: Versions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (index, given) in spec.metrics.iter().enumerate().wanted() {
        metric(given, versions, &path.index(index), errors);
    }
    let without_pods = |metric: &MetricSpec| ["Object", "External"].contains(&metric.type_.as_str());
    if spec.min_replicas == Some(0) && !spec.metrics.iter().any(without_pods) {
        let detail =
            "must specify at least one Object or External metric to support scaling to zero replicas";
        errors.forbidden(path, detail);
    }
}

fn metric(metric: &MetricSpec, versions: Versions, path: &FieldPath, errors: &mut FieldErrors) {
    let type_ = metric.type_.as_str();
    let at_type = path.child("type");
    if type_.is_empty() {
        errors.required(&at_type, "must specify a metric source type");
    }
    let known = TYPES.contains(&type_);
    if !known {
        errors.not_supported(&at_type, &Named(type_), &TYPES);
    }
    let present = first_source(metric, versions, path, errors);
    // The name of a source is its type with a small letter.
    let mut expected = type_.to_owned();
    if let Some(first) = expected.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    if !known {
        errors.not_supported(&at_type, &Named(type_), &TYPES);
    } else if !present.contains(&expected.as_str()) {
        errors.required(&path.child(&expected), "must populate information for the given metric source");
    }
    if present.len() != 1 {
        for other in present.iter().filter(|name| **name != expected) {
            errors.forbidden(&path.child(other), "must populate the given metric source only");
        }
    }
}

/// Checks the first source that is there, and names all that are.
fn first_source(
    metric: &MetricSpec,
    versions: Versions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) -> Vec<&'static str> {
    let sources = [
        ("object", metric.object.is_some()),
        ("external", metric.external.is_some()),
        ("pods", metric.pods.is_some()),
        ("resource", metric.resource.is_some()),
        ("containerResource", metric.container_resource.is_some()),
    ];
    if let Some(source) = &metric.object {
        object(source, versions, &path.child("object"), errors);
    } else if let Some(source) = &metric.external {
        external(source, &path.child("external"), errors);
    } else if let Some(source) = &metric.pods {
        pods(source, &path.child("pods"), errors);
    } else if let Some(source) = &metric.resource {
        resource(source, &path.child("resource"), errors);
    } else if let Some(source) = &metric.container_resource {
        container_resource(source, &path.child("containerResource"), errors);
    }
    sources.into_iter().filter(|(_, present)| *present).map(|(name, _)| name).collect()
}

fn object(source: &ObjectMetricSource, versions: Versions, path: &FieldPath, errors: &mut FieldErrors) {
    reference(&source.described_object, versions, &path.child("describedObject"), errors);
    identifier(&source.metric, &path.child("metric"), errors);
    let at = path.child("target");
    target(&source.target, &at, errors);
    if source.target.value.is_none() && source.target.average_value.is_none() {
        errors.required(&at.child("averageValue"), "must set either a target value or averageValue");
    }
}

fn external(source: &ExternalMetricSource, path: &FieldPath, errors: &mut FieldErrors) {
    identifier(&source.metric, &path.child("metric"), errors);
    let at = path.child("target");
    target(&source.target, &at, errors);
    match (&source.target.value, &source.target.average_value) {
        (None, None) => {
            let detail = "must set either a target value for metric or a per-pod target";
            errors.required(&at.child("averageValue"), detail);
        }
        (Some(_), Some(_)) => {
            let detail = "may not set both a target value for metric and a per-pod target";
            errors.forbidden(&at.child("value"), detail);
        }
        _ => {}
    }
}

fn pods(source: &PodsMetricSource, path: &FieldPath, errors: &mut FieldErrors) {
    identifier(&source.metric, &path.child("metric"), errors);
    let at = path.child("target");
    target(&source.target, &at, errors);
    if source.target.average_value.is_none() {
        errors.required(&at.child("averageValue"), "must specify a positive target averageValue");
    }
}

fn resource(source: &ResourceMetricSource, path: &FieldPath, errors: &mut FieldErrors) {
    if source.name.is_empty() {
        errors.required(&path.child("name"), "must specify a resource name");
    }
    resource_target(&source.target, &path.child("target"), errors);
}

fn container_resource(source: &ContainerResourceMetricSource, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child("name");
    if source.name.is_empty() {
        errors.required(&at, "must specify a resource name");
    } else {
        container_resource_name(&source.name, &at, errors);
    }
    let at = path.child("container");
    if source.container.is_empty() {
        errors.required(&at, "must specify a container");
    } else {
        dns_label(&source.container, &at, errors);
    }
    resource_target(&source.target, &path.child("target"), errors);
}

/// A utilization or a raw value, one of the two.
fn resource_target(given: &MetricTarget, path: &FieldPath, errors: &mut FieldErrors) {
    target(given, path, errors);
    match (given.average_utilization, &given.average_value) {
        (None, None) => {
            let detail = "must set either a target raw value or a target utilization";
            errors.required(&path.child("averageUtilization"), detail);
        }
        (Some(_), Some(_)) => {
            let detail = "may not set both a target raw value and a target utilization";
            errors.forbidden(&path.child("averageValue"), detail);
        }
        _ => {}
    }
}

fn target(target: &MetricTarget, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child("type");
    if target.type_.is_empty() {
        errors.required(&at, "must specify a metric target type");
    }
    if !["Utilization", "Value", "AverageValue"].contains(&target.type_.as_str()) {
        errors.invalid(&at, &Named(&target.type_), "must be either Utilization, Value, or AverageValue");
    }
    for (name, value) in [("value", &target.value), ("averageValue", &target.average_value)] {
        if let Some(value) = value.as_ref().filter(|value: &&Quantity| value.sign() <= 0) {
            errors.invalid(&path.child(name), value, "must be positive");
        }
    }
    if let Some(utilization) = target.average_utilization.filter(|utilization| *utilization < 1) {
        errors.invalid(&path.child("averageUtilization"), &utilization, "must be greater than 0");
    }
}

fn identifier(identifier: &MetricIdentifier, path: &FieldPath, errors: &mut FieldErrors) {
    let path = path.child("name");
    if identifier.name.is_empty() {
        errors.required(&path, "must specify a metric name");
    } else {
        errors.invalid_each(&path, &identifier.name, is_path_segment_name(&identifier.name));
    }
}
