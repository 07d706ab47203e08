//! Responses: objects, failures and streams with the headers that clients look at.

use std::collections::HashSet;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_body::{Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use rhumb_codec::negotiate::{self, PlainEndpoint, Wishes};
use rhumb_codec::{Format, JsonSerializer, ProtobufSerializer, Serializer, YamlSerializer};
use rhumb_meta::Object;

use crate::base::data::Data;
use crate::base::failure::{Failure, Outcome};

/// The body of an answer.
pub type Body = UnsyncBoxBody<Data, std::io::Error>;

/// A response of this server.
pub type Response<B = Body> = http::Response<B>;

/// A body that is there as a whole.
pub(crate) fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(Data::from(bytes.into())).map_err(|never| match never {}).boxed_unsync()
}

/// An answer with bytes of a type.
pub(crate) fn bytes(code: u16, content_type: &str, bytes: impl Into<Bytes>) -> Response {
    data(code, content_type, Data::from(bytes.into()))
}

/// An answer with bytes of a type, in as many parts as there are.
pub(crate) fn data(code: u16, content_type: &str, data: Data) -> Response {
    let body = Full::new(data).map_err(|never| match never {}).boxed_unsync();
    let mut answer = Response::new(body);
    *answer.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    set(&mut answer, header::CONTENT_TYPE, content_type);
    answer
}

/// An answer in plain text, as Go's servers give it.
pub(crate) fn text(code: u16, text: &str) -> Response {
    let mut answer = bytes(code, "text/plain; charset=utf-8", text.to_owned());
    set(&mut answer, HeaderName::from_static("x-content-type-options"), "nosniff");
    answer
}

/// The answer to a path that leads nowhere.
pub(crate) fn no_such_path() -> Response {
    text(404, "404 page not found\n")
}

/// Tells browsers to take an answer as what it says it is, as refusals for want of rights do.
pub(crate) fn unguessed(mut answer: Response) -> Response {
    set(&mut answer, HeaderName::from_static("x-content-type-options"), "nosniff");
    answer
}

/// Sets a header, unless the value can't be one.
pub(crate) fn set(answer: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        answer.headers_mut().insert(name, value);
    }
}

/// How many characters of warnings an answer has; where there are more, each is cut and then the rest left out.
const MOST_WARNED: usize = 4 * 1024;
/// How many characters are left of a warning that is cut.
const MOST_OF_A_CUT_WARNING: usize = 256;

/// The warnings that an answer has: each once, none of several lines, and no more than fits into its head.
fn warned(warnings: &[String]) -> Vec<&str> {
    let mut seen = HashSet::new();
    let told = |warning: &&str| !warning.is_empty() && !warning.chars().any(char::is_control);
    let mut all: Vec<&str> =
        warnings.iter().map(String::as_str).filter(told).filter(|warning| seen.insert(*warning)).collect();
    let length = |warning: &str| warning.chars().count();
    if all.iter().map(|warning| length(warning)).sum::<usize>() <= MOST_WARNED {
        return all;
    }
    let mut written = 0;
    for (place, warning) in all.iter_mut().enumerate() {
        if written >= MOST_WARNED {
            all.truncate(place);
            break;
        }
        let end = warning.char_indices().nth(MOST_OF_A_CUT_WARNING).map_or(warning.len(), |(end, _)| end);
        *warning = warning.get(..end).unwrap_or_default();
        written += length(warning);
    }
    all
}

/// Adds what a client should be told beside the answer.
pub(crate) fn warn(answer: &mut Response, warnings: &[String]) {
    for warning in warned(warnings) {
        let quoted = rhumb_schema::text::quoted(warning.as_bytes());
        if let Ok(value) = HeaderValue::from_str(&format!("299 - {quoted}")) {
            answer.headers_mut().append(header::WARNING, value);
        }
    }
}

/// An object in a format.
pub(crate) fn encode(object: &dyn Object, format: Format, pretty: bool) -> Outcome<Vec<u8>> {
    let mut out = Vec::new();
    match format {
        Format::Json => {
            JsonSerializer { pretty, ..JsonSerializer::default() }
                .encode(object, &mut out)
                .map_err(Failure::internal)?;
            // What is written for people ends without the line end that programs get.
            if pretty && out.last() == Some(&b'\n') {
                out.pop();
            }
        }
        Format::Yaml => YamlSerializer::default().encode(object, &mut out).map_err(Failure::internal)?,
        Format::Protobuf => ProtobufSerializer.encode(object, &mut out).map_err(Failure::internal)?,
    }
    Ok(out)
}

/// The answer that an object is.
pub(crate) fn object(code: u16, object: &dyn Object, format: Format, pretty: bool) -> Outcome<Response> {
    Ok(bytes(code, format.media_type(), encode(object, format, pretty)?))
}

/// The answer that a failure is, in a format that the client takes, or else in JSON.
pub(crate) fn failure(failure: &Failure, wishes: Wishes<'_>) -> Response {
    let (format, pretty) = match negotiate::output(wishes, &Format::ALL, &PlainEndpoint) {
        Ok(agreed) => (agreed.format, agreed.pretty),
        Err(_) => (Format::Json, true),
    };
    let mut answer = object(failure.code(), &*failure.0, format, pretty)
        .unwrap_or_else(|_| text(500, "the answer could not be written\n"));
    let wait = failure.0.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    if wait > 0 {
        set(&mut answer, header::RETRY_AFTER, &wait.to_string());
    }
    answer
}

/// A body made of pieces that are put together when they are asked for.
pub(crate) struct Pieces<I> {
    pieces: I,
}

/// A body of pieces, each taken when the one before has been sent.
pub(crate) fn pieces(
    pieces: impl Iterator<Item = Result<Data, std::io::Error>> + Send + Unpin + 'static,
) -> Body {
    Pieces { pieces }.boxed_unsync()
}

impl<I: Iterator<Item = Result<Data, std::io::Error>> + Unpin> http_body::Body for Pieces<I> {
    type Data = Data;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Data>, std::io::Error>>> {
        Poll::Ready(self.pieces.next().map(|piece| piece.map(Frame::data)))
    }
}

/// A body that holds something for as long as it is being sent.
pub(crate) fn held(body: Body, what: impl Send + Unpin + 'static) -> Body {
    Held { body, _what: what }.boxed_unsync()
}

struct Held<T> {
    body: Body,
    _what: T,
}

impl<T: Unpin> http_body::Body for Held<T> {
    type Data = Data;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Data>, std::io::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_told_once_and_together_fit_into_a_head() {
        let texts = |count: usize, length: usize| -> Vec<String> {
            (0..count).map(|number| format!("{number:06}{}", "é".repeat(length - 6))).collect()
        };
        let few = texts(4, 1024);
        assert_eq!(warned(&[few.clone(), few.clone()].concat()), few, "each once, and all of them");
        assert_eq!(warned(&["".to_owned(), "a".to_owned(), "b\nc".to_owned()]), ["a"]);
        let many = texts(300_000, 300);
        let cut = warned(&many);
        assert_eq!(cut.len(), 16);
        assert!(cut.iter().all(|warning| warning.chars().count() == 256));
        assert_eq!(warned(&texts(5, 1024)).len(), 5, "those that were told before are cut as well");
        assert_eq!(warned(&texts(1, 100_000)).first().map(|warning| warning.chars().count()), Some(256));
    }
}
