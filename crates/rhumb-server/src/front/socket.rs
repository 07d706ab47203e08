//! Watches over WebSocket: every event is a message, of text for JSON and of bytes for protobuf.
//!
//! The stream of events is the one that a plain watch answers with. This takes it apart and puts each event
//! into a message of its own. What the client sends is not looked at; when it closes, the watch ends.

use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use http::header::{
    CONNECTION, CONTENT_TYPE, HeaderMap, HeaderName, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::authenticate::is_websocket;
use super::respond::{Plain, whole};
use super::shutdown::Pending;
use super::{Body, RequestBody};

/// How long the farewell may take.
const FAREWELL: Duration = Duration::from_secs(1);
/// The largest message that is read, and thrown away.
const LARGEST_MESSAGE: usize = 64 * 1024;

/// A client's wish to go on with WebSocket.
pub(crate) struct Wish {
    upgrade: OnUpgrade,
    accept: HeaderValue,
    protocol: Option<HeaderValue>,
}

/// Takes the wish for a WebSocket out of a request; none if it has none.
///
/// # Errors
/// The answer to a client that wishes it in a way that is not understood.
pub(crate) fn wish(request: &mut Request<RequestBody>) -> Result<Option<Wish>, Response<Body>> {
    if !is_websocket(request.headers()) {
        return Ok(None);
    }
    let (accept, protocol) = agree(request.headers())?;
    let names = [UPGRADE, CONNECTION, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION];
    for name in names {
        request.headers_mut().remove(name);
    }
    Ok(Some(Wish { upgrade: hyper::upgrade::on(request), accept, protocol }))
}

/// What the answer to a handshake says. One protocol is taken, whatever it is; of several none can be chosen.
fn agree(headers: &HeaderMap) -> Result<(HeaderValue, Option<HeaderValue>), Response<Body>> {
    let refusal = |why: &str| Response::from(Plain::error(StatusCode::BAD_REQUEST, why));
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let key = text(SEC_WEBSOCKET_KEY);
    if key.is_empty() {
        return Err(refusal("mismatch challenge/response"));
    }
    if text(SEC_WEBSOCKET_VERSION) != "13" {
        let mut response = refusal("missing or bad WebSocket Version");
        response.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        return Err(response);
    }
    let accept = HeaderValue::try_from(derive_accept_key(key.as_bytes()))
        .map_err(|_| refusal("mismatch challenge/response"))?;
    let offered = text(SEC_WEBSOCKET_PROTOCOL).trim();
    if offered.contains(',') {
        return Err(refusal("missing or bad WebSocket-Protocol"));
    }
    let protocol = (!offered.is_empty()).then(|| HeaderValue::try_from(offered).ok()).flatten();
    Ok((accept, protocol))
}

impl Wish {
    /// The answer to the handshake, after which the events of a watch go over the socket. An answer that is
    /// no watch stays as it is.
    pub(crate) fn grant(self, answer: Response<Body>, pending: Pending) -> Response<Body> {
        if answer.status() != StatusCode::OK {
            return answer;
        }
        let (head, events) = answer.into_parts();
        let content_type = head.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
        let form = if content_type.starts_with(b"application/json") { Form::Lines } else { Form::Prefixed };
        let upgrade = self.upgrade;
        tokio::spawn(async move {
            if let Ok(upgraded) = upgrade.await {
                let config = WebSocketConfig::default()
                    .max_message_size(Some(LARGEST_MESSAGE))
                    .max_frame_size(Some(LARGEST_MESSAGE));
                let io = TokioIo::new(upgraded);
                let mut socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
                send_all(&mut socket, events, form).await;
                // Whether the client says farewell too changes nothing.
                let _ = timeout(FAREWELL, farewell(&mut socket)).await;
            }
            drop(pending);
        });
        let mut response = Response::new(whole(Bytes::new()));
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        for (name, value) in &head.headers {
            if *name != CONTENT_TYPE {
                headers.append(name, value.clone());
            }
        }
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, self.accept);
        if let Some(protocol) = self.protocol {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, protocol);
        }
        response
    }
}

type Socket = WebSocketStream<TokioIo<hyper::upgrade::Upgraded>>;

/// Sends events until there are no more, or the client closes or is gone.
async fn send_all(socket: &mut Socket, mut events: Body, form: Form) {
    let mut buffer = BytesMut::new();
    loop {
        tokio::select! {
            frame = events.frame() => {
                let Some(Ok(frame)) = frame else { return };
                let Ok(data) = frame.into_data() else { continue };
                buffer.extend_from_slice(&data);
                while let Some(message) = form.next(&mut buffer) {
                    if socket.feed(message).await.is_err() {
                        return;
                    }
                }
                if socket.flush().await.is_err() {
                    return;
                }
            }
            received = socket.next() => match received {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
        }
    }
}

/// Closes, hears the other side out, and ends the connection. If it was the client who closed first, its word
/// is answered by reading on.
async fn farewell(socket: &mut Socket) {
    let _ = socket.close(None).await;
    while let Some(Ok(_)) = socket.next().await {}
    let _ = socket.get_mut().shutdown().await;
}

/// How the events of a stream are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Each is a line of text.
    Lines,
    /// Each has its length before it, in four bytes.
    Prefixed,
}

impl Form {
    /// Takes the first event, if all of it is there.
    fn next(self, buffer: &mut BytesMut) -> Option<Message> {
        match self {
            Form::Lines => {
                let end = buffer.iter().position(|byte| *byte == b'\n')?;
                let line = buffer.split_to(end + 1).freeze();
                Some(match Utf8Bytes::try_from(line.clone()) {
                    Ok(text) => Message::Text(text),
                    Err(_) => Message::Binary(line),
                })
            }
            Form::Prefixed => {
                let length: [u8; 4] = buffer.get(..4)?.try_into().ok()?;
                let length = usize::try_from(u32::from_be_bytes(length)).ok()?;
                buffer.get(4..)?.get(..length)?;
                buffer.advance(4);
                Some(Message::Binary(buffer.split_to(length).freeze()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_cut_where_they_end() {
        let mut buffer = BytesMut::from(&b"{\"a\":1}\n{\"b\""[..]);
        assert_eq!(Form::Lines.next(&mut buffer), Some(Message::text("{\"a\":1}\n")));
        assert_eq!(Form::Lines.next(&mut buffer), None);
        let mut buffer = BytesMut::from(&b"\0\0\0\x02ab\0\0\0\x09c"[..]);
        assert_eq!(Form::Prefixed.next(&mut buffer), Some(Message::binary(&b"ab"[..])));
        assert_eq!(Form::Prefixed.next(&mut buffer), None);
    }

    #[test]
    fn handshakes_are_answered_as_kubernetes_does() {
        let ask = |sent: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in sent {
                headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            agree(&headers).map_err(|refusal| refusal.status().as_u16())
        };
        let key = ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        let version = ("sec-websocket-version", "13");
        let (accept, protocol) = ask(&[key, version]).unwrap();
        assert_eq!((accept.as_bytes(), protocol), (&b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="[..], None));
        let (_, protocol) =
            ask(&[key, version, ("sec-websocket-protocol", " base64.binary.k8s.io")]).unwrap();
        assert_eq!(protocol, Some(HeaderValue::from_static("base64.binary.k8s.io")));
        assert_eq!(ask(&[key, version, ("sec-websocket-protocol", "a, b")]), Err(400));
        assert_eq!(ask(&[key]), Err(400));
        assert_eq!(ask(&[version]), Err(400));
    }
}
