//! Columns of ingresses, ingress classes, network policies and IP addresses.

use rhumb_api::networking::v1::{IPAddress, Ingress, IngressClass, IngressRule, NetworkPolicy, ServiceCIDR};
use rhumb_meta::GroupResource;
use serde_json::Value as Json;

use super::services::entry_points;
use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::{NONE, selector_or_none, some_or};

/// Maximum number of hosts shown.
const SHOWN: usize = 3;

impl Printed for Ingress {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Class", "Which controller implements it."),
        Column::text("Hosts", "The first of the hosts that its rules are for."),
        Column::text("Address", "Where it can be reached."),
        Column::text("Ports", "The ports it listens on."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let points = self.status.load_balancer.ingress.iter();
        cells![
            self.metadata.name.as_str(),
            some_or(&self.spec.ingress_class_name, NONE),
            hosts(&self.spec.rules),
            entry_points(points.map(|point| (point.ip.as_str(), point.hostname.as_str()))),
            if self.spec.tls.is_empty() { "80" } else { "80, 443" },
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

fn hosts(rules: &[IngressRule]) -> String {
    let hosts: Vec<(usize, &str)> = rules
        .iter()
        .enumerate()
        .filter(|(_, rule)| !rule.host.is_empty())
        .map(|(position, rule)| (position, rule.host.as_str()))
        .take(SHOWN)
        .collect();
    let text = hosts.iter().map(|(_, host)| *host).collect::<Vec<_>>().join(",");
    match hosts.as_slice() {
        [] => "*".to_owned(),
        // Rules without a host count among those that are not shown.
        [_, _, (last, _)] if last + 1 < rules.len() => {
            format!("{text} + {} more...", rules.len().saturating_sub(SHOWN))
        }
        _ => text,
    }
}

impl Printed for IngressClass {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Controller", "Who implements ingresses of this class."),
        Column::text("Parameters", "Where the controller finds its settings."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let is_default = self.metadata.annotations.get("ingressclass.kubernetes.io/is-default-class");
        let parameters = match &self.spec.parameters {
            Some(parameters) => match &parameters.api_group {
                Some(group) => format!("{}.{group}/{}", parameters.kind, parameters.name),
                None => format!("{}/{}", parameters.kind, parameters.name),
            },
            None => NONE.to_owned(),
        };
        cells![
            name(&self.metadata.name, is_default.is_some_and(|value| value == "true")),
            self.spec.controller.as_str(),
            parameters,
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

/// Returns the name of a class, marked if it is the default one.
pub(super) fn name(name: &str, is_default: bool) -> String {
    if is_default { format!("{name} (default)") } else { name.to_owned() }
}

impl Printed for NetworkPolicy {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Pod-Selector", "Which pods it applies to, by their labels."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            selector_or_none(Some(&self.spec.pod_selector)),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for IPAddress {
    // There are three cells for these two columns, as Kubernetes has it.
    const COLUMNS: &'static [Column] =
        &[Column::NAME, Column::text("ParentRef", "What the address is allocated for.")];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let parent = self.spec.parent_ref.as_ref().map_or_else(
            || NONE.to_owned(),
            |parent| {
                let resource = GroupResource::new(parent.group.clone(), parent.resource.clone());
                let resource = resource.to_string().to_lowercase();
                match parent.namespace.as_str() {
                    "" => format!("{resource}/{}", parent.name),
                    namespace => format!("{resource}/{namespace}/{}", parent.name),
                }
            },
        );
        cells![self.metadata.name.as_str(), parent, now.since(&self.metadata.creation_timestamp)]
    }
}

impl Printed for ServiceCIDR {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("CIDRs", "The ranges that addresses of services come from."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.spec.cidrs.join(","),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}
