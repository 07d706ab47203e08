//! Columns of leases, priority classes, flow control and storage versions.

use rhumb_api::apiserverinternal::v1alpha1::StorageVersion;
use rhumb_api::coordination::v1::Lease;
use rhumb_api::coordination::v1beta1::LeaseCandidate;
use rhumb_api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use rhumb_api::scheduling::v1::PriorityClass;
use rhumb_api::scheduling::v1alpha2::{PodGroup, Workload};
use rhumb_api::storagemigration::v1beta1::StorageVersionMigration;
use rhumb_meta::GroupResource;
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::{NONE, UNSET, first_three, some_or};

impl Printed for Lease {
    const COLUMNS: &'static [Column] =
        &[Column::NAME, Column::text("Holder", "Who has the lease."), Column::AGE];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            some_or(&self.spec.holder_identity, ""),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for LeaseCandidate {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("LeaseName", "The lease it wants."),
        Column::text("BinaryVersion", "The version of the program."),
        Column::text("EmulationVersion", "The version it behaves like."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.spec.lease_name.as_str(),
            self.spec.binary_version.as_str(),
            self.spec.emulation_version.as_str(),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for PriorityClass {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::integer("Value", "The priority that pods of this class have."),
        Column::boolean("Global-Default", "Whether pods without a class get this one."),
        Column::AGE,
        Column::text("PreemptionPolicy", "Whether pods of this class drive out others."),
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.value,
            self.global_default,
            now.since(&self.metadata.creation_timestamp),
            some_or(&self.preemption_policy, ""),
        ]
    }
}

impl Printed for Workload {
    const COLUMNS: &'static [Column] = &[Column::NAME, Column::AGE];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![self.metadata.name.as_str(), now.since(&self.metadata.creation_timestamp)]
    }
}

impl Printed for PodGroup {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Policy", "Whether the pods are scheduled all together or one by one."),
        Column::text("Workload", "The workload it was made for."),
        Column::text("Status", "Whether the group is scheduled."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let template = self.spec.pod_group_template_ref.as_ref();
        let workload = template.map(|template| template.workload.as_ref());
        cells![
            self.metadata.name.as_str(),
            if self.spec.scheduling_policy.gang.is_some() { "Gang" } else { "Basic" },
            workload.map_or(NONE, |workload| workload.map_or("", |found| found.workload_name.as_str())),
            group_status(self),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

fn group_status(group: &PodGroup) -> &str {
    // Of several conditions of a type the last one counts.
    let last = |type_: &str| group.status.conditions.iter().rfind(|condition| condition.type_ == type_);
    match (last("DisruptionTarget"), last("PodGroupScheduled")) {
        (Some(disrupted), _) => &disrupted.reason,
        (None, Some(scheduled)) if scheduled.status == "True" => "Scheduled",
        (None, Some(_)) => "Unschedulable",
        (None, None) => "Pending",
    }
}

impl Printed for FlowSchema {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("PriorityLevel", "The priority level that matching requests get."),
        Column::text("MatchingPrecedence", "Its place among all; the lowest number that matches wins."),
        Column::text("DistinguisherMethod", "What tells one flow from another."),
        Column::AGE,
        Column::text("MissingPL", "Whether its priority level doesn't exist."),
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let method = self.spec.distinguisher_method.as_ref();
        let dangling = self.status.conditions.iter().find(|condition| condition.type_ == "Dangling");
        cells![
            self.metadata.name.as_str(),
            self.spec.priority_level_configuration.name.as_str(),
            self.spec.matching_precedence,
            method.map_or(NONE, |method| method.type_.as_str()),
            now.since(&self.metadata.creation_timestamp),
            dangling.map_or("?", |condition| condition.status.as_str()),
        ]
    }
}

impl Printed for PriorityLevelConfiguration {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Type", "Whether requests of this level are limited."),
        Column::text("NominalConcurrencyShares", "Its share of the requests served at a time."),
        Column::text("Queues", "How many queues it has."),
        Column::text("HandSize", "How many queues a flow is dealt."),
        Column::text("QueueLengthLimit", "How many requests wait in a queue at most."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let limited = self.spec.limited.as_ref();
        let queuing = limited.and_then(|limited| limited.limit_response.queuing.as_ref());
        let number = |number: Option<i32>| number.map_or_else(|| Json::from(NONE), Json::from);
        cells![
            self.metadata.name.as_str(),
            self.spec.type_.as_str(),
            number(limited.map(|limited| limited.nominal_concurrency_shares.unwrap_or_default())),
            number(queuing.map(|queuing| queuing.queues)),
            number(queuing.map(|queuing| queuing.hand_size)),
            number(queuing.map(|queuing| queuing.queue_length_limit)),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for StorageVersion {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("CommonEncodingVersion", "The version that all servers write."),
        Column::text("StorageVersions", "The version that each server writes."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let servers = self.status.storage_versions.iter();
        let servers: Vec<String> =
            servers.map(|server| format!("{}={}", server.api_server_id, server.encoding_version)).collect();
        cells![
            self.metadata.name.as_str(),
            some_or(&self.status.common_encoding_version, UNSET),
            first_three(&servers),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for StorageVersionMigration {
    const COLUMNS: &'static [Column] = &[
        Column::text("Name", "The name of the object."),
        Column::text("Resource", "Whose objects are written anew."),
        Column::text("Status", "How far it is."),
    ];

    fn cells(&self, _: &Now) -> Vec<Json> {
        let resource = &self.spec.resource;
        let resource = GroupResource::new(resource.group.clone(), resource.resource.clone());
        let state = self.status.conditions.iter().rfind(|condition| {
            condition.status == "True"
                && matches!(condition.type_.as_str(), "Running" | "Failed" | "Succeeded")
        });
        cells![
            self.metadata.name.as_str(),
            resource.to_string(),
            state.map_or("Unknown", |condition| condition.type_.as_str()),
        ]
    }
}
