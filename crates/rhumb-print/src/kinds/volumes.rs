//! Columns of persistent volumes and claims.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use rhumb_meta::{ObjectMeta, Quantity};
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::{UNSET, some_or};

const STORAGE_CLASS: Column = Column::text("StorageClass", "The class of storage.");
const ATTRIBUTES_CLASS: Column =
    Column::text("VolumeAttributesClass", "The class of settings that can be changed.");
const VOLUME_MODE: Column = Column::text("VolumeMode", "Filesystem or Block.").wide();
const ACCESS_MODES: Column = Column::text("Access Modes", "How the volume can be mounted.");

impl Printed for PersistentVolume {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Capacity", "How much fits."),
        ACCESS_MODES,
        Column::text("Reclaim Policy", "What becomes of the volume when it is released."),
        Column::text("Status", "Whether the volume is bound, free or going away."),
        Column::text("Claim", "The claim it is bound to."),
        STORAGE_CLASS,
        ATTRIBUTES_CLASS,
        Column::text("Reason", "One word for why the volume failed."),
        Column::AGE,
        VOLUME_MODE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let claim = self.spec.claim_ref.as_ref();
        cells![
            self.metadata.name.as_str(),
            storage(&self.spec.capacity),
            access_modes(&self.spec.access_modes),
            self.spec.persistent_volume_reclaim_policy.as_str(),
            phase(&self.metadata, &self.status.phase),
            claim.map(|claim| format!("{}/{}", claim.namespace, claim.name)).unwrap_or_default(),
            class(&self.metadata, &self.spec.storage_class_name),
            some_or(&self.spec.volume_attributes_class_name, UNSET),
            self.status.reason.as_str(),
            now.since(&self.metadata.creation_timestamp),
            some_or(&self.spec.volume_mode, UNSET),
        ]
    }
}

impl Printed for PersistentVolumeClaim {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Status", "Whether the claim is bound."),
        Column::text("Volume", "The volume it is bound to."),
        Column::text("Capacity", "How much fits."),
        ACCESS_MODES,
        STORAGE_CLASS,
        ATTRIBUTES_CLASS,
        Column::AGE,
        VOLUME_MODE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        // What has no volume yet has no capacity either, only a wish.
        let (capacity, modes) = match self.spec.volume_name.as_str() {
            "" => (String::new(), String::new()),
            _ => (storage(&self.status.capacity), access_modes(&self.status.access_modes)),
        };
        cells![
            self.metadata.name.as_str(),
            phase(&self.metadata, &self.status.phase),
            self.spec.volume_name.as_str(),
            capacity,
            modes,
            class(&self.metadata, some_or(&self.spec.storage_class_name, "")),
            some_or(&self.spec.volume_attributes_class_name, UNSET),
            now.since(&self.metadata.creation_timestamp),
            some_or(&self.spec.volume_mode, UNSET),
        ]
    }
}

fn storage(resources: &BTreeMap<String, Quantity>) -> String {
    resources.get("storage").cloned().unwrap_or_default().to_string()
}

fn phase<'a>(meta: &ObjectMeta, phase: &'a str) -> &'a str {
    if meta.deletion_timestamp.is_some() { "Terminating" } else { phase }
}

/// Returns the class by the annotation that came before the field.
fn class<'a>(meta: &'a ObjectMeta, field: &'a str) -> &'a str {
    meta.annotations.get("volume.beta.kubernetes.io/storage-class").map_or(field, String::as_str)
}

fn access_modes(modes: &[String]) -> String {
    let known = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let has = |name: &str| modes.iter().any(|mode| mode == name);
    let shown: Vec<&str> = known.iter().filter(|(name, _)| has(name)).map(|(_, short)| *short).collect();
    shown.join(",")
}
