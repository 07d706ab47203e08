//! Refusals of the filters, as `Status` in the format that the client wants.

use crate::base::plain::Plain;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use rhumb_codec::negotiate::{self, PlainEndpoint};
use rhumb_codec::{Format, JsonSerializer, ProtobufSerializer, Serializer, YamlSerializer};
use rhumb_meta::v1::{Status, StatusDetails, TypeMeta};
use rhumb_schema::text::quoted;

use crate::base::response::Body;
pub(crate) use crate::base::response::whole;

/// What of a request decides about the form of a refusal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    accept: String,
    user_agent: String,
    query: String,
}

impl Asked {
    /// Takes it from a request's headers and query.
    pub(crate) fn of(headers: &HeaderMap, query: &str) -> Self {
        let text =
            |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        Asked { accept: text(ACCEPT), user_agent: text(USER_AGENT), query: query.to_owned() }
    }

    /// Whether the client takes JSON.
    pub(crate) fn takes_json(&self) -> bool {
        crate::endpoints::routing::takes(&self.accept, &["application/json"])
    }

    /// A refusal in the form that was asked for; in JSON if that form is not to be had.
    pub(crate) fn refusal(&self, status: Status) -> Response<Body> {
        let code = u16::try_from(status.code).ok().and_then(|code| StatusCode::from_u16(code).ok());
        let wishes =
            negotiate::Wishes { accept: &self.accept, query: &self.query, user_agent: &self.user_agent };
        let (format, pretty) = match negotiate::output(
            wishes,
            &[Format::Json, Format::Yaml, Format::Protobuf],
            &PlainEndpoint,
        ) {
            Ok(agreed) => (agreed.format, agreed.pretty),
            Err(_) => (Format::Json, true),
        };
        let mut body = Vec::new();
        let written = match format {
            Format::Yaml => YamlSerializer::default().encode(&status, &mut body),
            Format::Protobuf => ProtobufSerializer.encode(&status, &mut body),
            _ => JsonSerializer { pretty, ..JsonSerializer::default() }.encode(&status, &mut body),
        };
        if written.is_err() {
            return Plain::error(StatusCode::INTERNAL_SERVER_ERROR, status.message).into();
        }
        // Answers in JSON end without the line end that a file would have.
        if format == Format::Json && body.last() == Some(&b'\n') && pretty {
            body.pop();
        }
        let mut response = Response::new(whole(body));
        *response.status_mut() = code.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
        response
    }
}

/// The answer to a credential that is not good.
pub(crate) fn unauthorized() -> Status {
    failure(401, "Unauthorized", "Unauthorized".to_owned(), false)
}

/// The answer to a user who may not do this with a path.
pub(crate) fn forbidden_path(user: &str, method: &str, path: &str) -> Status {
    let verb = method.to_ascii_lowercase();
    let message = format!("forbidden: User {} cannot {verb} path {}", quoted(user), quoted(path));
    failure(403, "Forbidden", message, true)
}

/// The answer to a method that a path doesn't have.
pub(crate) fn method_not_allowed() -> Status {
    let message = "the server does not allow this method on the requested resource";
    failure(405, "MethodNotAllowed", message.to_owned(), true)
}

/// The answer to a client that takes nothing of what there is.
pub(crate) fn not_acceptable() -> Status {
    let message = "406: Not Acceptable\n\nAvailable representations: application/json";
    failure(406, "NotAcceptable", message.to_owned(), true)
}

/// The answer to a request that took longer than it may.
pub(crate) fn took_too_long() -> Status {
    let message = "Timeout: request did not complete within the allotted timeout";
    failure(504, "Timeout", message.to_owned(), true)
}

/// The answer when a handler broke.
pub(crate) fn broken() -> Status {
    let message = "This request caused apiserver to panic. Look in the logs for details.";
    failure(500, "InternalError", message.to_owned(), false)
}

fn failure(code: i32, reason: &str, message: String, detailed: bool) -> Status {
    Status {
        type_meta: TypeMeta { api_version: "v1".to_owned(), kind: "Status".to_owned() },
        status: "Failure".to_owned(),
        message,
        reason: reason.to_owned(),
        details: detailed.then(|| Box::new(StatusDetails::default())),
        code,
        ..Status::default()
    }
}
