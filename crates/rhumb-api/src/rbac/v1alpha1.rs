//! `rbac.authorization.k8s.io/v1alpha1`, where subjects have a version beside their group.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::{Convert, ConvertError, Scope};

use super::{GROUP, v1};

pub use super::v1::AggregationRule;

pub use super::v1beta1::RoleRef;

/// Permissions that hold in the whole cluster, or that bindings grant in a namespace.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::ClusterRole)]
pub struct ClusterRole {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What is permitted. A controller writes this field if there is an aggregation rule.
    #[field(2, shown, list = "atomic")]
    pub rules: Vec<PolicyRule>,
    /// If given, the rules are those of other cluster roles, and what is written into them is replaced.
    #[field(3)]
    pub aggregation_rule: Option<Box<AggregationRule>>,
}

/// Grants a cluster role to subjects, in all namespaces and for what has none.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::ClusterRoleBinding)]
pub struct ClusterRoleBinding {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// Who gets the permissions.
    #[field(2, list = "atomic")]
    pub subjects: Vec<Subject>,
    /// The cluster role that is granted. It can't be changed later.
    #[field(3, required)]
    pub role_ref: RoleRef,
}

/// A list of cluster role bindings.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::ClusterRoleBindingList)]
pub struct ClusterRoleBindingList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ClusterRoleBinding>,
}

/// A list of cluster roles.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::ClusterRoleList)]
pub struct ClusterRoleList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ClusterRole>,
}

/// Permits verbs on resources, or on paths of the server that are no resources.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::PolicyRule)]
pub struct PolicyRule {
    /// What may be done, such as `get`, `list`, `watch`, `create`, `update`, `patch` and `delete`; `*` is
    /// everything.
    #[field(1, required, list = "atomic")]
    pub verbs: Vec<String>,
    /// The groups of the resources; the empty name is the core group, `*` is every group.
    #[field(3, list = "atomic")]
    pub api_groups: Vec<String>,
    /// The resources by their plural names, or `pods/log` for a subresource; `*` is every resource.
    #[field(4, list = "atomic")]
    pub resources: Vec<String>,
    /// If given, only the objects with these names. Requests that have no name, such as create and list, are
    /// then not permitted.
    #[field(5, list = "atomic")]
    pub resource_names: Vec<String>,
    /// Paths of the server, with `*` allowed as the last step. Only cluster roles that are bound in the whole
    /// cluster can permit them.
    #[field(6, json = "nonResourceURLs", list = "atomic")]
    pub non_resource_urls: Vec<String>,
}

/// Permissions within one namespace.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::Role)]
pub struct Role {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What is permitted.
    #[field(2, shown, list = "atomic")]
    pub rules: Vec<PolicyRule>,
}

/// Grants a role, or a cluster role, to subjects within one namespace.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::RoleBinding)]
pub struct RoleBinding {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// Who gets the permissions.
    #[field(2, list = "atomic")]
    pub subjects: Vec<Subject>,
    /// The role of this namespace or the cluster role that is granted. It can't be changed later.
    #[field(3, required)]
    pub role_ref: RoleRef,
}

/// A list of role bindings.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::RoleBindingList)]
pub struct RoleBindingList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<RoleBinding>,
}

/// A list of roles.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::RoleList)]
pub struct RoleList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<Role>,
}

/// Someone to whom a role is granted.
#[derive(Clone, Default, Schema)]
pub struct Subject {
    /// `User`, `Group` or `ServiceAccount`.
    #[field(1, required)]
    pub kind: String,
    /// The group and version of the subject's kind. Later versions know the group only.
    #[field(2)]
    pub api_version: String,
    /// The name of the user, group or service account.
    #[field(3, required)]
    pub name: String,
    /// Where the service account is. Users and groups have no namespace.
    #[field(4)]
    pub namespace: String,
}

/// The version that users and groups carry here.
pub(super) const OWN_VERSION: &str = "rbac.authorization.k8s.io/v1alpha1";
/// The version that service accounts carry here.
pub(super) const CORE_VERSION: &str = "v1";

/// What the user `*` has become: the group of all who are known.
const ALL_AUTHENTICATED: &str = "system:authenticated";

impl Convert<v1::Subject> for Subject {
    fn convert(self, _scope: &Scope) -> Result<v1::Subject, ConvertError> {
        let api_group = match self.kind.as_str() {
            "ServiceAccount" => String::new(),
            "User" | "Group" => GROUP.to_owned(),
            // Of kinds that no one knows the group is kept, if it can be told from the version.
            _ => match self.api_version.split('/').collect::<Vec<_>>().as_slice() {
                [group, _version] => (*group).to_owned(),
                _ => String::new(),
            },
        };
        let mut subject =
            v1::Subject { kind: self.kind, api_group, name: self.name, namespace: self.namespace };
        if subject.kind == "User" && subject.name == "*" {
            "Group".clone_into(&mut subject.kind);
            ALL_AUTHENTICATED.clone_into(&mut subject.name);
        }
        Ok(subject)
    }
}

impl Convert<Subject> for v1::Subject {
    fn convert(self, _scope: &Scope) -> Result<Subject, ConvertError> {
        let api_version = match (self.kind.as_str(), self.api_group.as_str()) {
            ("ServiceAccount", "") => CORE_VERSION.to_owned(),
            ("User" | "Group", GROUP) => OWN_VERSION.to_owned(),
            (_, "") => String::new(),
            (_, group) => format!("{group}/"),
        };
        Ok(Subject { kind: self.kind, api_version, name: self.name, namespace: self.namespace })
    }
}
