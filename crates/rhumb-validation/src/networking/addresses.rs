//! Validation of IP addresses in use and of the ranges they come from.

use rhumb_api::networking::v1::{IPAddress, ParentReference, ServiceCIDR, ServiceCIDRSpec};
use rhumb_meta::validation::ip::{is_valid_ip, parse_cidr_sloppy};
use rhumb_meta::validation::{NamePart, is_path_segment_name, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::internal_form::internal;
use crate::meta::{Scope, cidr, dns_subdomain, object_meta, object_meta_update};

const IMMUTABLE: &str = "field is immutable";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<IPAddress>(Rules::create(address).update(address_update))?;
    let ranges = Rules::create(ranges).update(ranges_update).on("status", ranges_status);
    builder.rules::<ServiceCIDR>(ranges)?;
    Ok(())
}

fn address(address: &IPAddress, _: &Context, errors: &mut FieldErrors) {
    object_meta(&address.metadata, Scope::Cluster, name_is_address, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec").child("parentRef");
    match &address.spec.parent_ref {
        Some(parent) => parent_reference(parent, &path, errors),
        None => errors.required(&path, ""),
    }
}

fn name_is_address(name: &str, _: NamePart) -> Vec<String> {
    is_valid_ip(name)
}

fn parent_reference(parent: &ParentReference, path: &FieldPath, errors: &mut FieldErrors) {
    // Services are in the group with the empty name, so an empty one is fine.
    if !parent.group.is_empty() {
        dns_subdomain(&parent.group, &path.child("group"), errors);
    }
    for (name, value) in [("resource", &parent.resource), ("name", &parent.name)] {
        if value.is_empty() {
            errors.required(&path.child(name), "");
        } else {
            errors.invalid_each(&path.child(name), value, is_path_segment_name(value));
        }
    }
    let found = is_path_segment_name(&parent.namespace);
    errors.invalid_each(&path.child("namespace"), &parent.namespace, found);
}

fn address_update(new: &IPAddress, old: &IPAddress, context: &Context, errors: &mut FieldErrors) {
    address(new, context, errors);
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if new.spec.parent_ref != old.spec.parent_ref {
        let path = FieldPath::new("spec").child("parentRef");
        errors.invalid(&path, &internal(&new.spec.parent_ref), IMMUTABLE);
    }
}

fn ranges(ranges: &ServiceCIDR, _: &Context, errors: &mut FieldErrors) {
    object_meta(&ranges.metadata, Scope::Cluster, name_is_dns_subdomain, &FieldPath::new("metadata"), errors);
    ranges_spec(&ranges.spec, errors);
}

/// One range, or one of each family.
fn ranges_spec(spec: &ServiceCIDRSpec, errors: &mut FieldErrors) {
    let path = FieldPath::new("spec").child("cidrs");
    match spec.cidrs.len() {
        0 => return errors.required(&path, "at least one CIDR required"),
        1 | 2 => {}
        _ => return errors.invalid(&path, &internal(spec), "may only hold up to 2 values"),
    }
    for (index, range) in spec.cidrs.iter().enumerate().wanted() {
        cidr(range, &path.index(index), errors);
    }
    if let [first, second] = spec.cidrs.as_slice()
        && let (Some(first), Some(second)) = (is_ipv6(first), is_ipv6(second))
        && first == second
    {
        let detail =
            "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
        errors.invalid(&path, &spec.cidrs, detail);
    }
}

fn is_ipv6(range: &str) -> Option<bool> {
    parse_cidr_sloppy(range).map(|(_, range)| range.is_ipv6())
}

/// A second range may be added; nothing else changes.
fn ranges_update(new: &ServiceCIDR, old: &ServiceCIDR, context: &Context, errors: &mut FieldErrors) {
    ranges_status(new, old, context, errors);
    let path = FieldPath::new("spec").child("cidrs");
    let (cidrs, before) = (&new.spec.cidrs, &old.spec.cidrs);
    let becomes_dual = before.len() == 1 && cidrs.len() == 2;
    if before.len() != cidrs.len() && !becomes_dual {
        return errors.invalid(&path, cidrs, IMMUTABLE);
    }
    for (index, (range, before)) in cidrs.iter().zip(before).enumerate() {
        if range != before {
            errors.invalid(&path.index(index), range, IMMUTABLE);
        }
    }
    if becomes_dual {
        ranges_spec(&new.spec, errors);
    }
}

fn ranges_status(new: &ServiceCIDR, old: &ServiceCIDR, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
}
