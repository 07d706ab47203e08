//! The group `storage.k8s.io`: classes of storage and what provides them.

mod defaults;
pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "storage.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder
            .register::<v1::CSIDriver>(gv)?
            .register::<v1::CSIDriverList>(gv)?
            .register::<v1::CSINode>(gv)?
            .register::<v1::CSINodeList>(gv)?
            .register::<v1::CSIStorageCapacity>(gv)?
            .register::<v1::CSIStorageCapacityList>(gv)?
            .register::<v1::StorageClass>(gv)?
            .register::<v1::StorageClassList>(gv)?
            .register::<v1::VolumeAttachment>(gv)?
            .register::<v1::VolumeAttachmentList>(gv)?
            .register::<v1::VolumeAttributesClass>(gv)?
            .register::<v1::VolumeAttributesClassList>(gv)?;
    }
    builder
        .register::<v1beta1::CSIDriver>(&V1BETA1)?
        .register::<v1beta1::CSIDriverList>(&V1BETA1)?
        .register::<v1beta1::CSINode>(&V1BETA1)?
        .register::<v1beta1::CSINodeList>(&V1BETA1)?
        .register::<v1beta1::CSIStorageCapacity>(&V1BETA1)?
        .register::<v1beta1::CSIStorageCapacityList>(&V1BETA1)?
        .register::<v1beta1::StorageClass>(&V1BETA1)?
        .register::<v1beta1::StorageClassList>(&V1BETA1)?
        .register::<v1beta1::VolumeAttachment>(&V1BETA1)?
        .register::<v1beta1::VolumeAttachmentList>(&V1BETA1)?
        .register::<v1beta1::VolumeAttributesClass>(&V1BETA1)?
        .register::<v1beta1::VolumeAttributesClassList>(&V1BETA1)?;
    builder
        .hub_conversion::<v1beta1::CSIDriver, v1::CSIDriver>()
        .hub_conversion::<v1beta1::CSIDriverList, v1::CSIDriverList>();
    builder
        .register::<v1alpha1::CSIStorageCapacity>(&V1ALPHA1)?
        .register::<v1alpha1::CSIStorageCapacityList>(&V1ALPHA1)?
        .register::<v1alpha1::VolumeAttachment>(&V1ALPHA1)?
        .register::<v1alpha1::VolumeAttachmentList>(&V1ALPHA1)?
        .register::<v1alpha1::VolumeAttributesClass>(&V1ALPHA1)?
        .register::<v1alpha1::VolumeAttributesClassList>(&V1ALPHA1)?;
    defaults::register(builder);
    for gv in [&V1, &V1BETA1, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}
