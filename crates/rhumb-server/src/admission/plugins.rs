//! The plugins that a server has, in the order in which they are asked.

use std::sync::Arc;

use super::{
    Admission, Chain, certificates, default_class, lifecycle, limits, node, owners, pod_security, policy,
    priority, quota, runtime_class, service_account, storage, taint, tolerations,
};

/// The names of the plugins that there are.
pub(crate) const NAMES: &[&str] = &[
    "NamespaceLifecycle",
    "LimitRanger",
    "ServiceAccount",
    "NodeRestriction",
    "TaintNodesByCondition",
    "PodSecurity",
    "Priority",
    "DefaultTolerationSeconds",
    "DefaultStorageClass",
    "StorageObjectInUseProtection",
    "OwnerReferencesPermissionEnforcement",
    "PersistentVolumeClaimResize",
    "RuntimeClass",
    "CertificateApproval",
    "CertificateSigning",
    "CertificateSubjectRestriction",
    "DefaultIngressClass",
    "ValidatingAdmissionPolicy",
    "ResourceQuota",
];

/// The names of those that kube-apiserver has besides. They can be named as being off.
pub(crate) const ELSEWHERE: &[&str] = &[
    "AlwaysAdmit",
    "AlwaysDeny",
    "AlwaysPullImages",
    "ClusterTrustBundleAttest",
    "DenyServiceExternalIPs",
    "EventRateLimit",
    "ExtendedResourceToleration",
    "ImagePolicyWebhook",
    "JobValidation",
    "LimitPodHardAntiAffinityTopology",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "NamespaceAutoProvision",
    "NamespaceExists",
    "NodeDeclaredFeatureValidator",
    "PodGroupProtection",
    "PodGroupWorkloadExists",
    "PodNodeSelector",
    "PodResizeValidator",
    "PodTolerationRestriction",
    "PodTopologyLabels",
    "ValidatingAdmissionWebhook",
];

/// The plugins that are on, and those that the user of the library has.
pub(crate) fn chain(is_on: impl Fn(&str) -> bool, further: &Chain) -> Chain {
    let own: [Arc<dyn Admission>; 18] = [
        Arc::new(lifecycle::NamespaceLifecycle),
        Arc::new(limits::LimitRanger),
        Arc::new(service_account::ServiceAccounts),
        Arc::new(node::NodeRestriction),
        Arc::new(taint::TaintNodesByCondition),
        Arc::new(pod_security::PodSecurity),
        Arc::new(priority::Priority),
        Arc::new(tolerations::DefaultTolerationSeconds),
        Arc::new(default_class::DefaultStorageClass),
        Arc::new(storage::StorageObjectInUseProtection),
        Arc::new(owners::OwnerReferencesPermissionEnforcement),
        Arc::new(storage::PersistentVolumeClaimResize),
        Arc::new(runtime_class::RuntimeClass),
        Arc::new(certificates::Approval),
        Arc::new(certificates::Signing),
        Arc::new(certificates::SubjectRestriction),
        Arc::new(default_class::DefaultIngressClass),
        Arc::new(policy::ValidatingAdmissionPolicies),
    ];
    // What is charged must be what will be stored, so that this one comes after all others.
    let last: [Arc<dyn Admission>; 1] = [Arc::new(quota::ResourceQuotas)];
    let wanted = |plugin: &Arc<dyn Admission>| is_on(plugin.name());
    let own = own.into_iter().filter(&wanted);
    own.chain(further.iter().cloned()).chain(last.into_iter().filter(&wanted)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_plugin_and_every_plugin_its_name() {
        let chain = chain(|_| true, &Chain::default());
        let there: Vec<&str> = chain.iter().map(|plugin| plugin.name()).collect();
        assert_eq!(there, NAMES);
        assert!(ELSEWHERE.iter().all(|name| !NAMES.contains(name)));
    }
}
