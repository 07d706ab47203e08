//! A stand-in for a kubelet: it listens with TLS, has the logs of containers, runs a few commands, and forwards
//! ports to an echo. It speaks WebSocket as newer kubelets do, and SPDY as all do.
//!
//! Containers have logs of five lines; a log that is followed has one more line for each [`Kubelet::log_more`]. A
//! container called `gone` is not found, and the log of one called `short` ends after one more line. Commands are
//! `cat`, `echo`, `complain`, `exit` and `size`; to attach is to run `cat`. A stand-in that was started in a directory
//! runs all commands of this machine there instead, with a terminal if asked to, and to attach is to run the script
//! `attached` there. Every port echoes, but nobody listens on port 9. Any other path says what it was asked.
#![allow(dead_code, reason = "every test uses a part of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops at the first surprise")]

mod process;
mod run;
mod spdy;

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, split};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role};

use run::{Said, Task, run};

type Body = UnsyncBoxBody<Bytes, Infallible>;
type Socket = WebSocketStream<TokioIo<hyper::upgrade::Upgraded>>;

const PORT_FORWARD: &str = "SPDY/3.1+portforward.k8s.io";

/// A request that came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Its method and path with query.
    pub(crate) line: String,
    /// Its headers.
    pub(crate) headers: HeaderMap,
    /// Its body.
    pub(crate) body: Bytes,
    /// The certificate that was shown, in DER.
    pub(crate) certificate: Option<Vec<u8>>,
}

/// A kubelet that runs as long as this lives.
#[derive(Debug)]
pub(crate) struct Kubelet {
    address: SocketAddr,
    certificate: String,
    shared: Arc<Shared>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    asked: Mutex<Vec<Asked>>,
    /// How many lines followed logs have got.
    lines: watch::Sender<usize>,
    /// How many connections there are.
    connections: watch::Sender<usize>,
    /// Where commands run, if they are more than the stand-in's own.
    root: Option<PathBuf>,
}

impl Drop for Kubelet {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Kubelet {
    /// Starts one on this machine's own address.
    pub(crate) async fn start() -> Self {
        Self::start_on(IpAddr::V4(Ipv4Addr::LOCALHOST)).await
    }

    /// Starts one that runs all commands, in a directory.
    pub(crate) async fn start_in(root: PathBuf) -> Self {
        Self::start_with(IpAddr::V4(Ipv4Addr::LOCALHOST), Some(root)).await
    }

    /// Starts one on an address.
    pub(crate) async fn start_on(address: IpAddr) -> Self {
        Self::start_with(address, None).await
    }

    async fn start_with(address: IpAddr, root: Option<PathBuf>) -> Self {
        let made = rcgen::generate_simple_self_signed([address.to_string()]).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = Arc::new(run::AnyClient(Arc::clone(&provider)));
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            asked: Mutex::default(),
            lines: watch::Sender::new(0),
            connections: watch::Sender::new(0),
            root,
        });
        let task = tokio::spawn(listen(listener, TlsAcceptor::from(Arc::new(config)), Arc::clone(&shared)));
        Kubelet { address, certificate: made.cert.pem(), shared, task }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The certificate that it shows, as PEM. Nobody else vouches for it.
    pub(crate) fn certificate(&self) -> &str {
        &self.certificate
    }

    /// All requests that came, and forgets them.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.shared.asked.lock().unwrap())
    }

    /// Writes one more line into the logs that are followed.
    pub(crate) fn log_more(&self) {
        self.shared.lines.send_modify(|lines| *lines += 1);
    }

    /// Waits until nobody is connected.
    pub(crate) async fn alone(&self) {
        let mut connections = self.shared.connections.subscribe();
        connections.wait_for(|count| *count == 0).await.unwrap();
    }
}

/// Counts as long as it lives.
struct Counted(Arc<Shared>);

impl Counted {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.connections.send_modify(|count| *count += 1);
        Counted(Arc::clone(shared))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.connections.send_modify(|count| *count -= 1);
    }
}

async fn listen(listener: TcpListener, tls: TlsAcceptor, shared: Arc<Shared>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let (tls, shared) = (tls.clone(), Arc::clone(&shared));
        connections.spawn(async move {
            let counted = Arc::new(Counted::new(&shared));
            let Ok(stream) = tls.accept(stream).await else { return };
            let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
            let shown = shown.map(|certificate| certificate.to_vec());
            let service = service_fn(move |request| {
                let (shared, shown, counted) = (Arc::clone(&shared), shown.clone(), Arc::clone(&counted));
                async move { Ok::<_, Infallible>(answer(request, shared, shown, counted).await) }
            });
            let serving = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades();
            let _ = serving.await;
        });
    }
}

fn text(code: u16, text: impl Into<Bytes>) -> Response<Body> {
    let mut answer = Response::new(Full::new(text.into()).boxed_unsync());
    *answer.status_mut() = StatusCode::from_u16(code).unwrap();
    answer
}

async fn answer(
    mut request: Request<Incoming>,
    shared: Arc<Shared>,
    certificate: Option<Vec<u8>>,
    counted: Arc<Counted>,
) -> Response<Body> {
    let upgrade = hyper::upgrade::on(&mut request);
    let (head, body) = request.into_parts();
    let line = format!("{} {}", head.method, head.uri);
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let asked = Asked { line: line.clone(), headers: head.headers.clone(), body, certificate };
    shared.asked.lock().unwrap().push(asked);
    let parameters: Vec<(String, String)> =
        head.uri.query().unwrap_or_default().split('&').filter_map(pair).collect();
    let all = |name: &str| {
        let found = parameters.iter().filter(|(known, _)| known == name).map(|(_, value)| value.clone());
        found.collect::<Vec<String>>()
    };
    let parts: Vec<&str> = head.uri.path().split('/').skip(1).collect();
    let found = |container: &str| container != "gone";
    match *parts {
        ["containerLogs", _, _, container] | ["exec" | "attach", _, _, container] if !found(container) => {
            text(404, format!("container not found (\"{container}\")"))
        }
        ["containerLogs", _, _, container] => log(&shared, container, &all, counted),
        ["exec" | "attach", ..] => {
            let given = |name: &str| !all(name).is_empty();
            let words = match (parts.first(), &shared.root) {
                (Some(&"exec"), _) => all("command"),
                (_, None) => vec!["cat".to_owned()],
                (_, Some(_)) => vec!["sh".to_owned(), "attached".to_owned()],
            };
            let task = Task { words, stdin: given("input"), tty: given("tty"), root: shared.root.clone() };
            let streams = [true, task.stdin, given("output"), given("error") && !task.tty, task.tty];
            let streams = streams.into_iter().filter(|wanted| *wanted).count();
            command(&head.headers, upgrade, task, streams, counted)
        }
        ["portForward", ..] => port_forward(&head.headers, upgrade, counted),
        _ => text(200, line),
    }
}

fn pair(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let mut bytes = Vec::new();
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    Some((name.to_owned(), String::from_utf8(bytes).ok()?))
}

fn log(
    shared: &Arc<Shared>,
    container: &str,
    all: &dyn Fn(&str) -> Vec<String>,
    counted: Arc<Counted>,
) -> Response<Body> {
    let number = |name: &str| all(name).first().and_then(|value| value.parse::<usize>().ok());
    let word = if all("previous").is_empty() { "line" } else { "former" };
    let stamp = |line: usize| match all("timestamps").is_empty() {
        true => String::new(),
        false => format!("2026-01-02T03:04:0{line}.000000000Z "),
    };
    let lines: Vec<String> = (1..=5).map(|line| format!("{}{word} {line}\n", stamp(line))).collect();
    let skipped = number("tailLines").map_or(0, |tail| lines.len().saturating_sub(tail));
    let mut text_now = lines[skipped..].concat();
    text_now.truncate(number("limitBytes").unwrap_or(usize::MAX));
    if all("follow").is_empty() {
        return text(200, text_now);
    }
    if container == "short" {
        return text(200, text_now + "more 1\n");
    }
    let mut more = shared.lines.subscribe();
    let (out, pieces) = mpsc::channel::<Bytes>(1);
    let begun = *more.borrow();
    tokio::spawn(async move {
        let _counted = counted;
        let mut written = begun;
        let _ = out.send(text_now.into()).await;
        loop {
            let next = written + 1;
            tokio::select! {
                () = out.closed() => return,
                reached = more.wait_for(|lines| *lines >= next) => {
                    if reached.is_err() {
                        return;
                    }
                }
            }
            written = next;
            let _ = out.send(format!("more {}\n", written - begun).into()).await;
        }
    });
    let pieces = futures_util::stream::unfold(pieces, |mut pieces| async move {
        let piece = pieces.recv().await?;
        Some((Ok(Frame::data(piece)), pieces))
    });
    Response::new(StreamBody::new(pieces).boxed_unsync())
}

/// The answer to a handshake for one of these protocols: WebSocket if the client wants that, or else SPDY.
fn switch(headers: &HeaderMap, known: &[&str]) -> Option<(Response<Body>, String)> {
    let all = |name: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).map(|one| one.trim().to_owned()).collect::<Vec<_>>()
    };
    let is_websocket = all("upgrade").iter().any(|one| one.eq_ignore_ascii_case("websocket"));
    let name = if is_websocket { "sec-websocket-protocol" } else { "x-stream-protocol-version" };
    let offered = all(name);
    let chosen = known.iter().find(|known| offered.iter().any(|one| one == *known))?;
    let mut answer = text(101, "");
    let out = answer.headers_mut();
    out.insert(header::CONNECTION, "Upgrade".parse().unwrap());
    out.insert(name.parse::<http::HeaderName>().unwrap(), chosen.parse().unwrap());
    if is_websocket {
        let key = headers.get("sec-websocket-key")?;
        out.insert(header::UPGRADE, "websocket".parse().unwrap());
        out.insert(header::SEC_WEBSOCKET_ACCEPT, derive_accept_key(key.as_bytes()).parse().unwrap());
    } else {
        out.insert(header::UPGRADE, "SPDY/3.1".parse().unwrap());
    }
    Some((answer, if is_websocket { "websocket".to_owned() } else { "spdy".to_owned() }))
}

fn refused() -> Response<Body> {
    text(400, "unable to upgrade: no protocol that is known")
}

fn command(
    headers: &HeaderMap,
    upgrade: OnUpgrade,
    task: Task,
    streams: usize,
    counted: Arc<Counted>,
) -> Response<Body> {
    let Some((answer, way)) = switch(headers, &["v5.channel.k8s.io", "v4.channel.k8s.io"]) else {
        return refused();
    };
    tokio::spawn(async move {
        let _counted = counted;
        let io = TokioIo::new(upgrade.await.unwrap());
        if way == "spdy" {
            spdy::command(io, task, streams).await;
        } else {
            command_by_socket(WebSocketStream::from_raw_socket(io, Role::Server, None).await, task).await;
        }
    });
    answer
}

async fn command_by_socket(socket: Socket, task: Task) {
    let (mut to, mut from) = socket.split();
    let (input, sent) = mpsc::channel(8);
    let (out, mut said) = mpsc::channel::<Said>(8);
    let reading = async move {
        let mut input = Some(input);
        while let Some(Ok(message)) = from.next().await {
            let Message::Binary(bytes) = message else { continue };
            match bytes.as_ref() {
                [255, 0] => input = None,
                [channel, rest @ ..] => {
                    if let Some(input) = &input {
                        let _ = input.send((*channel, Bytes::copy_from_slice(rest))).await;
                    }
                }
                [] => {}
            }
        }
    };
    let writing = async move {
        while let Some((channel, bytes)) = said.recv().await {
            let message = [&[channel][..], &bytes].concat();
            if to.send(Message::binary(message)).await.is_err() {
                return;
            }
        }
        let normal = CloseFrame { code: CloseCode::Normal, reason: "".into() };
        let _ = to.send(Message::Close(Some(normal))).await;
    };
    // It is over when all was said, or when nobody listens.
    tokio::select! {
        _ = async { tokio::join!(run(task, sent, out), writing) } => {}
        () = reading => {}
    }
}

fn port_forward(headers: &HeaderMap, upgrade: OnUpgrade, counted: Arc<Counted>) -> Response<Body> {
    let Some((answer, way)) = switch(headers, &[PORT_FORWARD, "portforward.k8s.io"]) else {
        return refused();
    };
    tokio::spawn(async move {
        let _counted = counted;
        let io = TokioIo::new(upgrade.await.unwrap());
        if way == "spdy" {
            spdy::forward(io).await;
            return;
        }
        let socket = WebSocketStream::from_raw_socket(io, Role::Server, None).await;
        let (near, far) = duplex(64 << 10);
        tokio::select! {
            () = spdy::forward(near) => {}
            () = unpack(socket, far) => {}
        }
    });
    answer
}

/// Takes bytes out of messages, and puts them into messages.
async fn unpack(socket: Socket, io: tokio::io::DuplexStream) {
    let (mut to, mut from) = socket.split();
    let (mut read, mut write) = split(io);
    let up = async {
        while let Some(Ok(message)) = from.next().await {
            if let Message::Binary(bytes) = message {
                let _ = write.write_all(&bytes).await;
            }
        }
    };
    let down = async {
        let mut buffer = vec![0; 4096];
        while let Ok(length @ 1..) = read.read(&mut buffer).await {
            let _ = to.send(Message::binary(buffer[..length].to_vec())).await;
        }
    };
    tokio::select! {
        () = up => {}
        () = down => {}
    }
}
