//! Port forwarding to pods through the API server.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use parking_lot::Mutex;
use rhumb_api::core::v1::PodPortForwardOptions;
use rhumb_codec::spdy::{self, Frame, Reader, Writer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf, duplex};
use tokio::sync::{Mutex as AsyncMutex, mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use crate::Error;
use crate::rest::{Client, Outgoing, WebSocket};

const PROTOCOL: &str = "SPDY/3.1+portforward.k8s.io";
const PING_PERIOD: Duration = Duration::from_secs(10);
const SILENCE: Duration = Duration::from_secs(61);
const BUFFER: usize = 64 << 10;
const PIECE: usize = 32 << 10;
/// Capacity in frames of the queues of each stream and the connection.
const QUEUE: usize = 32;
/// Maximum size of an error message from the server.
const MAX_ERROR: usize = 64 << 10;

/// Port forwarding to a pod. Clones share one connection, which lives as long as any of them or its streams.
#[derive(Clone, Debug)]
pub struct PortForward {
    session: Arc<Session>,
    running: Arc<Running>,
    ended: watch::Receiver<bool>,
}

/// The connection's task, aborted with its handle.
#[derive(Debug)]
struct Running(JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[derive(Debug)]
struct Session {
    opening: AsyncMutex<Opening>,
    /// Senders of incoming data by stream.
    streams: Mutex<Streams>,
    out: mpsc::Sender<Bytes>,
}

/// State that must be used in order, since the headers of all streams are one compressed stream.
#[derive(Debug)]
struct Opening {
    writer: Writer,
    next_stream: u32,
    next_request: u32,
}

#[derive(Debug, Default)]
struct Streams {
    open: HashMap<u32, mpsc::Sender<Bytes>>,
    /// No more are taken.
    closed: bool,
}

impl Client {
    /// Opens port forwarding to a pod.
    ///
    /// # Errors
    /// If the server refuses it, or can't forward ports through a WebSocket (before Kubernetes 1.31).
    pub async fn port_forward(&self, namespace: &str, pod: &str) -> Result<PortForward, Error> {
        let request = self.pod(namespace, pod, "portforward", &PodPortForwardOptions::default());
        let socket = request.upgrade(&[PROTOCOL]).await?;
        if socket.protocol() != PROTOCOL {
            let text = format!(
                "unable to negotiate protocol: client supports {PROTOCOL:?}, server returned {:?}",
                socket.protocol()
            );
            return Err(Error::Unexpected(text));
        }
        let (out, frames) = mpsc::channel(QUEUE);
        let opening = Opening { writer: Writer::default(), next_stream: 1, next_request: 0 };
        let session = Arc::new(Session { opening: AsyncMutex::new(opening), streams: Mutex::default(), out });
        let (end, ended) = watch::channel(false);
        let (sink, stream) = socket.split();
        let task = Arc::clone(&session);
        let running = tokio::spawn(async move {
            tokio::select! {
                () = receive(&task, stream) => {}
                () = send(sink, frames) => {}
            }
            task.close();
            end.send_replace(true);
        });
        Ok(PortForward { session, running: Arc::new(Running(running)), ended })
    }
}

impl PortForward {
    /// Opens a connection to a port of the pod.
    ///
    /// Whether anything listens there shows when it is used: see [`ForwardedStream::finish`].
    ///
    /// # Errors
    /// If the connection to the server has ended.
    pub async fn open(&self, port: u16) -> Result<ForwardedStream, Error> {
        let lost = || Error::Connection("lost connection to pod".into());
        let mut opening = self.session.opening.lock().await;
        let (errors, data) = (opening.next_stream, opening.next_stream.saturating_add(2));
        let request = opening.next_request;
        opening.next_stream = data.saturating_add(2);
        opening.next_request = request.wrapping_add(1);
        if data > i32::MAX.unsigned_abs() - 2 {
            return Err(lost());
        }
        let from_errors = self.session.expect(errors).ok_or_else(lost)?;
        let from_data = self.session.expect(data).ok_or_else(lost)?;
        let (port, request) = (port.to_string(), request.to_string());
        let headers = |kind| [("streamtype", kind), ("port", &*port), ("requestid", &*request)];
        let frames = [
            opening.writer.open(errors, &headers("error")),
            // Nothing is written there.
            spdy::data(errors, true, b""),
            opening.writer.open(data, &headers("data")),
        ];
        for frame in frames {
            self.session.out.send(frame).await.map_err(|_| lost())?;
        }
        drop(opening);
        let (near, far) = duplex(BUFFER);
        let (tell, told) = oneshot::channel();
        tokio::spawn(async move {
            // Whoever asked may no longer want to know.
            let _ = tell.send(read_error(from_errors).await);
        });
        tokio::spawn(pump(Arc::clone(&self.session), data, far, from_data));
        Ok(ForwardedStream { io: near, told, _running: Arc::clone(&self.running) })
    }

    /// Waits until the connection to the server has ended.
    pub async fn ended(&mut self) {
        // When the task is gone, it has ended as well.
        let _ = self.ended.wait_for(|ended| *ended).await;
    }
}

impl Session {
    /// Keeps what comes on a stream for the one who asks; none if no more streams are taken.
    fn expect(&self, stream: u32) -> Option<mpsc::Receiver<Bytes>> {
        let mut streams = self.streams.lock();
        if streams.closed {
            return None;
        }
        let (sender, receiver) = mpsc::channel(QUEUE);
        streams.open.insert(stream, sender);
        Some(receiver)
    }

    fn end(&self, stream: u32) {
        self.streams.lock().open.remove(&stream);
    }

    fn close(&self) {
        let mut streams = self.streams.lock();
        streams.closed = true;
        streams.open.clear();
    }

    /// Does what a frame says.
    async fn take(&self, frame: Frame) {
        match frame {
            Frame::Data { stream, last, bytes } => {
                let receiver = self.streams.lock().open.get(&stream).cloned();
                if let Some(receiver) = receiver.filter(|_| !bytes.is_empty()) {
                    // One who doesn't read holds up all others: there is no flow control that could tell the server.
                    let _ = receiver.send(bytes).await;
                }
                if last {
                    self.end(stream);
                }
            }
            Frame::Reply { stream, last: true } | Frame::Reset { stream, .. } => self.end(stream),
            // Numbers of our own questions are odd. An answer that finds no room is none too many.
            Frame::Ping(id) if id % 2 == 0 => drop(self.out.try_send(spdy::ping(id))),
            Frame::GoAway => self.streams.lock().closed = true,
            _ => {}
        }
    }
}

async fn receive(session: &Session, mut socket: SplitStream<WebSocket>) {
    let mut reader = Reader::default();
    while let Ok(Some(Ok(message))) = timeout(SILENCE, socket.next()).await {
        reader.feed(&message);
        loop {
            match reader.next_frame() {
                Ok(Some(frame)) => session.take(frame).await,
                Ok(None) => break,
                Err(_) => return,
            }
        }
    }
}

async fn send(mut socket: SplitSink<WebSocket, Outgoing>, mut frames: mpsc::Receiver<Bytes>) {
    let mut pings = interval_at(Instant::now() + PING_PERIOD, PING_PERIOD);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut next_ping = 1u32;
    loop {
        let frame = tokio::select! {
            frame = frames.recv() => match frame {
                Some(frame) => frame,
                None => return,
            },
            _ = pings.tick() => {
                let id = next_ping;
                next_ping = next_ping.wrapping_add(2);
                spdy::ping(id)
            }
        };
        if socket.send(Outgoing::Data(frame)).await.is_err() {
            return;
        }
    }
}

async fn read_error(mut pieces: mpsc::Receiver<Bytes>) -> String {
    let mut text = Vec::new();
    while let Some(piece) = pieces.recv().await {
        if text.len() + piece.len() <= MAX_ERROR {
            text.extend_from_slice(&piece);
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Moves bytes both ways until the pod has no more, or nobody reads them.
async fn pump(session: Arc<Session>, stream: u32, io: DuplexStream, mut pieces: mpsc::Receiver<Bytes>) {
    let (mut from, mut to) = tokio::io::split(io);
    let up = async {
        let mut buffer = vec![0; PIECE];
        loop {
            let length = from.read(&mut buffer).await.unwrap_or_default();
            let bytes = buffer.get(..length).unwrap_or_default();
            if session.out.send(spdy::data(stream, bytes.is_empty(), bytes)).await.is_err() {
                return;
            }
            if bytes.is_empty() {
                // The other direction may go on.
                std::future::pending::<()>().await;
            }
        }
    };
    let down = async {
        while let Some(piece) = pieces.recv().await {
            if to.write_all(&piece).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = up => {}
        () = down => {}
    }
    session.end(stream);
    let _ = session.out.send(spdy::reset(stream)).await;
    let _ = to.shutdown().await;
}

/// A connection to a port of a pod.
#[derive(Debug)]
pub struct ForwardedStream {
    io: DuplexStream,
    told: oneshot::Receiver<String>,
    _running: Arc<Running>,
}

impl ForwardedStream {
    /// Closes the connection, and waits for an error message of the server.
    ///
    /// # Errors
    /// What went wrong: nothing listens at the port, for example.
    pub async fn finish(self) -> Result<(), Error> {
        let ForwardedStream { io, told, _running } = self;
        drop(io);
        match told.await {
            Ok(text) if !text.is_empty() => Err(Error::Unexpected(text)),
            _ => Ok(()),
        }
    }
}

impl AsyncRead for ForwardedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl AsyncWrite for ForwardedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
