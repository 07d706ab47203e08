//! Columns of storage classes and CSI kinds.

use rhumb_api::storage::v1::{CSIDriver, CSINode, StorageClass, VolumeAttachment, VolumeAttributesClass};
use serde_json::Value as Json;

use super::networking::name;
use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::{NONE, UNSET, or, some_or};

impl Printed for StorageClass {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Provisioner", "Who makes volumes of this class."),
        Column::text("ReclaimPolicy", "What becomes of a volume when it is released."),
        Column::text("VolumeBindingMode", "When a volume is made and bound."),
        Column::text("AllowVolumeExpansion", "Whether volumes can grow."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let marks = [
            "storageclass.kubernetes.io/is-default-class",
            "storageclass.beta.kubernetes.io/is-default-class",
        ];
        let annotations = &self.metadata.annotations;
        let is_default = marks.iter().any(|mark| annotations.get(*mark).is_some_and(|value| value == "true"));
        cells![
            name(&self.metadata.name, is_default),
            self.provisioner.as_str(),
            some_or(&self.reclaim_policy, "Delete"),
            some_or(&self.volume_binding_mode, "Immediate"),
            self.allow_volume_expansion.unwrap_or_default(),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for VolumeAttributesClass {
    const COLUMNS: &'static [Column] =
        &[Column::NAME, Column::text("DriverName", "The driver that knows the settings."), Column::AGE];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.driver_name.as_str(),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for VolumeAttachment {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Attacher", "The driver that attaches the volume.").identifying(),
        Column::text("PV", "The volume."),
        Column::text("Node", "The node it is to be attached to."),
        Column::boolean("Attached", "Whether it is attached."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.spec.attacher.as_str(),
            some_or(&self.spec.source.persistent_volume_name, ""),
            self.spec.node_name.as_str(),
            self.status.attached,
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for CSIDriver {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::boolean("AttachRequired", "Whether volumes are attached before they are mounted."),
        Column::boolean("PodInfoOnMount", "Whether the driver is told which pod it mounts for."),
        Column::boolean("StorageCapacity", "Whether the driver publishes how much fits where."),
        Column::text("TokenRequests", "Whose tokens the driver gets of the pods."),
        Column::boolean("RequiresRepublish", "Whether mounted volumes are refreshed from time to time."),
        Column::text("Modes", "The ways in which volumes live and end."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let tokens = match self.spec.token_requests.as_slice() {
            [] => UNSET.to_owned(),
            tokens => tokens.iter().map(|token| token.audience.as_str()).collect::<Vec<_>>().join(","),
        };
        cells![
            self.metadata.name.as_str(),
            self.spec.attach_required.unwrap_or(true),
            self.spec.pod_info_on_mount.unwrap_or_default(),
            self.spec.storage_capacity.unwrap_or_default(),
            tokens,
            self.spec.requires_republish.unwrap_or_default(),
            or(&self.spec.volume_lifecycle_modes.join(","), NONE),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for CSINode {
    const COLUMNS: &'static [Column] =
        &[Column::NAME, Column::integer("Drivers", "How many drivers the node has."), Column::AGE];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.spec.drivers.len(),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}
