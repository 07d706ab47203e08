//! Who someone is and what they may do: `authentication.k8s.io`, `authorization.k8s.io`,
//! `certificates.k8s.io`, `rbac.authorization.k8s.io`.

use super::{Group, Resource, Subresource};
use Subresource as Sub;

pub(super) const AUTHENTICATION: Group = Group {
    name: "authentication.k8s.io",
    versions: &["v1", "v1beta1", "v1alpha1"],
    resources: &[
        Resource::cluster("selfsubjectreviews", "SelfSubjectReview")
            .formerly(&["v1beta1", "v1alpha1"])
            .question(),
        Resource::cluster("tokenreviews", "TokenReview").formerly(&["v1beta1"]).question(),
    ],
};

pub(super) const AUTHORIZATION: Group = Group {
    name: "authorization.k8s.io",
    versions: &["v1", "v1beta1"],
    resources: &[
        Resource::namespaced("localsubjectaccessreviews", "LocalSubjectAccessReview")
            .formerly(&["v1beta1"])
            .question(),
        Resource::cluster("selfsubjectaccessreviews", "SelfSubjectAccessReview")
            .formerly(&["v1beta1"])
            .question(),
        Resource::cluster("selfsubjectrulesreviews", "SelfSubjectRulesReview")
            .formerly(&["v1beta1"])
            .question(),
        Resource::cluster("subjectaccessreviews", "SubjectAccessReview").formerly(&["v1beta1"]).question(),
    ],
};

pub(super) const CERTIFICATES: Group = Group {
    name: "certificates.k8s.io",
    versions: &["v1", "v1beta1", "v1alpha1"],
    resources: &[
        Resource::cluster("certificatesigningrequests", "CertificateSigningRequest")
            .short(&["csr"])
            .fields(&["spec.signerName"])
            .formerly(&["v1beta1"])
            .with(&[Sub::part("approval"), Sub::STATUS]),
        Resource::cluster("clustertrustbundles", "ClusterTrustBundle")
            .versions(&["v1beta1", "v1alpha1"])
            .fields(&["spec.signerName"]),
        Resource::namespaced("podcertificaterequests", "PodCertificateRequest")
            .versions(&["v1beta1"])
            .fields(&["spec.nodeName", "spec.podName", "spec.signerName"])
            .with(&[Sub::STATUS]),
    ],
};

pub(super) const RBAC: Group = Group {
    name: "rbac.authorization.k8s.io",
    versions: &["v1", "v1beta1", "v1alpha1"],
    resources: &[
        Resource::cluster("clusterrolebindings", "ClusterRoleBinding").formerly(&["v1beta1", "v1alpha1"]),
        Resource::cluster("clusterroles", "ClusterRole").formerly(&["v1beta1", "v1alpha1"]),
        Resource::namespaced("rolebindings", "RoleBinding").formerly(&["v1beta1", "v1alpha1"]),
        Resource::namespaced("roles", "Role").formerly(&["v1beta1", "v1alpha1"]),
    ],
};
