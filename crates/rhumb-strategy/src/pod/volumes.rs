//! Warnings about removed or deprecated volume drivers.

use rhumb_api::core::v1::Volume;
use rhumb_scheme::validation::FieldPath;

use crate::core::claims::warn_spec;

/// Warns of volumes of kinds that no longer work.
pub(super) fn warn_volumes(volumes: &[Volume], path: &FieldPath, warnings: &mut Vec<String>) {
    for (index, volume) in volumes.iter().enumerate() {
        let path = path.index(index);
        let source = &volume.volume_source;
        let mut warn = |there: bool, field: &str, message: &str| {
            if there {
                warnings.push(format!("{}: {message}", path.child(field)));
            }
        };
        let old = "deprecated in v1.22, non-functional in v1.25+";
        let photon = source.photon_persistent_disk.is_some();
        warn(photon, "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+");
        let git = "deprecated in v1.11, and disabled by default in v1.33+";
        warn(source.git_repo.is_some(), "gitRepo", git);
        warn(source.scale_io.is_some(), "scaleIO", "deprecated in v1.16, non-functional in v1.22+");
        warn(source.flocker.is_some(), "flocker", old);
        warn(source.storageos.is_some(), "storageOS", old);
        warn(source.quobyte.is_some(), "quobyte", old);
        warn(source.glusterfs.is_some(), "glusterfs", "deprecated in v1.25, non-functional in v1.26+");
        if let Some(template) =
            source.ephemeral.as_ref().and_then(|ephemeral| ephemeral.volume_claim_template.as_ref())
        {
            let path = path.child("ephemeral").child("volumeClaimTemplate").child("spec");
            warn_spec(&template.spec, &path, warnings);
        }
        let mut warn = |there: bool, field: &str| {
            if there {
                let path = path.child(field);
                warnings.push(format!("{path}: deprecated in v1.28, non-functional in v1.31+"));
            }
        };
        warn(source.cephfs.is_some(), "cephfs");
        warn(source.rbd.is_some(), "rbd");
    }
}
