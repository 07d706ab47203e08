//! Validation of the `settings.k8s.io` group, as of the last release that had it.

use rhumb_api::settings::v1alpha1::{PodPreset, PodPresetSpec};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::core::presets::{Preset, preset};
use crate::meta::{LabelSelectorOptions, Scope, label_selector, object_meta, object_meta_update};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<PodPreset>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(new: &PodPreset, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&new.metadata, Scope::Namespaced, name_is_dns_subdomain, &metadata, errors);
    spec(&new.spec, errors);
}

fn update(new: &PodPreset, old: &PodPreset, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    spec(&new.spec, errors);
}

/// A preset must have something to add.
fn spec(spec: &PodPresetSpec, errors: &mut FieldErrors) {
    let path = FieldPath::new("spec");
    label_selector(&spec.selector, LabelSelectorOptions::default(), &path.child("selector"), errors);
    if spec.env.is_empty()
        && spec.env_from.is_empty()
        && spec.volumes.is_empty()
        && spec.volume_mounts.is_empty()
    {
        // One path that names all four, as Kubernetes has it.
        let path = path.child("volumes").child("env").child("envFrom").child("volumeMounts");
        errors.required(&path, "must specify at least one");
    }
    let parts = Preset {
        env: &spec.env,
        env_from: &spec.env_from,
        volumes: &spec.volumes,
        volume_mounts: &spec.volume_mounts,
    };
    preset(parts, &path, errors);
}
