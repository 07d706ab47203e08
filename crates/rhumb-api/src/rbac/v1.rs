//! `rbac.authorization.k8s.io/v1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
pub struct AggregationRule {
    #[field(1, list = "atomic")]
    pub cluster_role_selectors: Vec<LabelSelector>,
}

#[derive(Clone, Default, Schema, Object)]
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

#[derive(Clone, Default, Schema, Object)]
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

#[derive(Clone, Default, Schema, Object)]
pub struct ClusterRoleBindingList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ClusterRoleBinding>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ClusterRoleList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ClusterRole>,
}

#[derive(Clone, Default, Schema)]
pub struct PolicyRule {
    #[field(1, required, list = "atomic")]
    pub verbs: Vec<String>,
    #[field(2, list = "atomic")]
    pub api_groups: Vec<String>,
    #[field(3, list = "atomic")]
    pub resources: Vec<String>,
    #[field(4, list = "atomic")]
    pub resource_names: Vec<String>,
    #[field(5, json = "nonResourceURLs", list = "atomic")]
    pub non_resource_urls: Vec<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct Role {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, shown, list = "atomic")]
    pub rules: Vec<PolicyRule>,
}

#[derive(Clone, Default, Schema, Object)]
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

#[derive(Clone, Default, Schema, Object)]
pub struct RoleBindingList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<RoleBinding>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct RoleList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Role>,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct RoleRef {
    #[field(1, shown)]
    pub api_group: String,
    #[field(2, required)]
    pub kind: String,
    #[field(3, required)]
    pub name: String,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
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
