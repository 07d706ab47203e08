//! `ConversionReview`: what the API server and a conversion webhook say to each other.

use rhumb_meta::Object;
use rhumb_meta::v1::{Status, TypeMeta};
use rhumb_schema::{RawJson, Schema};

/// A request to a conversion webhook, and its answer.
#[derive(Clone, Default, Schema, Object)]
pub struct ConversionReview {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// What is to be converted.
    #[field(1)]
    pub request: Option<Box<ConversionRequest>>,
    /// What became of it.
    #[field(2)]
    pub response: Option<Box<ConversionResponse>>,
}

/// Objects that a webhook is to convert.
#[derive(Clone, Default, Schema)]
pub struct ConversionRequest {
    /// Names the request; the answer must carry it too.
    #[field(1, required)]
    pub uid: String,
    /// The version the objects are to have, `stable.example.com/v1`.
    #[field(2, json = "desiredAPIVersion", required)]
    pub desired_api_version: String,
    /// The objects, possibly in several versions.
    #[field(3, required, list = "atomic")]
    pub objects: Vec<RawJson>,
}

/// Objects that a webhook has converted.
#[derive(Clone, Default, Schema)]
pub struct ConversionResponse {
    /// The name of the request.
    #[field(1, required)]
    pub uid: String,
    /// The objects in the wanted version, in the order of the request. Only the spec, labels and annotations may
    /// have changed. Empty if the conversion failed.
    #[field(2, required, list = "atomic")]
    pub converted_objects: Vec<RawJson>,
    /// Whether it worked, and if not, why. A failure fails the request of the client.
    #[field(3, required)]
    pub result: Status,
}
