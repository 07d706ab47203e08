//! Columns of pods and pod templates.

use std::collections::HashSet;

use rhumb_api::core::v1::{ContainerStatus, Pod, PodCondition, PodTemplate};
use rhumb_meta::Time;
use rhumb_meta::labels::format_labels;
use rhumb_meta::v1::TableRowCondition;
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::{NONE, container_names, images, or};

impl Printed for Pod {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Ready", "How many of the containers are ready."),
        Column::text("Status", "What the pod is doing, or what keeps it from running."),
        Column::text("Restarts", "How often containers were restarted, and how long ago the last time was."),
        Column::AGE,
        Column::text("IP", "The address of the pod.").wide(),
        Column::text("Node", "The node that the pod is bound to.").wide(),
        Column::text("Nominated Node", "The node on which other pods make room for this one.").wide(),
        Column::text("Readiness Gates", "How many of the additional conditions for readiness hold.").wide(),
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let summary = Summary::of(self);
        let restarts = match summary.last_restart {
            Some(last) if summary.restarts != 0 => {
                format!("{} ({} ago)", summary.restarts, now.since(&last))
            }
            _ => summary.restarts.to_string(),
        };
        let ip = self.status.pod_ips.first().map_or("", |ip| ip.ip.as_str());
        cells![
            self.metadata.name.as_str(),
            format!("{}/{}", summary.ready, summary.total),
            summary.reason,
            restarts,
            now.since(&self.metadata.creation_timestamp),
            or(ip, NONE),
            or(&self.spec.node_name, NONE),
            or(&self.status.nominated_node_name, NONE),
            readiness_gates(self),
        ]
    }

    fn marks(&self) -> Vec<TableRowCondition> {
        let message = match self.status.phase.as_str() {
            "Succeeded" => "The pod has completed successfully.",
            "Failed" => "The pod failed.",
            _ => return Vec::new(),
        };
        vec![TableRowCondition {
            type_: "Completed".to_owned(),
            status: "True".to_owned(),
            reason: self.status.phase.clone(),
            message: message.to_owned(),
        }]
    }
}

fn readiness_gates(pod: &Pod) -> String {
    let gates = &pod.spec.readiness_gates;
    if gates.is_empty() {
        return NONE.to_owned();
    }
    let open = gates.iter().filter(|gate| is_true(&pod.status.conditions, &gate.condition_type)).count();
    format!("{open}/{}", gates.len())
}

/// Reports whether the first condition of a type holds.
fn is_true(conditions: &[PodCondition], type_: &str) -> bool {
    conditions.iter().find(|condition| condition.type_ == type_).is_some_and(|found| found.status == "True")
}

/// Summary of a pod's containers.
struct Summary {
    ready: usize,
    total: usize,
    reason: String,
    restarts: i64,
    last_restart: Option<Time>,
}

/// Restarts of containers.
#[derive(Clone, Copy, Default)]
struct Restarts {
    count: i64,
    last: Option<Time>,
}

impl Restarts {
    fn add(&mut self, container: &ContainerStatus) {
        self.count += i64::from(container.restart_count);
        let ended = container.last_state.terminated.as_ref().map(|ended| ended.finished_at);
        // The zero time, which stands for none, is before all others.
        self.last = self.last.max(ended.filter(|time| !time.is_zero()));
    }
}

impl Summary {
    fn of(pod: &Pod) -> Self {
        let status = &pod.status;
        let sidecars: HashSet<&str> = pod
            .spec
            .init_containers
            .iter()
            .filter(|container| container.restart_policy.as_deref() == Some("Always"))
            .map(|container| container.name.as_str())
            .collect();
        let mut summary = Summary {
            ready: 0,
            total: pod.spec.containers.len() + sidecars.len(),
            reason: or(&status.reason, &status.phase).to_owned(),
            restarts: 0,
            last_restart: None,
        };
        let is_gated = |condition: &PodCondition| {
            condition.type_ == "PodScheduled" && condition.reason == "SchedulingGated"
        };
        if status.conditions.iter().any(is_gated) {
            summary.reason = "SchedulingGated".to_owned();
        }

        let (mut restarts, of_sidecars, is_initializing) = summary.initialize(pod, &sidecars);
        if !is_initializing || is_true(&status.conditions, "Initialized") {
            restarts = of_sidecars;
            summary.run(pod, &mut restarts);
        }
        (summary.restarts, summary.last_restart) = (restarts.count, restarts.last);

        if pod.metadata.deletion_timestamp.is_some() {
            let has_ended = matches!(status.phase.as_str(), "Succeeded" | "Failed");
            if status.reason == "NodeLost" {
                summary.reason = "Unknown".to_owned();
            } else if !has_ended {
                summary.reason = "Terminating".to_owned();
            }
        }
        summary
    }

    /// Takes the containers into account that run before the others, up to the one that isn't done. Gives the
    /// restarts of all of them, those of sidecars alone, and whether one isn't done.
    fn initialize(&mut self, pod: &Pod, sidecars: &HashSet<&str>) -> (Restarts, Restarts, bool) {
        let (mut of_all, mut of_sidecars) = (Restarts::default(), Restarts::default());
        for (position, container) in pod.status.init_container_statuses.iter().enumerate() {
            let is_sidecar = sidecars.contains(container.name.as_str());
            of_all.add(container);
            if is_sidecar {
                of_sidecars.add(container);
            }
            let ended = container.state.terminated.as_ref();
            if ended.is_some_and(|ended| ended.exit_code == 0) {
                continue;
            }
            if is_sidecar && container.started == Some(true) {
                self.ready += usize::from(container.ready);
                continue;
            }
            let waiting = container.state.waiting.as_ref().map_or("", |waiting| waiting.reason.as_str());
            self.reason = match ended {
                Some(_) => format!("Init:{}", end_of(container)),
                None if !matches!(waiting, "" | "PodInitializing") => format!("Init:{waiting}"),
                None => format!("Init:{position}/{}", pod.spec.init_containers.len()),
            };
            return (of_all, of_sidecars, true);
        }
        (of_all, of_sidecars, false)
    }

    /// Takes the containers into account that do the pod's work. The first one with something to tell wins.
    fn run(&mut self, pod: &Pod, restarts: &mut Restarts) {
        let (mut has_running, mut failure) = (false, None);
        for container in pod.status.container_statuses.iter().rev() {
            restarts.add(container);
            let waiting = container.state.waiting.as_ref().map_or("", |waiting| waiting.reason.as_str());
            if !waiting.is_empty() {
                self.reason = waiting.to_owned();
            } else if let Some(ended) = &container.state.terminated {
                self.reason = end_of(container);
                if ended.exit_code != 0 {
                    failure = Some(self.reason.clone());
                }
            } else if container.ready && container.state.running.is_some() {
                has_running = true;
                self.ready += 1;
            }
        }
        // A container that is done doesn't make the pod done while others go on.
        if self.reason == "Completed" {
            let is_ready = || {
                let conditions = &pod.status.conditions;
                conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
            };
            if has_running && is_ready() {
                self.reason = "Running".to_owned();
            } else if let Some(failure) = failure {
                self.reason = failure;
            } else if has_running {
                self.reason = "NotReady".to_owned();
            }
        }
    }
}

/// Why a container ended: a reason if it was told, else the signal or the exit code.
fn end_of(container: &ContainerStatus) -> String {
    match container.state.terminated.as_deref() {
        Some(ended) if !ended.reason.is_empty() => ended.reason.clone(),
        Some(ended) if ended.signal != 0 => format!("Signal:{}", ended.signal),
        Some(ended) => format!("ExitCode:{}", ended.exit_code),
        None => String::new(),
    }
}

impl Printed for PodTemplate {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Containers", "The names of the containers in the template."),
        Column::text("Images", "The images of the containers in the template."),
        Column::text("Pod Labels", "The labels that pods made from it get."),
    ];

    fn cells(&self, _: &Now) -> Vec<Json> {
        let containers = &self.template.spec.containers;
        cells![
            self.metadata.name.as_str(),
            container_names(containers),
            images(containers),
            format_labels(&self.template.metadata.labels),
        ]
    }
}
