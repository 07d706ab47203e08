//! One request to another server, and its response.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, header};
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::task::JoinHandle;

use super::network::Connection;
use crate::base::data::Data;
use crate::base::response::Body;

/// What a request that is passed on brings.
pub(crate) type PassedBody = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// How large the head of an answer may be.
const LARGEST_HEAD: usize = 1 << 20;

/// A connection that is being worked on. It is closed when this goes.
#[derive(Debug)]
pub(super) struct Working(JoinHandle<()>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A body of nothing.
pub(super) fn nothing() -> PassedBody {
    http_body_util::Empty::new().map_err(|never| match never {}).boxed_unsync()
}

/// Sends a request and waits for the head of its answer.
pub(super) async fn send(
    connection: Connection,
    request: Request<PassedBody>,
) -> Result<(Response<Incoming>, Working), hyper::Error> {
    let (mut sender, driver) = http1::Builder::new()
        .title_case_headers(true)
        .max_buf_size(LARGEST_HEAD)
        .handshake::<_, PassedBody>(TokioIo::new(connection))
        .await?;
    let working = Working(tokio::spawn(async move {
        // What goes wrong shows in the answer.
        let _ = driver.with_upgrades().await;
    }));
    let answer = sender.send_request(request).await?;
    Ok((answer, working))
}

/// The body of an answer that comes over a connection, and ends with it, or when something else happens.
pub(super) struct Passed<F> {
    pub(super) body: Incoming,
    pub(super) _working: Working,
    /// Ends the body; none if only the other side does.
    pub(super) end: Option<F>,
}

impl<F: Future<Output = ()> + Send + Unpin + 'static> Passed<F> {
    /// It as a body of our own answers.
    pub(super) fn boxed(self) -> Body {
        self.boxed_unsync()
    }
}

impl<F: Future<Output = ()> + Unpin> http_body::Body for Passed<F> {
    type Data = Data;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Data>, std::io::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(
                frame.map(|frame| {
                    frame.map(|frame| frame.map_data(Data::from)).map_err(std::io::Error::other)
                }),
            );
        }
        match &mut self.end {
            Some(end) => Pin::new(end).poll(context).map(|()| None),
            None => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // What may end early has no size that could be promised.
        if self.end.is_some() { SizeHint::new() } else { self.body.size_hint() }
    }
}

/// The headers that are about one connection, and end with it.
const OF_CONNECTIONS: [HeaderName; 7] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Takes away the headers that are about one connection, also those that it names itself.
pub(super) fn without_connection(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| HeaderName::try_from(name.trim()).ok())
        .collect();
    for name in named.into_iter().chain(OF_CONNECTIONS) {
        headers.remove(name);
    }
    let takes_trailers = headers.get_all(header::TE).iter().any(|value| value == "trailers");
    headers.remove(header::TE);
    headers.remove(header::TRAILER);
    if takes_trailers {
        headers.insert(header::TE, HeaderValue::from_static("trailers"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_a_connection_stays_on_it() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, X-Mine"),
            ("x-mine", "1"),
            ("keep-alive", "1"),
            ("te", "trailers"),
            ("upgrade", "x"),
            ("transfer-encoding", "chunked"),
            ("x-yours", "2"),
        ] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        without_connection(&mut headers);
        let mut left: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["te", "x-yours"]);
    }
}
