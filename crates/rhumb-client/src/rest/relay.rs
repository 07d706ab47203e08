//! Relaying of requests of others, for proxies.

use bytes::Bytes;
use http::header::{CONNECTION, HOST, UPGRADE};
use http::response::Parts;
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderValue, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use super::body::ByteStream;
use super::client::Client;
use super::connect::Offer;
use super::request::Request;
use super::send::Purpose;
use crate::Error;

/// An upgraded connection.
pub type Switched = Box<dyn Duplex>;

/// A bidirectional byte stream.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Response to a relayed request.
pub enum Relayed {
    /// Any response, with its streamed body.
    Answer(Response<ByteStream>),
    /// Refusal of an upgrade, with the whole body.
    Refused(Response<Bytes>),
    /// Successful upgrade, with the connection.
    Switched(Response<()>, Switched),
}

impl Client {
    /// Passes a request on. Method, path and headers go as they are, except those that belong to a connection; the
    /// server's path is not put before the request's. Credentials are those of this client unless the request has
    /// some.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn relay(&self, request: http::Request<Bytes>) -> Result<Relayed, Error> {
        let (parts, body) = request.into_parts();
        let target = parts.uri.path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/"));
        let uri = Uri::builder()
            .scheme(self.0.scheme.clone())
            .authority(self.0.authority.clone())
            .path_and_query(target)
            .build()
            .map_err(|error| Error::Request(format!("the address can't be used: {error}")))?;
        let upgrade = parts.headers.get(UPGRADE).cloned();
        let mut headers = parts.headers;
        remove_hop_headers(&mut headers);
        let mut request = Request::new(self.clone(), parts.method, headers);
        request.body = body;
        match upgrade {
            Some(protocol) => request.switch(&uri, protocol).await,
            None => {
                let answer = request.attempt(&uri, Purpose::Pieces).await.map_err(|failure| failure.error)?;
                let Parts { status, mut headers, .. } = answer.parts;
                remove_hop_headers(&mut headers);
                Ok(Relayed::Answer(with(status, headers, ByteStream::new(answer.body))))
            }
        }
    }
}

impl Request {
    async fn switch(&self, uri: &Uri, protocol: HeaderValue) -> Result<Relayed, Error> {
        let lost = |error: hyper::Error| Error::Connection(error.into());
        let authorization = self.authorize().await?;
        let connector = self.client.0.pool.connector(authorization.identity.as_ref()).await?;
        let connection = connector.connect(uri.clone(), Offer::Http1).await.map_err(Error::Connection)?;
        let mut request = http::Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        *request.uri_mut() = match connection.proxied {
            true => uri.clone(),
            false => target.parse().map_err(|_| Error::Request(format!("{target} is no target")))?,
        };
        let mut headers = self.all_headers(&authorization);
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        let host = HeaderValue::from_str(authority)
            .map_err(|_| Error::Request(format!("{authority:?} can't stand in a header")))?;
        headers.insert(HOST, host);
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, protocol);
        *request.headers_mut() = headers;
        let (mut sender, driver) = http1::handshake(connection).await.map_err(lost)?;
        // It goes on until the connection or the answer is dropped; what goes wrong is seen there.
        tokio::spawn(driver.with_upgrades());
        let response = sender.send_request(request).await.map_err(lost)?;
        let (status, mut headers) = (response.status(), response.headers().clone());
        if status != StatusCode::SWITCHING_PROTOCOLS {
            remove_hop_headers(&mut headers);
            let body = response.into_body().collect().await.map_err(lost)?.to_bytes();
            return Ok(Relayed::Refused(with(status, headers, body)));
        }
        let upgraded = hyper::upgrade::on(response).await.map_err(lost)?;
        Ok(Relayed::Switched(with(status, headers, ()), Box::new(TokioIo::new(upgraded))))
    }
}

fn with<B>(status: StatusCode, headers: HeaderMap, body: B) -> Response<B> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// Takes away what is about one connection and not about the request.
fn remove_hop_headers(headers: &mut HeaderMap) {
    for name in [
        "connection",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ] {
        headers.remove(name);
    }
}
