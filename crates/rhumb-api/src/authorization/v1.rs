//! `authorization.k8s.io/v1`.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
#[schema(transparent)]
pub struct ExtraValue(#[field(1)] pub Vec<String>);

#[derive(Clone, Default, Schema)]
pub struct FieldSelectorAttributes {
    #[field(1)]
    pub raw_selector: String,
    #[field(2, list = "atomic")]
    pub requirements: Vec<FieldSelectorRequirement>,
}

#[derive(Clone, Default, Schema)]
pub struct LabelSelectorAttributes {
    #[field(1)]
    pub raw_selector: String,
    #[field(2, list = "atomic")]
    pub requirements: Vec<LabelSelectorRequirement>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct LocalSubjectAccessReview {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: SubjectAccessReviewSpec,
    #[field(3)]
    pub status: SubjectAccessReviewStatus,
}

#[derive(Clone, Default, Schema)]
pub struct NonResourceAttributes {
    #[field(1)]
    pub path: String,
    #[field(2)]
    pub verb: String,
}

#[derive(Clone, Default, Schema)]
pub struct NonResourceRule {
    #[field(1, required, list = "atomic")]
    pub verbs: Vec<String>,
    #[field(2, json = "nonResourceURLs", list = "atomic")]
    pub non_resource_urls: Vec<String>,
}

#[derive(Clone, Default, Schema)]
pub struct ResourceAttributes {
    #[field(1)]
    pub namespace: String,
    #[field(2)]
    pub verb: String,
    #[field(3)]
    pub group: String,
    #[field(4)]
    pub version: String,
    #[field(5)]
    pub resource: String,
    #[field(6)]
    pub subresource: String,
    #[field(7)]
    pub name: String,
    #[field(8)]
    pub field_selector: Option<Box<FieldSelectorAttributes>>,
    #[field(9)]
    pub label_selector: Option<Box<LabelSelectorAttributes>>,
}

#[derive(Clone, Default, Schema)]
pub struct ResourceRule {
    #[field(1, required, list = "atomic")]
    pub verbs: Vec<String>,
    #[field(2, list = "atomic")]
    pub api_groups: Vec<String>,
    #[field(3, list = "atomic")]
    pub resources: Vec<String>,
    #[field(4, list = "atomic")]
    pub resource_names: Vec<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct SelfSubjectAccessReview {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: SelfSubjectAccessReviewSpec,
    #[field(3)]
    pub status: SubjectAccessReviewStatus,
}

#[derive(Clone, Default, Schema)]
pub struct SelfSubjectAccessReviewSpec {
    #[field(1)]
    pub resource_attributes: Option<Box<ResourceAttributes>>,
    #[field(2)]
    pub non_resource_attributes: Option<Box<NonResourceAttributes>>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct SelfSubjectRulesReview {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: SelfSubjectRulesReviewSpec,
    #[field(3)]
    pub status: SubjectRulesReviewStatus,
}

#[derive(Clone, Default, Schema)]
pub struct SelfSubjectRulesReviewSpec {
    #[field(1)]
    pub namespace: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct SubjectAccessReview {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: SubjectAccessReviewSpec,
    #[field(3)]
    pub status: SubjectAccessReviewStatus,
}

#[derive(Clone, Default, Schema)]
pub struct SubjectAccessReviewSpec {
    #[field(1)]
    pub resource_attributes: Option<Box<ResourceAttributes>>,
    #[field(2)]
    pub non_resource_attributes: Option<Box<NonResourceAttributes>>,
    #[field(3)]
    pub user: String,
    #[field(4, list = "atomic")]
    pub groups: Vec<String>,
    #[field(5)]
    pub extra: BTreeMap<String, ExtraValue>,
    #[field(6)]
    pub uid: String,
}

#[derive(Clone, Default, Schema)]
pub struct SubjectAccessReviewStatus {
    #[field(1, required)]
    pub allowed: bool,
    #[field(4)]
    pub denied: bool,
    #[field(2)]
    pub reason: String,
    #[field(3)]
    pub evaluation_error: String,
}

#[derive(Clone, Default, Schema)]
pub struct SubjectRulesReviewStatus {
    #[field(1, required, list = "atomic")]
    pub resource_rules: Vec<ResourceRule>,
    #[field(2, required, list = "atomic")]
    pub non_resource_rules: Vec<NonResourceRule>,
    #[field(3, required)]
    pub incomplete: bool,
    #[field(4)]
    pub evaluation_error: String,
}
