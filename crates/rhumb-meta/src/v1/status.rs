//! `Status`: the response to a failed request, or to one without an object to return.

use rhumb_schema::Schema;

use super::{ListMeta, TypeMeta};
use crate::Object;

/// Values of `CauseType`.
pub const CAUSE_TYPES: &[&str] = &[
    "FieldValueNotFound",
    "FieldValueRequired",
    "FieldValueDuplicate",
    "FieldValueInvalid",
    "FieldValueNotSupported",
    "FieldValueForbidden",
    "FieldValueTooLong",
    "FieldValueTooMany",
    "InternalError",
    "FieldValueTypeInvalid",
    "UnexpectedServerResponse",
    "FieldManagerConflict",
    "ResourceVersionTooLarge",
];
/// Values of `StatusReason`.
pub const STATUS_REASONS: &[&str] = &[
    "",
    "Unauthorized",
    "Forbidden",
    "NotFound",
    "AlreadyExists",
    "Conflict",
    "Gone",
    "Invalid",
    "ServerTimeout",
    "StorageReadError",
    "Timeout",
    "TooManyRequests",
    "BadRequest",
    "MethodNotAllowed",
    "NotAcceptable",
    "RequestEntityTooLarge",
    "UnsupportedMediaType",
    "InternalError",
    "Expired",
    "ServiceUnavailable",
];

/// How a request went.
#[derive(Clone, Default, Schema, Object)]
pub struct Status {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// Success or Failure.
    #[field(2)]
    pub status: String,
    /// What happened, for people.
    #[field(3)]
    pub message: String,
    /// Why it failed, as one word for programs, such as NotFound.
    #[field(4, values = STATUS_REASONS)]
    pub reason: String,
    /// What the failure is about. Which parts are filled in depends on the reason.
    #[field(5)]
    pub details: Option<Box<StatusDetails>>,
    /// The HTTP status code.
    #[field(6)]
    pub code: i32,
}

/// One of the faults that made a request fail.
#[derive(Clone, Default, Schema)]
pub struct StatusCause {
    /// What is wrong, as one word for programs, such as FieldValueRequired.
    #[field(1, values = CAUSE_TYPES)]
    pub reason: String,
    /// What is wrong, for people.
    #[field(2)]
    pub message: String,
    /// The path of the field at fault, such as spec.replicas. Empty if it isn't about one.
    #[field(3)]
    pub field: String,
}

/// What a failure is about.
#[derive(Clone, Default, Schema)]
pub struct StatusDetails {
    /// The name of the object.
    #[field(1)]
    pub name: String,
    /// The group of the object's resource.
    #[field(2)]
    pub group: String,
    /// The resource or, in some answers, the kind.
    #[field(3)]
    pub kind: String,
    /// The UID of the object, if it's known.
    #[field(6)]
    pub uid: String,
    /// All faults that were found.
    #[field(4, list = "atomic")]
    pub causes: Vec<StatusCause>,
    /// How many seconds to wait before trying again; 0 if there is no advice.
    #[field(5)]
    pub retry_after_seconds: i32,
}
