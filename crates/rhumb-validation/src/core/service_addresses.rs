//! Validation of service addresses: consistency with each other and IP families, and changes.

use std::collections::HashSet;

use rhumb_api::core::v1::ServiceSpec;
use rhumb_meta::validation::ip::parse_ip_sloppy;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use crate::meta::{OldValues, legacy_ip};

const NO_CHANGE: &str = "may not change once set";
const FAMILIES: &[&str] = &["IPv4", "IPv6"];
const FAMILY_POLICIES: &[&str] = &["PreferDualStack", "RequireDualStack", "SingleStack"];

/// Reports whether a service has no address, just names.
pub(super) fn is_headless(spec: &ServiceSpec) -> bool {
    matches!(spec.cluster_ips.as_slice(), [only] if only == "None")
}

/// Reports whether it is an alias, which has no addresses at all.
fn is_alias(spec: &ServiceSpec) -> bool {
    spec.type_ == "ExternalName"
}

fn is_ipv6(address: &str) -> bool {
    parse_ip_sloppy(address).is_some_and(|ip| ip.to_canonical().is_ipv6())
}

/// The addresses in the cluster and their families.
pub(super) fn cluster_ips(spec: &ServiceSpec, old: Option<&ServiceSpec>, errors: &mut FieldErrors) {
    if is_alias(spec) {
        return;
    }
    let (path, families) =
        (FieldPath::new("spec").child("clusterIPs"), FieldPath::new("spec").child("ipFamilies"));
    let all = &spec.cluster_ips;
    match all.first() {
        None if !spec.cluster_ip.is_empty() => errors.required(&path, ""),
        Some(_) if spec.cluster_ip.is_empty() => {
            errors.invalid(&path, all, "must be empty when `clusterIP` is not specified");
        }
        Some(first) if *first != spec.cluster_ip => {
            errors.invalid(&path, all, "first value must match `clusterIP`");
        }
        _ => {}
    }
    let mut seen = HashSet::new();
    for (index, family) in spec.ip_families.iter().enumerate().wanted() {
        let path = families.index(index);
        if !FAMILIES.contains(&family.as_str()) {
            errors.not_supported(&path, &Named(family), FAMILIES);
        }
        if !seen.insert(family) {
            errors.duplicate(&path, &Named(family));
        }
    }
    if let Some(policy) = &spec.ip_family_policy
        && !FAMILY_POLICIES.contains(&policy.as_str())
    {
        let path = FieldPath::new("spec").child("ipFamilyPolicy");
        errors.not_supported(&path, &Named(policy), FAMILY_POLICIES);
    }
    let old: OldValues = old.into_iter().flat_map(|old| &old.cluster_ips).map(String::as_str).collect();
    let before = errors.len();
    for (index, ip) in all.iter().enumerate().wanted() {
        if index > 0 || ip != "None" {
            legacy_ip(ip, &old, &path.index(index), errors);
        } else if all.len() > 1 {
            errors.invalid(&path, all, "'None' must be the first and only value");
        }
    }
    let malformed = errors.len() > before;
    if all.len() > 2 {
        errors.invalid(&path, all, "may only hold up to 2 values");
    }
    // What follows would only confuse where an address is none.
    if malformed {
        return;
    }
    if all.len() > 1 && all.iter().all(|ip| is_ipv6(ip)) || all.len() > 1 && !all.iter().any(|ip| is_ipv6(ip))
    {
        errors.invalid(&path, all, "may specify no more than one IP for each IP family");
    }
    if !is_headless(spec) {
        for (index, (ip, family)) in all.iter().zip(&spec.ip_families).enumerate() {
            let fits = match family.as_str() {
                "IPv4" => !is_ipv6(ip),
                "IPv6" => is_ipv6(ip),
                _ => true,
            };
            if !fits {
                let detail = format!("expected an {family} value as indicated by `ipFamilies[{index}]`");
                errors.invalid(&path.index(index), ip, &detail);
            }
        }
    }
}

/// Addresses stay, except that a second one comes and goes.
pub(super) fn cluster_ips_update(new: &ServiceSpec, old: &ServiceSpec, errors: &mut FieldErrors) {
    if is_alias(new) || is_alias(old) || (is_headless(new) && is_headless(old)) {
        return;
    }
    let path = FieldPath::new("spec").child("clusterIPs");
    let (ips, before) = (&new.cluster_ips, &old.cluster_ips);
    if ips.len() == before.len() {
        for (index, (ip, before)) in ips.iter().zip(before).enumerate() {
            if ip != before {
                errors.invalid(&path.index(index), ips, NO_CHANGE);
            }
        }
        return;
    }
    if ips.is_empty() {
        errors.invalid(&path.index(0), ips, "primary clusterIP can not be unset");
    }
    if let (Some(first), Some(before)) = (ips.first(), before.first())
        && first != before
    {
        errors.invalid(&path.index(0), ips, NO_CHANGE);
    }
    if before.len() > ips.len() && ips.len() == 1 {
        single_stack(new, "clusterIP", errors);
    }
}

/// Families stay, except that a second one comes and goes.
pub(super) fn ip_families_update(new: &ServiceSpec, old: &ServiceSpec, errors: &mut FieldErrors) {
    if is_alias(new) || is_alias(old) || is_headless(new) || is_headless(old) {
        return;
    }
    let path = FieldPath::new("spec").child("ipFamilies").index(0);
    let (families, before) = (&new.ip_families, &old.ip_families);
    if families.len() == before.len() {
        for (family, before) in families.iter().zip(before) {
            if family != before {
                errors.invalid(&path, families, NO_CHANGE);
            }
        }
        return;
    }
    let fewer = before.len() > families.len();
    if fewer && new.cluster_ips.is_empty() {
        errors.invalid(&path, families, "primary ipFamily can not be unset");
    }
    if let (Some(first), Some(before)) = (families.first(), before.first())
        && first != before
    {
        // It is the addresses that are shown here.
        errors.invalid(&path, &new.cluster_ips, NO_CHANGE);
    }
    if fewer && families.len() == 1 {
        single_stack(new, "ipFamily", errors);
    }
}

fn single_stack(spec: &ServiceSpec, what: &str, errors: &mut FieldErrors) {
    if spec.ip_family_policy.as_deref() != Some("SingleStack") {
        let detail = format!("must be set to 'SingleStack' when releasing the secondary {what}");
        let path = FieldPath::new("spec").child("ipFamilyPolicy");
        errors.invalid(&path, &spec.ip_family_policy, &detail);
    }
}
