//! `authorization.k8s.io/v1beta1`, where the groups of a subject are called `group`.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use super::v1;

pub use super::v1::{
    ExtraValue, NonResourceAttributes, NonResourceRule, ResourceAttributes, ResourceRule,
    SelfSubjectAccessReview, SelfSubjectAccessReviewSpec, SelfSubjectRulesReview, SelfSubjectRulesReviewSpec,
    SubjectAccessReviewStatus, SubjectRulesReviewStatus,
};

/// Asks whether someone may do something in one namespace.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::LocalSubjectAccessReview)]
pub struct LocalSubjectAccessReview {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: SubjectAccessReviewSpec,
    #[field(3)]
    pub status: SubjectAccessReviewStatus,
}

/// Asks whether someone may do something.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::SubjectAccessReview)]
pub struct SubjectAccessReview {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: SubjectAccessReviewSpec,
    #[field(3)]
    pub status: SubjectAccessReviewStatus,
}

/// Who would do what; one of the two kinds of attributes is given.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::SubjectAccessReviewSpec)]
pub struct SubjectAccessReviewSpec {
    /// An action on a resource.
    #[field(1)]
    pub resource_attributes: Option<Box<ResourceAttributes>>,
    /// A request for a path.
    #[field(2)]
    pub non_resource_attributes: Option<Box<NonResourceAttributes>>,
    /// The user. Without groups this is about the user alone.
    #[field(3)]
    pub user: String,
    /// The groups of the user. Later versions call the field groups.
    #[field(4, list = "atomic")]
    #[convert(rename = groups)]
    pub group: Vec<String>,
    /// What else is known of the user.
    #[field(5)]
    pub extra: BTreeMap<String, ExtraValue>,
    /// Tells users apart that had the same name at different times.
    #[field(6)]
    pub uid: String,
}
