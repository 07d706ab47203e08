//! Strategy of services.

use rhumb_api::core::v1::{LoadBalancerIngress, Service, ServiceSpec, ServiceStatus};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::FieldPath;

use super::V1;
use super::service_types::{
    drop_what_the_type_has_not, keep_allocated, needs_cluster_ip, settle_cluster_ips,
};
use crate::addresses::{warn_cidr, warn_ip};
use crate::context::Context;
use crate::error::RegisterError;
use crate::parts::{fresh, has_status, keep_spec, keep_status};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(Service: ServiceSpec, ServiceStatus);

const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE: &str = "service.kubernetes.io/topology-mode";

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("", "Service")
            .create_on_update()
            .begin_create(|service: &mut Service| settle_cluster_ips(service, None))
            .begin_update(|new, old| {
                keep_allocated(new, old);
                settle_cluster_ips(new, Some(old));
            })
            .create(fresh)
            .update(update)
            .on_read(on_read)
            .warn_create(warn)
            .warn_update(|new, _| warn(new))
            .resets(V1, STATUS)
            .on("status", Part::new(keep_spec).warn(warn_status).resets(V1, SPEC)),
    )?;
    Ok(())
}

fn update(new: &mut Service, old: &Service, context: &Context) {
    keep_status(new, old, context);
    drop_what_the_type_has_not(new, old);
}

/// Services from before there could be several addresses have one, and those outside of the cluster have a
/// policy for traffic within it. Families of addresses are left to the server, which knows its own.
fn on_read(service: &mut Service) {
    settle_cluster_ips(service, None);
    if !needs_cluster_ip(service) {
        service.spec.internal_traffic_policy = None;
    }
}

fn warn(service: &Service) -> Vec<String> {
    let mut warnings = Vec::new();
    let spec = &service.spec;
    let path = FieldPath::new("spec");
    if service.metadata.annotations.contains_key(TOPOLOGY_HINTS) {
        let warning =
            format!("annotation {TOPOLOGY_HINTS} is deprecated, please use {TOPOLOGY_MODE} instead");
        warnings.push(warning);
    }
    if !spec.cluster_ip.is_empty() && spec.cluster_ip != "None" {
        let addresses = spec.cluster_ips.iter().enumerate();
        warnings
            .extend(addresses.filter_map(|(index, ip)| warn_ip(&path.child("clusterIPs").index(index), ip)));
    }
    let external_name = spec.type_ == "ExternalName";
    let headless = spec.type_ == "ClusterIP" && spec.cluster_ip == "None";
    if headless {
        let ignored = [
            (!spec.load_balancer_ip.is_empty(), "loadBalancerIP"),
            (!spec.external_ips.is_empty(), "externalIPs"),
            (spec.session_affinity != "None", "SessionAffinity"),
        ];
        for (_, field) in ignored.into_iter().filter(|(there, _)| *there) {
            warnings.push(format!("spec.{field} is ignored for headless services"));
        }
    }
    for (index, ip) in spec.external_ips.iter().enumerate() {
        warnings.extend(warn_ip(&path.child("externalIPs").index(index), ip));
    }
    if !spec.external_ips.is_empty() && !headless && !external_name {
        let warning = "spec.externalIPs is deprecated and may no longer be implemented in some clusters";
        warnings.push(warning.to_owned());
    }
    warnings.extend(warn_ip(&path.child("loadBalancerIP"), &spec.load_balancer_ip));
    for (index, block) in spec.load_balancer_source_ranges.iter().enumerate() {
        warnings.extend(warn_cidr(&path.child("loadBalancerSourceRanges").index(index), block));
    }
    if external_name && !spec.external_ips.is_empty() {
        warnings.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".to_owned());
    }
    if !external_name && !spec.external_name.is_empty() {
        warnings.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    if spec.traffic_distribution.as_deref() == Some("PreferClose") {
        let (old, new) = (quoted("PreferClose"), quoted("PreferSameZone"));
        warnings.push(format!("spec.trafficDistribution: {old} is deprecated; use {new}"));
    }
    warnings
}

fn warn_status(new: &Service, _: &Service) -> Vec<String> {
    let path = FieldPath::new("status").child("loadBalancer").child("ingress");
    let points: &[LoadBalancerIngress] = &new.status.load_balancer.ingress;
    points.iter().enumerate().filter_map(|(index, point)| warn_ip(&path.index(index), &point.ip)).collect()
}
