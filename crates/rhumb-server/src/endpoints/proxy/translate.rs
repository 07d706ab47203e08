//! Commands in containers of nodes whose kubelet knows only SPDY: a client's WebSocket channels become streams.
//!
//! The client is told at once that its WebSocket is there. What goes wrong after that is told on the channel for
//! errors, as what becomes of the command is.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::stream::SplitStream;
use futures_util::{SinkExt, StreamExt};
use http::header::{CONNECTION, UPGRADE};
use http::{HeaderMap, HeaderValue, Method};
use http_body_util::{BodyExt, Limited};
use hyper_util::rt::TokioIo;
use rhumb_codec::{Format, spdy};
use rhumb_meta::v1::Status;
use rhumb_schema::text::quoted;
use tokio::io::{AsyncWrite, AsyncWriteExt, ReadHalf, split};
use tokio::sync::{Mutex, mpsc};
use tokio_tungstenite::tungstenite::Message;

use super::exchange::nothing;
use super::network::{Stream, Target};
use super::spdy::{Frame, Frames};
use super::tunnel::{
    SPDY, STREAM_PROTOCOL, Socket, ToClient, answered, farewell, grant, is_spdy, offered, open,
};
use super::upgrade::{Agreed, Channels, Said, ask};
use super::{Network, Passing};
use crate::base::failure::{Failure, Outcome};
use crate::base::response::{self, Response};
use crate::endpoints::context::RequestContext;

const V5: &str = "v5.channel.k8s.io";
const V4: &str = "v4.channel.k8s.io";

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const ERROR: u8 = 3;
const RESIZE: u8 = 4;
/// Followed by the number of the channel that ends.
const CLOSE: u8 = 255;

/// The reason that a command gives which ended with an exit code.
const NON_ZERO: &str = "NonZeroExitCode";
/// What a kubelet may say about what became of a command.
const LARGEST_STATUS: usize = 1 << 20;
/// How many answers to a kubelet's questions wait until they can be sent.
const PONGS: usize = 8;

/// Whether a client speaks a protocol that only newer kubelets know.
pub(super) fn concerns(headers: &HeaderMap) -> bool {
    offered(headers).any(|name| name == V5)
}

/// Opens a client's WebSocket and brings it together with a kubelet's SPDY.
pub(super) async fn answer(
    call: &RequestContext<'_>,
    mut passing: Passing,
    target: &Target,
    asked: &str,
    channels: Channels,
) -> Outcome<Response> {
    let granted = match grant(&passing.headers) {
        Ok(granted) => granted,
        Err(refusal) => return Ok(refusal),
    };
    let client = passing.upgrade.take();
    let client = client.ok_or_else(|| Failure::unexplained("request connection cannot be hijacked"))?;
    let (network, target, asked) = (Arc::clone(&call.api.network), target.clone(), asked.to_owned());
    let closing = call.api.closing();
    call.api.tasks.spawn(async move {
        let Ok(client) = client.await else { return };
        let mut socket = open(client).await;
        let told = tokio::select! {
            told = run(&network, &mut socket, &target, &asked, channels) => told,
            () = closing => None,
        };
        if let Some(told) = told {
            let _ = socket.send(message(ERROR, &told)).await;
        }
        farewell(&mut socket).await;
    });
    Ok(granted.answer(Some(V5)))
}

fn message(channel: u8, bytes: &[u8]) -> Message {
    let mut message = BytesMut::with_capacity(bytes.len() + 1);
    message.put_u8(channel);
    message.put_slice(bytes);
    Message::Binary(message.freeze())
}

/// A failure as it stands on the channel for errors.
fn written(status: &Status) -> Vec<u8> {
    response::encode(status, Format::Json, false)
        .map(|text| text.trim_ascii_end().to_vec())
        .unwrap_or_default()
}

/// Runs a command to its end, and gives what became of it; none if the client is gone.
async fn run(
    network: &Network,
    socket: &mut Socket,
    target: &Target,
    asked: &str,
    channels: Channels,
) -> Option<Vec<u8>> {
    // An empty message tells the client that the connection is there.
    let first = match channels {
        Channels { stdout: true, .. } => STDOUT,
        Channels { stderr: true, .. } => STDERR,
        _ => ERROR,
    };
    socket.send(message(first, b"")).await.ok()?;
    let agreed = match connected(network, target, asked).await {
        Ok(agreed) => agreed,
        Err(failure) => return Some(written(&failure.0)),
    };
    let Agreed { upgrade, working, .. } = agreed;
    let told = match upgrade.await {
        Ok(kubelet) => exchange(socket, TokioIo::new(kubelet), channels).await,
        Err(error) => Err(io::Error::other(error)),
    };
    drop(working);
    match told {
        Ok(told) => told,
        Err(error) => Some(written(&Failure::internal(error).0)),
    }
}

/// Asks a kubelet for SPDY.
async fn connected(network: &Network, target: &Target, asked: &str) -> Result<Agreed, Failure> {
    let mut headers = HeaderMap::new();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, SPDY);
    for name in [V5, V4] {
        headers.append(STREAM_PROTOCOL, HeaderValue::from_static(name));
    }
    let passing = Passing {
        method: Method::POST,
        path: String::new(),
        headers,
        host: None,
        peer: None,
        upgrade: None,
        body: nothing(),
    };
    let url = format!("{}://{}{asked}", target.scheme.as_str(), target.authority());
    let said = ask(network, passing, target, asked).await.map_err(|failure| {
        let message = &failure.0.message;
        let why = message.strip_prefix("error dialing backend: ").unwrap_or(message);
        Failure::internal(format!("error sending request: Post {}: {why}", quoted(&url)))
    })?;
    let refusal = match said {
        Said::Yes(agreed) if is_spdy(&agreed.head.headers) => return Ok(*agreed),
        Said::Yes(_) => String::new(),
        Said::No(answer) => {
            let body = Limited::new(answer.into_body(), LARGEST_STATUS).collect().await;
            let text = body.map(|body| body.to_bytes()).unwrap_or_default();
            if let Some(status) = status(&text) {
                return Err(status.into());
            }
            String::from_utf8_lossy(&text).trim().to_owned()
        }
    };
    Err(Failure::internal(format!("unable to upgrade connection: {refusal}")))
}

/// What a Status in JSON says, if it is one.
fn status(text: &[u8]) -> Option<Status> {
    let tree: serde_json::Value = serde_json::from_slice(text).ok()?;
    let word = |name: &str| tree[name].as_str().unwrap_or_default().to_owned();
    matches!(tree["status"].as_str(), Some("Success" | "Failure")).then(|| Status {
        status: word("status"),
        message: word("message"),
        reason: word("reason"),
        code: tree["code"].as_i64().and_then(|code| i32::try_from(code).ok()).unwrap_or_default(),
        ..Status::default()
    })
}

/// The streams of a command.
#[derive(Clone, Copy, Debug)]
struct Streams {
    error: u32,
    stdin: Option<u32>,
    stdout: Option<u32>,
    stderr: Option<u32>,
    resize: Option<u32>,
}

impl Streams {
    /// Numbers them, and writes the frames that open them.
    fn open(channels: Channels) -> (Self, Vec<Bytes>) {
        let mut opener = spdy::Writer::default();
        let mut frames = Vec::new();
        let mut next = 1;
        let mut open = |wanted: bool, name: &str| {
            let stream = next;
            if wanted {
                frames.push(opener.open(stream, &[("streamtype", name)]));
                next += 2;
            }
            wanted.then_some(stream)
        };
        let streams = Streams {
            error: open(true, "error").unwrap_or_default(),
            stdin: open(channels.stdin, "stdin"),
            stdout: open(channels.stdout, "stdout"),
            // A terminal shows both kinds of output as one.
            stderr: open(channels.stderr && !channels.tty, "stderr"),
            resize: open(channels.tty, "resize"),
        };
        (streams, frames)
    }
}

/// Moves everything both ways until the command has ended, and gives what became of it.
async fn exchange(
    socket: &mut Socket,
    kubelet: impl Stream,
    channels: Channels,
) -> io::Result<Option<Vec<u8>>> {
    let (from_kubelet, mut to_kubelet) = split(kubelet);
    let (streams, frames) = Streams::open(channels);
    for frame in frames {
        to_kubelet.write_all(&frame).await?;
    }
    to_kubelet.flush().await?;
    let (to_client, from_client) = socket.split();
    let to_client = Mutex::new(to_client);
    let (pongs, asked) = mpsc::channel(PONGS);
    tokio::select! {
        told = down(Frames::new(from_kubelet), &to_client, streams, pongs) => told,
        ended = up(from_client, &to_client, to_kubelet, streams, asked) => ended.map(|()| None),
    }
}

/// What a client sends, to the kubelet; it is over when the client is gone.
async fn up(
    mut from: SplitStream<&mut Socket>,
    to_client: &Mutex<ToClient<'_>>,
    mut to: impl AsyncWrite + Unpin,
    streams: Streams,
    mut pongs: mpsc::Receiver<u32>,
) -> io::Result<()> {
    loop {
        let frame = tokio::select! {
            Some(id) = pongs.recv() => Some(spdy::ping(id)),
            message = from.next() => match message {
                Some(Ok(Message::Binary(bytes))) => translated(&bytes, streams),
                Some(Ok(Message::Text(text))) => translated(text.as_bytes(), streams),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Ok(()),
                Some(Ok(Message::Ping(_))) if answered(to_client).await.is_err() => return Ok(()),
                Some(Ok(_)) => None,
            },
        };
        if let Some(frame) = frame {
            to.write_all(&frame).await?;
            to.flush().await?;
        }
    }
}

/// A client's message as a frame.
fn translated(message: &[u8], streams: Streams) -> Option<Bytes> {
    match message.split_first()? {
        (&STDIN, []) | (&RESIZE, []) => None,
        (&STDIN, bytes) => streams.stdin.map(|stream| spdy::data(stream, false, bytes)),
        (&RESIZE, bytes) => streams.resize.map(|stream| spdy::data(stream, false, bytes)),
        (&CLOSE, [STDIN]) => streams.stdin.map(end),
        (&CLOSE, [RESIZE]) => streams.resize.map(end),
        _ => None,
    }
}

/// The end of a stream.
fn end(stream: u32) -> Bytes {
    spdy::data(stream, true, b"")
}

/// What a kubelet sends, to the client; it is over when all that was to come has come.
async fn down(
    mut frames: Frames<ReadHalf<impl Stream>>,
    to: &Mutex<ToClient<'_>>,
    streams: Streams,
    pongs: mpsc::Sender<u32>,
) -> io::Result<Option<Vec<u8>>> {
    let mut told = Vec::new();
    let expected = [Some(streams.error), streams.stdout, streams.stderr];
    let mut open: BTreeSet<u32> = expected.into_iter().flatten().collect();
    while !open.is_empty() {
        match frames.next().await? {
            None => break,
            Some(Frame::End(stream)) => {
                open.remove(&stream);
            }
            // Numbers of our own questions would be odd. An answer that finds no room is none too many.
            Some(Frame::Ping(id)) if id % 2 == 0 => drop(pongs.try_send(id)),
            Some(Frame::Data(stream, bytes)) if stream == streams.error => {
                if told.len() + bytes.len() <= LARGEST_STATUS {
                    told.extend_from_slice(&bytes);
                }
            }
            Some(Frame::Data(stream, bytes)) if !bytes.is_empty() => {
                let channel = match Some(stream) {
                    known if known == streams.stdout => STDOUT,
                    known if known == streams.stderr => STDERR,
                    _ => continue,
                };
                if to.lock().await.send(message(channel, &bytes)).await.is_err() {
                    return Ok(None);
                }
            }
            Some(_) => {}
        }
    }
    // Every command's end is told. If this one's is not, nobody knows what became of it.
    if told.is_empty() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(Some(outcome(told))) }
}

/// What became of a command, as clients are told. That it could not be run is the server's error by then.
fn outcome(told: Vec<u8>) -> Vec<u8> {
    match status(&told) {
        Some(status) if status.status == "Failure" && status.reason != NON_ZERO => {
            written(&Failure::internal(status.message).0)
        }
        _ => told,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_become_streams() {
        let channels = Channels { stdin: true, stdout: true, stderr: true, tty: true };
        let (streams, frames) = Streams::open(channels);
        assert_eq!((streams.stdin, streams.stdout, streams.stderr), (Some(3), Some(5), None));
        assert_eq!((streams.error, streams.resize, frames.len()), (1, Some(7), 4));
        assert_eq!(translated(b"\0hi", streams), Some(spdy::data(3, false, b"hi")));
        assert_eq!(translated(b"\0", streams), None);
        assert_eq!(translated(b"\xff\0", streams), Some(end(3)));
        assert_eq!(translated(b"\x04{}", streams), Some(spdy::data(7, false, b"{}")));
        assert_eq!(translated(b"\x01no", streams), None);
        assert_eq!(translated(b"", streams), None);
    }
}
