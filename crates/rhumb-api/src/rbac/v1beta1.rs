//! `rbac.authorization.k8s.io/v1beta1`: roles and who has them, as before v1.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

pub use super::v1::{AggregationRule, ClusterRole, ClusterRoleList, PolicyRule, Role, RoleList};

/// Grants a cluster role to subjects, in all namespaces and for what has none.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ClusterRoleBinding)]
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
#[convert(hub = super::v1::ClusterRoleBindingList)]
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

/// Grants a role, or a cluster role, to subjects within one namespace.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::RoleBinding)]
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
#[convert(hub = super::v1::RoleBindingList)]
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

/// Names the role that is granted.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::RoleRef)]
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
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::Subject)]
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
