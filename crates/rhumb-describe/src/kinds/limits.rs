//! Namespaces with LimitRanges and ResourceQuotas.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::core::v1::{LimitRange, LimitRangeItem, Namespace, ResourceQuota};
use rhumb_meta::Quantity;

use super::{cluster_heading, name_and_namespace};
use crate::Lines;
use crate::parts::{conditions_with_times, quantity_in};

const LIMIT_TITLES: [&str; 7] =
    ["Type", "Resource", "Min", "Max", "Default Request", "Default Limit", "Max Limit/Request Ratio"];

/// Describes a namespace, with its quotas and limits if the server knows such things.
pub fn namespace(
    out: &mut Lines,
    namespace: &Namespace,
    quotas: Option<&[ResourceQuota]>,
    limits: Option<&[LimitRange]>,
) {
    cluster_heading(out, &namespace.metadata);
    out.field(0, "Status", &namespace.status.phase);
    if !namespace.status.conditions.is_empty() {
        let conditions = namespace.status.conditions.iter();
        conditions_with_times(
            out,
            conditions.map(|c| (&c.type_, &c.status, &c.last_transition_time, &c.reason, &c.message)),
        );
    }
    if let Some(quotas) = quotas {
        out.put(0, "\n");
        all_quotas(out, quotas);
    }
    if let Some(limits) = limits {
        out.put(0, "\n");
        all_limits(out, limits);
    }
}

fn all_quotas(out: &mut Lines, quotas: &[ResourceQuota]) {
    if quotas.is_empty() {
        out.line(0, "No resource quota.");
        return;
    }
    let mut sorted: Vec<&ResourceQuota> = quotas.iter().collect();
    sorted.sort_by(|one, other| one.metadata.name.cmp(&other.metadata.name));
    out.line(0, "Resource Quotas");
    for quota in sorted {
        out.field(1, "Name", &quota.metadata.name);
        scopes(out, 1, "* ", quota);
        out.row(1, &[&"Resource", &"Used", &"Hard"]);
        out.row(1, &[&"--------", &"---", &"---"]);
        for (name, hard) in &quota.status.hard {
            out.row(1, &[name, &quantity_in(&quota.status.used, name), hard]);
        }
    }
}

fn all_limits(out: &mut Lines, limits: &[LimitRange]) {
    if limits.is_empty() {
        out.line(0, "No LimitRange resource.");
        return;
    }
    out.line(0, "Resource Limits");
    limit_table(out, " ", limits);
}

/// Describes a LimitRange.
pub fn limit_range(out: &mut Lines, range: &LimitRange) {
    name_and_namespace(out, &range.metadata);
    limit_table(out, "", std::slice::from_ref(range));
}

fn limit_table(out: &mut Lines, prefix: &str, ranges: &[LimitRange]) {
    let underlines = LIMIT_TITLES.map(|title| "-".repeat(title.len()));
    out.line(0, format_args!("{prefix}{}", LIMIT_TITLES.join("\t")));
    out.line(0, format_args!("{prefix}{}", underlines.join("\t")));
    for item in ranges.iter().flat_map(|range| &range.spec.limits) {
        limit_rows(out, prefix, item);
    }
}

/// Writes a row per resource, ordered by name; kubectl's order is random.
fn limit_rows(out: &mut Lines, prefix: &str, item: &LimitRangeItem) {
    let lists = [&item.min, &item.max, &item.default_request, &item.default, &item.max_limit_request_ratio];
    let names: BTreeSet<&String> = lists.iter().flat_map(|list| list.keys()).collect();
    let cell = |list: &BTreeMap<String, Quantity>, name: &String| {
        list.get(name).map_or_else(|| "-".to_owned(), Quantity::to_string)
    };
    for name in names {
        let cells = lists.map(|list| cell(list, name));
        out.line(0, format_args!("{prefix}{}\t{name}\t{}", item.type_, cells.join("\t")));
    }
}

/// Describes a ResourceQuota.
pub fn resource_quota(out: &mut Lines, quota: &ResourceQuota) {
    name_and_namespace(out, &quota.metadata);
    scopes(out, 0, " * ", quota);
    out.row(0, &[&"Resource", &"Used", &"Hard"]);
    out.row(0, &[&"--------", &"----", &"----"]);
    for (name, hard) in &quota.status.hard {
        let mut used = quantity_in(&quota.status.used, name);
        if used.format() != hard.format() {
            used = Quantity::from_i64(used.value(), hard.format());
        }
        out.row(0, &[name, &used, hard]);
    }
}

fn scopes(out: &mut Lines, level: usize, bullet: &str, quota: &ResourceQuota) {
    if quota.spec.scopes.is_empty() {
        return;
    }
    let mut scopes: Vec<&str> = quota.spec.scopes.iter().map(String::as_str).collect();
    scopes.sort_unstable();
    out.field(level, "Scopes", scopes.join(", "));
    for help in scopes.into_iter().filter_map(scope_help) {
        out.line(level, format_args!("{bullet}{help}"));
    }
}

fn scope_help(scope: &str) -> Option<&'static str> {
    Some(match scope {
        "Terminating" => {
            "Matches all pods that have an active deadline. These pods have a limited lifespan on a \
             node before being actively terminated by the system."
        }
        "NotTerminating" => {
            "Matches all pods that do not have an active deadline. These pods usually include long \
             running pods whose container command is not expected to terminate."
        }
        "BestEffort" => {
            "Matches all pods that do not have resource requirements set. These pods have a best \
             effort quality of service."
        }
        "NotBestEffort" => {
            "Matches all pods that have at least one resource requirement set. These pods have a \
             burstable or guaranteed quality of service."
        }
        _ => return None,
    })
}
