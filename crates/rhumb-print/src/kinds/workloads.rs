//! Columns of deployments, other workloads and disruption budgets.

use rhumb_api::apps::v1::{ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet};
use rhumb_api::core::v1::ReplicationController;
use rhumb_api::policy::v1::PodDisruptionBudget;
use rhumb_meta::labels::format_labels;
use rhumb_meta::{GroupVersionKind, IntOrString};
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::{NONE, container_names, images, selector, selector_or_none};

pub(super) const CONTAINERS: Column =
    Column::text("Containers", "The names of the containers in the template.").wide();
pub(super) const IMAGES: Column =
    Column::text("Images", "The images of the containers in the template.").wide();
pub(super) const SELECTOR: Column =
    Column::text("Selector", "Which pods belong to it, by their labels.").wide();
const DESIRED: Column = Column::integer("Desired", "How many pods there should be.");
const CURRENT: Column = Column::integer("Current", "How many pods there are.");
const READY: Column = Column::integer("Ready", "How many pods are ready.");

impl Printed for Deployment {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Ready", "How many pods are ready, of how many."),
        Column::text("Up-to-date", "How many pods are made from the present template."),
        Column::text("Available", "How many pods have been ready for long enough."),
        Column::AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let containers = &self.spec.template.spec.containers;
        cells![
            self.metadata.name.as_str(),
            format!("{}/{}", self.status.ready_replicas, self.spec.replicas.unwrap_or_default()),
            self.status.updated_replicas,
            self.status.available_replicas,
            now.since(&self.metadata.creation_timestamp),
            container_names(containers),
            images(containers),
            selector(self.spec.selector.as_deref()).unwrap_or_else(|()| "<invalid>".to_owned()),
        ]
    }
}

impl Printed for ReplicaSet {
    const COLUMNS: &'static [Column] =
        &[Column::NAME, DESIRED, CURRENT, READY, Column::AGE, CONTAINERS, IMAGES, SELECTOR];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let containers = &self.spec.template.spec.containers;
        cells![
            self.metadata.name.as_str(),
            self.spec.replicas.unwrap_or_default(),
            self.status.replicas,
            self.status.ready_replicas,
            now.since(&self.metadata.creation_timestamp),
            container_names(containers),
            images(containers),
            selector_or_none(self.spec.selector.as_deref()),
        ]
    }
}

impl Printed for ReplicationController {
    const COLUMNS: &'static [Column] =
        &[Column::NAME, DESIRED, CURRENT, READY, Column::AGE, CONTAINERS, IMAGES, SELECTOR];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let containers =
            self.spec.template.as_ref().map_or(&[][..], |template| template.spec.containers.as_slice());
        cells![
            self.metadata.name.as_str(),
            self.spec.replicas.unwrap_or_default(),
            self.status.replicas,
            self.status.ready_replicas,
            now.since(&self.metadata.creation_timestamp),
            container_names(containers),
            images(containers),
            format_labels(&self.spec.selector),
        ]
    }
}

impl Printed for DaemonSet {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::integer("Desired", "How many nodes should run the pod."),
        Column::integer("Current", "How many of these nodes have one."),
        Column::integer("Ready", "How many of these nodes have one that is ready."),
        Column::integer("Up-to-date", "How many of these nodes have one made from the present template."),
        Column::integer("Available", "How many of these nodes have one that has been ready for long enough."),
        Column::text("Node Selector", "Which nodes it is limited to, by their labels."),
        Column::AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let pod = &self.spec.template.spec;
        cells![
            self.metadata.name.as_str(),
            self.status.desired_number_scheduled,
            self.status.current_number_scheduled,
            self.status.number_ready,
            self.status.updated_number_scheduled,
            self.status.number_available,
            format_labels(&pod.node_selector),
            now.since(&self.metadata.creation_timestamp),
            container_names(&pod.containers),
            images(&pod.containers),
            selector_or_none(self.spec.selector.as_deref()),
        ]
    }
}

impl Printed for StatefulSet {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Ready", "How many pods are ready, of how many."),
        Column::AGE,
        CONTAINERS,
        IMAGES,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let containers = &self.spec.template.spec.containers;
        cells![
            self.metadata.name.as_str(),
            format!("{}/{}", self.status.ready_replicas, self.spec.replicas.unwrap_or_default()),
            now.since(&self.metadata.creation_timestamp),
            container_names(containers),
            images(containers),
        ]
    }
}

impl Printed for ControllerRevision {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Controller", "What it is a revision of."),
        Column::text("Revision", "The number of the revision."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let owner = self.metadata.owner_references.iter().find(|owner| owner.controller == Some(true));
        let controller = owner.map_or_else(
            || NONE.to_owned(),
            |owner| {
                let kind = GroupVersionKind::from_api_version_and_kind(&owner.api_version, &owner.kind);
                let kind = kind.group_kind().to_string().to_lowercase();
                if kind.is_empty() { owner.name.clone() } else { format!("{kind}/{}", owner.name) }
            },
        );
        cells![
            self.metadata.name.as_str(),
            controller,
            self.revision,
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for PodDisruptionBudget {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Min Available", "How many pods must stay available."),
        Column::text("Max Unavailable", "How many pods may be unavailable."),
        Column::integer("Allowed Disruptions", "How many pods may be disrupted now."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let shown = |limit: &Option<IntOrString>| {
            limit.as_ref().map_or_else(|| "N/A".to_owned(), IntOrString::to_string)
        };
        cells![
            self.metadata.name.as_str(),
            shown(&self.spec.min_available),
            shown(&self.spec.max_unavailable),
            self.status.disruptions_allowed,
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}
