//! The source of a PersistentVolume.

use rhumb_api::core::v1::PersistentVolumeSource;

use super::{drivers, fields, host_path, network};
use crate::Lines;

/// Writes where the data of a volume is.
pub(crate) fn persistent_volume_source(out: &mut Lines, source: &PersistentVolumeSource) {
    if let Some(path) = &source.host_path {
        host_path(out, path);
    } else if let Some(disk) = &source.gce_persistent_disk {
        drivers::gce(out, disk);
    } else if let Some(disk) = &source.aws_elastic_block_store {
        drivers::aws(out, disk);
    } else if let Some(nfs) = &source.nfs {
        network::nfs(out, nfs);
    } else if let Some(iscsi) = &source.iscsi {
        network::persistent_iscsi(out, iscsi);
    } else if let Some(gluster) = &source.glusterfs {
        network::persistent_glusterfs(out, gluster);
    } else if let Some(rbd) = &source.rbd {
        network::persistent_rbd(out, rbd);
    } else if let Some(quobyte) = &source.quobyte {
        network::quobyte(out, quobyte);
    } else if let Some(disk) = &source.vsphere_volume {
        drivers::vsphere(out, disk);
    } else if let Some(cinder) = &source.cinder {
        drivers::persistent_cinder(out, cinder);
    } else if let Some(disk) = &source.azure_disk {
        drivers::azure_disk(out, disk);
    } else if let Some(disk) = &source.photon_persistent_disk {
        drivers::photon(out, disk);
    } else if let Some(volume) = &source.portworx_volume {
        drivers::portworx(out, volume);
    } else if let Some(volume) = &source.scale_io {
        drivers::persistent_scale_io(out, volume);
    } else if let Some(local) = &source.local {
        let what = "LocalVolume (a persistent volume backed by local storage on a node)";
        fields(out, what, &[("Path", &local.path)]);
    } else if let Some(ceph) = &source.cephfs {
        network::persistent_cephfs(out, ceph);
    } else if let Some(volume) = &source.storageos {
        drivers::persistent_storageos(out, volume);
    } else if let Some(channel) = &source.fc {
        network::fibre_channel(out, channel);
    } else if let Some(file) = &source.azure_file {
        drivers::persistent_azure_file(out, file);
    } else if let Some(flex) = &source.flex_volume {
        drivers::persistent_flex(out, flex);
    } else if let Some(flocker) = &source.flocker {
        drivers::flocker(out, flocker);
    } else if let Some(csi) = &source.csi {
        drivers::persistent_csi(out, csi);
    } else {
        out.line(1, "<unknown>");
    }
}
