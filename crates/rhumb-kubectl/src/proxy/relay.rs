//! Responses of the proxy.

use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use http::header::{CONTENT_TYPE, HOST, UPGRADE};
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body::{Body, Frame};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use rhumb_client::{ByteStream, Client, Error, Relayed};

use super::filter::Filter;
use super::{route, statics};

/// A response.
pub(super) type Answer = Response<BoxBody<Bytes, Error>>;

/// Answers requests with files or from the server.
pub(super) struct Relay {
    pub(super) client: Client,
    pub(super) filter: Option<Filter>,
    pub(super) api_prefix: String,
    /// Prefix of request paths at the server.
    pub(super) server_path: String,
    /// The path and the directory of files.
    pub(super) files: Option<(String, PathBuf)>,
}

impl Relay {
    /// Answers a request.
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Answer {
        let path = request.uri().path().to_owned();
        if request.method() != Method::CONNECT && path.starts_with('/') {
            let files = self.files.as_ref().map(|(prefix, _)| prefix.as_str());
            let prefixes: Vec<&str> = files.into_iter().chain([self.api_prefix.as_str()]).collect();
            if let Some(target) = route::elsewhere(&path, &prefixes) {
                return route::redirect(request.method(), request.uri(), &target);
            }
        }
        // Of two paths that fit, the longer one counts.
        if let Some((prefix, directory)) = &self.files
            && path.starts_with(prefix.as_str())
            && (prefix.len() > self.api_prefix.len() || !path.starts_with(&self.api_prefix))
        {
            return statics::answer(directory, &path, path.get(prefix.len()..).unwrap_or_default());
        }
        if !path.starts_with(&self.api_prefix) {
            return plain(StatusCode::NOT_FOUND, "404 page not found\n");
        }
        let path = match self.api_prefix.starts_with("/api") {
            true => path,
            false => {
                let rest = path.get(self.api_prefix.len()..).unwrap_or_default();
                if rest.starts_with('/') { rest.to_owned() } else { format!("/{rest}") }
            }
        };
        let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let Ok(meant) = rhumb_meta::url::unescape(&path) else {
            return plain(StatusCode::BAD_REQUEST, "400 Bad Request");
        };
        // The server undoes escapes, so what is refused must be refused however it is written.
        if let Some(filter) = &self.filter
            && !filter.accepts(request.method().as_str(), &String::from_utf8_lossy(&meant), host)
        {
            return plain(StatusCode::FORBIDDEN, "Forbidden\n");
        }
        match self.pass_on(request, &path).await {
            Ok(answer) => answer,
            Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, &format!("{}\n", told(&error))),
        }
    }

    async fn pass_on(&self, mut request: Request<Incoming>, path: &str) -> Result<Answer, Error> {
        let mut target = format!("{}{path}", self.server_path);
        if let Some(query) = request.uri().query() {
            target.push('?');
            target.push_str(query);
        }
        let uri: Uri = target.parse().map_err(|_| Error::Request(format!("{target} is no address")))?;
        let switches = request.headers().contains_key(UPGRADE);
        let client_side = switches.then(|| hyper::upgrade::on(&mut request));
        let (mut parts, body) = request.into_parts();
        parts.uri = uri;
        let body = match switches {
            true => Bytes::new(),
            false => body.collect().await.map_err(|error| Error::Connection(error.into()))?.to_bytes(),
        };
        match self.client.relay(Request::from_parts(parts, body)).await? {
            Relayed::Answer(response) => Ok(response.map(|body| Pieces(body).boxed())),
            Relayed::Refused(response) => Ok(response.map(whole)),
            Relayed::Switched(response, mut server_side) => {
                tokio::spawn(async move {
                    // Who goes away first ends it for both.
                    if let Some(Ok(client_side)) = match client_side {
                        Some(client_side) => Some(client_side.await),
                        None => None,
                    } {
                        let mut client_side = TokioIo::new(client_side);
                        let _ = tokio::io::copy_bidirectional(&mut client_side, &mut server_side).await;
                    }
                });
                Ok(response.map(|()| whole(Bytes::new())))
            }
        }
    }
}

/// Formats a connection error.
fn told(error: &Error) -> String {
    error.connection_problem().unwrap_or_else(|| error.chain())
}

/// Returns a whole body.
pub(super) fn whole(bytes: Bytes) -> BoxBody<Bytes, Error> {
    Full::new(bytes).map_err(|never| match never {}).boxed()
}

/// Returns an answer in plain words, as Go's servers give it.
pub(super) fn plain(status: StatusCode, text: &str) -> Answer {
    let mut response = Response::new(whole(Bytes::copy_from_slice(text.as_bytes())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    response
}

/// A streamed body.
struct Pieces(ByteStream);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        Pin::new(&mut self.0).poll_next(cx).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
