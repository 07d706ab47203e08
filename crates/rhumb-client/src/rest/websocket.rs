//! WebSocket requests, used by exec, attach and port-forward.
//!
//! It goes over a connection of its own, in HTTP/1.1, with the same trust, credentials and proxy as all others.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_core::Stream;
use futures_util::{Sink, SinkExt};
use http::header::{
    CONNECTION, HOST, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{Method, StatusCode};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error as WsError, Message};

use super::connect::{Conn, Offer};
use super::refusal;
use super::request::Request;
use super::send::within;
use crate::Error;
use crate::config::Authorization;

/// Maximum message size. Kubernetes' own messages are some ten kilobytes.
const MAX_MESSAGE: usize = 16 << 20;
/// Maximum size of an error response.
const MAX_REFUSAL: usize = 4 << 20;

/// An open WebSocket as a stream of messages. Text and binary messages are not distinguished; pings are answered.
#[derive(Debug)]
pub struct WebSocket {
    stream: WebSocketStream<TokioIo<Upgraded>>,
    protocol: String,
}

impl WebSocket {
    /// Returns the protocol that the server chose; empty if none.
    pub fn protocol(&self) -> &str {
        &self.protocol
    }

    /// Returns the next message; none when the server has closed.
    ///
    /// # Errors
    /// If the connection breaks or what comes is no WebSocket.
    pub async fn receive(&mut self) -> Result<Option<Bytes>, Error> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await.transpose()
    }

    /// Sends a message and waits until it is written.
    ///
    /// # Errors
    /// If the connection is broken or closed.
    pub async fn send(&mut self, message: impl Into<Bytes>) -> Result<(), Error> {
        SinkExt::send(self, Outgoing::Data(message.into())).await
    }

    /// Closes the connection.
    ///
    /// # Errors
    /// If the connection broke before.
    pub async fn close(&mut self) -> Result<(), Error> {
        match self.stream.close(None).await {
            Ok(()) | Err(WsError::ConnectionClosed | WsError::AlreadyClosed) => Ok(()),
            Err(error) => Err(broken(error)),
        }
    }
}

/// Reports whether a WebSocket that closes with a code has done what it should.
fn is_usual(code: CloseCode) -> bool {
    matches!(code, CloseCode::Normal | CloseCode::Away | CloseCode::Status)
}

fn broken(error: WsError) -> Error {
    Error::Connection(error.into())
}

impl Stream for WebSocket {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match ready!(Pin::new(&mut self.stream).poll_next(cx)) {
                Some(Ok(Message::Binary(bytes))) => return Poll::Ready(Some(Ok(bytes))),
                Some(Ok(Message::Text(text))) => return Poll::Ready(Some(Ok(text.into()))),
                Some(Ok(Message::Close(Some(frame)))) if !is_usual(frame.code) => {
                    let text = format!("websocket: close {}: {}", u16::from(frame.code), frame.reason);
                    return Poll::Ready(Some(Err(Error::Connection(text.into()))));
                }
                Some(Ok(_)) => {}
                None | Some(Err(WsError::ConnectionClosed | WsError::AlreadyClosed)) => {
                    return Poll::Ready(None);
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(broken(error)))),
            }
        }
    }
}

/// Outgoing frames other than messages.
#[derive(Debug)]
pub(crate) enum Outgoing {
    /// A message.
    Data(Bytes),
    /// A question whether the other side still lives. The answer is seen by nobody but the connection.
    Ping,
}

impl Sink<Outgoing> for WebSocket {
    type Error = Error;

    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Pin::new(&mut self.stream).poll_ready(cx).map_err(broken)
    }
    fn start_send(mut self: Pin<&mut Self>, outgoing: Outgoing) -> Result<(), Error> {
        let message = match outgoing {
            Outgoing::Data(bytes) => Message::Binary(bytes),
            Outgoing::Ping => Message::Ping(Bytes::new()),
        };
        Pin::new(&mut self.stream).start_send(message).map_err(broken)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Pin::new(&mut self.stream).poll_flush(cx).map_err(broken)
    }
    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Pin::new(&mut self.stream).poll_close(cx).map_err(broken)
    }
}

impl Request {
    /// Upgrades the request to a WebSocket, offering the protocols in this order.
    ///
    /// # Errors
    /// If the request was mistaken, there was no answer, or the server does not make a WebSocket of it.
    pub async fn upgrade(mut self, protocols: &[&str]) -> Result<WebSocket, Error> {
        // It stays open for as long as it is used; the server must not end it at the client's timeout.
        let timeout = self.timeout.take();
        let offered = HeaderValue::from_str(&protocols.join(", "))
            .map_err(|_| Error::Request(format!("{protocols:?} can't stand in a header")))?;
        within(timeout, async {
            let authorization = self.authorize().await?;
            let outcome = self.upgrade_once(&offered, &authorization).await;
            match outcome {
                Err(error) if error.is_unauthorized() => {
                    self.client.0.credentials.refused(&authorization);
                    let fresh = self.authorize().await?;
                    if fresh.header == authorization.header && fresh.identity == authorization.identity {
                        return Err(error);
                    }
                    self.upgrade_once(&offered, &fresh).await
                }
                outcome => outcome,
            }
        })
        .await
    }

    async fn upgrade_once(
        &self,
        protocols: &HeaderValue,
        authorization: &Authorization,
    ) -> Result<WebSocket, Error> {
        let uri = self.uri()?;
        let key = STANDARD.encode(fastrand::u128(..).to_be_bytes());
        let connector = self.client.0.pool.connector(authorization.identity.as_ref()).await?;
        let connection = connector.connect(uri.clone(), Offer::Http1).await.map_err(Error::Connection)?;

        let mut request = http::Request::new(Empty::<Bytes>::new());
        *request.method_mut() = Method::GET;
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        *request.uri_mut() = match connection.proxied {
            true => uri.clone(),
            false => target.parse().map_err(|_| Error::Request(format!("{target} is no target")))?,
        };
        let mut headers = self.all_headers(authorization);
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        headers.insert(HOST, value(authority)?);
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        headers.insert(SEC_WEBSOCKET_KEY, value(&key)?);
        if !protocols.is_empty() {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, protocols.clone());
        }
        *request.headers_mut() = headers;

        let response =
            exchange(connection, request).await.map_err(|error| Error::Connection(error.into()))?;
        self.hand_warnings(response.headers());
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            let (parts, body) = response.into_parts();
            let body = Limited::new(body, MAX_REFUSAL).collect().await;
            let body = body.map(|body| body.to_bytes()).unwrap_or_default();
            if parts.status.is_success() {
                let text = format!("unable to upgrade connection: {}", String::from_utf8_lossy(&body).trim());
                return Err(Error::Unexpected(text));
            }
            return Err(refusal::status(parts.status, &parts.headers, &body, self.about()).into());
        }
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        if header(SEC_WEBSOCKET_ACCEPT) != Some(&*derive_accept_key(key.as_bytes())) {
            return Err(Error::Unexpected("the server's answer to the WebSocket's key is wrong".to_owned()));
        }
        let protocol = header(SEC_WEBSOCKET_PROTOCOL).unwrap_or_default().to_owned();
        let offered = protocols.to_str().unwrap_or_default();
        if !protocol.is_empty() && !offered.split(", ").any(|offered| offered == protocol) {
            return Err(Error::Unexpected(format!(
                "the server chose the protocol {protocol}, which was not offered"
            )));
        }
        let upgraded = hyper::upgrade::on(response).await.map_err(|error| Error::Connection(error.into()))?;
        let config =
            WebSocketConfig::default().max_message_size(Some(MAX_MESSAGE)).max_frame_size(Some(MAX_MESSAGE));
        let stream =
            WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Client, Some(config)).await;
        Ok(WebSocket { stream, protocol })
    }
}

fn value(text: &str) -> Result<HeaderValue, Error> {
    HeaderValue::from_str(text).map_err(|_| Error::Request(format!("{text:?} can't stand in a header")))
}

async fn exchange(
    connection: Conn,
    request: http::Request<Empty<Bytes>>,
) -> Result<http::Response<hyper::body::Incoming>, hyper::Error> {
    let (mut sender, driver) = http1::handshake(connection).await?;
    // It goes on until the WebSocket or the answer is dropped; what goes wrong is seen there.
    tokio::spawn(driver.with_upgrades());
    sender.send_request(request).await
}
