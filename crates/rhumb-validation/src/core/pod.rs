//! Validation of pods, pod templates and bindings, and of what is asked of logs.

use rhumb_api::core::v1::{Binding, Pod, PodLogOptions, PodTemplate, PodTemplateSpec};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::container::only_for_pod;
use super::pod_annotations::{annotations_match_fields, pod_annotations};
pub(crate) use super::pod_options::PodOptions;
use super::pod_spec::pod_spec;
use super::{pod_logs, pod_resize, pod_status, pod_update};
use crate::meta::{Scope, annotations, labels, object_meta, object_meta_update};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    let pods = Rules::create(create)
        .update(pod_update::update)
        .on("status", pod_status::update)
        .on("ephemeralcontainers", pod_update::ephemeral_containers)
        .on("resize", pod_resize::resize);
    builder
        .rules::<Pod>(pods)?
        .rules::<PodTemplate>(Rules::create(template_create).update(template_update))?
        .rules::<Binding>(Rules::create(binding))?
        .rules::<PodLogOptions>(Rules::create(pod_logs::log_options))?;
    Ok(())
}

fn create(pod: &Pod, _: &Context, errors: &mut FieldErrors) {
    metadata_and_spec(pod, &PodOptions::of_pod(), errors);
    let path = FieldPath::new("spec");
    if !pod.spec.ephemeral_containers.is_empty() {
        errors.forbidden(&path.child("ephemeralContainers"), "cannot be set on create");
    }
    if !pod.spec.node_name.is_empty() && !pod.spec.scheduling_gates.is_empty() {
        let detail = "cannot be set until all schedulingGates have been cleared";
        errors.forbidden(&path.child("nodeName"), detail);
    }
    annotations_match_fields(&pod.metadata, &pod.spec, &path, errors);
}

/// What holds for a pod at any time.
pub(super) fn metadata_and_spec(pod: &Pod, options: &PodOptions, errors: &mut FieldErrors) {
    let (metadata, path) = (FieldPath::new("metadata"), FieldPath::new("spec"));
    object_meta(&pod.metadata, Scope::Namespaced, name_is_dns_subdomain, &metadata, errors);
    let at = metadata.child("annotations");
    pod_annotations(&pod.metadata.annotations, &pod.spec, &at, options, errors);
    pod_spec(&pod.spec, Some(&pod.metadata), &path, options, errors);
    if pod.spec.service_account_name.is_empty() {
        tokens_without_account(pod, &path, errors);
    }
    for (index, container) in pod.spec.containers.iter().enumerate().wanted() {
        only_for_pod(container, &path.child("containers").index(index), errors);
    }
    for (index, container) in pod.spec.init_containers.iter().enumerate().wanted() {
        only_for_pod(container, &path.child("initContainers").index(index), errors);
    }
}

fn tokens_without_account(pod: &Pod, path: &FieldPath, errors: &mut FieldErrors) {
    for (index, volume) in pod.spec.volumes.iter().enumerate().wanted() {
        let Some(projected) = &volume.volume_source.projected else { continue };
        let at = path.child("volumes").index(index).child("projected").child("sources");
        for (position, source) in projected.sources.iter().enumerate().wanted() {
            if source.service_account_token.is_some() {
                let detail = "must not be specified when serviceAccountName is not set";
                errors.forbidden(&at.index(position).child("serviceAccountToken"), detail);
            }
        }
    }
}

/// The template of a pod, wherever it stands.
pub(crate) fn pod_template_spec(
    template: &PodTemplateSpec,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    let spec = path.child("spec");
    labels(&template.metadata.labels, &path.child("labels"), errors);
    annotations(&template.metadata.annotations, &path.child("annotations"), errors);
    let at = path.child("annotations");
    pod_annotations(&template.metadata.annotations, &template.spec, &at, options, errors);
    pod_spec(&template.spec, None, &spec, options, errors);
    annotations_match_fields(&template.metadata, &template.spec, &spec, errors);
    if !template.spec.ephemeral_containers.is_empty() {
        let detail = "ephemeral containers not allowed in pod template";
        errors.forbidden(&spec.child("ephemeralContainers"), detail);
    }
}

fn template_create(template: &PodTemplate, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&template.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    pod_template_spec(&template.template, &FieldPath::new("template"), &PodOptions::default(), errors);
}

fn template_update(new: &PodTemplate, old: &PodTemplate, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let options = PodOptions::of_template_update(&old.template);
    pod_template_spec(&new.template, &FieldPath::new("template"), &options, errors);
}

fn binding(binding: &Binding, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("target");
    if !matches!(binding.target.kind.as_str(), "" | "Node") {
        errors.not_supported(&path.child("kind"), &binding.target.kind, &["Node", "<empty>"]);
    }
    if binding.target.name.is_empty() {
        errors.required(&path.child("name"), "");
    }
}
