//! Strategy of persistent volumes, whose status has the time of the last phase change.

use rhumb_api::core::v1::{PersistentVolume, PersistentVolumeSpec, PersistentVolumeStatus};
use rhumb_scheme::validation::FieldPath;

use super::V1;
use crate::context::Context;
use crate::error::RegisterError;
use crate::node_labels::{Values, warn_term};
use crate::parts::{has_status, keep_spec, keep_status};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(PersistentVolume: PersistentVolumeSpec, PersistentVolumeStatus);

const DEPRECATED_ANNOTATIONS: [(&str, &str); 2] = [
    (
        "volume.beta.kubernetes.io/storage-class",
        "deprecated since v1.8; use \"storageClassName\" attribute instead",
    ),
    (
        "volume.beta.kubernetes.io/mount-options",
        "deprecated since v1.31; use \"mountOptions\" attribute instead",
    ),
];

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("", "PersistentVolume")
            .create(create)
            .update(keep_status)
            .warn_create(warn)
            .warn_update(|new, _| warn(new))
            .resets(V1, STATUS)
            .on("status", Part::new(update_status).resets(V1, SPEC)),
    )?;
    Ok(())
}

fn create(volume: &mut PersistentVolume, context: &Context) {
    volume.status = PersistentVolumeStatus {
        phase: "Pending".to_owned(),
        last_phase_transition_time: Some(context.now),
        ..PersistentVolumeStatus::default()
    };
}

fn update_status(new: &mut PersistentVolume, old: &PersistentVolume, context: &Context) {
    keep_spec(new, old, context);
    let before = &old.status;
    let time = &mut new.status.last_phase_transition_time;
    if new.status.phase == before.phase {
        if time.is_none() {
            *time = before.last_phase_transition_time;
        }
    } else if time.is_none() || *time == before.last_phase_transition_time {
        *time = Some(context.now);
    }
}

fn warn(volume: &PersistentVolume) -> Vec<String> {
    let mut warnings = Vec::new();
    let spec = &volume.spec;
    let path = FieldPath::new("spec");
    for (key, message) in DEPRECATED_ANNOTATIONS {
        if volume.metadata.annotations.contains_key(key) {
            let path = FieldPath::new("metadata").child("annotations").key(key);
            warnings.push(format!("{path}: {message}"));
        }
    }
    if spec.persistent_volume_reclaim_policy == "Recycle" {
        warnings.push(format!(
            "{}: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use \
             dynamic provisioning.",
            path.child("persistentVolumeReclaimPolicy")
        ));
    }
    if let Some(required) = spec.node_affinity.as_ref().and_then(|affinity| affinity.required.as_ref()) {
        let path = path.child("nodeAffinity").child("required").child("nodeSelectorTerms");
        for (index, term) in required.node_selector_terms.iter().enumerate() {
            warn_term(term, Values::Unchecked, &path.index(index), &mut warnings);
        }
    }
    let source = &spec.persistent_volume_source;
    let gone = [
        (source.cephfs.is_some(), "cephfs", "v1.28", "v1.31"),
        (source.photon_persistent_disk.is_some(), "photonPersistentDisk", "v1.11", "v1.16"),
        (source.scale_io.is_some(), "scaleIO", "v1.16", "v1.22"),
        (source.storageos.is_some(), "storageOS", "v1.22", "v1.25"),
        (source.glusterfs.is_some(), "glusterfs", "v1.25", "v1.26"),
        (source.rbd.is_some(), "rbd", "v1.28", "v1.31"),
    ];
    for (_, field, deprecated, removed) in gone.into_iter().filter(|(there, ..)| *there) {
        let path = path.child(field);
        warnings.push(format!("{path}: deprecated in {deprecated}, non-functional in {removed}+"));
    }
    warnings
}
