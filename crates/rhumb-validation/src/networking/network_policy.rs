//! Validation of NetworkPolicies.

use rhumb_api::networking::v1::{
    IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec, POLICY_TYPES,
};
use rhumb_meta::IntOrString;
use rhumb_meta::validation::ip::parse_cidr_sloppy;
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{
    LabelSelectorOptions, OldValues, Scope, label_selector, legacy_cidr, object_meta, object_meta_update,
    port_name, port_number,
};

/// What is let through because the stored policy has it already.
#[derive(Clone, Debug, Default)]
struct Options {
    selectors: LabelSelectorOptions,
    known_cidrs: OldValues,
}

impl Options {
    fn of(old: &NetworkPolicy) -> Self {
        let mut found = FieldErrors::default();
        let selectors = LabelSelectorOptions::default();
        label_selector(&old.spec.pod_selector, selectors, &FieldPath::root(), &mut found);
        let incoming = old.spec.ingress.iter().flat_map(|rule| &rule.from);
        let outgoing = old.spec.egress.iter().flat_map(|rule| &rule.to);
        let blocks = incoming.chain(outgoing).filter_map(|peer| peer.ip_block.as_ref());
        Options {
            selectors: LabelSelectorOptions { allow_invalid_label_value: !found.is_empty(), ..selectors },
            known_cidrs: blocks
                .flat_map(|block| std::iter::once(&block.cidr).chain(&block.except))
                .cloned()
                .collect(),
        }
    }
}

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<NetworkPolicy>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(policy: &NetworkPolicy, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&policy.metadata, Scope::Namespaced, name_is_dns_subdomain, &metadata, errors);
    spec(&policy.spec, &Options::default(), errors);
}

fn update(new: &NetworkPolicy, old: &NetworkPolicy, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    spec(&new.spec, &Options::of(old), errors);
}

fn spec(spec: &NetworkPolicySpec, options: &Options, errors: &mut FieldErrors) {
    let path = FieldPath::new("spec");
    label_selector(&spec.pod_selector, options.selectors, &path.child("podSelector"), errors);
    for (index, rule) in spec.ingress.iter().enumerate().wanted() {
        let path = path.child("ingress").index(index);
        ports(&rule.ports, &path.child("ports"), errors);
        peers(&rule.from, options, &path.child("from"), errors);
    }
    for (index, rule) in spec.egress.iter().enumerate().wanted() {
        let path = path.child("egress").index(index);
        ports(&rule.ports, &path.child("ports"), errors);
        peers(&rule.to, options, &path.child("to"), errors);
    }
    let path = path.child("policyTypes");
    if spec.policy_types.len() > POLICY_TYPES.len() {
        return errors.invalid(&path, &spec.policy_types, "may not specify more than two policyTypes");
    }
    for (index, policy_type) in spec.policy_types.iter().enumerate().wanted() {
        if !POLICY_TYPES.contains(&policy_type.as_str()) {
            errors.not_supported(&path.index(index), &Named(policy_type), POLICY_TYPES);
        }
    }
}

fn ports(ports: &[NetworkPolicyPort], path: &FieldPath, errors: &mut FieldErrors) {
    for (index, each) in ports.iter().enumerate().wanted() {
        port(each, &path.index(index), errors);
    }
}

fn port(port: &NetworkPolicyPort, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(protocol) = &port.protocol
        && !matches!(protocol.as_str(), "TCP" | "UDP" | "SCTP")
    {
        errors.not_supported(&path.child("protocol"), &Named(protocol), &["TCP", "UDP", "SCTP"]);
    }
    let (at, end_at) = (path.child("port"), path.child("endPort"));
    match (&port.port, port.end_port) {
        (Some(IntOrString::Int(number)), end) => {
            port_number(*number, &at, errors);
            if let Some(end) = end {
                if end < *number {
                    errors.invalid(&end_at, number, "must be greater than or equal to `port`");
                }
                port_number(end, &end_at, errors);
            }
        }
        (Some(IntOrString::String(name)), end) => {
            if let Some(end) = end {
                errors.invalid(&end_at, &end, "may not be specified when `port` is non-numeric");
            }
            port_name(name, &at, errors);
        }
        (None, Some(end)) => {
            errors.invalid(&end_at, &end, "may not be specified when `port` is not specified");
        }
        (None, None) => {}
    }
}

fn peers(peers: &[NetworkPolicyPeer], options: &Options, path: &FieldPath, errors: &mut FieldErrors) {
    for (index, each) in peers.iter().enumerate().wanted() {
        peer(each, options, &path.index(index), errors);
    }
}

fn peer(peer: &NetworkPolicyPeer, options: &Options, path: &FieldPath, errors: &mut FieldErrors) {
    let selectors = [("podSelector", &peer.pod_selector), ("namespaceSelector", &peer.namespace_selector)];
    let mut is_selected = false;
    for (field, selector) in selectors {
        if let Some(selector) = selector {
            is_selected = true;
            label_selector(selector, options.selectors, &path.child(field), errors);
        }
    }
    match &peer.ip_block {
        Some(block) => {
            ip_block(block, options, &path.child("ipBlock"), errors);
            if is_selected {
                errors.forbidden(path, "may not specify both ipBlock and another peer");
            }
        }
        None if !is_selected => errors.required(path, "must specify a peer"),
        None => {}
    }
}

fn ip_block(block: &IPBlock, options: &Options, path: &FieldPath, errors: &mut FieldErrors) {
    if block.cidr.is_empty() {
        return errors.required(&path.child("cidr"), "");
    }
    legacy_cidr(&block.cidr, &options.known_cidrs, &path.child("cidr"), errors);
    let Some((_, outer)) = parse_cidr_sloppy(&block.cidr) else { return };
    for (index, except) in block.except.iter().enumerate().wanted() {
        let path = path.child("except").index(index);
        legacy_cidr(except, &options.known_cidrs, &path, errors);
        if let Some((_, inner)) = parse_cidr_sloppy(except)
            && (!outer.contains(inner.network()) || outer.prefix_length() >= inner.prefix_length())
        {
            errors.invalid(&path, except, "must be a strict subset of `cidr`");
        }
    }
}
