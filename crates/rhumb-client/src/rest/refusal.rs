//! Statuses for error responses without one, made from the HTTP status in client-go's words.

use http::header::RETRY_AFTER;
use http::{HeaderMap, Method, StatusCode};
use rhumb_codec::Format;
use rhumb_meta::v1::{Status, StatusCause, StatusDetails, StatusReason};
use rhumb_schema::text::quoted;

use super::response::{fill, format_of, media_type};

/// Maximum length of a quoted body.
const MAX_TEXT: usize = 2048;

/// Subject of a refused request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'a> {
    pub(crate) method: &'a Method,
    pub(crate) group: &'a str,
    pub(crate) resource: &'a str,
    pub(crate) name: &'a str,
}

/// Reports whether an HTTP status is none of success.
pub(crate) fn is_refusal(status: StatusCode) -> bool {
    !(200..=206).contains(&status.as_u16())
}

/// Returns the Status of a refusal: the one in the body if there is one, else one that is made up.
pub(crate) fn status(code: StatusCode, headers: &HeaderMap, body: &[u8], about: About<'_>) -> Status {
    let readable = media_type(headers).is_none_or(|found| Format::from_media_type(&found).is_some());
    if readable && !body.is_empty() {
        let mut status = Status::default();
        let filled = fill(format_of(headers, body), body, &mut status);
        if filled.is_ok() && status.type_meta.kind == "Status" && status.status == "Failure" {
            return status;
        }
    }
    let is_text = media_type(headers).is_none_or(|found| found.starts_with("text/"));
    let shown = body.get(..body.len().min(MAX_TEXT)).unwrap_or_default();
    let text = if is_text { String::from_utf8_lossy(shown).trim().to_owned() } else { "unknown".to_owned() };
    generic(code, about, text, retry_after(headers).unwrap_or_default())
}

/// Returns the seconds that the server asks to wait.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<i32> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()
}

fn generic(code: StatusCode, about: About<'_>, server_text: String, retry_after_seconds: i32) -> Status {
    let (reason, text) = words(code.as_u16(), about.method, &server_text);
    let mut message = text;
    if !about.resource.is_empty() {
        let group = if about.group.is_empty() { String::new() } else { format!(".{}", about.group) };
        let name = if about.name.is_empty() { String::new() } else { format!(" {}", about.name) };
        let verb = about.method.as_str().to_ascii_lowercase();
        message = format!("{message} ({verb} {}{group}{name})", about.resource);
    }
    let qualified = !about.resource.is_empty();
    let cause =
        StatusCause { reason: "UnexpectedServerResponse".into(), message: server_text, field: String::new() };
    Status {
        status: "Failure".into(),
        code: i32::from(code.as_u16()),
        reason: reason.as_str().into(),
        message,
        details: Some(Box::new(StatusDetails {
            group: if qualified { about.group.into() } else { String::new() },
            kind: about.resource.into(),
            name: about.name.into(),
            causes: vec![cause],
            retry_after_seconds,
            ..StatusDetails::default()
        })),
        ..Status::default()
    }
}

fn words(code: u16, method: &Method, server_text: &str) -> (StatusReason, String) {
    let (reason, text) = match code {
        409 if method == Method::POST => (StatusReason::AlreadyExists, "the server reported a conflict"),
        409 => (StatusReason::Conflict, "the server reported a conflict"),
        404 => (StatusReason::NotFound, "the server could not find the requested resource"),
        400 => (StatusReason::BadRequest, "the server rejected our request for an unknown reason"),
        401 => (StatusReason::Unauthorized, "the server has asked for the client to provide credentials"),
        // The server's words say who may not do what, or which types there are.
        403 => (StatusReason::Forbidden, server_text),
        406 if server_text.is_empty() || server_text == "unknown" => (
            StatusReason::NotAcceptable,
            "the server was unable to respond with a content type that the client supports",
        ),
        406 => (StatusReason::NotAcceptable, server_text),
        415 => (StatusReason::UnsupportedMediaType, server_text),
        405 => (
            StatusReason::MethodNotAllowed,
            "the server does not allow this method on the requested resource",
        ),
        422 => (StatusReason::Invalid, "the server rejected our request due to an error in our request"),
        503 => (StatusReason::ServiceUnavailable, "the server is currently unable to handle the request"),
        504 => (
            StatusReason::Timeout,
            "the server was unable to return a response in the time allotted, but may still be processing the request",
        ),
        429 => (
            StatusReason::TooManyRequests,
            "the server has received too many requests and has asked us to try again later",
        ),
        500.. => {
            let shown = quoted(server_text);
            let text = format!("an error on the server ({shown}) has prevented the request from succeeding");
            return (StatusReason::InternalError, text);
        }
        _ => {
            let text = format!(
                "the server responded with the status code {code} but did not return more information"
            );
            return (StatusReason::Unknown, text);
        }
    };
    (reason, text.to_owned())
}
