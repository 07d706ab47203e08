//! `imagepolicy.k8s.io/v1alpha1`: the question to a webhook whether images may run.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

/// Asks whether the images of a pod may run.
#[derive(Clone, Default, Schema, Object)]
pub struct ImageReview {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, shown)]
    pub spec: ImageReviewSpec,
    #[field(3)]
    pub status: ImageReviewStatus,
}

/// A container of the pod.
#[derive(Clone, Default, Schema)]
pub struct ImageReviewContainerSpec {
    /// The image, as `image:tag` or `image@sha256:…`.
    #[field(1)]
    pub image: String,
}

/// The pod in question.
#[derive(Clone, Default, Schema)]
pub struct ImageReviewSpec {
    /// Its containers.
    #[field(1, list = "atomic")]
    pub containers: Vec<ImageReviewContainerSpec>,
    /// Its annotations that match `*.image-policy.k8s.io/*`.
    #[field(2)]
    pub annotations: BTreeMap<String, String>,
    /// Its namespace.
    #[field(3)]
    pub namespace: String,
}

/// The answer.
#[derive(Clone, Default, Schema)]
pub struct ImageReviewStatus {
    /// Whether all of the images may run.
    #[field(1, shown)]
    pub allowed: bool,
    /// Why not.
    #[field(2)]
    pub reason: String,
    /// What the audit event of the request is to say.
    #[field(3)]
    pub audit_annotations: BTreeMap<String, String>,
}
