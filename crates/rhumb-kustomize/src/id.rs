//! Identity of objects during a build.

use std::fmt;

use crate::node::Node;

/// Namespace of cluster-scoped objects.
pub(crate) const NOT_A_NAMESPACE: &str = "_non_namespaceable_";

/// Group, version and kind; empty parts match all in selectors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Gvk {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    /// Whether objects of this kind are known to belong to no namespace.
    pub(crate) cluster_scoped: bool,
}

/// Kinds known to be cluster-scoped, with their API versions.
const CLUSTER_SCOPED: &[(&str, &[&str])] = &[
    (
        "MutatingWebhookConfiguration",
        &["admissionregistration.k8s.io/v1", "admissionregistration.k8s.io/v1beta1"],
    ),
    (
        "ValidatingWebhookConfiguration",
        &["admissionregistration.k8s.io/v1", "admissionregistration.k8s.io/v1beta1"],
    ),
    ("CustomResourceDefinition", &["apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"]),
    ("APIService", &["apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1beta1"]),
    ("CertificateSigningRequest", &["certificates.k8s.io/v1", "certificates.k8s.io/v1beta1"]),
    ("FlowSchema", &["flowcontrol.apiserver.k8s.io/v1beta1"]),
    ("PriorityLevelConfiguration", &["flowcontrol.apiserver.k8s.io/v1beta1"]),
    ("IngressClass", &["networking.k8s.io/v1", "networking.k8s.io/v1beta1"]),
    ("RuntimeClass", &["node.k8s.io/v1", "node.k8s.io/v1beta1"]),
    ("PodSecurityPolicy", &["policy/v1beta1"]),
    ("ClusterRole", &["rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io/v1beta1"]),
    ("ClusterRoleBinding", &["rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io/v1beta1"]),
    ("PriorityClass", &["scheduling.k8s.io/v1", "scheduling.k8s.io/v1beta1"]),
    ("CSIDriver", &["storage.k8s.io/v1", "storage.k8s.io/v1beta1"]),
    ("CSINode", &["storage.k8s.io/v1", "storage.k8s.io/v1beta1"]),
    ("StorageClass", &["storage.k8s.io/v1", "storage.k8s.io/v1beta1"]),
    ("VolumeAttachment", &["storage.k8s.io/v1", "storage.k8s.io/v1beta1"]),
    ("ComponentStatus", &["v1"]),
    ("Namespace", &["v1"]),
    ("Node", &["v1"]),
    ("NodeProxyOptions", &["v1"]),
    ("PersistentVolume", &["v1"]),
];

/// Cuts an API version into group and version.
pub(crate) fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

impl Gvk {
    /// Returns the kind of an object.
    pub(crate) fn of(node: &Node) -> Gvk {
        Gvk::known(node.api_version(), node.kind())
    }

    /// A kind, of which it is looked up whether it has namespaces.
    pub(crate) fn known(api_version: &str, kind: &str) -> Gvk {
        let (group, version) = split_api_version(api_version);
        let cluster_scoped =
            CLUSTER_SCOPED.iter().any(|(known, versions)| *known == kind && versions.contains(&api_version));
        Gvk { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned(), cluster_scoped }
    }

    /// Returns a selector.
    pub(crate) fn selector(group: &str, version: &str, kind: &str) -> Gvk {
        Gvk {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
            cluster_scoped: false,
        }
    }

    pub(crate) fn equals(&self, other: &Gvk) -> bool {
        self.group == other.group && self.version == other.version && self.kind == other.kind
    }

    /// Reports whether a selector chooses this kind.
    pub(crate) fn is_selected(&self, selector: &Gvk) -> bool {
        let fits = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        fits(&selector.group, &self.group)
            && fits(&selector.version, &self.version)
            && fits(&selector.kind, &self.kind)
    }

    /// Returns the text that kinds without a rank of their own are ordered by.
    pub(crate) fn sort_text(&self) -> String {
        let or =
            |text: &str, default: &str| if text.is_empty() { default.to_owned() } else { text.to_owned() };
        format!("{}_{}_{}", or(&self.group, "~G"), or(&self.version, "~V"), or(&self.kind, "~K"))
    }
}

fn or<'a>(text: &'a str, default: &'a str) -> &'a str {
    if text.is_empty() { default } else { text }
}

impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, version) = (or(&self.kind, "[noKind]"), or(&self.version, "[noVer]"));
        write!(f, "{kind}.{version}.{}", or(&self.group, "[noGrp]"))
    }
}

/// Kind, name and namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ResId {
    pub(crate) gvk: Gvk,
    pub(crate) name: String,
    pub(crate) namespace: String,
}

impl ResId {
    /// Returns the identity of an object as it is now.
    pub(crate) fn of(node: &Node) -> ResId {
        ResId { gvk: Gvk::of(node), name: node.name().to_owned(), namespace: node.namespace().to_owned() }
    }

    /// Returns the namespace, with what stands for none.
    pub(crate) fn effective_namespace(&self) -> &str {
        if self.gvk.cluster_scoped { NOT_A_NAMESPACE } else { or(&self.namespace, "default") }
    }

    pub(crate) fn same_namespace(&self, other: &ResId) -> bool {
        self.effective_namespace() == other.effective_namespace()
    }

    pub(crate) fn same_kind_and_name(&self, other: &ResId) -> bool {
        self.name == other.name && self.gvk.equals(&other.gvk)
    }

    pub(crate) fn equals(&self, other: &ResId) -> bool {
        self.same_namespace(other) && self.same_kind_and_name(other)
    }

    /// Reports whether a selector chooses this identity.
    pub(crate) fn is_selected_by(&self, selector: &ResId) -> bool {
        (selector.name.is_empty() || selector.name == self.name)
            && (selector.namespace.is_empty() || selector.same_namespace(self))
            && self.gvk.is_selected(&selector.gvk)
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == ResId::default()
    }

    /// Returns the identity as Go's `%#v` prints it.
    pub(crate) fn go_syntax(&self) -> String {
        use crate::fault::quote;
        format!(
            "resid.ResId{{Gvk:resid.Gvk{{Group:{}, Version:{}, Kind:{}, isClusterScoped:{}}}, Name:{}, \
             Namespace:{}}}",
            quote(&self.gvk.group),
            quote(&self.gvk.version),
            quote(&self.gvk.kind),
            self.gvk.cluster_scoped,
            quote(&self.name),
            quote(&self.namespace)
        )
    }
}

impl fmt::Display for ResId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}.{}", self.gvk, or(&self.name, "[noName]"), or(&self.namespace, "[noNs]"))
    }
}
