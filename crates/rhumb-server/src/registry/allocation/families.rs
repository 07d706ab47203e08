//! Which families of addresses a Service has: what it asks for, and what the cluster has to give.

use rhumb_api::core::v1::Service;
use rhumb_meta::validation::ip::parse_ip_sloppy;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

use super::network::family;
use super::service_kind;
use crate::base::failure::{Failure, Outcome};

const SINGLE: &str = "SingleStack";
const PREFER: &str = "PreferDualStack";
const REQUIRE: &str = "RequireDualStack";
pub(super) const NONE: &str = "None";

/// Whether a Service is another name for something outside, which has no addresses here.
pub(super) fn is_alias(service: &Service) -> bool {
    service.spec.type_ == "ExternalName"
}

/// Whether a Service has names only.
pub(super) fn is_headless(service: &Service) -> bool {
    service.spec.cluster_ips.first().is_some_and(|ip| ip == NONE)
}

/// Whether nobody but a person decides about the endpoints of a Service without an address.
fn is_headless_without_selector(service: &Service) -> bool {
    service.spec.cluster_ip == NONE && service.spec.selector.is_empty()
}

/// The family of an address, if it is one.
pub(super) fn family_of(ip: &str) -> Option<&'static str> {
    parse_ip_sloppy(ip).map(|ip| family(ip.to_canonical().is_ipv6()))
}

fn other(family: &str) -> &'static str {
    if family == "IPv4" { "IPv6" } else { "IPv4" }
}

fn policy(service: &Service) -> &str {
    service.spec.ip_family_policy.as_deref().unwrap_or_default()
}

/// Whether nothing changes about the addresses of a Service that takes what it can get. It keeps what it has
/// then, though the cluster may have more to give by now.
pub(super) fn is_content(new: &Service, old: &Service) -> bool {
    let agrees = |service: &Service| service.spec.ip_family_policy.as_deref().is_none_or(|is| is == PREFER);
    new.spec.ip_family_policy.is_some()
        && old.spec.type_ == new.spec.type_
        && matches!(new.spec.type_.as_str(), "ClusterIP" | "NodePort" | "LoadBalancer")
        && agrees(new)
        && agrees(old)
        && old.spec.cluster_ips == new.spec.cluster_ips
        && old.spec.ip_families == new.spec.ip_families
}

/// Fills in the families of a Service that was stored before there were several.
pub(super) fn complete(service: &mut Service, primary: &str) {
    if is_alias(service) || !service.spec.ip_families.is_empty() {
        return;
    }
    let spec = &mut service.spec;
    if spec.cluster_ip == NONE {
        let several = spec.selector.is_empty();
        spec.ip_families = vec![primary.to_owned()];
        if several {
            spec.ip_families.push(other(primary).to_owned());
        }
    } else {
        let families = spec.cluster_ips.iter().filter_map(|ip| family_of(ip));
        spec.ip_families = families.map(str::to_owned).collect();
    }
    let policy = if spec.ip_families.len() > 1 { REQUIRE } else { SINGLE };
    spec.ip_family_policy = Some(policy.to_owned());
}

/// Decides about the families of a Service. The first of the cluster's families is given by default.
pub(super) fn settle(new: &mut Service, old: Option<&Service>, cluster: &[&'static str]) -> Outcome<()> {
    if is_alias(new) || old.is_some_and(|old| is_content(new, old)) {
        return Ok(());
    }
    if new.spec.ip_family_policy.is_none() {
        let kept = old.and_then(|old| old.spec.ip_family_policy.clone());
        let default = if is_headless_without_selector(new) { REQUIRE } else { SINGLE };
        new.spec.ip_family_policy = Some(kept.unwrap_or_else(|| default.to_owned()));
    }
    let mut errors = rhumb_validation::service_addresses(new, old);
    refuse(new, &errors)?;
    if let Some(old) = old {
        release_second(new, old, &mut errors);
    }
    agree(new, cluster, &mut errors);
    refuse(new, &errors)?;
    let primary = cluster.first().copied().unwrap_or("IPv4");
    if is_headless_without_selector(new) {
        // It has no addresses, so the cluster need not have the family.
        fill(new, primary, true);
        return Ok(());
    }
    if policy(new) == REQUIRE && cluster.len() < 2 {
        let path = FieldPath::new("spec").child("ipFamilyPolicy");
        let value = policy(new).to_owned();
        errors.invalid(&path, &value, "this cluster is not configured for dual-stack services");
    }
    for (index, family) in new.spec.ip_families.iter().enumerate() {
        if !cluster.contains(&family.as_str()) {
            let path = FieldPath::new("spec").child("ipFamilies").index(index);
            errors.invalid(&path, family, "not configured on this cluster");
        }
    }
    refuse(new, &errors)?;
    fill(new, primary, cluster.len() == 2);
    Ok(())
}

fn refuse(service: &Service, errors: &FieldErrors) -> Outcome<()> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(Failure::invalid(&service_kind(), &service.metadata.name, errors))
}

/// A Service that is to have one family again gives up its second, if it leaves that to us; others may not.
fn release_second(new: &mut Service, old: &Service, errors: &mut FieldErrors) {
    let (spec, before) = (&mut new.spec, &old.spec);
    if spec.ip_family_policy.as_deref() == Some(SINGLE) {
        if spec.cluster_ips == before.cluster_ips {
            spec.cluster_ips.truncate(1);
        }
        if spec.ip_families == before.ip_families {
            spec.ip_families.truncate(1);
        }
        return;
    }
    let path = FieldPath::new("spec").child("ipFamilyPolicy");
    let value = spec.ip_family_policy.clone().unwrap_or_default();
    let reduced = |new: &[String], old: &[String]| !new.is_empty() && new.len() < old.len();
    if reduced(&spec.cluster_ips, &before.cluster_ips) {
        errors.invalid(&path, &value, "must be 'SingleStack' to release the secondary cluster IP");
    }
    if reduced(&spec.ip_families, &before.ip_families) {
        errors.invalid(&path, &value, "must be 'SingleStack' to release the secondary IP family");
    }
}

/// Checks the policy against the addresses, which tell families that are not named.
fn agree(new: &mut Service, cluster: &[&'static str], errors: &mut FieldErrors) {
    let spec = &mut new.spec;
    if spec.ip_family_policy.as_deref() == Some(SINGLE) {
        let path = FieldPath::new("spec").child("ipFamilyPolicy");
        let value = SINGLE.to_owned();
        let needs = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
        if spec.cluster_ips.len() == 2 {
            errors.invalid(&path, &value, &format!("{needs} cluster IPs are specified"));
        }
        if spec.ip_families.len() == 2 {
            errors.invalid(&path, &value, &format!("{needs} IP families are specified"));
        }
    }
    for (index, ip) in spec.cluster_ips.iter().enumerate() {
        if ip == NONE {
            break;
        }
        if index < spec.ip_families.len() {
            continue;
        }
        let Some(family) = family_of(ip) else { continue };
        if cluster.contains(&family) {
            spec.ip_families.push(family.to_owned());
        } else {
            let path = FieldPath::new("spec").child("clusterIPs").index(index);
            errors.invalid(&path, &spec.cluster_ips, &format!("{family} is not configured on this cluster"));
        }
    }
}

/// Adds the families that the policy allows.
fn fill(new: &mut Service, primary: &str, several: bool) {
    let single = policy(new) == SINGLE;
    let families = &mut new.spec.ip_families;
    if families.is_empty() {
        families.push(primary.to_owned());
    }
    if let ([only], true, false) = (families.as_slice(), several, single) {
        let second = other(only).to_owned();
        families.push(second);
    }
}
