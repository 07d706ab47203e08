//! Defaults of the group. StorageClasses are the same in every version; CSI drivers have the same defaults in both.

use rhumb_scheme::SchemeBuilder;

use super::v1::{CSIDriverSpec, StorageClass};
use super::v1beta1;

/// Registers the functions.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder.defaults(storage_class).defaults(driver).defaults(driver_v1beta1);
}

fn storage_class(class: &mut StorageClass) {
    class.reclaim_policy.get_or_insert_with(|| "Delete".to_owned());
    class.volume_binding_mode.get_or_insert_with(|| "Immediate".to_owned());
}

fn driver(spec: &mut CSIDriverSpec) {
    spec.attach_required.get_or_insert(true);
    flags([
        &mut spec.pod_info_on_mount,
        &mut spec.storage_capacity,
        &mut spec.requires_republish,
        &mut spec.se_linux_mount,
    ]);
    ways(&mut spec.fs_group_policy, &mut spec.volume_lifecycle_modes);
}

fn driver_v1beta1(spec: &mut v1beta1::CSIDriverSpec) {
    spec.attach_required.get_or_insert(true);
    flags([
        &mut spec.pod_info_on_mount,
        &mut spec.storage_capacity,
        &mut spec.requires_republish,
        &mut spec.se_linux_mount,
    ]);
    ways(&mut spec.fs_group_policy, &mut spec.volume_lifecycle_modes);
}

/// What a driver doesn't claim it can't do.
fn flags(flags: [&mut Option<bool>; 4]) {
    for flag in flags {
        flag.get_or_insert(false);
    }
}

fn ways(fs_group_policy: &mut Option<String>, volume_lifecycle_modes: &mut Vec<String>) {
    fs_group_policy.get_or_insert_with(|| "ReadWriteOnceWithFSType".to_owned());
    if volume_lifecycle_modes.is_empty() {
        volume_lifecycle_modes.push("Persistent".to_owned());
    }
}
