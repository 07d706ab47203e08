//! The names that fields have in Kubernetes' internal types, and the order in which they stand there.

use rhumb_schema::{FieldDesc, StructDesc};

/// Words that Go writes in capitals.
const INITIALS: &[(&str, &str)] = &[
    ("api", "API"),
    ("aws", "AWS"),
    ("cidr", "CIDR"),
    ("cidrs", "CIDRs"),
    ("csi", "CSI"),
    ("dns", "DNS"),
    ("fc", "FC"),
    ("fqdn", "FQDN"),
    ("fs", "FS"),
    ("gce", "GCE"),
    ("gid", "GID"),
    ("gmsa", "GMSA"),
    ("grpc", "GRPC"),
    ("http", "HTTP"),
    ("id", "ID"),
    ("io", "IO"),
    ("ip", "IP"),
    ("ipc", "IPC"),
    ("ips", "IPs"),
    ("iqn", "IQN"),
    ("iscsi", "ISCSI"),
    ("nfs", "NFS"),
    ("os", "OS"),
    ("pd", "PD"),
    ("pid", "PID"),
    ("qos", "QOS"),
    ("rbd", "RBD"),
    ("se", "SE"),
    ("ssl", "SSL"),
    ("tcp", "TCP"),
    ("tls", "TLS"),
    ("tty", "TTY"),
    ("uid", "UID"),
    ("uri", "URI"),
    ("uuid", "UUID"),
    ("wwids", "WWIDs"),
];

/// Fields that have another name inside than outside: the struct, the field and its name.
const RENAMED: &[(&str, &str, &str)] = &[
    ("AzureDiskVolumeSource", "disk_uri", "DataDiskURI"),
    ("ContainerStatus", "last_state", "LastTerminationState"),
    ("Event", "reporting_component", "ReportingController"),
    ("FCVolumeSource", "target_ww_ns", "TargetWWNs"),
    ("GlusterfsPersistentVolumeSource", "endpoints", "EndpointsName"),
    ("GlusterfsVolumeSource", "endpoints", "EndpointsName"),
    ("ISCSIPersistentVolumeSource", "chap_auth_discovery", "DiscoveryCHAPAuth"),
    ("ISCSIPersistentVolumeSource", "chap_auth_session", "SessionCHAPAuth"),
    ("ISCSIVolumeSource", "chap_auth_discovery", "DiscoveryCHAPAuth"),
    ("ISCSIVolumeSource", "chap_auth_session", "SessionCHAPAuth"),
    ("NodeSpec", "external_id", "DoNotUseExternalID"),
    ("PersistentVolumeSource", "cephfs", "CephFS"),
    ("PersistentVolumeSource", "storageos", "StorageOS"),
    ("PhotonPersistentDiskVolumeSource", "pd_id", "PdID"),
    ("RBDPersistentVolumeSource", "image", "RBDImage"),
    ("RBDPersistentVolumeSource", "monitors", "CephMonitors"),
    ("RBDPersistentVolumeSource", "pool", "RBDPool"),
    ("RBDPersistentVolumeSource", "user", "RadosUser"),
    ("RBDVolumeSource", "image", "RBDImage"),
    ("RBDVolumeSource", "monitors", "CephMonitors"),
    ("RBDVolumeSource", "pool", "RBDPool"),
    ("RBDVolumeSource", "user", "RadosUser"),
    ("VolumeSource", "cephfs", "CephFS"),
    ("VolumeSource", "storageos", "StorageOS"),
];

/// Fields that are not there inside.
const DROPPED: &[(&str, &str)] =
    &[("NodeSpec", "pod_cidr"), ("PodSpec", "service_account"), ("PodStatus", "pod_ip"), ("Secret", "string_data")];

/// Fields that stand elsewhere inside: the struct, the field, and the one that it stands behind.
const MOVED: &[(&str, &str, &str)] = &[
    ("PersistentVolumeSource", "quobyte", "rbd"),
    ("PersistentVolumeSource", "flex_volume", "iscsi"),
    ("PodSecurityContext", "fs_group_change_policy", "fs_group"),
    ("PodSpec", "enable_service_links", "overhead"),
    ("PodSpec", "preemption_policy", "priority"),
    ("PodSpec", "set_hostname_as_fqdn", "subdomain"),
    ("PodStatus", "qos_class", "start_time"),
    ("VolumeSource", "quobyte", "rbd"),
];

/// The name of a field.
pub(super) fn name(of: &str, field: &str) -> String {
    if let Some((_, _, name)) = RENAMED.iter().find(|(other, name, _)| (*other, *name) == (of, field)) {
        return (*name).to_owned();
    }
    field.split('_').map(word).collect()
}

fn word(word: &str) -> String {
    if let Some((_, initials)) = INITIALS.iter().find(|(plain, _)| *plain == word) {
        return (*initials).to_owned();
    }
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// The fields of a struct in the order that they have inside, with their positions outside.
pub(super) fn order(desc: &'static StructDesc) -> Vec<(usize, &'static FieldDesc)> {
    let dropped = |field: &FieldDesc| DROPPED.contains(&(desc.name, field.name));
    let mut order: Vec<_> = desc.fields.iter().enumerate().filter(|(_, field)| !dropped(field)).collect();
    for (_, field, behind) in MOVED.iter().filter(|(of, _, _)| *of == desc.name) {
        let place = |order: &[(usize, &'static FieldDesc)], name: &str| {
            order.iter().position(|(_, field)| field.name == name)
        };
        if let Some(from) = place(&order, field) {
            let moved = order.remove(from);
            let to = place(&order, behind).map_or(from, |at| at + 1);
            order.insert(to, moved);
        }
    }
    order
}
