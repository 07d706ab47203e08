//! Observers of requests and responses on the wire.

use std::time::Duration;

use http::{HeaderMap, Method, StatusCode, Uri};

/// Observes requests and responses. It must return quickly and must not leak the credentials that it sees.
pub trait RequestObserver: Send + Sync {
    /// Called before a request is sent.
    fn sending(&self, request: &SentRequest<'_>);

    /// Called when a response has begun, or failed.
    fn answered(&self, request: &SentRequest<'_>, answer: Option<(StatusCode, &HeaderMap)>, took: Duration);

    /// Called with the whole body of a response, except those of watches and streams.
    fn received(&self, body: &[u8]);

    /// Called when a watch has ended other than by the server.
    fn watch_ended(&self, why: WatchEnd<'_>) {
        let _ = why;
    }
}

/// Reason why the client ended a watch.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum WatchEnd<'a> {
    /// The client's time is over ([`Config::timeout`](crate::Config::timeout)).
    Timeout,
    /// The connection ended before the watch did.
    Truncated,
    /// The connection failed otherwise.
    Failed(&'a crate::Error),
}

/// A request as sent.
#[derive(Clone, Copy, Debug)]
pub struct SentRequest<'a> {
    /// Method.
    pub method: &'a Method,
    /// URI.
    pub uri: &'a Uri,
    /// All headers.
    pub headers: &'a HeaderMap,
    /// The body.
    pub body: &'a [u8],
}
