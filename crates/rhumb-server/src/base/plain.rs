//! Plain texts as responses, as Go's servers give them.

use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderValue, Response, StatusCode};

use crate::base::response::{Body, whole};

const NO_SNIFF: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
const TEXT: &str = "text/plain; charset=utf-8";

/// A plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    pub(crate) code: StatusCode,
    pub(crate) body: String,
    no_sniff: bool,
}

impl Plain {
    /// All is well.
    pub(crate) fn ok(body: impl Into<String>) -> Self {
        Plain { code: StatusCode::OK, body: body.into(), no_sniff: false }
    }

    /// Something is wrong; the text gets its line end.
    pub(crate) fn error(code: StatusCode, text: impl Into<String>) -> Self {
        let mut body = text.into();
        body.push('\n');
        Plain { code, body, no_sniff: true }
    }

    /// Nothing is at that path.
    pub(crate) fn not_found() -> Self {
        Plain::error(StatusCode::NOT_FOUND, "404 page not found")
    }

    /// Tells browsers to take it as the text that it is.
    pub(crate) fn without_guessing(mut self) -> Self {
        self.no_sniff = true;
        self
    }
}

/// The answer to a request that can't be read, as Go's servers give it.
pub(crate) fn malformed() -> Response<Body> {
    Plain { code: StatusCode::BAD_REQUEST, body: "400 Bad Request".to_owned(), no_sniff: false }.into()
}

impl From<Plain> for Response<Body> {
    fn from(plain: Plain) -> Self {
        let mut response = Response::new(whole(plain.body));
        *response.status_mut() = plain.code;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(TEXT));
        if plain.no_sniff {
            response.headers_mut().insert(NO_SNIFF.0, NO_SNIFF.1);
        }
        response
    }
}

/// Adds the header that refusals by authorization have.
pub(crate) fn without_guessing(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(NO_SNIFF.0, NO_SNIFF.1);
    response
}
