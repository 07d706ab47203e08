//! Columns and cells of built-in kinds.

mod access;
mod admission;
mod anything;
mod autoscaling;
mod batch;
mod cluster;
mod configuration;
mod devices;
mod events;
mod networking;
mod nodes;
mod pods;
mod services;
mod storage;
mod volumes;
mod workloads;

use rhumb_api::{
    admissionregistration, apiregistration, apiserverinternal, apps, autoscaling as scaling, batch as jobs,
    certificates, coordination, core, discovery, flowcontrol, networking as net, node, policy, rbac,
    resource, scheduling, storage as store, storagemigration,
};
use rhumb_meta::Object;
use rhumb_meta::v1::Status;

use crate::column::Printer;

/// Sort key of a row, if a kind is sorted.
pub(crate) type Rank = (i32, String);

/// Printers by type, most frequently listed kinds first.
const PRINTERS: &[Printer] = &[
    Printer::of::<core::v1::Pod>(),
    Printer::of::<core::v1::Service>(),
    Printer::of::<apps::v1::Deployment>(),
    Printer::of::<apps::v1::ReplicaSet>(),
    Printer::of::<core::v1::Event>(),
    Printer::of::<core::v1::ConfigMap>(),
    Printer::of::<core::v1::Secret>(),
    Printer::of::<core::v1::Node>(),
    Printer::of::<core::v1::Namespace>(),
    Printer::of::<discovery::v1::EndpointSlice>(),
    Printer::of::<coordination::v1::Lease>(),
    Printer::of::<apps::v1::ControllerRevision>(),
    Printer::of::<apps::v1::DaemonSet>(),
    Printer::of::<apps::v1::StatefulSet>(),
    Printer::of::<jobs::v1::Job>(),
    Printer::of::<jobs::v1::CronJob>(),
    Printer::of::<core::v1::ServiceAccount>(),
    Printer::of::<core::v1::Endpoints>(),
    Printer::of::<core::v1::PersistentVolume>(),
    Printer::of::<core::v1::PersistentVolumeClaim>(),
    Printer::of::<core::v1::PodTemplate>(),
    Printer::of::<core::v1::ReplicationController>(),
    Printer::of::<core::v1::ResourceQuota>(),
    Printer::of::<core::v1::ComponentStatus>(),
    Printer::of::<net::v1::Ingress>(),
    Printer::of::<net::v1::IngressClass>(),
    Printer::of::<net::v1::NetworkPolicy>(),
    Printer::of::<net::v1::IPAddress>(),
    Printer::of::<net::v1::ServiceCIDR>(),
    Printer::of::<scaling::v2::HorizontalPodAutoscaler>(),
    Printer::of::<scaling::v1::Scale>(),
    Printer::of::<policy::v1::PodDisruptionBudget>(),
    Printer::of::<rbac::v1::RoleBinding>(),
    Printer::of::<rbac::v1::ClusterRoleBinding>(),
    Printer::of::<certificates::v1::CertificateSigningRequest>(),
    Printer::of::<certificates::v1beta1::ClusterTrustBundle>(),
    Printer::of::<certificates::v1beta1::PodCertificateRequest>(),
    Printer::of::<coordination::v1beta1::LeaseCandidate>(),
    Printer::of::<store::v1::StorageClass>(),
    Printer::of::<store::v1::VolumeAttachment>(),
    Printer::of::<store::v1::VolumeAttributesClass>(),
    Printer::of::<store::v1::CSIDriver>(),
    Printer::of::<store::v1::CSINode>(),
    Printer::of::<scheduling::v1::PriorityClass>(),
    Printer::of::<scheduling::v1alpha2::PodGroup>(),
    Printer::of::<scheduling::v1alpha2::Workload>(),
    Printer::of::<node::v1::RuntimeClass>(),
    Printer::of::<flowcontrol::v1::FlowSchema>(),
    Printer::of::<flowcontrol::v1::PriorityLevelConfiguration>(),
    Printer::of::<admissionregistration::v1::MutatingWebhookConfiguration>(),
    Printer::of::<admissionregistration::v1::ValidatingWebhookConfiguration>(),
    Printer::of::<admissionregistration::v1::MutatingAdmissionPolicy>(),
    Printer::of::<admissionregistration::v1::MutatingAdmissionPolicyBinding>(),
    Printer::of::<admissionregistration::v1::ValidatingAdmissionPolicy>(),
    Printer::of::<admissionregistration::v1::ValidatingAdmissionPolicyBinding>(),
    Printer::of::<apiregistration::v1::APIService>(),
    Printer::of::<resource::v1::DeviceClass>(),
    Printer::of::<resource::v1::ResourceClaim>(),
    Printer::of::<resource::v1::ResourceClaimTemplate>(),
    Printer::of::<resource::v1::ResourceSlice>(),
    Printer::of::<resource::v1beta2::DeviceTaintRule>(),
    Printer::of::<resource::v1alpha3::ResourcePoolStatusRequest>(),
    Printer::of::<apiserverinternal::v1alpha1::StorageVersion>(),
    Printer::of::<storagemigration::v1beta1::StorageVersionMigration>(),
    Printer::of::<Status>(),
];

/// Returns the printer of an object, if it is not one of some others.
pub(crate) fn printer_of(object: &dyn Object, others: &[Printer]) -> Printer {
    let mut all = PRINTERS.iter().chain(others);
    all.find(|printer| (printer.fits)(object)).copied().unwrap_or(anything::ANYTHING)
}

/// Returns the printer of unknown types.
pub(crate) fn default_printer() -> Printer {
    anything::ANYTHING
}

/// Returns the sort key of an object's row. Other rows keep their order.
pub(crate) fn rank(object: &dyn Object) -> Option<Rank> {
    let schema = object.downcast_ref::<flowcontrol::v1::FlowSchema>()?;
    Some((schema.spec.matching_precedence, schema.metadata.name.clone()))
}
