//! NetworkPolicies.

use rhumb_api::networking::v1::{NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec};

use super::{labels_and_annotations, name_and_namespace};
use crate::Lines;
use crate::go_text::or;
use crate::parts::selector_or_none;

/// Wording of a direction.
struct Direction {
    traffic: &'static str,
    preposition: &'static str,
    end: &'static str,
}

const INGRESS: Direction = Direction { traffic: "ingress", preposition: "From", end: "source" };
const EGRESS: Direction = Direction { traffic: "egress", preposition: "To", end: "destination" };

/// Describes a NetworkPolicy.
pub fn network_policy(out: &mut Lines, policy: &NetworkPolicy) {
    name_and_namespace(out, &policy.metadata);
    let created = out.plain_date(&policy.metadata.creation_timestamp);
    out.field(0, "Created on", created);
    labels_and_annotations(out, &policy.metadata);
    spec(out, &policy.spec);
}

fn spec(out: &mut Lines, spec: &NetworkPolicySpec) {
    let selector = &spec.pod_selector;
    let is_for_all = selector.match_labels.is_empty() && selector.match_expressions.is_empty();
    let pods = if is_for_all {
        "<none> (Allowing the specific traffic to all pods in this namespace)".to_owned()
    } else {
        selector_or_none(Some(selector))
    };
    out.line(0, "Spec:");
    out.line(1, format_args!("PodSelector:     {pods}"));
    let ingress: Vec<Rule<'_>> =
        spec.ingress.iter().map(|rule| (rule.ports.as_slice(), rule.from.as_slice())).collect();
    let egress: Vec<Rule<'_>> =
        spec.egress.iter().map(|rule| (rule.ports.as_slice(), rule.to.as_slice())).collect();
    for (kind, direction, rules) in [("Ingress", INGRESS, ingress), ("Egress", EGRESS, egress)] {
        if spec.policy_types.iter().any(|known| known == kind) {
            out.line(1, format_args!("Allowing {} traffic:", direction.traffic));
            self::rules(out, &direction, &rules);
        } else {
            out.line(1, format_args!("Not affecting {} traffic", direction.traffic));
        }
    }
    out.line(1, format_args!("Policy Types: {}", or(&spec.policy_types.join(", "), "<none>")));
}

/// Ports and peers of a rule.
type Rule<'a> = (&'a [NetworkPolicyPort], &'a [NetworkPolicyPeer]);

fn rules(out: &mut Lines, direction: &Direction, rules: &[Rule<'_>]) {
    let Direction { traffic, preposition, end } = direction;
    if rules.is_empty() {
        out.line(2, format_args!("<none> (Selected pods are isolated for {traffic} connectivity)"));
    }
    for (index, (ports, peers)) in rules.iter().enumerate() {
        if index > 0 {
            out.line(2, "----------");
        }
        if ports.is_empty() {
            out.line(2, "To Port: <any> (traffic allowed to all ports)");
        }
        for port in *ports {
            self::port(out, port);
        }
        if peers.is_empty() {
            out.line(2, format_args!("{preposition}: <any> (traffic not restricted by {end})"));
        }
        for peer in *peers {
            out.line(2, format_args!("{preposition}:"));
            self::peer(out, peer);
        }
    }
}

fn port(out: &mut Lines, port: &NetworkPolicyPort) {
    let protocol = port.protocol.as_deref().unwrap_or("TCP");
    let number = port.port.as_ref().map_or_else(|| "<nil>".to_owned(), ToString::to_string);
    match port.end_port {
        Some(end) => out.line(2, format_args!("To Port Range: {number}-{end}/{protocol}")),
        None => out.line(2, format_args!("To Port: {number}/{protocol}")),
    }
}

fn peer(out: &mut Lines, peer: &NetworkPolicyPeer) {
    let selectors = [("NamespaceSelector", &peer.namespace_selector), ("PodSelector", &peer.pod_selector)];
    let mut has_selector = false;
    for (title, selector) in selectors {
        if let Some(selector) = selector {
            has_selector = true;
            out.line(3, format_args!("{title}: {}", selector_or_none(Some(selector))));
        }
    }
    if let Some(block) = peer.ip_block.as_ref().filter(|_| !has_selector) {
        out.line(3, "IPBlock:");
        out.line(4, format_args!("CIDR: {}", block.cidr));
        out.line(4, format_args!("Except: {}", block.except.join(", ")));
    }
}
