//! `storage.k8s.io/v1alpha1`: the kinds that came to v1 from here.

pub use super::v1::{
    CSIStorageCapacity, CSIStorageCapacityList, VolumeAttachment, VolumeAttachmentList,
    VolumeAttachmentSource, VolumeAttachmentSpec, VolumeAttachmentStatus, VolumeAttributesClass,
    VolumeAttributesClassList, VolumeError,
};
