//! `rbac.authorization.k8s.io/v1`: roles, and who has them.

use rhumb_meta::Object;
use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

/// Which other cluster roles a cluster role is made of.
#[derive(Clone, Default, Schema)]
pub struct AggregationRule {
    /// Selects cluster roles by their labels; the rules of all that match any of these become the role's.
    #[field(1, list = "atomic")]
    pub cluster_role_selectors: Vec<LabelSelector>,
}

/// Permissions that hold in the whole cluster, or that bindings grant in a namespace.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
pub struct PolicyRule {
    /// What may be done, such as `get`, `list`, `watch`, `create`, `update`, `patch` and `delete`; `*` is
    /// everything.
    #[field(1, required, list = "atomic")]
    pub verbs: Vec<String>,
    /// The groups of the resources; the empty name is the core group, `*` is every group.
    #[field(2, list = "atomic")]
    pub api_groups: Vec<String>,
    /// The resources by their plural names, or `pods/log` for a subresource; `*` is every resource.
    #[field(3, list = "atomic")]
    pub resources: Vec<String>,
    /// If given, only the objects with these names. Requests that have no name, such as create and list, are
    /// then not permitted.
    #[field(4, list = "atomic")]
    pub resource_names: Vec<String>,
    /// Paths of the server, with `*` allowed as the last step. Only cluster roles that are bound in the whole
    /// cluster can permit them.
    #[field(5, json = "nonResourceURLs", list = "atomic")]
    pub non_resource_urls: Vec<String>,
}

/// Permissions within one namespace.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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

/// Names the role that is granted.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct RoleRef {
    /// The group of the role: `rbac.authorization.k8s.io`.
    #[field(1, shown)]
    pub api_group: String,
    /// `Role` or `ClusterRole`.
    #[field(2, required)]
    pub kind: String,
    /// The role's name.
    #[field(3, required)]
    pub name: String,
}

/// Someone to whom a role is granted.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct Subject {
    /// `User`, `Group` or `ServiceAccount`.
    #[field(1, required)]
    pub kind: String,
    /// The group of the subject's kind: empty for service accounts, `rbac.authorization.k8s.io` for users and
    /// groups.
    #[field(2)]
    pub api_group: String,
    /// The name of the user, group or service account.
    #[field(3, required)]
    pub name: String,
    /// Where the service account is. Users and groups have no namespace.
    #[field(4)]
    pub namespace: String,
}
