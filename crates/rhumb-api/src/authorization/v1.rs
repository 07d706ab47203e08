//! `authorization.k8s.io/v1`: questions whether someone may do something.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

/// The values of one extra attribute of a user.
#[derive(Clone, Default, Schema)]
#[schema(transparent)]
pub struct ExtraValue(#[field(1)] pub Vec<String>);

/// The fields to which a request is limited.
#[derive(Clone, Default, Schema)]
pub struct FieldSelectorAttributes {
    /// The selector as in the request. The server itself refuses to evaluate it.
    #[field(1)]
    pub raw_selector: String,
    /// The selector, taken apart. All must be met.
    #[field(2, list = "atomic")]
    pub requirements: Vec<FieldSelectorRequirement>,
}

/// The labels to which a request is limited.
#[derive(Clone, Default, Schema)]
pub struct LabelSelectorAttributes {
    /// The selector as in the request. The server itself refuses to evaluate it.
    #[field(1)]
    pub raw_selector: String,
    /// The selector, taken apart. All must be met.
    #[field(2, list = "atomic")]
    pub requirements: Vec<LabelSelectorRequirement>,
}

/// Asks whether someone may do something in one namespace.
#[derive(Clone, Default, Schema, Object)]
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

/// A path of the server that is no resource.
#[derive(Clone, Default, Schema)]
pub struct NonResourceAttributes {
    /// The path.
    #[field(1)]
    pub path: String,
    /// The HTTP method, in lower case.
    #[field(2)]
    pub verb: String,
}

/// Verbs that are permitted on paths.
#[derive(Clone, Default, Schema)]
pub struct NonResourceRule {
    /// The HTTP methods; `*` is all.
    #[field(1, required, list = "atomic")]
    pub verbs: Vec<String>,
    /// The paths, with `*` allowed as the last step.
    #[field(2, json = "nonResourceURLs", list = "atomic")]
    pub non_resource_urls: Vec<String>,
}

/// An action on a resource.
#[derive(Clone, Default, Schema)]
pub struct ResourceAttributes {
    /// The namespace; empty means all of them, or none for what has none.
    #[field(1)]
    pub namespace: String,
    /// What shall be done, such as `get`, `list` or `create`; `*` is everything.
    #[field(2)]
    pub verb: String,
    /// The group of the resource; `*` is every group.
    #[field(3)]
    pub group: String,
    /// The version of the resource; `*` is every version.
    #[field(4)]
    pub version: String,
    /// The plural name of the resource; `*` is every resource.
    #[field(5)]
    pub resource: String,
    /// The subresource, if it is about one.
    #[field(6)]
    pub subresource: String,
    /// The name of the object; empty means all of them.
    #[field(7)]
    pub name: String,
    /// The fields to which the request is limited.
    #[field(8)]
    pub field_selector: Option<Box<FieldSelectorAttributes>>,
    /// The labels to which the request is limited.
    #[field(9)]
    pub label_selector: Option<Box<LabelSelectorAttributes>>,
}

/// Verbs that are permitted on resources.
#[derive(Clone, Default, Schema)]
pub struct ResourceRule {
    /// What may be done; `*` is everything.
    #[field(1, required, list = "atomic")]
    pub verbs: Vec<String>,
    /// The groups; `*` is every group.
    #[field(2, list = "atomic")]
    pub api_groups: Vec<String>,
    /// The resources by their plural names; `*` is every resource.
    #[field(3, list = "atomic")]
    pub resources: Vec<String>,
    /// Only objects with these names; empty means all.
    #[field(4, list = "atomic")]
    pub resource_names: Vec<String>,
}

/// Asks whether the client itself may do something.
#[derive(Clone, Default, Schema, Object)]
pub struct SelfSubjectAccessReview {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: SelfSubjectAccessReviewSpec,
    #[field(3)]
    pub status: SubjectAccessReviewStatus,
}

/// What the client would do: either of the two.
#[derive(Clone, Default, Schema)]
pub struct SelfSubjectAccessReviewSpec {
    /// An action on a resource.
    #[field(1)]
    pub resource_attributes: Option<Box<ResourceAttributes>>,
    /// A request for a path.
    #[field(2)]
    pub non_resource_attributes: Option<Box<NonResourceAttributes>>,
}

/// Asks what the client may do in a namespace.
#[derive(Clone, Default, Schema, Object)]
pub struct SelfSubjectRulesReview {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: SelfSubjectRulesReviewSpec,
    #[field(3)]
    pub status: SubjectRulesReviewStatus,
}

/// The namespace in question.
#[derive(Clone, Default, Schema)]
pub struct SelfSubjectRulesReviewSpec {
    #[field(1)]
    pub namespace: String,
}

/// Asks whether someone may do something.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
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
    /// The groups of the user.
    #[field(4, list = "atomic")]
    pub groups: Vec<String>,
    /// What else is known of the user.
    #[field(5)]
    pub extra: BTreeMap<String, ExtraValue>,
    /// Tells users apart that had the same name at different times.
    #[field(6)]
    pub uid: String,
}

/// The answer.
#[derive(Clone, Default, Schema)]
pub struct SubjectAccessReviewStatus {
    /// Whether it is permitted.
    #[field(1, required)]
    pub allowed: bool,
    /// Whether it is forbidden, and not only not permitted.
    #[field(4)]
    pub denied: bool,
    /// Why.
    #[field(2)]
    pub reason: String,
    /// What went wrong in finding out. There may be an answer all the same.
    #[field(3)]
    pub evaluation_error: String,
}

/// What is permitted, as far as the server can tell.
#[derive(Clone, Default, Schema)]
pub struct SubjectRulesReviewStatus {
    /// What is permitted on resources.
    #[field(1, required, list = "atomic")]
    pub resource_rules: Vec<ResourceRule>,
    /// What is permitted on paths.
    #[field(2, required, list = "atomic")]
    pub non_resource_rules: Vec<NonResourceRule>,
    /// Whether there may be more that is permitted.
    #[field(3, required)]
    pub incomplete: bool,
    /// What went wrong in finding out.
    #[field(4)]
    pub evaluation_error: String,
}
