//! `storage.k8s.io/v1alpha1`.

pub use super::v1::{
    CSIStorageCapacity, CSIStorageCapacityList, VolumeAttachment, VolumeAttachmentList,
    VolumeAttachmentSource, VolumeAttachmentSpec, VolumeAttachmentStatus, VolumeAttributesClass,
    VolumeAttributesClassList, VolumeError,
};
