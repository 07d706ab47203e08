//! ServiceCIDRs and IPAddresses.

use rhumb_api::networking::v1::{IPAddress, ServiceCIDR};

use super::cluster_heading;
use crate::Lines;
use crate::parts::{Events, conditions_with_times, events};

/// Describes a range of addresses.
pub fn service_cidr(out: &mut Lines, range: &ServiceCIDR, shown_events: Events<'_>) {
    cluster_heading(out, &range.metadata);
    out.field(0, "CIDRs", range.spec.cidrs.join(", "));
    if !range.status.conditions.is_empty() {
        out.line(0, "Status:");
        let conditions = range.status.conditions.iter();
        conditions_with_times(
            out,
            conditions.map(|c| (&c.type_, &c.status, &c.last_transition_time, &c.reason, &c.message)),
        );
    }
    events(out, shown_events);
}

/// Describes an address.
pub fn ip_address(out: &mut Lines, address: &IPAddress, shown_events: Events<'_>) {
    cluster_heading(out, &address.metadata);
    if let Some(parent) = &address.spec.parent_ref {
        out.line(0, "Parent Reference:");
        out.field(1, "Group", &parent.group);
        out.field(1, "Resource", &parent.resource);
        out.field(1, "Namespace", &parent.namespace);
        out.field(1, "Name", &parent.name);
    }
    events(out, shown_events);
}
