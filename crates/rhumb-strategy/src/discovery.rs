//! Strategies of `discovery.k8s.io`.

use std::collections::BTreeSet;

use rhumb_api::discovery::v1::EndpointSlice;
use rhumb_meta::GroupVersion;
use rhumb_meta::validation::is_dns1123_subdomain;
use rhumb_scheme::validation::FieldPath;

use crate::addresses::warn_ip;
use crate::context::Context;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::next;
use crate::registry::StrategiesBuilder;
use crate::strategy::Strategy;

const V1BETA1: GroupVersion = GroupVersion::new_static("discovery.k8s.io", "v1beta1");
const HOSTNAME: &str = "kubernetes.io/hostname";
const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
const CONTROLLERS: [&str; 2] =
    ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("discovery.k8s.io", "EndpointSlice")
            .generation(Generation::Counted)
            .create(create)
            .update(update)
            .warn_create(warn_create)
            .warn_update(|new, _: &EndpointSlice| warn_addresses(new)),
    )?;
    Ok(())
}

fn create(slice: &mut EndpointSlice, context: &Context) {
    slice.metadata.generation = 1;
    drop_topology(slice, None, context);
}

fn update(new: &mut EndpointSlice, old: &EndpointSlice, context: &Context) {
    if new.address_type != old.address_type
        || new.endpoints != old.endpoints
        || new.ports != old.ports
        || new.metadata.labels != old.metadata.labels
    {
        next(&mut new.metadata, &old.metadata);
    }
    drop_topology(new, Some(old), context);
}

/// Drops the topology, which only v1beta1 has, on changes in other versions, and keeps its node name.
fn drop_topology(new: &mut EndpointSlice, old: Option<&EndpointSlice>, context: &Context) {
    if *context.request_version == V1BETA1 || old.is_some_and(|old| old.endpoints == new.endpoints) {
        return;
    }
    let named = old.iter().flat_map(|old| &old.endpoints);
    let named: BTreeSet<&String> =
        named.filter_map(|endpoint| endpoint.deprecated_topology.get(HOSTNAME)).collect();
    for endpoint in &mut new.endpoints {
        let mut topology = std::mem::take(&mut endpoint.deprecated_topology);
        let node = topology.remove(HOSTNAME).filter(|node| named.contains(node));
        if endpoint.node_name.is_none() {
            endpoint.node_name = node.filter(|node| is_dns1123_subdomain(node).is_empty());
        }
    }
}

fn warn_create(slice: &EndpointSlice) -> Vec<String> {
    let mut warnings = Vec::new();
    if slice.address_type == "FQDN" {
        warnings.push("spec.addressType: FQDN endpoints are deprecated".to_owned());
    }
    warnings.extend(warn_addresses(slice));
    warnings
}

/// Controllers can't help what addresses pods have.
fn warn_addresses(slice: &EndpointSlice) -> Vec<String> {
    let manager = slice.metadata.labels.get(MANAGED_BY);
    if manager.is_some_and(|manager| CONTROLLERS.contains(&manager.as_str())) {
        return Vec::new();
    }
    let mut warnings = Vec::new();
    for (index, endpoint) in slice.endpoints.iter().enumerate() {
        let path = FieldPath::new("endpoints").index(index).child("addresses");
        for (index, address) in endpoint.addresses.iter().enumerate() {
            warnings.extend(warn_ip(&path.index(index), address));
        }
    }
    warnings
}
