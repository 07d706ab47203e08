//! The listener: connections, TLS, and HTTP/1.1 or HTTP/2 on them.
//!
//! A client that stalls costs a task and a timer for a while, never a thread: the handshake, the first request and
//! every request's head have to come in time, answers have to be taken, and connections on which nothing happens are
//! closed. One that asks and gives up, again and again, is cut off.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use http::Request;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use rustls::ServerConfig;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use super::tls::HTTP2;
use crate::authentication::Presented;
use crate::base::memory;
use crate::base::request::{Peer, RequestBody};
use crate::base::response::held;
use crate::base::shutdown::{Shutdown, ShutdownTrigger};
use crate::filters::activity::{Activity, Busy, IDLE};
use crate::filters::{Afterwards, Filters};

/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How often a quiet HTTP/2 client is asked whether it is still there, and how long it has to say so.
const PING: Duration = Duration::from_secs(30);
const PING_ANSWER: Duration = Duration::from_secs(15);
/// How many requests may be under way on one connection.
const STREAMS: u32 = 250;
/// How large a request's head may be.
const LARGEST_HEAD: usize = 1 << 20;
/// How many requests may be waiting to be thrown away on a connection because the client took them back.
const TAKEN_BACK: usize = 20;
/// How many requests of a connection may be refused for what is wrong with their frames.
const MALFORMED: usize = 100;
/// So many connections are many.
const MANY: usize = 128;
/// What is answered to those who don't encrypt, as Go's servers say it.
const NOT_ENCRYPTED: &[u8] =
    b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
/// How long a connection may be silent before the other side is asked whether it is still there.
const SILENT: Duration = Duration::from_secs(30);
/// How long to wait when no connection can be taken, because files are short.
const SHORT_OF_FILES: Duration = Duration::from_millis(100);

/// After how many connections that ended the memory they took is given back. Each takes some 40 KiB.
const CROWD: usize = 100;

/// How many bytes a connection may hold that were not read on one side or the other.
#[derive(Clone, Copy)]
struct Buffers {
    /// How many are encrypted before they are handed to the network.
    encrypted: usize,
    /// How many may come for one request of HTTP/2 before they are asked for, and for all.
    stream_window: u32,
    connection_window: u32,
}

impl Buffers {
    /// Those of a connection that comes to so many others. As many bytes are encrypted at once as the pieces of long
    /// answers have at most, so that each goes out with one call. Among many connections each has less.
    fn beside(connections: usize) -> Self {
        if connections < MANY {
            return Buffers { encrypted: 160 << 10, stream_window: 256 << 10, connection_window: 1 << 20 };
        }
        Buffers { encrypted: 32 << 10, stream_window: 64 << 10, connection_window: 64 << 10 }
    }
}

/// Takes connections until it is told to stop, then lets those that are open end what they do.
pub(crate) struct Listener {
    stop: ShutdownTrigger,
    task: tokio::task::JoinHandle<()>,
}

impl Listener {
    /// Begins to take connections. Each gets the TLS that is in force when it comes, or none.
    pub(crate) fn start(
        socket: TcpListener,
        tls: Option<Arc<ArcSwap<ServerConfig>>>,
        filters: Arc<Filters>,
    ) -> Self {
        let (stop, stopped) = ShutdownTrigger::new();
        let task = tokio::spawn(accept(socket, tls, filters, stopped));
        Listener { stop, task }
    }

    /// Takes no more connections and closes those that are open; what is left after a while is cut off.
    pub(crate) async fn stop(mut self, patience: Duration) {
        self.stop.pull();
        if timeout(patience, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

async fn accept(
    socket: TcpListener,
    tls: Option<Arc<ArcSwap<ServerConfig>>>,
    filters: Arc<Filters>,
    stopped: Shutdown,
) {
    // Connections end with this set, so none outlives the server.
    let mut connections = JoinSet::new();
    let mut ended = 0;
    loop {
        tokio::select! {
            () = stopped.requested() => break,
            Some(_) = connections.join_next() => {
                ended += 1;
                if ended == CROWD {
                    ended = 0;
                    tokio::spawn(memory::give_back());
                }
            }
            taken = socket.accept() => match taken {
                Ok((stream, address)) => {
                    let peer = Peer(address);
                    let tls = tls.as_ref().map(|tls| TlsAcceptor::from(tls.load_full()));
                    let buffers = Buffers::beside(connections.len());
                    let (filters, stopped) = (Arc::clone(&filters), stopped.clone());
                    connections.spawn(connection(stream, peer, tls, buffers, filters, stopped));
                }
                Err(error) => {
                    if filters.sparing.connections.allows(filters.clock.elapsed()) {
                        tracing::warn!(%error, "a connection can't be taken");
                    }
                    sleep(SHORT_OF_FILES).await;
                }
            },
        }
    }
    drop(socket);
    while connections.join_next().await.is_some() {}
}

async fn connection(
    stream: TcpStream,
    peer: Peer,
    tls: Option<TlsAcceptor>,
    buffers: Buffers,
    filters: Arc<Filters>,
    stopped: Shutdown,
) {
    // Small answers go out at once; if that can't be had, they go out all the same.
    let _ = stream.set_nodelay(true);
    // A client that went without a word is noticed at last.
    let _ = SockRef::from(&stream).set_tcp_keepalive(&TcpKeepalive::new().with_time(SILENT));
    let mut builder = auto::Builder::new(TokioExecutor::new());
    limit(&mut builder, buffers);
    let Some(tls) = tls else {
        return serve(stream, peer, builder, filters, None, stopped).await;
    };
    match timeout(HANDSHAKE, speaks_http(&stream)).await {
        Ok(false) => {}
        Ok(true) => {
            let mut stream = stream;
            // A connection that is closed with something unread is reset, and the answer may be lost. Whether it
            // arrives or not, the connection ends.
            let _ = stream.try_read(&mut [0; 4096]);
            let _ = stream.write_all(NOT_ENCRYPTED).await;
            return;
        }
        Err(_) => {
            tracing::debug!(peer = %peer.0, "a TLS handshake took too long");
            return;
        }
    }
    let accepting = tls.accept_with(stream, |session| session.set_buffer_limit(Some(buffers.encrypted)));
    let stream = match timeout(HANDSHAKE, accepting).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            tracing::debug!(peer = %peer.0, %error, "a TLS handshake failed");
            return;
        }
        Err(_) => {
            tracing::debug!(peer = %peer.0, "a TLS handshake took too long");
            return;
        }
    };
    let (_, session) = stream.get_ref();
    let presented = session
        .peer_certificates()
        .and_then(|chain| filters.starting.chain.certificates.present(chain))
        .map(Arc::new);
    let is_http2 = session.alpn_protocol() == Some(HTTP2);
    let builder = if is_http2 { builder.http2_only() } else { builder.http1_only() };
    serve(stream, peer, builder, filters, presented, stopped).await;
}

/// Whether what comes first is a request of HTTP, which should have been encrypted. It is left where it is.
async fn speaks_http(stream: &TcpStream) -> bool {
    let mut first = [0; 5];
    let is_there = matches!(stream.peek(&mut first).await, Ok(5));
    is_there && [b"GET /", b"HEAD ", b"POST ", b"PUT /", b"OPTIO"].contains(&&first)
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    peer: Peer,
    builder: auto::Builder<TokioExecutor>,
    filters: Arc<Filters>,
    presented: Option<Arc<Presented>>,
    stopped: Shutdown,
) {
    let activity = Arc::new(Activity::default());
    let service = service_fn({
        let activity = Arc::clone(&activity);
        move |mut request: Request<RequestBody>| {
            request.extensions_mut().insert(peer);
            let (filters, presented, activity) =
                (Arc::clone(&filters), presented.clone(), Arc::clone(&activity));
            async move {
                let mut busy = Busy::begin(Arc::clone(&activity), filters.clock.elapsed());
                let (response, afterwards) = filters.serve(request, presented, &busy).await;
                busy.answered();
                if afterwards == Afterwards::Close {
                    activity.close.notify_one();
                }
                Ok::<_, Infallible>(response.map(|body| held(body, busy)))
            }
        }
    });
    let mut serving = pin!(builder.serve_connection_with_upgrades(TokioIo::new(stream), service));
    tokio::select! {
        _ = serving.as_mut() => return,
        why = activity.bad() => {
            tracing::warn!(peer = %peer.0, why, "a connection was cut off");
            return;
        }
        () = stopped.requested() => {}
        () = activity.close.notified() => {}
        () = activity.idle() => {}
    }
    serving.as_mut().graceful_shutdown();
    // Whatever went wrong on the connection, the client has seen it; there is nobody else to tell.
    tokio::select! {
        _ = serving => {}
        () = activity.quiet() => {}
    }
}

/// Sets the bounds within which clients may use a connection.
fn limit(builder: &mut auto::Builder<TokioExecutor>, buffers: Buffers) {
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE)
        .max_buf_size(LARGEST_HEAD)
        .keep_alive(true);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .initial_stream_window_size(buffers.stream_window)
        .initial_connection_window_size(buffers.connection_window)
        .max_header_list_size(u32::try_from(LARGEST_HEAD).unwrap_or(u32::MAX))
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING_ANSWER)
        .max_pending_accept_reset_streams(TAKEN_BACK)
        .max_local_error_reset_streams(MALFORMED);
}
