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
    v1::defaults::register(builder);
    v1::hub_form::register(builder);
    builder
        .field_labels(&V1.with_kind("Pod"), pod_label)
        .field_labels(&V1.with_kind("Namespace"), namespace_label)
        .field_labels(&V1.with_kind("Service"), service_label);
    crate::meta::add_to_group_version(builder, &V1)
}

fn pod_label(label: &str, value: &str) -> Result<(String, String), String> {
    match label {
        // The name that the field had in the very first clients.
        "spec.host" => Ok(("spec.nodeName".to_owned(), value.to_owned())),
        "metadata.name"
        | "metadata.namespace"
        | "spec.nodeName"
        | "spec.restartPolicy"
        | "spec.schedulerName"
        | "spec.serviceAccountName"
        | "spec.hostNetwork"
        | "status.phase"
        | "status.podIP"
        | "status.podIPs"
        | "status.nominatedNodeName" => Ok((label.to_owned(), value.to_owned())),
        _ => Err(not_supported(label)),
    }
}

fn namespace_label(label: &str, value: &str) -> Result<(String, String), String> {
    match label {
        "metadata.name" | "status.phase" => Ok((label.to_owned(), value.to_owned())),
        _ => Err(not_supported(label)),
    }
}

fn service_label(label: &str, value: &str) -> Result<(String, String), String> {
    match label {
        "metadata.name" | "metadata.namespace" | "spec.clusterIP" | "spec.type" => {
            Ok((label.to_owned(), value.to_owned()))
        }
        _ => Err(not_supported(label)),
    }
}

fn not_supported(label: &str) -> String {
    format!("field label not supported: {label}")
}
