//! PersistentVolumeClaims.

use rhumb_api::core::v1::{PersistentVolumeClaim, Pod};

use super::persistent_volume::{STORAGE_CLASS_ANNOTATION, access_modes};
use super::{labels_and_annotations, name_and_namespace};
use crate::Lines;
use crate::go_text::list;
use crate::parts::{Events, events, pod_names, quantity_in};

/// Returns the class that a claim asks for; empty if it names none.
pub(super) fn class_of_claim(claim: &PersistentVolumeClaim) -> &str {
    let annotated = claim.metadata.annotations.get(STORAGE_CLASS_ANNOTATION);
    annotated.or(claim.spec.storage_class_name.as_ref()).map(String::as_str).unwrap_or_default()
}

/// Describes a claim with the pods that use it.
pub fn claim(out: &mut Lines, claim: &PersistentVolumeClaim, pods: &[Pod], shown_events: Events<'_>) {
    let PersistentVolumeClaim { metadata, status, .. } = claim;
    name_and_namespace(out, metadata);
    out.field(0, "StorageClass", class_of_claim(claim));
    match &metadata.deletion_timestamp {
        Some(time) => {
            let age = out.age(time);
            out.field(0, "Status", format_args!("Terminating (lasts {age})"));
        }
        None => out.field(0, "Status", &status.phase),
    }
    out.field(0, "Volume", &claim.spec.volume_name);
    labels_and_annotations(out, metadata);
    out.field(0, "Finalizers", list(&metadata.finalizers));
    storage(out, claim);
    pod_names(out, "Used By", pods);
    if !status.conditions.is_empty() {
        out.line(0, "Conditions:");
        out.line(1, "Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage");
        out.line(1, "----\t------\t-----------------\t------------------\t------\t-------");
    }
    for c in &status.conditions {
        let (probe, transition) = (out.date(&c.last_probe_time), out.date(&c.last_transition_time));
        let line =
            format!("{} \t{} \t{probe} \t{transition} \t{} \t{}", c.type_, c.status, c.reason, c.message);
        out.line(1, line);
    }
    events(out, shown_events);
}

/// Describes what a claim is made of, for a volume that lives as long as its pod.
pub(crate) fn claim_template(out: &mut Lines, claim: &PersistentVolumeClaim) {
    out.field(0, "StorageClass", class_of_claim(claim));
    out.field(0, "Volume", &claim.spec.volume_name);
    labels_and_annotations(out, &claim.metadata);
    storage(out, claim);
}

fn storage(out: &mut Lines, claim: &PersistentVolumeClaim) {
    let PersistentVolumeClaim { spec, status, .. } = claim;
    let (capacity, modes) = match spec.volume_name.as_str() {
        "" => (String::new(), String::new()),
        _ => (quantity_in(&status.capacity, "storage").to_string(), access_modes(&status.access_modes)),
    };
    out.field(0, "Capacity", capacity);
    out.field(0, "Access Modes", modes);
    if let Some(mode) = &spec.volume_mode {
        out.field(0, "VolumeMode", mode);
    }
    if let Some(source) = &spec.data_source {
        out.line(0, "DataSource:");
        if let Some(group) = &source.api_group {
            out.field(1, "APIGroup", group);
        }
        out.field(1, "Kind", &source.kind);
        out.field(1, "Name", &source.name);
    }
}
