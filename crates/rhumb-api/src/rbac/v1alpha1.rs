//! `rbac.authorization.k8s.io/v1alpha1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

pub use super::v1::AggregationRule;

pub use super::v1beta1::RoleRef;

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ClusterRole)]
pub struct ClusterRole {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, shown, list = "atomic")]
    pub rules: Vec<PolicyRule>,
    #[field(3)]
    pub aggregation_rule: Option<Box<AggregationRule>>,
}

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
#[convert(hub = super::v1::ClusterRoleList)]
pub struct ClusterRoleList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ClusterRole>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::PolicyRule)]
pub struct PolicyRule {
    #[field(1, required, list = "atomic")]
    pub verbs: Vec<String>,
    #[field(3, list = "atomic")]
    pub api_groups: Vec<String>,
    #[field(4, list = "atomic")]
    pub resources: Vec<String>,
    #[field(5, list = "atomic")]
    pub resource_names: Vec<String>,
    #[field(6, json = "nonResourceURLs", list = "atomic")]
    pub non_resource_urls: Vec<String>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::Role)]
pub struct Role {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, shown, list = "atomic")]
    pub rules: Vec<PolicyRule>,
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

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::RoleList)]
pub struct RoleList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Role>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::Subject)]
pub struct Subject {
    #[field(1, required)]
    pub kind: String,
    #[field(2)]
    pub api_version: String,
    #[field(3, required)]
    pub name: String,
    #[field(4)]
    pub namespace: String,
}
