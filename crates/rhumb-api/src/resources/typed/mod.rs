//! The Rust types of the resources: which type stands where, once for all who need to know.
//!
//! [`built_in_resources!`](crate::built_in_resources) is the table, given to a macro of the caller's choice.
//! Here it becomes the implementations of [`Resource`](rhumb_meta::Resource); the client library makes the
//! methods of its clientset of it.

#[cfg(test)]
mod tests;

/// Hands the table of built-in types to a macro: groups, their versions, and a line per resource.
///
/// A version has the name of its place in a clientset, in both forms, and its module in this crate. A line
/// has the type, which is its kind; the name of its method in a clientset; the resource; and the scope. It
/// begins with `type` if the type names this version as its own, and with `use` if the type is another
/// version's as well, which clients should rather use.
#[macro_export]
macro_rules! built_in_resources {
    ($with:ident) => {
        $with! {
            "" {
                "v1" core_v1 CoreV1 core::v1 {
                    type Binding bindings "bindings" Namespaced,
                    type ComponentStatus component_statuses "componentstatuses" Cluster,
                    type ConfigMap config_maps "configmaps" Namespaced,
                    type Endpoints endpoints "endpoints" Namespaced,
                    type Event events "events" Namespaced,
                    type LimitRange limit_ranges "limitranges" Namespaced,
                    type Namespace namespaces "namespaces" Cluster,
                    type Node nodes "nodes" Cluster,
                    type PersistentVolumeClaim persistent_volume_claims "persistentvolumeclaims" Namespaced,
                    type PersistentVolume persistent_volumes "persistentvolumes" Cluster,
                    type Pod pods "pods" Namespaced,
                    type PodTemplate pod_templates "podtemplates" Namespaced,
                    type ReplicationController replication_controllers "replicationcontrollers" Namespaced,
                    type ResourceQuota resource_quotas "resourcequotas" Namespaced,
                    type Secret secrets "secrets" Namespaced,
                    type ServiceAccount service_accounts "serviceaccounts" Namespaced,
                    type Service services "services" Namespaced,
                }
            }
            "apiregistration.k8s.io" {
                "v1" apiregistration_v1 ApiregistrationV1 apiregistration::v1 {
                    type APIService api_services "apiservices" Cluster,
                }
                "v1beta1" apiregistration_v1beta1 ApiregistrationV1beta1 apiregistration::v1beta1 {
                    use APIService api_services "apiservices" Cluster,
                }
            }
            "extensions" {
                "v1beta1" extensions_v1beta1 ExtensionsV1beta1 extensions::v1beta1 {
                    type DaemonSet daemon_sets "daemonsets" Namespaced,
                    type Deployment deployments "deployments" Namespaced,
                    use Ingress ingresses "ingresses" Namespaced,
                    type NetworkPolicy network_policies "networkpolicies" Namespaced,
                    use PodSecurityPolicy pod_security_policies "podsecuritypolicies" Cluster,
                    type ReplicaSet replica_sets "replicasets" Namespaced,
                }
            }
            "apps" {
                "v1" apps_v1 AppsV1 apps::v1 {
                    type ControllerRevision controller_revisions "controllerrevisions" Namespaced,
                    type DaemonSet daemon_sets "daemonsets" Namespaced,
                    type Deployment deployments "deployments" Namespaced,
                    type ReplicaSet replica_sets "replicasets" Namespaced,
                    type StatefulSet stateful_sets "statefulsets" Namespaced,
                }
                "v1beta2" apps_v1beta2 AppsV1beta2 apps::v1beta2 {
                    use ControllerRevision controller_revisions "controllerrevisions" Namespaced,
                    use DaemonSet daemon_sets "daemonsets" Namespaced,
                    use Deployment deployments "deployments" Namespaced,
                    use ReplicaSet replica_sets "replicasets" Namespaced,
                    use StatefulSet stateful_sets "statefulsets" Namespaced,
                }
                "v1beta1" apps_v1beta1 AppsV1beta1 apps::v1beta1 {
                    use ControllerRevision controller_revisions "controllerrevisions" Namespaced,
                    type Deployment deployments "deployments" Namespaced,
                    type StatefulSet stateful_sets "statefulsets" Namespaced,
                }
            }
            "events.k8s.io" {
                "v1" events_v1 EventsV1 events::v1 {
                    type Event events "events" Namespaced,
                }
                "v1beta1" events_v1beta1 EventsV1beta1 events::v1beta1 {
                    use Event events "events" Namespaced,
                }
            }
            "authentication.k8s.io" {
                "v1" authentication_v1 AuthenticationV1 authentication::v1 {
                    type SelfSubjectReview self_subject_reviews "selfsubjectreviews" Cluster,
                    type TokenReview token_reviews "tokenreviews" Cluster,
                }
                "v1beta1" authentication_v1beta1 AuthenticationV1beta1 authentication::v1beta1 {
                    use SelfSubjectReview self_subject_reviews "selfsubjectreviews" Cluster,
                    use TokenReview token_reviews "tokenreviews" Cluster,
                }
                "v1alpha1" authentication_v1alpha1 AuthenticationV1alpha1 authentication::v1alpha1 {
                    use SelfSubjectReview self_subject_reviews "selfsubjectreviews" Cluster,
                }
            }
            "authorization.k8s.io" {
                "v1" authorization_v1 AuthorizationV1 authorization::v1 {
                    type LocalSubjectAccessReview local_subject_access_reviews
                        "localsubjectaccessreviews" Namespaced,
                    type SelfSubjectAccessReview self_subject_access_reviews
                        "selfsubjectaccessreviews" Cluster,
                    type SelfSubjectRulesReview self_subject_rules_reviews "selfsubjectrulesreviews" Cluster,
                    type SubjectAccessReview subject_access_reviews "subjectaccessreviews" Cluster,
                }
                "v1beta1" authorization_v1beta1 AuthorizationV1beta1 authorization::v1beta1 {
                    type LocalSubjectAccessReview local_subject_access_reviews
                        "localsubjectaccessreviews" Namespaced,
                    use SelfSubjectAccessReview self_subject_access_reviews
                        "selfsubjectaccessreviews" Cluster,
                    use SelfSubjectRulesReview self_subject_rules_reviews "selfsubjectrulesreviews" Cluster,
                    type SubjectAccessReview subject_access_reviews "subjectaccessreviews" Cluster,
                }
            }
            "autoscaling" {
                "v2" autoscaling_v2 AutoscalingV2 autoscaling::v2 {
                    type HorizontalPodAutoscaler horizontal_pod_autoscalers
                        "horizontalpodautoscalers" Namespaced,
                }
                "v1" autoscaling_v1 AutoscalingV1 autoscaling::v1 {
                    type HorizontalPodAutoscaler horizontal_pod_autoscalers
                        "horizontalpodautoscalers" Namespaced,
                }
                "v2beta1" autoscaling_v2beta1 AutoscalingV2beta1 autoscaling::v2beta1 {
                    type HorizontalPodAutoscaler horizontal_pod_autoscalers
                        "horizontalpodautoscalers" Namespaced,
                }
                "v2beta2" autoscaling_v2beta2 AutoscalingV2beta2 autoscaling::v2beta2 {
                    type HorizontalPodAutoscaler horizontal_pod_autoscalers
                        "horizontalpodautoscalers" Namespaced,
                }
            }
            "batch" {
                "v1" batch_v1 BatchV1 batch::v1 {
                    type CronJob cron_jobs "cronjobs" Namespaced,
                    type Job jobs "jobs" Namespaced,
                }
                "v1beta1" batch_v1beta1 BatchV1beta1 batch::v1beta1 {
                    use CronJob cron_jobs "cronjobs" Namespaced,
                }
                "v2alpha1" batch_v2alpha1 BatchV2alpha1 batch::v2alpha1 {
                    type CronJob cron_jobs "cronjobs" Namespaced,
                }
            }
            "certificates.k8s.io" {
                "v1" certificates_v1 CertificatesV1 certificates::v1 {
                    type CertificateSigningRequest certificate_signing_requests
                        "certificatesigningrequests" Cluster,
                }
                "v1beta1" certificates_v1beta1 CertificatesV1beta1 certificates::v1beta1 {
                    type CertificateSigningRequest certificate_signing_requests
                        "certificatesigningrequests" Cluster,
                    type ClusterTrustBundle cluster_trust_bundles "clustertrustbundles" Cluster,
                    type PodCertificateRequest pod_certificate_requests "podcertificaterequests" Namespaced,
                }
                "v1alpha1" certificates_v1alpha1 CertificatesV1alpha1 certificates::v1alpha1 {
                    use ClusterTrustBundle cluster_trust_bundles "clustertrustbundles" Cluster,
                }
            }
            "networking.k8s.io" {
                "v1" networking_v1 NetworkingV1 networking::v1 {
                    type IngressClass ingress_classes "ingressclasses" Cluster,
                    type Ingress ingresses "ingresses" Namespaced,
                    type IPAddress ip_addresses "ipaddresses" Cluster,
                    type NetworkPolicy network_policies "networkpolicies" Namespaced,
                    type ServiceCIDR service_cidrs "servicecidrs" Cluster,
                }
                "v1beta1" networking_v1beta1 NetworkingV1beta1 networking::v1beta1 {
                    type IngressClass ingress_classes "ingressclasses" Cluster,
                    type Ingress ingresses "ingresses" Namespaced,
                    use IPAddress ip_addresses "ipaddresses" Cluster,
                    use ServiceCIDR service_cidrs "servicecidrs" Cluster,
                }
            }
            "policy" {
                "v1" policy_v1 PolicyV1 policy::v1 {
                    type PodDisruptionBudget pod_disruption_budgets "poddisruptionbudgets" Namespaced,
                }
                "v1beta1" policy_v1beta1 PolicyV1beta1 policy::v1beta1 {
                    type PodDisruptionBudget pod_disruption_budgets "poddisruptionbudgets" Namespaced,
                    type PodSecurityPolicy pod_security_policies "podsecuritypolicies" Cluster,
                }
            }
            "rbac.authorization.k8s.io" {
                "v1" rbac_v1 RbacV1 rbac::v1 {
                    type ClusterRoleBinding cluster_role_bindings "clusterrolebindings" Cluster,
                    type ClusterRole cluster_roles "clusterroles" Cluster,
                    type RoleBinding role_bindings "rolebindings" Namespaced,
                    type Role roles "roles" Namespaced,
                }
                "v1beta1" rbac_v1beta1 RbacV1beta1 rbac::v1beta1 {
                    type ClusterRoleBinding cluster_role_bindings "clusterrolebindings" Cluster,
                    use ClusterRole cluster_roles "clusterroles" Cluster,
                    type RoleBinding role_bindings "rolebindings" Namespaced,
                    use Role roles "roles" Namespaced,
                }
                "v1alpha1" rbac_v1alpha1 RbacV1alpha1 rbac::v1alpha1 {
                    type ClusterRoleBinding cluster_role_bindings "clusterrolebindings" Cluster,
                    type ClusterRole cluster_roles "clusterroles" Cluster,
                    type RoleBinding role_bindings "rolebindings" Namespaced,
                    type Role roles "roles" Namespaced,
                }
            }
            "settings.k8s.io" {
                "v1alpha1" settings_v1alpha1 SettingsV1alpha1 settings::v1alpha1 {
                    type PodPreset pod_presets "podpresets" Namespaced,
                }
            }
            "storage.k8s.io" {
                "v1" storage_v1 StorageV1 storage::v1 {
                    type CSIDriver csi_drivers "csidrivers" Cluster,
                    type CSINode csi_nodes "csinodes" Cluster,
                    type CSIStorageCapacity csi_storage_capacities "csistoragecapacities" Namespaced,
                    type StorageClass storage_classes "storageclasses" Cluster,
                    type VolumeAttachment volume_attachments "volumeattachments" Cluster,
                    type VolumeAttributesClass volume_attributes_classes "volumeattributesclasses" Cluster,
                }
                "v1beta1" storage_v1beta1 StorageV1beta1 storage::v1beta1 {
                    type CSIDriver csi_drivers "csidrivers" Cluster,
                    use CSINode csi_nodes "csinodes" Cluster,
                    use CSIStorageCapacity csi_storage_capacities "csistoragecapacities" Namespaced,
                    use StorageClass storage_classes "storageclasses" Cluster,
                    use VolumeAttachment volume_attachments "volumeattachments" Cluster,
                    use VolumeAttributesClass volume_attributes_classes "volumeattributesclasses" Cluster,
                }
                "v1alpha1" storage_v1alpha1 StorageV1alpha1 storage::v1alpha1 {
                    use CSIStorageCapacity csi_storage_capacities "csistoragecapacities" Namespaced,
                    use VolumeAttachment volume_attachments "volumeattachments" Cluster,
                    use VolumeAttributesClass volume_attributes_classes "volumeattributesclasses" Cluster,
                }
            }
            "admissionregistration.k8s.io" {
                "v1" admissionregistration_v1 AdmissionregistrationV1 admissionregistration::v1 {
                    type MutatingAdmissionPolicy mutating_admission_policies
                        "mutatingadmissionpolicies" Cluster,
                    type MutatingAdmissionPolicyBinding mutating_admission_policy_bindings
                        "mutatingadmissionpolicybindings" Cluster,
                    type MutatingWebhookConfiguration mutating_webhook_configurations
                        "mutatingwebhookconfigurations" Cluster,
                    type ValidatingAdmissionPolicy validating_admission_policies
                        "validatingadmissionpolicies" Cluster,
                    type ValidatingAdmissionPolicyBinding validating_admission_policy_bindings
                        "validatingadmissionpolicybindings" Cluster,
                    type ValidatingWebhookConfiguration validating_webhook_configurations
                        "validatingwebhookconfigurations" Cluster,
                }
                "v1beta1" admissionregistration_v1beta1 AdmissionregistrationV1beta1
                admissionregistration::v1beta1 {
                    type MutatingAdmissionPolicy mutating_admission_policies
                        "mutatingadmissionpolicies" Cluster,
                    type MutatingAdmissionPolicyBinding mutating_admission_policy_bindings
                        "mutatingadmissionpolicybindings" Cluster,
                    type MutatingWebhookConfiguration mutating_webhook_configurations
                        "mutatingwebhookconfigurations" Cluster,
                    type ValidatingAdmissionPolicy validating_admission_policies
                        "validatingadmissionpolicies" Cluster,
                    type ValidatingAdmissionPolicyBinding validating_admission_policy_bindings
                        "validatingadmissionpolicybindings" Cluster,
                    type ValidatingWebhookConfiguration validating_webhook_configurations
                        "validatingwebhookconfigurations" Cluster,
                }
                "v1alpha1" admissionregistration_v1alpha1 AdmissionregistrationV1alpha1
                admissionregistration::v1alpha1 {
                    type MutatingAdmissionPolicy mutating_admission_policies
                        "mutatingadmissionpolicies" Cluster,
                    type MutatingAdmissionPolicyBinding mutating_admission_policy_bindings
                        "mutatingadmissionpolicybindings" Cluster,
                    type ValidatingAdmissionPolicy validating_admission_policies
                        "validatingadmissionpolicies" Cluster,
                    type ValidatingAdmissionPolicyBinding validating_admission_policy_bindings
                        "validatingadmissionpolicybindings" Cluster,
                }
            }
            "apiextensions.k8s.io" {
                "v1" apiextensions_v1 ApiextensionsV1 apiextensions::v1 {
                    type CustomResourceDefinition custom_resource_definitions
                        "customresourcedefinitions" Cluster,
                }
                "v1beta1" apiextensions_v1beta1 ApiextensionsV1beta1 apiextensions::v1beta1 {
                    type CustomResourceDefinition custom_resource_definitions
                        "customresourcedefinitions" Cluster,
                }
            }
            "scheduling.k8s.io" {
                "v1" scheduling_v1 SchedulingV1 scheduling::v1 {
                    type PriorityClass priority_classes "priorityclasses" Cluster,
                }
                "v1beta1" scheduling_v1beta1 SchedulingV1beta1 scheduling::v1beta1 {
                    use PriorityClass priority_classes "priorityclasses" Cluster,
                }
                "v1alpha2" scheduling_v1alpha2 SchedulingV1alpha2 scheduling::v1alpha2 {
                    type PodGroup pod_groups "podgroups" Namespaced,
                    type Workload workloads "workloads" Namespaced,
                }
                "v1alpha1" scheduling_v1alpha1 SchedulingV1alpha1 scheduling::v1alpha1 {
                    type PriorityClass priority_classes "priorityclasses" Cluster,
                }
            }
            "coordination.k8s.io" {
                "v1" coordination_v1 CoordinationV1 coordination::v1 {
                    type Lease leases "leases" Namespaced,
                }
                "v1beta1" coordination_v1beta1 CoordinationV1beta1 coordination::v1beta1 {
                    type LeaseCandidate lease_candidates "leasecandidates" Namespaced,
                    use Lease leases "leases" Namespaced,
                }
                "v1alpha2" coordination_v1alpha2 CoordinationV1alpha2 coordination::v1alpha2 {
                    use LeaseCandidate lease_candidates "leasecandidates" Namespaced,
                }
            }
            "auditregistration.k8s.io" {
                "v1alpha1" auditregistration_v1alpha1 AuditregistrationV1alpha1 auditregistration::v1alpha1 {
                    type AuditSink audit_sinks "auditsinks" Cluster,
                }
            }
            "node.k8s.io" {
                "v1" node_v1 NodeV1 node::v1 {
                    type RuntimeClass runtime_classes "runtimeclasses" Cluster,
                }
                "v1beta1" node_v1beta1 NodeV1beta1 node::v1beta1 {
                    use RuntimeClass runtime_classes "runtimeclasses" Cluster,
                }
                "v1alpha1" node_v1alpha1 NodeV1alpha1 node::v1alpha1 {
                    type RuntimeClass runtime_classes "runtimeclasses" Cluster,
                }
            }
            "discovery.k8s.io" {
                "v1" discovery_v1 DiscoveryV1 discovery::v1 {
                    type EndpointSlice endpoint_slices "endpointslices" Namespaced,
                }
                "v1beta1" discovery_v1beta1 DiscoveryV1beta1 discovery::v1beta1 {
                    type EndpointSlice endpoint_slices "endpointslices" Namespaced,
                }
                "v1alpha1" discovery_v1alpha1 DiscoveryV1alpha1 discovery::v1alpha1 {
                    type EndpointSlice endpoint_slices "endpointslices" Namespaced,
                }
            }
            "resource.k8s.io" {
                "v1" resource_v1 ResourceV1 resource::v1 {
                    type DeviceClass device_classes "deviceclasses" Cluster,
                    type ResourceClaim resource_claims "resourceclaims" Namespaced,
                    type ResourceClaimTemplate resource_claim_templates "resourceclaimtemplates" Namespaced,
                    type ResourceSlice resource_slices "resourceslices" Cluster,
                }
                "v1beta2" resource_v1beta2 ResourceV1beta2 resource::v1beta2 {
                    use DeviceClass device_classes "deviceclasses" Cluster,
                    type DeviceTaintRule device_taint_rules "devicetaintrules" Cluster,
                    use ResourceClaim resource_claims "resourceclaims" Namespaced,
                    use ResourceClaimTemplate resource_claim_templates "resourceclaimtemplates" Namespaced,
                    use ResourceSlice resource_slices "resourceslices" Cluster,
                }
                "v1beta1" resource_v1beta1 ResourceV1beta1 resource::v1beta1 {
                    use DeviceClass device_classes "deviceclasses" Cluster,
                    type ResourceClaim resource_claims "resourceclaims" Namespaced,
                    type ResourceClaimTemplate resource_claim_templates "resourceclaimtemplates" Namespaced,
                    type ResourceSlice resource_slices "resourceslices" Cluster,
                }
                "v1alpha3" resource_v1alpha3 ResourceV1alpha3 resource::v1alpha3 {
                    use DeviceTaintRule device_taint_rules "devicetaintrules" Cluster,
                    type ResourcePoolStatusRequest resource_pool_status_requests
                        "resourcepoolstatusrequests" Cluster,
                }
            }
            "flowcontrol.apiserver.k8s.io" {
                "v1" flowcontrol_v1 FlowcontrolV1 flowcontrol::v1 {
                    type FlowSchema flow_schemas "flowschemas" Cluster,
                    type PriorityLevelConfiguration priority_level_configurations
                        "prioritylevelconfigurations" Cluster,
                }
                "v1beta3" flowcontrol_v1beta3 FlowcontrolV1beta3 flowcontrol::v1beta3 {
                    use FlowSchema flow_schemas "flowschemas" Cluster,
                    type PriorityLevelConfiguration priority_level_configurations
                        "prioritylevelconfigurations" Cluster,
                }
                "v1beta2" flowcontrol_v1beta2 FlowcontrolV1beta2 flowcontrol::v1beta2 {
                    type FlowSchema flow_schemas "flowschemas" Cluster,
                    type PriorityLevelConfiguration priority_level_configurations
                        "prioritylevelconfigurations" Cluster,
                }
                "v1beta1" flowcontrol_v1beta1 FlowcontrolV1beta1 flowcontrol::v1beta1 {
                    use FlowSchema flow_schemas "flowschemas" Cluster,
                    use PriorityLevelConfiguration priority_level_configurations
                        "prioritylevelconfigurations" Cluster,
                }
                "v1alpha1" flowcontrol_v1alpha1 FlowcontrolV1alpha1 flowcontrol::v1alpha1 {
                    use FlowSchema flow_schemas "flowschemas" Cluster,
                    use PriorityLevelConfiguration priority_level_configurations
                        "prioritylevelconfigurations" Cluster,
                }
            }
            "internal.apiserver.k8s.io" {
                "v1alpha1" internal_v1alpha1 InternalV1alpha1 apiserverinternal::v1alpha1 {
                    type StorageVersion storage_versions "storageversions" Cluster,
                }
            }
            "storagemigration.k8s.io" {
                "v1beta1" storagemigration_v1beta1 StoragemigrationV1beta1 storagemigration::v1beta1 {
                    type StorageVersionMigration storage_version_migrations
                        "storageversionmigrations" Cluster,
                }
            }
        }
    };
}

macro_rules! implement {
    ($($group:literal {
        $($version:literal $method:ident $client:ident $module:ident::$file:ident {
            $($how:tt $kind:ident $resources:ident $plural:literal $scope:ident,)*
        })*
    })*) => {
        $($($(implement!(@ $how $module $file $kind $group $version $plural $scope);)*)*)*
    };
    (@ type
        $module:ident $file:ident $kind:ident $group:literal $version:literal $plural:literal $scope:ident
    ) => {
        impl rhumb_meta::Resource for crate::$module::$file::$kind {
            const GROUP: &'static str = $group;
            const VERSION: &'static str = $version;
            const KIND: &'static str = stringify!($kind);
            const PLURAL: &'static str = $plural;
            const SCOPE: rhumb_meta::Scope = rhumb_meta::Scope::$scope;
            const HAS_PROTOBUF: bool = true;
        }
    };
    (@ use $($other:tt)*) => {};
}

built_in_resources!(implement);
