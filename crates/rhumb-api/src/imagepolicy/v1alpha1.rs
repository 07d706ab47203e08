//! `imagepolicy.k8s.io/v1alpha1`.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema, Object)]
pub struct ImageReview {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, shown)]
    pub spec: ImageReviewSpec,
    #[field(3)]
    pub status: ImageReviewStatus,
}

#[derive(Clone, Default, Schema)]
pub struct ImageReviewContainerSpec {
    #[field(1)]
    pub image: String,
}

#[derive(Clone, Default, Schema)]
pub struct ImageReviewSpec {
    #[field(1, list = "atomic")]
    pub containers: Vec<ImageReviewContainerSpec>,
    #[field(2)]
    pub annotations: BTreeMap<String, String>,
    #[field(3)]
    pub namespace: String,
}

#[derive(Clone, Default, Schema)]
pub struct ImageReviewStatus {
    #[field(1, shown)]
    pub allowed: bool,
    #[field(2)]
    pub reason: String,
    #[field(3)]
    pub audit_annotations: BTreeMap<String, String>,
}
