//! Errors of requests.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::time::Duration;

use rhumb_codec::CodecError;
use rhumb_meta::v1::{Status, StatusReason};

/// Error of a request: a refusal by the server, or no readable response.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The server answered with a Status. The reason in it decides what can be done about it.
    Status(Box<Status>),
    /// The request can't be sent as it is: a bad name, path, header or body. What is wrong with it.
    Request(String),
    /// No connection to the server, or the connection broke.
    Connection(Box<dyn StdError + Send + Sync>),
    /// No response within the request's timeout.
    Timeout(Duration),
    /// The credentials could not be had: a token file, an exec plugin.
    Credentials(Box<dyn StdError + Send + Sync>),
    /// The server's answer can't be read as what was asked for.
    Decode(CodecError),
    /// The server's answer is well-formed, but something else than what was asked for.
    Unexpected(String),
    /// The stream has something that is no watch event, or a frame over the limit.
    Stream(String),
}

/// Cause in a timeout: the server has not reached the requested resource version yet.
const RESOURCE_VERSION_TOO_LARGE: &str = "ResourceVersionTooLarge";

/// Reason in a Status that was made up because the server sent none.
const UNEXPECTED_RESPONSE: &str = "UnexpectedServerResponse";

impl Error {
    /// Returns the server's Status, if it sent one.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Error::Status(status) => Some(status),
            _ => None,
        }
    }

    /// Returns the reason in the server's Status; `Unknown` if there is none.
    pub fn reason(&self) -> StatusReason {
        self.status().map(Status::known_reason).unwrap_or_default()
    }

    /// Returns the HTTP status in the server's Status.
    pub fn code(&self) -> Option<i32> {
        self.status().map(|status| status.code)
    }

    /// Reports whether the Status has a reason; the code counts only if the reason is unknown.
    fn is(&self, reason: StatusReason) -> bool {
        match self.reason() {
            StatusReason::Unknown => self.code() == Some(i32::from(reason.code())),
            known => known == reason,
        }
    }

    /// Reports whether the object or resource doesn't exist.
    pub fn is_not_found(&self) -> bool {
        self.is(StatusReason::NotFound)
    }

    /// Reports whether the object exists already.
    pub fn is_already_exists(&self) -> bool {
        self.reason() == StatusReason::AlreadyExists
    }

    /// Reports whether the object was changed meanwhile; read it again and retry.
    pub fn is_conflict(&self) -> bool {
        self.is(StatusReason::Conflict)
    }

    /// Reports whether the object is invalid.
    pub fn is_invalid(&self) -> bool {
        self.is(StatusReason::Invalid)
    }

    /// Reports whether the requested revision is no longer available.
    pub fn is_gone(&self) -> bool {
        self.is(StatusReason::Gone)
    }

    /// Reports whether the requested resource version or page has expired; start again.
    pub fn is_resource_expired(&self) -> bool {
        self.reason() == StatusReason::Expired
    }

    /// Reports whether the server supports none of the accepted media types.
    pub fn is_not_acceptable(&self) -> bool {
        self.is(StatusReason::NotAcceptable)
    }

    /// Reports whether the server doesn't support the media type of the body.
    pub fn is_unsupported_media_type(&self) -> bool {
        self.is(StatusReason::UnsupportedMediaType)
    }

    /// Reports whether the resource doesn't support the verb.
    pub fn is_method_not_supported(&self) -> bool {
        self.is(StatusReason::MethodNotAllowed)
    }

    /// Reports whether the server is unavailable.
    pub fn is_service_unavailable(&self) -> bool {
        self.is(StatusReason::ServiceUnavailable)
    }

    /// Reports whether the request is malformed.
    pub fn is_bad_request(&self) -> bool {
        self.is(StatusReason::BadRequest)
    }

    /// Reports whether the client is not authenticated.
    pub fn is_unauthorized(&self) -> bool {
        self.is(StatusReason::Unauthorized)
    }

    /// Reports whether the client is not authorized.
    pub fn is_forbidden(&self) -> bool {
        self.is(StatusReason::Forbidden)
    }

    /// Reports whether the request timed out at the server or in the client. It may have taken effect.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Error::Timeout(_)) || self.is(StatusReason::Timeout)
    }

    /// Reports whether the server timed out and the request may be retried.
    pub fn is_server_timeout(&self) -> bool {
        self.reason() == StatusReason::ServerTimeout
    }

    /// Reports whether the server had an internal error.
    pub fn is_internal_error(&self) -> bool {
        self.is(StatusReason::InternalError)
    }

    /// Reports whether the client sent too many requests.
    pub fn is_too_many_requests(&self) -> bool {
        self.is(StatusReason::TooManyRequests)
    }

    /// Reports whether the request is too large.
    pub fn is_request_entity_too_large(&self) -> bool {
        self.is(StatusReason::RequestEntityTooLarge)
    }

    /// Reports whether the server could not decode stored data.
    pub fn is_store_read_error(&self) -> bool {
        self.reason() == StatusReason::StorageReadError
    }

    /// Reports whether the response was not of the API, perhaps of a proxy or gateway. The Status was made up
    /// from it.
    pub fn is_unexpected_server_error(&self) -> bool {
        self.has_cause(UNEXPECTED_RESPONSE)
    }

    /// Reports whether the server has not reached the requested resource version yet.
    pub fn is_resource_version_too_large(&self) -> bool {
        self.is_timeout() && self.has_cause(RESOURCE_VERSION_TOO_LARGE)
    }

    /// Reports whether the connection was refused.
    pub fn is_connection_refused(&self) -> bool {
        self.io_kind() == Some(io::ErrorKind::ConnectionRefused)
    }

    /// Returns the I/O error kind, if connecting failed with one.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        let Error::Connection(source) = self else { return None };
        let mut source: Option<&(dyn StdError + 'static)> = Some(&**source);
        let mut found = None;
        // An I/O error may wrap another one, which knows better.
        while let Some(error) = source {
            if let Some(error) = error.downcast_ref::<io::Error>() {
                found = Some(error.kind());
            }
            source = error.source();
        }
        found
    }

    /// Describes a connection error in Go's words, which scripts look for, such as TLS errors and unknown hosts.
    pub fn connection_problem(&self) -> Option<String> {
        match self {
            Error::Connection(source) => crate::rest::connection_problem(&**source),
            _ => None,
        }
    }

    /// Reports whether the connection ended before what came over it did.
    pub(crate) fn is_unexpected_end(&self) -> bool {
        matches!(self, Error::Connection(source) if crate::rest::is_unexpected_end(&**source))
    }

    fn has_cause(&self, reason: &str) -> bool {
        let details = self.status().and_then(|status| status.details.as_deref());
        details.is_some_and(|details| details.causes.iter().any(|cause| cause.reason == reason))
    }

    /// Returns the server's `Retry-After`, if it sent one.
    pub fn retry_after(&self) -> Option<Duration> {
        let seconds = self.status()?.details.as_deref()?.retry_after_seconds;
        u64::try_from(seconds).ok().filter(|seconds| *seconds > 0).map(Duration::from_secs)
    }

    /// Returns the error text with those of all its sources.
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut source = self.source();
        while let Some(error) = source {
            let more = error.to_string();
            // Some errors say what their source says, too.
            if !text.ends_with(&more) {
                text.push_str(": ");
                text.push_str(&more);
            }
            source = error.source();
        }
        text
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Status(status) => f.write_str(&status.message),
            Error::Request(what) | Error::Unexpected(what) | Error::Stream(what) => f.write_str(what),
            Error::Connection(_) => f.write_str("the server can't be reached"),
            Error::Timeout(after) => write!(f, "no answer within {after:?}"),
            Error::Credentials(_) => f.write_str("there are no credentials"),
            Error::Decode(error) => write!(f, "{error}"),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Error::Connection(source) | Error::Credentials(source) => Some(&**source),
            _ => None,
        }
    }
}

impl From<CodecError> for Error {
    fn from(error: CodecError) -> Self {
        Error::Decode(error)
    }
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        Error::Status(Box::new(status))
    }
}
