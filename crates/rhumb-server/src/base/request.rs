//! What every layer reads of a request: its body's type, its headers as text, where it came from.

use std::borrow::Cow;
use std::net::SocketAddr;

use http::HeaderMap;
use http::header::{self, CONNECTION, UPGRADE};
use rhumb_codec::negotiate::Wishes;
use rhumb_meta::url;

/// What a request brings.
pub type RequestBody = hyper::body::Incoming;

/// Where a request came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// A header's text; empty if there is none.
pub(crate) fn header_text(headers: &HeaderMap, name: header::HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// What of a request decides about the form of its answer.
pub(crate) fn wishes<'a>(headers: &'a HeaderMap, query: &'a str) -> Wishes<'a> {
    Wishes {
        accept: header_text(headers, header::ACCEPT),
        query,
        user_agent: header_text(headers, header::USER_AGENT),
    }
}

/// A path with its escapes resolved, as everything behind it sees it; none if it is malformed. What is no text is seen
/// as replacement characters, which no name has; such a path is not passed on to anybody.
pub(crate) fn decoded_path(path: &str) -> Option<Cow<'_, str>> {
    if !path.contains('%') {
        return Some(Cow::Borrowed(path));
    }
    url::unescape(path).ok().map(|bytes| Cow::Owned(url::to_text(bytes)))
}

/// Whether a request wishes to go on with WebSocket.
pub(crate) fn is_websocket(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    text(UPGRADE).eq_ignore_ascii_case("websocket")
        && text(CONNECTION).to_ascii_lowercase().split(',').any(|option| option.trim() == "upgrade")
}
