//! The listener: connections, TLS, and HTTP/1.1 or HTTP/2 on them.
//!
//! A client that stalls costs a task and a timer for a while, never a thread: the handshake, the first request and
//! every request's head have to come in time, and connections on which nothing happens are closed.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use http::Request;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::authenticate::Presented;
use super::shutdown::{Shutdown, ShutdownTrigger};
use super::tls::HTTP2;
use super::{Afterwards, Front, RequestBody, held};
use crate::reach::Peer;

/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long the first request may let wait for itself.
const FIRST_REQUEST: Duration = Duration::from_secs(32);
/// How long a connection may do nothing, and how long a request's head may take.
const IDLE: Duration = Duration::from_secs(90);
/// How often a quiet HTTP/2 client is asked whether it is still there, and how long it has to say so.
const PING: Duration = Duration::from_secs(30);
const PING_ANSWER: Duration = Duration::from_secs(15);
/// How many requests may be under way on one connection.
const STREAMS: u32 = 250;
/// How large a request's head may be.
const LARGEST_HEAD: usize = 1 << 20;
const STREAM_WINDOW: u32 = 256 << 10;
const CONNECTION_WINDOW: u32 = 4 << 20;
/// How long a connection that is to close may take for what was already answered.
const LAST_BYTES: Duration = Duration::from_secs(5);
/// How long to wait when no connection can be taken, because files are short.
const SHORT_OF_FILES: Duration = Duration::from_millis(100);

/// Takes connections until it is told to stop, then lets those that are open end what they do.
pub(crate) struct Listener {
    stop: ShutdownTrigger,
    task: tokio::task::JoinHandle<()>,
}

impl Listener {
    /// Begins to take connections.
    pub(crate) fn start(socket: TcpListener, tls: Arc<ServerConfig>, front: Arc<Front>) -> Self {
        let (stop, stopped) = ShutdownTrigger::new();
        let task = tokio::spawn(accept(socket, TlsAcceptor::from(tls), front, stopped));
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

async fn accept(socket: TcpListener, tls: TlsAcceptor, front: Arc<Front>, stopped: Shutdown) {
    // Connections end with this set, so none outlives the server.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stopped.requested() => break,
            Some(_) = connections.join_next() => {}
            taken = socket.accept() => match taken {
                Ok((stream, address)) => {
                    let peer = Peer(address);
                    connections.spawn(connection(stream, peer, tls.clone(), Arc::clone(&front), stopped.clone()));
                }
                Err(_) => sleep(SHORT_OF_FILES).await,
            },
        }
    }
    drop(socket);
    while connections.join_next().await.is_some() {}
}

async fn connection(stream: TcpStream, peer: Peer, tls: TlsAcceptor, front: Arc<Front>, stopped: Shutdown) {
    // Small answers go out at once; if that can't be had, they go out all the same.
    let _ = stream.set_nodelay(true);
    let Ok(Ok(stream)) = timeout(HANDSHAKE, tls.accept(stream)).await else { return };
    let (_, session) = stream.get_ref();
    let presented =
        session.peer_certificates().and_then(|chain| front.chain.certificates.present(chain)).map(Arc::new);
    let is_http2 = session.alpn_protocol() == Some(HTTP2);
    serve(stream, peer, is_http2, front, presented, stopped).await;
}

async fn serve(
    stream: TlsStream<TcpStream>,
    peer: Peer,
    is_http2: bool,
    front: Arc<Front>,
    presented: Option<Arc<Presented>>,
    stopped: Shutdown,
) {
    let activity = Arc::new(Activity::default());
    let service = service_fn({
        let activity = Arc::clone(&activity);
        move |mut request: Request<RequestBody>| {
            request.extensions_mut().insert(peer);
            let (front, presented, activity) = (Arc::clone(&front), presented.clone(), Arc::clone(&activity));
            async move {
                let busy = Busy::begin(Arc::clone(&activity));
                let (response, afterwards) = front.serve(request, presented).await;
                if afterwards == Afterwards::Close {
                    activity.close.notify_one();
                }
                Ok::<_, Infallible>(response.map(|body| held(body, busy)))
            }
        }
    });
    let builder = builder(is_http2);
    let mut serving = pin!(builder.serve_connection_with_upgrades(TokioIo::new(stream), service));
    let mut idle = pin!(idle(&activity));
    tokio::select! {
        _ = serving.as_mut() => return,
        () = stopped.requested() => {}
        _ = activity.close.notified() => {}
        () = idle.as_mut() => {}
    }
    serving.as_mut().graceful_shutdown();
    // Whatever went wrong on the connection, the client has seen it; there is nobody else to tell.
    tokio::select! {
        _ = serving => {}
        () = quiet(&activity) => {}
    }
}

fn builder(is_http2: bool) -> auto::Builder<TokioExecutor> {
    let builder = auto::Builder::new(TokioExecutor::new());
    let mut builder = if is_http2 { builder.http2_only() } else { builder.http1_only() };
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
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(u32::try_from(LARGEST_HEAD).unwrap_or(u32::MAX))
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING_ANSWER);
    builder
}

/// What happens on one connection.
#[derive(Default)]
struct Activity {
    requests: AtomicU64,
    under_way: AtomicUsize,
    close: Notify,
}

/// A request that is being answered, to the end of its answer's body.
struct Busy(Arc<Activity>);

impl Busy {
    fn begin(activity: Arc<Activity>) -> Self {
        activity.requests.fetch_add(1, Ordering::Relaxed);
        activity.under_way.fetch_add(1, Ordering::Relaxed);
        Busy(activity)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Waits until nothing has happened for too long.
async fn idle(activity: &Activity) {
    sleep(FIRST_REQUEST).await;
    let mut seen = activity.requests.load(Ordering::Relaxed);
    if seen == 0 {
        return;
    }
    loop {
        sleep(IDLE).await;
        let now = activity.requests.load(Ordering::Relaxed);
        if now == seen && activity.under_way.load(Ordering::Relaxed) == 0 {
            return;
        }
        seen = now;
    }
}

/// Waits until no request is under way, and a little longer for the last bytes.
async fn quiet(activity: &Activity) {
    loop {
        sleep(LAST_BYTES).await;
        if activity.under_way.load(Ordering::Relaxed) == 0 {
            return;
        }
    }
}
