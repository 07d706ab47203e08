//! What adds to the API or stands in its way: `apiregistration.k8s.io`, `admissionregistration.k8s.io`,
//! `apiextensions.k8s.io`, `auditregistration.k8s.io`.

use super::{Group, Resource, Subresource};
use Subresource as Sub;

const API_EXTENSION: &[&str] = &["api-extensions"];

pub(super) const API_REGISTRATION: Group = Group {
    name: "apiregistration.k8s.io",
    versions: &["v1", "v1beta1"],
    resources: &[Resource::cluster("apiservices", "APIService")
        .categories(API_EXTENSION)
        .formerly(&["v1beta1"])
        .with(&[Sub::STATUS])],
};

pub(super) const ADMISSION_REGISTRATION: Group = Group {
    name: "admissionregistration.k8s.io",
    versions: &["v1", "v1beta1", "v1alpha1"],
    resources: &[
        Resource::cluster("mutatingadmissionpolicies", "MutatingAdmissionPolicy")
            .categories(API_EXTENSION)
            .versions(&["v1", "v1beta1", "v1alpha1"])
            .stored_in("v1beta1"),
        Resource::cluster("mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding")
            .categories(API_EXTENSION)
            .versions(&["v1", "v1beta1", "v1alpha1"])
            .stored_in("v1beta1"),
        Resource::cluster("mutatingwebhookconfigurations", "MutatingWebhookConfiguration")
            .categories(API_EXTENSION)
            .formerly(&["v1beta1"]),
        Resource::cluster("validatingadmissionpolicies", "ValidatingAdmissionPolicy")
            .categories(API_EXTENSION)
            .formerly(&["v1beta1", "v1alpha1"])
            .with(&[Sub::STATUS]),
        Resource::cluster("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding")
            .categories(API_EXTENSION)
            .formerly(&["v1beta1", "v1alpha1"]),
        Resource::cluster("validatingwebhookconfigurations", "ValidatingWebhookConfiguration")
            .categories(API_EXTENSION)
            .formerly(&["v1beta1"]),
    ],
};

pub(super) const API_EXTENSIONS: Group = Group {
    name: "apiextensions.k8s.io",
    versions: &["v1", "v1beta1"],
    resources: &[Resource::cluster("customresourcedefinitions", "CustomResourceDefinition")
        .short(&["crd", "crds"])
        .categories(API_EXTENSION)
        .formerly(&["v1beta1"])
        // They are still stored in the version that is served no more.
        .stored_in("v1beta1")
        .with(&[Sub::STATUS])],
};

pub(super) const AUDIT_REGISTRATION: Group = Group {
    name: "auditregistration.k8s.io",
    versions: &["v1alpha1"],
    resources: &[Resource::cluster("auditsinks", "AuditSink").versions(&[]).formerly(&["v1alpha1"])],
};
