//! Ports of pods on nodes whose kubelet knows no WebSocket: the client's SPDY comes in WebSocket messages, and is
//! handed to the kubelet without them.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use http::header::{
    CONNECTION, HeaderMap, HeaderName, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{HeaderValue, Method, StatusCode};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt, split};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::Passing;
use super::exchange::{self, nothing};
use super::network::{Stream, Target};
use super::upgrade::{Agreed, Said, ask};
use crate::base::failure::{Failure, Outcome};
use crate::base::request::{header_text, is_websocket};
use crate::base::response::{self, Response, whole};
use crate::endpoints::context::RequestContext;

pub(super) const STREAM_PROTOCOL: HeaderName = HeaderName::from_static("x-stream-protocol-version");
pub(super) const SPDY: HeaderValue = HeaderValue::from_static("SPDY/3.1");
/// What the names of protocols begin with that are tunnelled.
const PREFIX: &str = "SPDY/3.1+";
const SUFFIX: &str = ".k8s.io";
/// The largest message that is read.
const LARGEST_MESSAGE: usize = 4 << 20;
/// How many bytes of the kubelet go into one message.
const PIECE: usize = 32 << 10;
/// How long the farewell may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// A client's WebSocket.
pub(super) type Socket = WebSocketStream<TokioIo<Upgraded>>;
/// The half of it that is written to.
pub(super) type ToClient<'a> = SplitSink<&'a mut Socket, Message>;

/// The protocols that a client offers for its WebSocket; none if it wants no WebSocket.
pub(super) fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let all = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    all.filter(|_| is_websocket(headers)).flat_map(|value| value.split(',')).map(str::trim)
}

fn tunnelled(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    offered(headers).filter(|name| name.ends_with(SUFFIX)).filter_map(|name| name.strip_prefix(PREFIX))
}

/// Whether a client wants its SPDY tunnelled.
pub(super) fn concerns(headers: &HeaderMap) -> bool {
    tunnelled(headers).next().is_some()
}

/// Opens a tunnel to a kubelet.
pub(super) async fn answer(
    call: &RequestContext<'_>,
    mut passing: Passing,
    target: &Target,
    asked: &str,
) -> Outcome<Response> {
    let names: Vec<HeaderValue> =
        tunnelled(&passing.headers).filter_map(|name| HeaderValue::from_str(name).ok()).collect();
    let granted = match grant(&passing.headers) {
        Ok(granted) => granted,
        Err(refusal) => return Ok(refusal),
    };
    let client = passing.upgrade.take();
    let client = client.ok_or_else(|| Failure::unexplained("request connection cannot be hijacked"))?;
    for name in [SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, STREAM_PROTOCOL] {
        passing.headers.remove(name);
    }
    passing.method = Method::POST;
    passing.body = nothing();
    passing.headers.insert(UPGRADE, SPDY);
    for name in names {
        passing.headers.append(STREAM_PROTOCOL, name);
    }
    let agreed = match ask(&call.api.network, passing, target, asked).await? {
        Said::Yes(agreed) => agreed,
        Said::No(answer) => return Ok(answer),
    };
    let Agreed { head, upgrade, working } = *agreed;
    if !is_spdy(&head.headers) {
        return Ok(response::text(500, "unable to upgrade: missing upgrade headers in response\n"));
    }
    let chosen = header_text(&head.headers, STREAM_PROTOCOL).trim().to_owned();
    let protocol = (!chosen.is_empty()).then(|| format!("{PREFIX}{chosen}"));
    let closing = call.api.closing();
    call.api.tasks.spawn(async move {
        if let (Ok(client), Ok(other)) = (client.await, upgrade.await) {
            let mut socket = open(client).await;
            tokio::select! {
                () = carry(&mut socket, TokioIo::new(other)) => {}
                () = closing => {}
            }
            farewell(&mut socket).await;
        }
        drop::<exchange::Working>(working);
    });
    Ok(granted.answer(protocol.as_deref()))
}

/// Whether a kubelet agreed to SPDY.
pub(super) fn is_spdy(headers: &HeaderMap) -> bool {
    let has = |name, wanted: &str| header_text(headers, name).to_ascii_lowercase().contains(wanted);
    has(CONNECTION, "upgrade") && has(UPGRADE, "spdy/3.1")
}

/// A handshake that can be answered.
pub(super) struct Granted(HeaderValue);

/// Looks at the handshake of a WebSocket; what is wrong with it is the answer.
pub(super) fn grant(headers: &HeaderMap) -> Result<Granted, Response> {
    let key = header_text(headers, SEC_WEBSOCKET_KEY);
    if key.is_empty() || header_text(headers, SEC_WEBSOCKET_VERSION) != "13" {
        let mut refusal = response::text(400, "Bad Request\n");
        response::set(&mut refusal, SEC_WEBSOCKET_VERSION, "13");
        return Err(refusal);
    }
    let accept = HeaderValue::try_from(derive_accept_key(key.as_bytes()));
    accept.map(Granted).map_err(|_| response::text(400, "Bad Request\n"))
}

impl Granted {
    /// The answer to the handshake.
    pub(super) fn answer(self, protocol: Option<&str>) -> Response {
        let mut answer = Response::new(whole(Bytes::new()));
        *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = answer.headers_mut();
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, self.0);
        if let Some(protocol) = protocol {
            response::set(&mut answer, SEC_WEBSOCKET_PROTOCOL, protocol);
        }
        answer
    }
}

/// The WebSocket on a client's connection.
pub(super) async fn open(client: Upgraded) -> Socket {
    let config = WebSocketConfig::default()
        .max_message_size(Some(LARGEST_MESSAGE))
        .max_frame_size(Some(LARGEST_MESSAGE));
    WebSocketStream::from_raw_socket(TokioIo::new(client), Role::Server, Some(config)).await
}

/// Closes a WebSocket, and says that all is well: clients take anything else for an error. Whether they say farewell
/// too changes nothing.
pub(super) async fn farewell(socket: &mut Socket) {
    let both = async {
        let _ = socket.close(Some(CloseFrame { code: CloseCode::Normal, reason: "".into() })).await;
        while let Some(Ok(_)) = socket.next().await {}
        let _ = socket.get_mut().shutdown().await;
    };
    let _ = timeout(FAREWELL, both).await;
}

/// Waits until the answer to a ping is taken, so that those of a client that reads nothing don't fill the memory.
pub(super) async fn answered(to_client: &Mutex<ToClient<'_>>) -> Result<(), Error> {
    to_client.lock().await.flush().await
}

/// Carries what messages have one way, and bytes as messages the other, until one side ends.
async fn carry(socket: &mut Socket, other: impl Stream) {
    let (mut from_other, mut to_other) = split(other);
    let (to_client, mut from_client) = socket.split();
    let to_client = Mutex::new(to_client);
    let up = async {
        while let Some(Ok(message)) = from_client.next().await {
            let bytes = match message {
                Message::Binary(bytes) => bytes,
                Message::Close(_) => return,
                Message::Ping(_) if answered(&to_client).await.is_err() => return,
                _ => continue,
            };
            if to_other.write_all(&bytes).await.is_err() || to_other.flush().await.is_err() {
                return;
            }
        }
    };
    let down = async {
        let mut buffer = BytesMut::with_capacity(PIECE);
        while let Ok(1..) = from_other.read_buf(&mut buffer).await {
            let message = Message::Binary(buffer.split().freeze());
            if to_client.lock().await.send(message).await.is_err() {
                return;
            }
            buffer.reserve(PIECE);
        }
    };
    tokio::select! {
        () = up => {}
        () = down => {}
    }
}
