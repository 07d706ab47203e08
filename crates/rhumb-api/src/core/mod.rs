//! The core group, whose name is empty: pods, services, configuration.

pub mod v1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const V1: GroupVersion = GroupVersion::new_static("", "v1");
const HUB: GroupVersion = GroupVersion::new_static("", INTERNAL);

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder
            .register::<v1::Pod>(gv)?
            .register::<v1::PodList>(gv)?
            .register::<v1::PodTemplate>(gv)?
            .register::<v1::PodTemplateList>(gv)?
            .register::<v1::Service>(gv)?
            .register::<v1::ServiceList>(gv)?
            .register::<v1::ConfigMap>(gv)?
            .register::<v1::ConfigMapList>(gv)?
            .register::<v1::Namespace>(gv)?
            .register::<v1::NamespaceList>(gv)?
            .register::<v1::PersistentVolumeClaim>(gv)?
            .register::<v1::PersistentVolumeClaimList>(gv)?
            .register::<rhumb_meta::v1::List>(gv)?;
    }
    crate::meta::add_to_group_version(builder, &V1)
}
