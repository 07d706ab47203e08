//! Seeing requests and answers as they go over the wire.

use std::time::Duration;

use http::{HeaderMap, Method, StatusCode, Uri};

/// Sees what is sent and what comes back. It must be quick, and it sees credentials: what it shows is its affair.
pub trait RequestObserver: Send + Sync {
    /// A request is about to be sent.
    fn sending(&self, request: &SentRequest<'_>);

    /// An answer has begun, or there is none.
    fn answered(&self, request: &SentRequest<'_>, answer: Option<(StatusCode, &HeaderMap)>, took: Duration);

    /// The whole body of an answer has come. Those of watches and streams are not seen.
    fn received(&self, body: &[u8]);

    /// A watch has ended otherwise than by the server's wish.
    fn watch_ended(&self, why: WatchEnd<'_>) {
        let _ = why;
    }
}

/// Why a watch ended that the server did not end.
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

/// A request that is sent.
#[derive(Clone, Copy, Debug)]
pub struct SentRequest<'a> {
    /// What to do.
    pub method: &'a Method,
    /// With what.
    pub uri: &'a Uri,
    /// All headers.
    pub headers: &'a HeaderMap,
    /// The body.
    pub body: &'a [u8],
}
