//! What the group had of `networking.k8s.io` before there was that group. The hubs are those of their successors.

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::v1beta1::{ingress, network_policy};
use crate::networking::{defaults, v1};

const V1BETA1: GroupVersion = GroupVersion::new_static("extensions", "v1beta1");
const HUB: GroupVersion = GroupVersion::new_static("extensions", INTERNAL);

/// Registers Ingresses and NetworkPolicies. The conversion of Ingresses, which are those of `networking.k8s.io/v1beta1`,
/// is registered there.
///
/// # Errors
/// If a kind has another type already.
pub(super) fn install_networking(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder
        .register::<v1::Ingress>(&HUB)?
        .register::<v1::IngressList>(&HUB)?
        .register::<v1::NetworkPolicy>(&HUB)?
        .register::<v1::NetworkPolicyList>(&HUB)?
        .register::<ingress::Ingress>(&V1BETA1)?
        .register::<ingress::IngressList>(&V1BETA1)?
        .register::<network_policy::NetworkPolicy>(&V1BETA1)?
        .register::<network_policy::NetworkPolicyList>(&V1BETA1)?;
    builder
        .hub_conversion::<network_policy::NetworkPolicy, v1::NetworkPolicy>()
        .hub_conversion::<network_policy::NetworkPolicyList, v1::NetworkPolicyList>()
        .defaults(policy);
    Ok(())
}

/// Ports without protocol stay so in this version: Kubernetes fills in a copy of them, which it throws away.
fn policy(policy: &mut network_policy::NetworkPolicy) {
    let spec = &mut policy.spec;
    defaults::fill_policy_types(&mut spec.policy_types, !spec.egress.is_empty());
}
