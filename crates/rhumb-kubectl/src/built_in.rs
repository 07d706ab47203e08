//! Built-in kinds and their field descriptions.

use std::sync::OnceLock;

use rhumb_meta::GroupVersionKind;
use rhumb_schema::StructDesc;
use rhumb_scheme::Scheme;

/// Versions whose types kubectl has; others it knows from servers only.
const KUBECTL: &[(&str, &[&str])] = &[
    ("", &["v1"]),
    ("admission.k8s.io", &["v1", "v1beta1"]),
    ("admissionregistration.k8s.io", &["v1", "v1beta1"]),
    ("apps", &["v1", "v1beta1", "v1beta2"]),
    ("authentication.k8s.io", &["v1", "v1beta1"]),
    ("authorization.k8s.io", &["v1", "v1beta1"]),
    ("autoscaling", &["v1", "v2"]),
    ("batch", &["v1", "v1beta1"]),
    ("certificates.k8s.io", &["v1", "v1beta1"]),
    ("extensions", &["v1beta1"]),
    ("imagepolicy.k8s.io", &["v1alpha1"]),
    ("networking.k8s.io", &["v1"]),
    ("policy", &["v1", "v1beta1"]),
    ("rbac.authorization.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("storage.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
];

/// Returns the scheme with all built-in kinds, made when it is first asked for.
pub(crate) fn scheme() -> Option<&'static Scheme> {
    static SCHEME: OnceLock<Option<Scheme>> = OnceLock::new();
    SCHEME.get_or_init(|| rhumb_api::scheme().ok()).as_ref()
}

/// Returns the table of a built-in kind's fields; `None` of other kinds.
pub(crate) fn table(kind: &GroupVersionKind) -> Option<&'static StructDesc> {
    scheme()?.known_type(kind).map(|known| known.desc)
}

/// Returns the table of a kind that kubectl has a type of.
pub(crate) fn kubectl_table(kind: &GroupVersionKind) -> Option<&'static StructDesc> {
    KUBECTL
        .iter()
        .any(|(group, versions)| {
            kind.group == *group && versions.iter().any(|version| kind.version == *version)
        })
        .then(|| table(kind))
        .flatten()
}
