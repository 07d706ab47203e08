//! The group `networking.k8s.io`: ingresses, network policies and addresses of services.

pub mod v1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "networking.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group.
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
    crate::meta::add_to_group_version(builder, &V1)?;
    builder.version_priority(GROUP, &["v1"])?;
    Ok(())
}
