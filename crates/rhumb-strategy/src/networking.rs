//! Strategies of `networking.k8s.io`, shared by kinds of `extensions` with the same hub.

use rhumb_api::networking::v1::{
    IPAddress, IPBlock, Ingress, IngressClass, IngressClassSpec, IngressSpec, IngressStatus, NetworkPolicy,
    NetworkPolicySpec, ServiceCIDR, ServiceCIDRSpec, ServiceCIDRStatus,
};
use rhumb_scheme::validation::FieldPath;

use crate::addresses::{warn_cidr, warn_ip};
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::{
    count, first, fresh, fresh_counted, has_spec, has_status, keep_spec, keep_spec_and_metadata, keep_status,
    keep_status_counted,
};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, SPEC_AND_METADATA, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(Ingress: IngressSpec, IngressStatus; ServiceCIDR: ServiceCIDRSpec, ServiceCIDRStatus);
has_spec!(IngressClass: IngressClassSpec, NetworkPolicy: NetworkPolicySpec);

const GROUP: &str = "networking.k8s.io";
const INGRESS_VERSIONS: &[&str] =
    &["extensions/v1beta1", "networking.k8s.io/v1beta1", "networking.k8s.io/v1"];
const CIDR_VERSIONS: &[&str] = &["networking.k8s.io/v1", "networking.k8s.io/v1beta1"];
const CLASS_ANNOTATION: &str = "kubernetes.io/ingress.class";

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder
        .add(
            Strategy::new(GROUP, "Ingress")
                .also_in("extensions")
                .generation(Generation::Counted)
                .create(fresh_counted)
                .update(keep_status_counted)
                .warn_create(warn_ingress)
                .resets(INGRESS_VERSIONS, STATUS)
                .on("status", Part::new(keep_spec).warn(warn_ingress_status).resets(INGRESS_VERSIONS, SPEC)),
        )?
        .add(
            Strategy::<IngressClass>::new(GROUP, "IngressClass")
                .generation(Generation::Counted)
                .create(first)
                .update(count),
        )?
        .add(Strategy::<IPAddress>::new(GROUP, "IPAddress"))?
        .add(
            Strategy::new(GROUP, "NetworkPolicy")
                .also_in("extensions")
                .generation(Generation::Counted)
                .create(first)
                .update(count)
                .warn_create(warn_policy)
                .warn_update(|new, _| warn_policy(new)),
        )?
        .add(
            Strategy::<ServiceCIDR>::new(GROUP, "ServiceCIDR")
                .create(fresh)
                .update(keep_status)
                .resets(CIDR_VERSIONS, STATUS)
                .on("status", Part::new(keep_spec_and_metadata).resets(CIDR_VERSIONS, SPEC_AND_METADATA)),
        )?;
    Ok(())
}

fn warn_ingress(ingress: &Ingress) -> Vec<String> {
    let annotated = ingress.metadata.annotations.contains_key(CLASS_ANNOTATION);
    let warns = annotated && ingress.spec.ingress_class_name.is_none();
    let warning = || {
        format!("annotation \"{CLASS_ANNOTATION}\" is deprecated, please use 'spec.ingressClassName' instead")
    };
    warns.then(warning).into_iter().collect()
}

fn warn_ingress_status(new: &Ingress, _: &Ingress) -> Vec<String> {
    let path = FieldPath::new("status").child("loadBalancer").child("ingress");
    let points = new.status.load_balancer.ingress.iter().enumerate();
    points.filter_map(|(index, point)| warn_ip(&path.index(index), &point.ip)).collect()
}

fn warn_policy(policy: &NetworkPolicy) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut check = |block: Option<&IPBlock>, path: FieldPath| {
        let (Some(block), path) = (block, path.child("ipBlock")) else { return };
        warnings.extend(warn_cidr(&path.child("cidr"), &block.cidr));
        for (index, except) in block.except.iter().enumerate() {
            warnings.extend(warn_cidr(&path.child("except").index(index), except));
        }
    };
    let spec = FieldPath::new("spec");
    for (index, rule) in policy.spec.ingress.iter().enumerate() {
        let path = spec.child("ingress").index(index).child("from");
        for (index, peer) in rule.from.iter().enumerate() {
            check(peer.ip_block.as_deref(), path.index(index));
        }
    }
    for (index, rule) in policy.spec.egress.iter().enumerate() {
        let path = spec.child("egress").index(index).child("to");
        for (index, peer) in rule.to.iter().enumerate() {
            check(peer.ip_block.as_deref(), path.index(index));
        }
    }
    warnings
}
