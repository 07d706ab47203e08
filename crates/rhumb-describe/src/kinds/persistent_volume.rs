//! PersistentVolumes.

use rhumb_api::core::v1::{PersistentVolume, VolumeNodeAffinity};

use super::cluster_heading;
use super::storage::{node_term, requirement_text};
use crate::Lines;
use crate::go_text::list;
use crate::parts::{Events, events, quantity_in};
use crate::volumes::persistent_volume_source;

/// Legacy annotation with the storage class.
pub(super) const STORAGE_CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// Access modes with their short names, in order of display.
const ACCESS_MODES: [(&str, &str); 4] = [
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
];

/// Access modes for short.
pub(super) fn access_modes(modes: &[String]) -> String {
    let has = |mode: &str| modes.iter().any(|known| known == mode);
    let shown: Vec<&str> =
        ACCESS_MODES.iter().filter(|(mode, _)| has(mode)).map(|(_, short)| *short).collect();
    shown.join(",")
}

/// Describes a PersistentVolume.
pub fn persistent_volume(out: &mut Lines, volume: &PersistentVolume, shown_events: Events<'_>) {
    let PersistentVolume { metadata, spec, status, .. } = volume;
    cluster_heading(out, metadata);
    out.field(0, "Finalizers", list(&metadata.finalizers));
    let class = metadata.annotations.get(STORAGE_CLASS_ANNOTATION);
    out.field(0, "StorageClass", class.unwrap_or(&spec.storage_class_name));
    match &metadata.deletion_timestamp {
        Some(time) => {
            let age = out.age(time);
            out.field(0, "Status", format_args!("Terminating (lasts {age})"));
        }
        None => out.field(0, "Status", &status.phase),
    }
    match &spec.claim_ref {
        Some(claim) => out.field(0, "Claim", format_args!("{}/{}", claim.namespace, claim.name)),
        None => out.field(0, "Claim", ""),
    }
    out.field(0, "Reclaim Policy", &spec.persistent_volume_reclaim_policy);
    out.field(0, "Access Modes", access_modes(&spec.access_modes));
    if let Some(mode) = &spec.volume_mode {
        out.field(0, "VolumeMode", mode);
    }
    out.field(0, "Capacity", quantity_in(&spec.capacity, "storage"));
    node_affinity(out, spec.node_affinity.as_deref());
    out.field(0, "Message", &status.message);
    out.line(0, "Source:");
    persistent_volume_source(out, &spec.persistent_volume_source);
    events(out, shown_events);
}

fn node_affinity(out: &mut Lines, affinity: Option<&VolumeNodeAffinity>) {
    let Some(required) = affinity.and_then(|affinity| affinity.required.as_ref()) else {
        out.field(0, "Node Affinity", "<none>");
        return;
    };
    out.field(0, "Node Affinity", "");
    let none = if required.node_selector_terms.is_empty() { "<none>" } else { "" };
    out.field(1, "Required Terms", none);
    for (index, term) in required.node_selector_terms.iter().enumerate() {
        let requirements = term.match_expressions.iter();
        let texts = requirements.map(|r| requirement_text(&r.key, &r.operator.to_lowercase(), &r.values));
        node_term(out, 2, index, texts);
    }
}
