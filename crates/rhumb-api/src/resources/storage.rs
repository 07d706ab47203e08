//! Where data is kept: `storage.k8s.io`, and `storagemigration.k8s.io` for the server's own.

use super::{Group, Resource, Subresource};
use Subresource as Sub;

pub(super) const STORAGE: Group = Group {
    name: "storage.k8s.io",
    versions: &["v1", "v1beta1", "v1alpha1"],
    resources: &[
        Resource::cluster("csidrivers", "CSIDriver").returning_deleted().formerly(&["v1beta1"]),
        Resource::cluster("csinodes", "CSINode").returning_deleted().formerly(&["v1beta1"]),
        Resource::namespaced("csistoragecapacities", "CSIStorageCapacity").formerly(&["v1beta1", "v1alpha1"]),
        Resource::cluster("storageclasses", "StorageClass")
            .returning_deleted()
            .short(&["sc"])
            .formerly(&["v1beta1"]),
        // The older versions had the status as a plain part of the object.
        Resource::cluster("volumeattachments", "VolumeAttachment")
            .returning_deleted()
            .formerly(&["v1beta1", "v1alpha1"])
            .with(&[Sub::STATUS.only_in(&["v1"])]),
        Resource::cluster("volumeattributesclasses", "VolumeAttributesClass")
            .returning_deleted()
            .short(&["vac"])
            .versions(&["v1", "v1beta1"])
            .formerly(&["v1alpha1"]),
    ],
};

pub(super) const STORAGE_MIGRATION: Group = Group {
    name: "storagemigration.k8s.io",
    versions: &["v1beta1", "v1alpha1"],
    resources: &[Resource::cluster("storageversionmigrations", "StorageVersionMigration")
        .versions(&["v1beta1"])
        .with(&[Sub::STATUS])],
};
