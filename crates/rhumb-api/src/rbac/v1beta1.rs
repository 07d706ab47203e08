//! `rbac.authorization.k8s.io/v1beta1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

pub use super::v1::{AggregationRule, ClusterRole, ClusterRoleList, PolicyRule, Role, RoleList};

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ClusterRoleBinding)]
pub struct ClusterRoleBinding {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, list = "atomic")]
    pub subjects: Vec<Subject>,
    #[field(3, required)]
    pub role_ref: RoleRef,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ClusterRoleBindingList)]
pub struct ClusterRoleBindingList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ClusterRoleBinding>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::RoleBinding)]
pub struct RoleBinding {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, list = "atomic")]
    pub subjects: Vec<Subject>,
    #[field(3, required)]
    pub role_ref: RoleRef,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::RoleBindingList)]
pub struct RoleBindingList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<RoleBinding>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::RoleRef)]
pub struct RoleRef {
    #[field(1, shown)]
    pub api_group: String,
    #[field(2, required)]
    pub kind: String,
    #[field(3, required)]
    pub name: String,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::Subject)]
pub struct Subject {
    #[field(1, required)]
    pub kind: String,
    #[field(2)]
    pub api_group: String,
    #[field(3, required)]
    pub name: String,
    #[field(4)]
    pub namespace: String,
}
