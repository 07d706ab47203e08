//! Deprecations: what clients of versions that are going away, or are gone from Kubernetes, are told.

use rhumb_api::resources::Served;
use rhumb_meta::GroupVersionKind;

/// A kind in a version whose end is known: the minor releases of Kubernetes 1 from which on it is deprecated
/// and from which on it is not served (0 if it stays), and what to use instead.
struct End(&'static str, &'static str, u8, u8, &'static str);

/// By version and kind, in order.
const ENDS: &[End] = &[
    End("admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicy", 35, 38, ""),
    End("admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicyBinding", 35, 38, ""),
    End("admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicy", 29, 32, ""),
    End("admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicyBinding", 29, 32, ""),
    End(
        "admissionregistration.k8s.io/v1beta1",
        "MutatingWebhookConfiguration",
        16,
        22,
        "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration",
    ),
    End("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicy", 31, 34, ""),
    End("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicyBinding", 31, 34, ""),
    End(
        "admissionregistration.k8s.io/v1beta1",
        "ValidatingWebhookConfiguration",
        16,
        22,
        "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration",
    ),
    End(
        "apiextensions.k8s.io/v1beta1",
        "CustomResourceDefinition",
        16,
        22,
        "apiextensions.k8s.io/v1 CustomResourceDefinition",
    ),
    End("apiregistration.k8s.io/v1beta1", "APIService", 19, 22, "apiregistration.k8s.io/v1 APIService"),
    End("apps/v1beta1", "ControllerRevision", 8, 16, "apps/v1 ControllerRevision"),
    End("apps/v1beta1", "Deployment", 8, 16, "apps/v1 Deployment"),
    End("apps/v1beta1", "DeploymentRollback", 8, 16, "apps/v1 DeploymentRollback"),
    End("apps/v1beta1", "Scale", 8, 16, "autoscaling/v1 Scale"),
    End("apps/v1beta1", "StatefulSet", 8, 16, "apps/v1 StatefulSet"),
    End("apps/v1beta2", "ControllerRevision", 9, 16, "apps/v1 ControllerRevision"),
    End("apps/v1beta2", "DaemonSet", 9, 16, "apps/v1 DaemonSet"),
    End("apps/v1beta2", "Deployment", 9, 16, "apps/v1 Deployment"),
    End("apps/v1beta2", "ReplicaSet", 9, 16, "apps/v1 ReplicaSet"),
    End("apps/v1beta2", "Scale", 9, 16, "autoscaling/v1 Scale"),
    End("apps/v1beta2", "StatefulSet", 9, 16, "apps/v1 StatefulSet"),
    End("authentication.k8s.io/v1alpha1", "SelfSubjectReview", 29, 32, ""),
    End("authentication.k8s.io/v1beta1", "SelfSubjectReview", 30, 33, ""),
    End("authentication.k8s.io/v1beta1", "TokenReview", 19, 22, "authentication.k8s.io/v1 TokenReview"),
    End(
        "authorization.k8s.io/v1beta1",
        "LocalSubjectAccessReview",
        19,
        22,
        "authorization.k8s.io/v1 LocalSubjectAccessReview",
    ),
    End(
        "authorization.k8s.io/v1beta1",
        "SelfSubjectAccessReview",
        19,
        22,
        "authorization.k8s.io/v1 SelfSubjectAccessReview",
    ),
    End(
        "authorization.k8s.io/v1beta1",
        "SelfSubjectRulesReview",
        19,
        22,
        "authorization.k8s.io/v1 SelfSubjectRulesReview",
    ),
    End(
        "authorization.k8s.io/v1beta1",
        "SubjectAccessReview",
        19,
        22,
        "authorization.k8s.io/v1 SubjectAccessReview",
    ),
    End("autoscaling/v2beta1", "HorizontalPodAutoscaler", 22, 25, "autoscaling/v2 HorizontalPodAutoscaler"),
    End("autoscaling/v2beta2", "HorizontalPodAutoscaler", 23, 26, "autoscaling/v2 HorizontalPodAutoscaler"),
    End("batch/v1beta1", "CronJob", 21, 25, "batch/v1 CronJob"),
    End("certificates.k8s.io/v1alpha1", "ClusterTrustBundle", 34, 37, ""),
    End(
        "certificates.k8s.io/v1beta1",
        "CertificateSigningRequest",
        19,
        22,
        "certificates.k8s.io/v1 CertificateSigningRequest",
    ),
    End("coordination.k8s.io/v1alpha2", "LeaseCandidate", 35, 38, ""),
    End("coordination.k8s.io/v1beta1", "Lease", 19, 22, "coordination.k8s.io/v1 Lease"),
    End("coordination.k8s.io/v1beta1", "LeaseCandidate", 36, 39, ""),
    End("discovery.k8s.io/v1beta1", "EndpointSlice", 21, 25, "discovery.k8s.io/v1 EndpointSlice"),
    End("events.k8s.io/v1beta1", "Event", 22, 25, ""),
    End("extensions/v1beta1", "DaemonSet", 8, 16, "apps/v1 DaemonSet"),
    End("extensions/v1beta1", "Deployment", 8, 16, "apps/v1 Deployment"),
    End("extensions/v1beta1", "DeploymentRollback", 8, 16, ""),
    End("extensions/v1beta1", "Ingress", 14, 22, "networking.k8s.io/v1 Ingress"),
    End("extensions/v1beta1", "NetworkPolicy", 9, 16, "networking.k8s.io/v1 NetworkPolicy"),
    End("extensions/v1beta1", "PodSecurityPolicy", 11, 16, "policy/v1beta1 PodSecurityPolicy"),
    End("extensions/v1beta1", "ReplicaSet", 8, 16, "apps/v1 ReplicaSet"),
    End("extensions/v1beta1", "Scale", 2, 16, ""),
    End(
        "flowcontrol.apiserver.k8s.io/v1beta1",
        "FlowSchema",
        23,
        26,
        "flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema",
    ),
    End(
        "flowcontrol.apiserver.k8s.io/v1beta1",
        "PriorityLevelConfiguration",
        23,
        26,
        "flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration",
    ),
    End(
        "flowcontrol.apiserver.k8s.io/v1beta2",
        "FlowSchema",
        26,
        29,
        "flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema",
    ),
    End(
        "flowcontrol.apiserver.k8s.io/v1beta2",
        "PriorityLevelConfiguration",
        26,
        29,
        "flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration",
    ),
    End(
        "flowcontrol.apiserver.k8s.io/v1beta3",
        "FlowSchema",
        29,
        32,
        "flowcontrol.apiserver.k8s.io/v1 FlowSchema",
    ),
    End(
        "flowcontrol.apiserver.k8s.io/v1beta3",
        "PriorityLevelConfiguration",
        29,
        32,
        "flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration",
    ),
    End("networking.k8s.io/v1beta1", "IPAddress", 34, 37, ""),
    End("networking.k8s.io/v1beta1", "Ingress", 19, 22, "networking.k8s.io/v1 Ingress"),
    End("networking.k8s.io/v1beta1", "IngressClass", 19, 22, "networking.k8s.io/v1 IngressClassList"),
    End("networking.k8s.io/v1beta1", "ServiceCIDR", 34, 37, ""),
    End("node.k8s.io/v1beta1", "RuntimeClass", 22, 25, ""),
    End("policy/v1beta1", "Eviction", 22, 25, ""),
    End("policy/v1beta1", "PodDisruptionBudget", 21, 25, "policy/v1 PodDisruptionBudget"),
    End("policy/v1beta1", "PodSecurityPolicy", 21, 25, ""),
    End(
        "rbac.authorization.k8s.io/v1beta1",
        "ClusterRole",
        17,
        22,
        "rbac.authorization.k8s.io/v1 ClusterRole",
    ),
    End(
        "rbac.authorization.k8s.io/v1beta1",
        "ClusterRoleBinding",
        17,
        22,
        "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
    ),
    End("rbac.authorization.k8s.io/v1beta1", "Role", 17, 22, "rbac.authorization.k8s.io/v1 Role"),
    End(
        "rbac.authorization.k8s.io/v1beta1",
        "RoleBinding",
        17,
        22,
        "rbac.authorization.k8s.io/v1 RoleBinding",
    ),
    End("resource.k8s.io/v1alpha3", "DeviceTaintRule", 36, 39, ""),
    End("resource.k8s.io/v1beta1", "DeviceClass", 35, 38, ""),
    End("resource.k8s.io/v1beta1", "ResourceClaim", 35, 38, ""),
    End("resource.k8s.io/v1beta1", "ResourceClaimTemplate", 35, 38, ""),
    End("resource.k8s.io/v1beta1", "ResourceSlice", 35, 38, ""),
    End("resource.k8s.io/v1beta2", "DeviceClass", 36, 39, ""),
    End("resource.k8s.io/v1beta2", "ResourceClaim", 36, 39, ""),
    End("resource.k8s.io/v1beta2", "ResourceClaimTemplate", 36, 39, ""),
    End("resource.k8s.io/v1beta2", "ResourceSlice", 36, 39, ""),
    End("scheduling.k8s.io/v1beta1", "PriorityClass", 14, 22, "scheduling.k8s.io/v1 PriorityClass"),
    End("storage.k8s.io/v1alpha1", "CSIStorageCapacity", 21, 24, "storage.k8s.io/v1beta1 CSIStorageCapacity"),
    End("storage.k8s.io/v1alpha1", "VolumeAttachment", 21, 24, "storage.k8s.io/v1 VolumeAttachment"),
    End(
        "storage.k8s.io/v1alpha1",
        "VolumeAttributesClass",
        32,
        35,
        "storage.k8s.io/v1 VolumeAttributesClass",
    ),
    End("storage.k8s.io/v1beta1", "CSIDriver", 19, 22, "storage.k8s.io/v1 CSIDriver"),
    End("storage.k8s.io/v1beta1", "CSINode", 17, 22, "storage.k8s.io/v1 CSINode"),
    End("storage.k8s.io/v1beta1", "CSIStorageCapacity", 24, 27, "storage.k8s.io/v1 CSIStorageCapacity"),
    End("storage.k8s.io/v1beta1", "StorageClass", 19, 22, "storage.k8s.io/v1 StorageClass"),
    End("storage.k8s.io/v1beta1", "VolumeAttachment", 19, 22, "storage.k8s.io/v1 VolumeAttachment"),
    End("storage.k8s.io/v1beta1", "VolumeAttributesClass", 34, 37, "storage.k8s.io/v1 VolumeAttributesClass"),
    End("v1", "ComponentStatus", 19, 0, ""),
    End("v1", "Endpoints", 33, 0, "discovery.k8s.io/v1 EndpointSlice"),
];

/// What clients of a resource are told.
pub(crate) fn warning(served: &Served) -> Option<String> {
    of(&served.gvk())
}

/// What clients of a kind are told.
pub(crate) fn of(kind: &GroupVersionKind) -> Option<String> {
    let version = kind.api_version();
    let end = ENDS.iter().find(|end| end.0 == version && end.1 == kind.kind)?;
    let mut text = format!("{version} {} is deprecated in v1.{}+", kind.kind, end.2);
    if end.3 > 0 {
        text.push_str(&format!(", unavailable in v1.{}+", end.3));
    }
    if !end.4.is_empty() {
        text.push_str(&format!("; use {}", end.4));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_version_is_told_as_kubernetes_does() {
        let told =
            |version: &str, kind: &str| of(&GroupVersionKind::from_api_version_and_kind(version, kind));
        let text = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
        assert_eq!(told("v1", "Endpoints").as_deref(), Some(text));
        assert_eq!(
            told("v1", "ComponentStatus").as_deref(),
            Some("v1 ComponentStatus is deprecated in v1.19+")
        );
        let text = "autoscaling/v2beta2 HorizontalPodAutoscaler is deprecated in v1.23+, unavailable in \
                   v1.26+; \
                    use autoscaling/v2 HorizontalPodAutoscaler";
        assert_eq!(told("autoscaling/v2beta2", "HorizontalPodAutoscaler").as_deref(), Some(text));
        assert_eq!(told("apps/v1", "Deployment"), None);
    }
}
