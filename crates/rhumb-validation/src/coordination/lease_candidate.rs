//! Validation of LeaseCandidates.

use rhumb_api::coordination::v1beta1::{LeaseCandidate, LeaseCandidateSpec};
use rhumb_meta::validation::{NamePart, is_config_map_key};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::semantic_version::SemanticVersion;
use super::{OLDEST_EMULATION_VERSION, strategy};
use crate::meta::{Scope, common_object_meta, common_object_meta_update, immutable_field};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<LeaseCandidate>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(candidate: &LeaseCandidate, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    common_object_meta(&candidate.metadata, Scope::Namespaced, name_is_key, &metadata, errors);
    spec(&candidate.spec, &FieldPath::new("spec"), errors);
}

/// A key may end with a dash, so that the start of a name needs no rule of its own.
fn name_is_key(name: &str, _: NamePart) -> Vec<String> {
    is_config_map_key(name)
}

fn update(new: &LeaseCandidate, old: &LeaseCandidate, _: &Context, errors: &mut FieldErrors) {
    common_object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec");
    spec(&new.spec, &path, errors);
    immutable_field(&new.spec.lease_name, &old.spec.lease_name, &path.child("leaseName"), errors);
}

/// A version that can't be read counts as 0.0.0 in what follows.
fn spec(spec: &LeaseCandidateSpec, path: &FieldPath, errors: &mut FieldErrors) {
    if spec.lease_name.is_empty() {
        errors.required(&path.child("leaseName"), "");
    }
    let mut emulated = SemanticVersion::default();
    if !spec.emulation_version.is_empty() {
        emulated = version(&spec.emulation_version, &path.child("emulationVersion"), errors);
    }
    let at = path.child("binaryVersion");
    if spec.binary_version.is_empty() {
        errors.required(&at, "");
    } else {
        let own = version(&spec.binary_version, &at, errors);
        if !spec.emulation_version.is_empty() && own < emulated {
            errors.invalid(&at, &spec.binary_version, "must be greater than or equal to `emulationVersion`");
        }
    }
    let at = path.child("strategy");
    if spec.strategy.is_empty() {
        return errors.required(&at, "");
    }
    if spec.strategy == OLDEST_EMULATION_VERSION && emulated == SemanticVersion::default() {
        let detail = "must be specified when `strategy` is 'OldestEmulationVersion'";
        errors.required(&path.child("emulationVersion"), detail);
    }
    strategy(&spec.strategy, &at, errors);
}

fn version(text: &str, path: &FieldPath, errors: &mut FieldErrors) -> SemanticVersion {
    SemanticVersion::parse(text).unwrap_or_else(|| {
        errors.invalid(path, text, "must be a valid semantic version");
        SemanticVersion::default()
    })
}
