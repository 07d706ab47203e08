//! Watches over WebSocket: every event is a message, of text for JSON and of bytes for protobuf.
//!
//! The stream of events is the one that a plain watch answers with. This takes it apart and puts each event
//! into a message of its own. What the client sends is not looked at; when it closes, the watch ends.

use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use http::header::{
    CONNECTION, CONTENT_TYPE, HeaderMap, HeaderName, ORIGIN, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use rhumb_meta::url::Url;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use crate::base::request::{RequestBody, is_websocket};
use crate::base::response::Body;
use crate::base::shutdown::Pending;
use crate::filters::refusal::whole;

/// How long the farewell may take.
const FAREWELL: Duration = Duration::from_secs(1);
/// The largest message that is read, and thrown away.
const LARGEST_MESSAGE: usize = 64 * 1024;

/// A client's wish to go on with WebSocket.
pub(crate) struct Wish {
    upgrade: OnUpgrade,
    agreed: Result<Agreed, Refusal>,
}

/// What the answer to a handshake says.
#[derive(Debug, PartialEq, Eq)]
struct Agreed {
    accept: HeaderValue,
    protocol: Option<HeaderValue>,
}

/// Why there is no WebSocket: a code, and perhaps words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Refusal(StatusCode, &'static str);

const BAD_CHALLENGE: Refusal = Refusal(StatusCode::BAD_REQUEST, "mismatch challenge/response");
const BAD_VERSION: Refusal = Refusal(StatusCode::BAD_REQUEST, "missing or bad WebSocket Version");
const BAD_ORIGIN: Refusal = Refusal(StatusCode::FORBIDDEN, "");
const BAD_PROTOCOL: Refusal = Refusal(StatusCode::BAD_REQUEST, "");

impl From<Refusal> for Response<Body> {
    fn from(refusal: Refusal) -> Self {
        let mut response = Response::new(whole(refusal.1));
        *response.status_mut() = refusal.0;
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        if refusal == BAD_VERSION {
            response.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        }
        response
    }
}

/// Takes the wish for a WebSocket out of a request; none if it has none.
pub(crate) fn wish(request: &mut Request<RequestBody>) -> Option<Wish> {
    if !is_websocket(request.headers()) {
        return None;
    }
    let agreed = agree(request.headers());
    let names = [UPGRADE, CONNECTION, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION];
    for name in names {
        request.headers_mut().remove(name);
    }
    Some(Wish { upgrade: hyper::upgrade::on(request), agreed })
}

/// Agrees on a handshake. It must say where it comes from, as browsers do, though any origin will do. One protocol is
/// taken, whatever it is; of several none can be chosen.
fn agree(headers: &HeaderMap) -> Result<Agreed, Refusal> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let key = text(SEC_WEBSOCKET_KEY);
    if key.is_empty() {
        return Err(BAD_CHALLENGE);
    }
    if text(SEC_WEBSOCKET_VERSION) != "13" {
        return Err(BAD_VERSION);
    }
    let accept = HeaderValue::try_from(derive_accept_key(key.as_bytes())).map_err(|_| BAD_CHALLENGE)?;
    if !Url::is_request_uri(text(ORIGIN)) {
        return Err(BAD_ORIGIN);
    }
    let offered = text(SEC_WEBSOCKET_PROTOCOL).trim();
    if offered.contains(',') {
        return Err(BAD_PROTOCOL);
    }
    let protocol = (!offered.is_empty()).then(|| HeaderValue::try_from(offered).ok()).flatten();
    Ok(Agreed { accept, protocol })
}

impl Wish {
    /// The answer to the handshake, after which the events of a watch go over the socket. An answer that is
    /// no watch stays as it is.
    pub(crate) fn grant(self, answer: Response<Body>, pending: Pending) -> Response<Body> {
        if answer.status() != StatusCode::OK {
            return answer;
        }
        let Agreed { accept, protocol } = match self.agreed {
            Ok(agreed) => agreed,
            Err(refusal) => return refusal.into(),
        };
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
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
        if let Some(protocol) = protocol {
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
                // The copy takes the place of what was counted.
                let _taken = data.taken();
                buffer.put(data);
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
                // A ping has its answer taken before the next is read. Those of a client that reads nothing would
                // fill the memory else.
                Some(Ok(_)) => {
                    if socket.flush().await.is_err() {
                        return;
                    }
                }
            },
        }
    }
}

/// Closes, hears the other side out, and ends the connection. If it was the client who closed first, its word
/// is answered by reading on.
async fn farewell(socket: &mut Socket) {
    let normal = CloseFrame { code: CloseCode::Normal, reason: Utf8Bytes::default() };
    let _ = socket.close(Some(normal)).await;
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
            agree(&headers).map_err(|refusal| refusal.0.as_u16())
        };
        let key = ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        let version = ("sec-websocket-version", "13");
        let origin = ("origin", "https://example.com");
        let agreed = ask(&[key, version, origin]).unwrap();
        assert_eq!(agreed.accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        assert_eq!(agreed.protocol, None);
        let offered = ("sec-websocket-protocol", " base64.binary.k8s.io");
        let agreed = ask(&[key, version, origin, offered]).unwrap();
        assert_eq!(agreed.protocol, Some(HeaderValue::from_static("base64.binary.k8s.io")));
        assert_eq!(ask(&[key, version, origin, ("sec-websocket-protocol", "a, b")]), Err(400));
        assert_eq!(ask(&[key, version]), Err(403));
        assert_eq!(ask(&[key, version, ("origin", "null")]), Err(403));
        assert_eq!(ask(&[key]), Err(400));
        assert_eq!(ask(&[version]), Err(400));
    }
}
