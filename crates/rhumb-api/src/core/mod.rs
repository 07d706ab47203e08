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
            .register::<v1::Binding>(gv)?
            .register::<v1::ComponentStatus>(gv)?
            .register::<v1::ComponentStatusList>(gv)?
            .register::<v1::ConfigMap>(gv)?
            .register::<v1::ConfigMapList>(gv)?
            .register::<v1::Endpoints>(gv)?
            .register::<v1::EndpointsList>(gv)?
            .register::<v1::EphemeralContainers>(gv)?
            .register::<v1::Event>(gv)?
            .register::<v1::EventList>(gv)?
            .register::<v1::LimitRange>(gv)?
            .register::<v1::LimitRangeList>(gv)?
            .register::<rhumb_meta::v1::List>(gv)?
            .register::<v1::Namespace>(gv)?
            .register::<v1::NamespaceList>(gv)?
            .register::<v1::Node>(gv)?
            .register::<v1::NodeList>(gv)?
            .register::<v1::NodeProxyOptions>(gv)?
            .register::<v1::PersistentVolume>(gv)?
            .register::<v1::PersistentVolumeClaim>(gv)?
            .register::<v1::PersistentVolumeClaimList>(gv)?
            .register::<v1::PersistentVolumeList>(gv)?
            .register::<v1::Pod>(gv)?
            .register::<v1::PodAttachOptions>(gv)?
            .register::<v1::PodExecOptions>(gv)?
            .register::<v1::PodList>(gv)?
            .register::<v1::PodLogOptions>(gv)?
            .register::<v1::PodPortForwardOptions>(gv)?
            .register::<v1::PodProxyOptions>(gv)?
            .register::<v1::PodStatusResult>(gv)?
            .register::<v1::PodTemplate>(gv)?
            .register::<v1::PodTemplateList>(gv)?
            .register::<v1::RangeAllocation>(gv)?
            .register::<v1::ReplicationController>(gv)?
            .register::<v1::ReplicationControllerList>(gv)?
            .register::<v1::ResourceQuota>(gv)?
            .register::<v1::ResourceQuotaList>(gv)?
            .register::<v1::Secret>(gv)?
            .register::<v1::SecretList>(gv)?
            .register::<v1::SerializedReference>(gv)?
            .register::<v1::Service>(gv)?
            .register::<v1::ServiceAccount>(gv)?
            .register::<v1::ServiceAccountList>(gv)?
            .register::<v1::ServiceList>(gv)?
            .register::<v1::ServiceProxyOptions>(gv)?;
    }
    v1::defaults::register(builder);
    v1::hub_form::register(builder);
    builder
        .field_labels(&V1.with_kind("Pod"), pod_label)
        .field_labels(&V1.with_kind("Namespace"), namespace_label)
        .field_labels(&V1.with_kind("Node"), node_label)
        .field_labels(&V1.with_kind("ReplicationController"), replication_controller_label)
        .field_labels(&V1.with_kind("Event"), event_label)
        .field_labels(&V1.with_kind("Secret"), secret_label)
        .field_labels(&V1.with_kind("Service"), service_label);
    // Every group had these once. Clients know them from here.
    builder.register::<rhumb_meta::v1::ExportOptions>(&V1)?;
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
    one_of(&["metadata.name", "status.phase"], label, value)
}

fn node_label(label: &str, value: &str) -> Result<(String, String), String> {
    one_of(&["metadata.name", "spec.unschedulable"], label, value)
}

fn replication_controller_label(label: &str, value: &str) -> Result<(String, String), String> {
    one_of(&["metadata.name", "metadata.namespace", "status.replicas"], label, value)
}

fn event_label(label: &str, value: &str) -> Result<(String, String), String> {
    one_of(
        &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
            "metadata.namespace",
            "metadata.name",
        ],
        label,
        value,
    )
}

fn secret_label(label: &str, value: &str) -> Result<(String, String), String> {
    one_of(&["type", "metadata.namespace", "metadata.name"], label, value)
}

fn service_label(label: &str, value: &str) -> Result<(String, String), String> {
    one_of(&["metadata.namespace", "metadata.name", "spec.clusterIP", "spec.type"], label, value)
}

/// Labels that are called the same inside.
fn one_of(labels: &[&str], label: &str, value: &str) -> Result<(String, String), String> {
    if labels.contains(&label) { Ok((label.to_owned(), value.to_owned())) } else { Err(not_supported(label)) }
}

fn not_supported(label: &str) -> String {
    format!("field label not supported: {label}")
}
