//! The group `networking.k8s.io`: ingresses, network policies and addresses of services.

pub(crate) mod defaults;
pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "networking.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v1 are the hub's, and for what only v1alpha1 had its own.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder
            .register::<v1::IPAddress>(gv)?
            .register::<v1::IPAddressList>(gv)?
            .register::<v1::Ingress>(gv)?
            .register::<v1::IngressClass>(gv)?
            .register::<v1::IngressClassList>(gv)?
            .register::<v1::IngressList>(gv)?
            .register::<v1::NetworkPolicy>(gv)?
            .register::<v1::NetworkPolicyList>(gv)?
            .register::<v1::ServiceCIDR>(gv)?
            .register::<v1::ServiceCIDRList>(gv)?;
    }
    builder
        .register::<v1beta1::IPAddress>(&V1BETA1)?
        .register::<v1beta1::IPAddressList>(&V1BETA1)?
        .register::<v1beta1::Ingress>(&V1BETA1)?
        .register::<v1beta1::IngressClass>(&V1BETA1)?
        .register::<v1beta1::IngressClassList>(&V1BETA1)?
        .register::<v1beta1::IngressList>(&V1BETA1)?
        .register::<v1beta1::ServiceCIDR>(&V1BETA1)?
        .register::<v1beta1::ServiceCIDRList>(&V1BETA1)?
        .register::<v1alpha1::IPAddress>(&V1ALPHA1)?
        .register::<v1alpha1::IPAddressList>(&V1ALPHA1)?
        .register::<v1alpha1::ServiceCIDR>(&V1ALPHA1)?
        .register::<v1alpha1::ServiceCIDRList>(&V1ALPHA1)?;
    for gv in [&V1ALPHA1, &HUB] {
        builder.register::<v1alpha1::ClusterCIDR>(gv)?.register::<v1alpha1::ClusterCIDRList>(gv)?;
    }
    builder
        .hub_conversion::<v1beta1::Ingress, v1::Ingress>()
        .hub_conversion::<v1beta1::IngressList, v1::IngressList>()
        .hub_conversion::<v1beta1::IngressClass, v1::IngressClass>()
        .hub_conversion::<v1beta1::IngressClassList, v1::IngressClassList>();
    defaults::register(builder);
    for gv in [&V1, &V1BETA1, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}
