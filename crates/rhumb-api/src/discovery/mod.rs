//! The group `discovery.k8s.io`: the endpoints of services, in slices.

mod topology;
pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "discovery.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v1 are the hub's.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder.register::<v1::EndpointSlice>(gv)?.register::<v1::EndpointSliceList>(gv)?;
    }
    builder
        .register::<v1beta1::EndpointSlice>(&V1BETA1)?
        .register::<v1beta1::EndpointSliceList>(&V1BETA1)?
        .register::<v1alpha1::EndpointSlice>(&V1ALPHA1)?
        .register::<v1alpha1::EndpointSliceList>(&V1ALPHA1)?;
    builder
        .hub_conversion::<v1beta1::EndpointSlice, v1::EndpointSlice>()
        .hub_conversion::<v1beta1::EndpointSliceList, v1::EndpointSliceList>()
        .hub_conversion::<v1alpha1::EndpointSlice, v1::EndpointSlice>()
        .hub_conversion::<v1alpha1::EndpointSliceList, v1::EndpointSliceList>()
        .defaults(port);
    for gv in [&V1, &V1BETA1, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

/// Ports are the same in every version.
fn port(port: &mut v1::EndpointPort) {
    port.name.get_or_insert_default();
    port.protocol.get_or_insert_with(|| "TCP".to_owned());
}
