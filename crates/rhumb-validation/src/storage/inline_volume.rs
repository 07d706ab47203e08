//! A persistent volume that is written inside an attachment: it belongs to no claim and is a CSI driver's.

use rhumb_api::core::v1::PersistentVolumeSpec;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

use crate::core::persistent_volume_sources::sources;
use crate::core::persistent_volumes::access_modes;

const NOT_INLINE: &str = "may not be specified in the context of inline volumes";

/// The volume of an attachment.
pub(super) fn inline_volume(spec: &PersistentVolumeSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let not_inline = |is_there: bool, field: &str, errors: &mut FieldErrors| {
        if is_there {
            errors.forbidden(&path.child(field), NOT_INLINE);
        }
    };
    not_inline(spec.claim_ref.is_some(), "claimRef", errors);
    not_inline(!spec.capacity.is_empty(), "capacity", errors);
    if spec.persistent_volume_source.csi.is_none() {
        errors.required(&path.child("csi"), "has to be specified in the context of inline volumes");
    }
    let modes = path.child("accessModes");
    if spec.access_modes.is_empty() {
        errors.required(&modes, "");
    }
    access_modes(&spec.access_modes, &modes, errors);
    if !matches!(spec.persistent_volume_reclaim_policy.as_str(), "" | "Retain") {
        let detail = "may only be Retain in the context of inline volumes";
        errors.forbidden(&path.child("persistentVolumeReclaimPolicy"), detail);
    }
    not_inline(spec.node_affinity.is_some(), "nodeAffinity", errors);
    sources(spec, "", path, errors);
    not_inline(!spec.storage_class_name.is_empty(), "storageClassName", errors);
    if spec.volume_mode.as_deref().is_some_and(|mode| mode != "Filesystem") {
        let detail = "may not specify volumeMode other than Filesystem in the context of inline volumes";
        errors.forbidden(&path.child("volumeMode"), detail);
    }
}
