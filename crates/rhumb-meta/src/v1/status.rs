//! Statuss in `meta.k8s.io/v1`.

use crate::Object;
use rhumb_schema::Schema;

use super::{ListMeta, TypeMeta};

/// The values that a `CauseType` has.
pub const CAUSE_TYPES: &[&str] = &["FieldValueNotFound", "FieldValueRequired", "FieldValueDuplicate", "FieldValueInvalid", "FieldValueNotSupported", "FieldValueForbidden", "FieldValueTooLong", "FieldValueTooMany", "InternalError", "FieldValueTypeInvalid", "UnexpectedServerResponse", "FieldManagerConflict", "ResourceVersionTooLarge"];
/// The values that a `StatusReason` has.
pub const STATUS_REASONS: &[&str] = &["", "Unauthorized", "Forbidden", "NotFound", "AlreadyExists", "Conflict", "Gone", "Invalid", "ServerTimeout", "StorageReadError", "Timeout", "TooManyRequests", "BadRequest", "MethodNotAllowed", "NotAcceptable", "RequestEntityTooLarge", "UnsupportedMediaType", "InternalError", "Expired", "ServiceUnavailable"];

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct Status {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2)]
    pub status: String,
    #[field(3)]
    pub message: String,
    #[field(4, values = STATUS_REASONS)]
    pub reason: String,
    #[field(5)]
    pub details: Option<Box<StatusDetails>>,
    #[field(6)]
    pub code: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct StatusCause {
    #[field(1, values = CAUSE_TYPES)]
    pub reason: String,
    #[field(2)]
    pub message: String,
    #[field(3)]
    pub field: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct StatusDetails {
    #[field(1)]
    pub name: String,
    #[field(2)]
    pub group: String,
    #[field(3)]
    pub kind: String,
    #[field(6)]
    pub uid: String,
    #[field(4, list = "atomic")]
    pub causes: Vec<StatusCause>,
    #[field(5)]
    pub retry_after_seconds: i32,
}
