//! `authorization.k8s.io/v1beta1`.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::authorization::v1::{FieldSelectorAttributes, LabelSelectorAttributes};

pub use super::v1::{
    ExtraValue, NonResourceAttributes, NonResourceRule, ResourceRule, SelfSubjectRulesReview,
    SelfSubjectRulesReviewSpec, SubjectAccessReviewStatus, SubjectRulesReviewStatus,
};

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::LocalSubjectAccessReview)]
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

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::ResourceAttributes)]
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

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::SelfSubjectAccessReview)]
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

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::SelfSubjectAccessReviewSpec)]
pub struct SelfSubjectAccessReviewSpec {
    #[field(1)]
    pub resource_attributes: Option<Box<ResourceAttributes>>,
    #[field(2)]
    pub non_resource_attributes: Option<Box<NonResourceAttributes>>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::SubjectAccessReview)]
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

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::SubjectAccessReviewSpec)]
pub struct SubjectAccessReviewSpec {
    #[field(1)]
    pub resource_attributes: Option<Box<ResourceAttributes>>,
    #[field(2)]
    pub non_resource_attributes: Option<Box<NonResourceAttributes>>,
    #[field(3)]
    pub user: String,
    #[field(4, list = "atomic")]
    pub group: Vec<String>,
    #[field(5)]
    pub extra: BTreeMap<String, ExtraValue>,
    #[field(6)]
    pub uid: String,
}
