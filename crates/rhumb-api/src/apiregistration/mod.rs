//! The group `apiregistration.k8s.io`: API servers that serve a group beside this one.

pub mod v1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{ConvertError, RegisterError, SchemeBuilder};

const GROUP: &str = "apiregistration.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v1 are the hub's.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder.register::<v1::APIService>(gv)?.register::<v1::APIServiceList>(gv)?;
    }
    builder.register::<v1beta1::APIService>(&V1BETA1)?.register::<v1beta1::APIServiceList>(&V1BETA1)?;
    builder
        .defaults(|service: &mut v1::ServiceReference| {
            service.port.get_or_insert(443);
        })
        .hub_form(service_form);
    for gv in [&V1, &V1BETA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

/// The hub knows no absent port.
fn service_form(service: &mut v1::ServiceReference) -> Result<(), ConvertError> {
    service.port.get_or_insert(0);
    Ok(())
}
