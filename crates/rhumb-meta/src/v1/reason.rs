//! Reasons of failed requests, which clients act on.

use super::{Status, TypeMeta};

/// Reason of a [`Status`], which clients check rather than the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StatusReason {
    /// Unknown reason.
    #[default]
    Unknown,
    /// The client must say who it is.
    Unauthorized,
    /// The client may not do that.
    Forbidden,
    /// The object or resource doesn't exist.
    NotFound,
    /// The object already exists.
    AlreadyExists,
    /// The object has changed in the meantime, or something else stands in the way.
    Conflict,
    /// The resource is no longer available.
    Gone,
    /// The object breaks a rule.
    Invalid,
    /// The server can answer, but not in time; the request may be sent again.
    ServerTimeout,
    /// The storage gave back what can't be read.
    StorageReadError,
    /// The request was not done in the time the client gave it.
    Timeout,
    /// The client sends too much.
    TooManyRequests,
    /// The request makes no sense.
    BadRequest,
    /// The resource doesn't know that verb.
    MethodNotAllowed,
    /// None of the forms that the client accepts can be given.
    NotAcceptable,
    /// The request is too large.
    RequestEntityTooLarge,
    /// The body is in a form that the server doesn't read.
    UnsupportedMediaType,
    /// The server is at fault.
    InternalError,
    /// The version that was asked for is no longer kept.
    Expired,
    /// The server can't answer now.
    ServiceUnavailable,
}

/// Reasons with their texts and HTTP status codes.
const TABLE: &[(StatusReason, &str, u16)] = &[
    (StatusReason::Unknown, "", 500),
    (StatusReason::Unauthorized, "Unauthorized", 401),
    (StatusReason::Forbidden, "Forbidden", 403),
    (StatusReason::NotFound, "NotFound", 404),
    (StatusReason::AlreadyExists, "AlreadyExists", 409),
    (StatusReason::Conflict, "Conflict", 409),
    (StatusReason::Gone, "Gone", 410),
    (StatusReason::Invalid, "Invalid", 422),
    (StatusReason::ServerTimeout, "ServerTimeout", 500),
    (StatusReason::StorageReadError, "StorageReadError", 500),
    (StatusReason::Timeout, "Timeout", 504),
    (StatusReason::TooManyRequests, "TooManyRequests", 429),
    (StatusReason::BadRequest, "BadRequest", 400),
    (StatusReason::MethodNotAllowed, "MethodNotAllowed", 405),
    (StatusReason::NotAcceptable, "NotAcceptable", 406),
    (StatusReason::RequestEntityTooLarge, "RequestEntityTooLarge", 413),
    (StatusReason::UnsupportedMediaType, "UnsupportedMediaType", 415),
    (StatusReason::InternalError, "InternalError", 500),
    (StatusReason::Expired, "Expired", 410),
    (StatusReason::ServiceUnavailable, "ServiceUnavailable", 503),
];

impl StatusReason {
    fn row(self) -> (&'static str, u16) {
        let row = TABLE.iter().find(|(reason, ..)| *reason == self);
        row.map_or(("", 500), |(_, text, code)| (*text, *code))
    }

    /// Returns the text that stands in a Status.
    pub fn as_str(self) -> &'static str {
        self.row().0
    }

    /// Returns the HTTP status that goes with it.
    pub fn code(self) -> u16 {
        self.row().1
    }

    /// Returns the reason of a text; texts that we don't know are [`StatusReason::Unknown`].
    pub fn of(text: &str) -> Self {
        TABLE
            .iter()
            .find(|(_, known, _)| *known == text)
            .map_or(StatusReason::Unknown, |(reason, ..)| *reason)
    }
}

impl Status {
    /// Returns the answer to a request that failed.
    pub fn failure(reason: StatusReason, message: impl Into<String>) -> Self {
        Status {
            type_meta: TypeMeta { kind: "Status".into(), api_version: "v1".into() },
            status: "Failure".into(),
            message: message.into(),
            reason: reason.as_str().into(),
            code: reason.code().into(),
            ..Status::default()
        }
    }

    /// Returns the reason, if it is one that we know.
    pub fn known_reason(&self) -> StatusReason {
        StatusReason::of(&self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::STATUS_REASONS;

    #[test]
    fn every_reason_that_the_field_may_have_is_known() {
        assert_eq!(TABLE.len(), STATUS_REASONS.len());
        for text in STATUS_REASONS {
            assert_eq!(StatusReason::of(text).as_str(), *text);
        }
    }

    #[test]
    fn a_failure_says_all_that_clients_look_at() {
        let status = Status::failure(StatusReason::NotFound, "pods \"web\" not found");
        assert_eq!((status.code, &*status.reason, &*status.status), (404, "NotFound", "Failure"));
        assert_eq!(status.known_reason(), StatusReason::NotFound);
    }
}
