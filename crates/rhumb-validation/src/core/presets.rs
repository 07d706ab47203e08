//! Validation of pod presets.

use rhumb_api::core::v1::{Container, EnvFromSource, EnvVar, SecurityContext, Volume, VolumeMount};
use rhumb_scheme::validation::{FieldErrors, FieldPath};

use super::env::{env, env_from};
use super::pod_options::PodOptions;
use super::volume::volumes;
use super::volume_mount::mounts;

/// Variables, volumes and mounts that pods get.
#[derive(Clone, Copy)]
pub(crate) struct Preset<'a> {
    pub(crate) env: &'a [EnvVar],
    pub(crate) env_from: &'a [EnvFromSource],
    pub(crate) volumes: &'a [Volume],
    pub(crate) volume_mounts: &'a [VolumeMount],
}

/// Checks the parts of a preset. Mounts may only be of the preset's own volumes.
pub(crate) fn preset(preset: Preset<'_>, path: &FieldPath, errors: &mut FieldErrors) {
    let options = PodOptions::default();
    let valid = volumes(preset.volumes, None, &path.child("volumes"), &options, errors);
    env(preset.env, &path.child("env"), errors);
    env_from(preset.env_from, &path.child("envFrom"), errors);
    // Whether the containers will be privileged is known only when there is a pod, so here it counts as given.
    let privileged = SecurityContext { privileged: Some(true), ..SecurityContext::default() };
    let container = Container {
        volume_mounts: preset.volume_mounts.to_vec(),
        security_context: Some(Box::new(privileged)),
        ..Container::default()
    };
    mounts(&container, &valid, &path.child("volumeMounts"), errors);
}
