//! Columns of namespaces and their configuration.

use rhumb_api::core::v1::{ComponentStatus, ConfigMap, Namespace, ResourceQuota, Secret, ServiceAccount};
use rhumb_meta::v1::Status;
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::now::Now;

impl Printed for Namespace {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Status", "Whether the namespace is in use or going away."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.status.phase.as_str(),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for ConfigMap {
    const COLUMNS: &'static [Column] =
        &[Column::NAME, Column::text("Data", "How many keys it has."), Column::AGE];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.data.len() + self.binary_data.len(),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for Secret {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Type", "What the secret is for."),
        Column::text("Data", "How many keys it has."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.type_.as_str(),
            self.data.len(),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for ServiceAccount {
    const COLUMNS: &'static [Column] = &[Column::NAME, Column::AGE];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![self.metadata.name.as_str(), now.since(&self.metadata.creation_timestamp)]
    }
}

impl Printed for ResourceQuota {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Request", "What is used of what may be requested."),
        Column::text("Limit", "What is used of what limits may add up to."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let (mut requests, mut limits) = (Vec::new(), Vec::new());
        for (name, hard) in &self.status.hard {
            let used = self.status.used.get(name).cloned().unwrap_or_default();
            let column = if name.starts_with("limits.") { &mut limits } else { &mut requests };
            column.push(format!("{name}: {used}/{hard}"));
        }
        cells![
            self.metadata.name.as_str(),
            requests.join(", "),
            limits.join(", "),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for ComponentStatus {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Status", "Whether the component is healthy."),
        Column::text("Message", "What the component answered."),
        Column::text("Error", "Why it couldn't be asked."),
    ];

    fn cells(&self, _: &Now) -> Vec<Json> {
        let found = self.conditions.iter().find(|condition| condition.type_ == "Healthy");
        let (status, message, error) = match found {
            Some(found) if found.status == "True" => {
                ("Healthy", found.message.as_str(), found.error.as_str())
            }
            Some(found) => ("Unhealthy", found.message.as_str(), found.error.as_str()),
            None => ("Unknown", "", ""),
        };
        cells![self.metadata.name.as_str(), status, message, error]
    }
}

impl Printed for Status {
    const COLUMNS: &'static [Column] = &[
        Column::text("Status", "Success or Failure."),
        Column::text("Reason", "One word for why, for programs."),
        Column::text("Message", "What happened."),
    ];

    fn cells(&self, _: &Now) -> Vec<Json> {
        cells![self.status.as_str(), self.reason.as_str(), self.message.as_str()]
    }
}
