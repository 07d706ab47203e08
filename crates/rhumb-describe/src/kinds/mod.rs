//! Descriptions by kind.
//!
//! Each function puts one object into [`Lines`](crate::Lines), with what it was given beside: events, pods,
//! leases.

pub mod access;
pub mod addresses;
pub mod autoscaler;
pub mod batch;
pub mod certificate;
pub mod claim;
pub mod configuration;
pub mod controllers;
pub mod deployment;
pub mod disruption;
pub mod endpoints;
pub mod generic;
pub mod ingress;
pub mod limits;
pub mod network_policy;
pub mod node;
mod node_resources;
pub mod persistent_volume;
pub mod pod;
pub mod service;
pub mod storage;

use rhumb_meta::v1::ObjectMeta;

use crate::Lines;
use crate::parts::{annotations, labels};

/// Number of a controller's pods by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PodCounts {
    /// Running pods.
    pub running: usize,
    /// Pending pods.
    pub waiting: usize,
    /// Succeeded pods.
    pub succeeded: usize,
    /// Failed pods.
    pub failed: usize,
}

impl std::fmt::Display for PodCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let PodCounts { running, waiting, succeeded, failed } = self;
        write!(f, "{running} Running / {waiting} Waiting / {succeeded} Succeeded / {failed} Failed")
    }
}

/// Writes name and namespace.
fn name_and_namespace(out: &mut Lines, metadata: &ObjectMeta) {
    out.field(0, "Name", &metadata.name);
    out.field(0, "Namespace", &metadata.namespace);
}

fn labels_and_annotations(out: &mut Lines, metadata: &ObjectMeta) {
    labels(out, "Labels", &metadata.labels);
    annotations(out, "Annotations", &metadata.annotations);
}

/// Writes the common start of descriptions of namespaced objects.
fn heading(out: &mut Lines, metadata: &ObjectMeta) {
    name_and_namespace(out, metadata);
    labels_and_annotations(out, metadata);
}

/// Writes the common start of descriptions of cluster-scoped objects.
fn cluster_heading(out: &mut Lines, metadata: &ObjectMeta) {
    out.field(0, "Name", &metadata.name);
    labels_and_annotations(out, metadata);
}

fn creation(out: &mut Lines, metadata: &ObjectMeta) {
    let date = out.date(&metadata.creation_timestamp);
    out.field(0, "CreationTimestamp", date);
}
