//! Kinds that are printed by what their objects look like rather than by their type, and the table for all others.

use rhumb_meta::v1::TableRow;
use rhumb_meta::{GroupKind, Object, Time};
use rhumb_scheme::Unstructured;
use serde_json::Value as Json;

use crate::column::{Column, Printer, cells};
use crate::now::Now;
use crate::texts::NONE;

pub(super) fn printer(kind: &GroupKind) -> Printer {
    match (&*kind.group, &*kind.kind) {
        ("certificates.k8s.io", "ClusterTrustBundle") => TRUST_BUNDLE,
        ("certificates.k8s.io", "PodCertificateRequest") => POD_CERTIFICATE_REQUEST,
        ("resource.k8s.io", "ResourcePoolStatusRequest") => POOL_STATUS_REQUEST,
        _ => ANYTHING,
    }
}

const ANYTHING: Printer = Printer::of_any(
    &[Column::NAME, Column::date("Created At", "When the object was created.")],
    |object, _| {
        let meta = object.metadata().unwrap_or_default();
        let mut time = Vec::new();
        meta.creation_timestamp.write_rfc3339(&mut time);
        row(cells![meta.name.as_str(), String::from_utf8_lossy(&time)])
    },
);

const TRUST_BUNDLE: Printer = Printer::of_any(
    &[Column::NAME, Column::text("SignerName", "The signer whose certificates it verifies.")],
    |object, _| {
        let tree = Unstructured::from_object(object).into_tree();
        let signer = text(&tree, "/spec/signerName");
        row(cells![text(&tree, "/metadata/name"), if signer.is_empty() { NONE } else { signer }])
    },
);

const POD_CERTIFICATE_REQUEST: Printer = Printer::of_any(
    &[
        Column::NAME,
        Column::text("PodName", "The pod that the certificate is for."),
        Column::text("ServiceAccountName", "The service account that the pod runs as."),
        Column::text("NodeName", "The node that the pod runs on."),
        Column::text("SignerName", "Who is asked to sign."),
        Column::text("State", "Pending, Issued, Denied or Failed."),
        Column::text("UnverifiedUserAnnotations", "What the pod adds for the signer, unchecked."),
    ],
    |object, _| {
        let tree = Unstructured::from_object(object).into_tree();
        let state = conditions(&tree)
            .filter_map(|condition| condition["type"].as_str())
            .rfind(|type_| matches!(*type_, "Issued" | "Denied" | "Failed"));
        let annotations = tree.pointer("/spec/unverifiedUserAnnotations").and_then(Json::as_object);
        let annotations = annotations
            .into_iter()
            .flatten()
            .map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned()))
            .collect();
        row(cells![
            text(&tree, "/metadata/name"),
            text(&tree, "/spec/podName"),
            text(&tree, "/spec/serviceAccountName"),
            text(&tree, "/spec/nodeName"),
            text(&tree, "/spec/signerName"),
            state.unwrap_or("Pending"),
            rhumb_meta::labels::format_labels(&annotations),
        ])
    },
);

const POOL_STATUS_REQUEST: Printer = Printer::of_any(
    &[
        Column::NAME,
        Column::text("Driver", "The driver whose pools are asked about."),
        Column::text("Total", "How many devices there are in all pools."),
        Column::text("Available", "How many of them can be allocated."),
        Column::text("Allocated", "How many of them are allocated."),
        Column::text("Unavailable", "How many of them can't be used."),
        Column::text("Errors", "How many pools are not valid."),
        Column::integer("Pools", "How many pools match."),
        Column::text("Status", "Pending, Complete or Failed."),
        Column::text("Completed", "How long ago the answer was complete."),
    ],
    pool_status_request,
);

fn pool_status_request(object: &dyn Object, now: &Now) -> TableRow {
    let tree = Unstructured::from_object(object).into_tree();
    let outcome = conditions(&tree).find(|condition| {
        condition["status"] == "True" && (condition["type"] == "Complete" || condition["type"] == "Failed")
    });
    let type_ = outcome.and_then(|condition| condition["type"].as_str());
    let pools = tree.pointer("/status/pools").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let count = tree.pointer("/status/poolCount").and_then(Json::as_i64).unwrap_or_default();
    let has_counts = tree.get("status").is_some() && type_ != Some("Failed");
    let sum = |key: &str| match has_counts {
        true => pools.iter().filter_map(|pool| pool[key].as_i64()).sum::<i64>().to_string(),
        false => "-".to_owned(),
    };
    let errors = match has_counts {
        true => pools.iter().filter(|pool| !pool["validationError"].is_null()).count().to_string(),
        false => "-".to_owned(),
    };
    let is_cut = usize::try_from(count).is_ok_and(|count| count > pools.len());
    let status = match type_ {
        Some("Complete") if is_cut => format!("Complete ({}/{count} pools)", pools.len()),
        Some(type_) => type_.to_owned(),
        None => "Pending".to_owned(),
    };
    let completed = outcome
        .filter(|condition| condition["type"] == "Complete")
        .and_then(|condition| condition["lastTransitionTime"].as_str())
        .map(|time| Time::parse(time).unwrap_or_default());
    row(cells![
        text(&tree, "/metadata/name"),
        text(&tree, "/spec/driver"),
        sum("totalDevices"),
        sum("availableDevices"),
        sum("allocatedDevices"),
        sum("unavailableDevices"),
        errors,
        count,
        status,
        completed.map_or_else(|| NONE.to_owned(), |time| now.since(&time)),
    ])
}

fn row(cells: Vec<Json>) -> TableRow {
    TableRow { cells, ..Default::default() }
}

fn text<'a>(tree: &'a Json, path: &str) -> &'a str {
    tree.pointer(path).and_then(Json::as_str).unwrap_or_default()
}

fn conditions(tree: &Json) -> impl DoubleEndedIterator<Item = &Json> {
    tree.pointer("/status/conditions").and_then(Json::as_array).into_iter().flatten()
}
