//! Clients that are slow on purpose: with the head of a request, with its body, with what they read. Time is the
//! runtime's, and an hour of it passes in a moment.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use rhumb_server::Server;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::client::{Client, Tls, connect, in_time};
use crate::{options, user};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// How many connections there are of each kind.
const CROWD: usize = 25;
/// How long a slow client waits before it sends the next byte.
const PAUSE: Duration = Duration::from_secs(10);
/// How long a client may keep a connection without asking for anything, at most.
const PATIENCE: Duration = Duration::from_secs(5 * 60);

/// Lets the runtime's time run until something has happened, and tells how much of it passed.
async fn passing<T>(what: impl Future<Output = T>) -> (T, Duration) {
    tokio::time::pause();
    let begun = Instant::now();
    let done = tokio::time::timeout(Duration::from_secs(3600), what).await.expect("it happens in an hour");
    let taken = begun.elapsed();
    tokio::time::resume();
    (done, taken)
}

async fn server() -> Server {
    let settings = [("authorization-mode", "AlwaysAllow")];
    let builder = Server::builder().options(options(&settings));
    builder.token("slow", user("slow")).token("polite", user("polite")).start().await.unwrap()
}

async fn tls(server: &Server, protocol: &[u8]) -> Tls {
    connect(server.address(), server.ca_certificate(), None, protocol, "localhost").await.unwrap()
}

/// Answers the polite user in time, on a new connection: one that reads, and one that writes.
async fn is_unharmed(server: &Server, name: &str) {
    let headers = [("authorization", "Bearer polite"), ("content-type", "application/json")];
    let mut client = Client::http2(server, None).await;
    let mut request = client.request(Method::POST, MAPS, &headers);
    *request.body_mut() = Full::new(Bytes::from(json!({"metadata": {"name": name}}).to_string()));
    assert_eq!(in_time(client.send(request)).await.unwrap().code, 201);
    assert_eq!(in_time(client.get_with(&format!("{MAPS}/{name}"), &headers)).await.code, 200);
}

/// Sends the same bytes now and then, until the other side has had enough.
async fn drip(stream: impl AsyncRead + AsyncWrite, drop: &'static [u8]) {
    let (mut from, mut to) = split(stream);
    let closed = async {
        let mut read = [0; 4096];
        while matches!(from.read(&mut read).await, Ok(1..)) {}
    };
    let drip = async {
        while to.write_all(drop).await.is_ok() && to.flush().await.is_ok() {
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::select! {
        () = closed => {}
        () = drip => {}
    }
}

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags, 0, 0, 0, stream], payload].concat()
}

const NOTHING: &[u8] = b"";
const BYTE: &[u8] = b"a";
/// The beginning of a handshake.
const HELLO: &[u8] = b"\x16\x03\x01\x02\x00";
const PING: &[u8] = b"\0\0\x08\x06\0\0\0\0\0pingpong";
const CONTINUATION: &[u8] = b"\0\0\0\x09\0\0\0\0\x01";
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;

#[tokio::test]
async fn heads_that_come_byte_by_byte_are_not_waited_for() {
    let server = server().await;
    let address = server.address();
    let mut slow = JoinSet::new();
    for _ in 0..CROWD {
        // Nothing at all, a handshake that never ends, and one that comes a byte at a time.
        for (first, drop) in [(NOTHING, NOTHING), (HELLO, NOTHING), (HELLO, BYTE)] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(first).await.unwrap();
            slow.spawn(drip(stream, drop));
        }
        // A head on a new connection, and one after a request that was answered.
        let begun: &[u8] = b"GET /livez HTTP/1.1\r\nhost: localhost\r\n";
        let whole = [begun, b"\r\n"].concat();
        for first in [NOTHING, &begun[..7], begun, &whole[..]] {
            let mut stream = tls(&server, b"http/1.1").await;
            stream.write_all(first).await.unwrap();
            slow.spawn(drip(stream, BYTE));
        }
        // HTTP/2: no preface, settings and nothing more, pings for ever, and a head that never ends.
        let settings = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
        let endless = [&settings[..], &frame(HEADERS, 0, 1, b"\x82")].concat();
        for (first, drop) in
            [(NOTHING, NOTHING), (&settings[..], NOTHING), (&settings, PING), (&endless, CONTINUATION)]
        {
            let mut stream = tls(&server, b"h2").await;
            stream.write_all(first).await.unwrap();
            slow.spawn(drip(stream, drop));
        }
    }
    is_unharmed(&server, "meanwhile").await;
    let (_, taken) = passing(slow.join_all()).await;
    assert!(taken < PATIENCE, "the last connection was kept for {taken:?}");
    is_unharmed(&server, "after").await;
    in_time(server.shutdown()).await.unwrap();
}

/// A connection of HTTP/2 whose requests a test drives by hand.
async fn by_hand(
    server: &Server,
    window: u32,
) -> (h2::client::SendRequest<Bytes>, tokio::task::JoinHandle<()>) {
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(window);
    let (sender, connection) = builder.handshake(tls(server, b"h2").await).await.unwrap();
    let ended = tokio::spawn(async move {
        // However it ends, it ended.
        let _ = connection.await;
    });
    (sender, ended)
}

fn of_slow(method: Method, path: &str) -> Request<()> {
    let request = Request::builder().method(method).uri(format!("https://localhost{path}"));
    request
        .header("authorization", "Bearer slow")
        .header("content-type", "application/json")
        .body(())
        .unwrap()
}

#[tokio::test]
async fn bodies_that_never_end_keep_nobody_out() {
    const BODIES: usize = 250;
    let server = server().await;
    let (mut asked, mut bodies, mut connections) = (JoinSet::new(), Vec::new(), Vec::new());
    for _ in 0..2 {
        let (mut sender, ended) = by_hand(&server, 65_535).await;
        for _ in 0..BODIES {
            sender = sender.ready().await.unwrap();
            let (answer, mut body) = sender.send_request(of_slow(Method::POST, MAPS), false).unwrap();
            body.send_data("{\"metadata\":".into(), false).unwrap();
            asked.spawn(async move { answer.await.map_or(0, |answer| answer.status().as_u16()) });
            bodies.push(body);
        }
        connections.push((sender, ended));
    }
    // Those for whom there is no place are told so, and the others leave places for others.
    let refused = in_time(asked.join_next()).await.unwrap().unwrap();
    assert_eq!(refused, 429);
    is_unharmed(&server, "meanwhile").await;
    let (codes, taken) = passing(asked.join_all()).await;
    assert!(codes.iter().all(|code| matches!(code, 429 | 504)), "{codes:?}");
    assert!(codes.contains(&504), "{codes:?}");
    assert!(taken < PATIENCE, "the last body was waited for for {taken:?}");
    // Their places are free again.
    drop((bodies, connections));
    let mut client = Client::http2(&server, None).await;
    for name in ["a", "b", "c"] {
        let headers = [("authorization", "Bearer slow"), ("content-type", "application/json")];
        let mut request = client.request(Method::POST, MAPS, &headers);
        *request.body_mut() = Full::new(Bytes::from(json!({"metadata": {"name": name}}).to_string()));
        assert_eq!(in_time(client.send(request)).await.unwrap().code, 201);
    }
    is_unharmed(&server, "after").await;
    in_time(server.shutdown()).await.unwrap();
}

#[tokio::test]
async fn answers_that_nobody_reads_are_not_kept_for_ever() {
    const CONNECTIONS: usize = 6;
    const LISTS: usize = 5;
    // More than the network keeps between two ends.
    const OBJECTS: usize = 60;
    const SIZE: usize = 300_000;
    let server = server().await;
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    for number in 0..OBJECTS {
        let object = json!({"metadata": {"name": format!("m{number}")}, "data": {"text": "x".repeat(SIZE)}});
        let mut request = admin.request(Method::POST, MAPS, &[("content-type", "application/json")]);
        *request.body_mut() = Full::new(Bytes::from(object.to_string()));
        assert_eq!(in_time(admin.send(request)).await.unwrap().code, 201);
    }
    let (mut ended, mut kept) = (JoinSet::new(), Vec::new());
    for _ in 0..CONNECTIONS {
        // No window at all: not a byte of an answer's body may be sent.
        let (mut sender, end) = by_hand(&server, 0).await;
        for _ in 0..LISTS {
            sender = sender.ready().await.unwrap();
            let (answer, _) = sender.send_request(of_slow(Method::GET, "/api/v1/configmaps"), true).unwrap();
            kept.push(answer);
        }
        kept.push(sender.send_request(of_slow(Method::GET, MAPS), true).unwrap().0);
        ended.spawn(end);
    }
    // And as many over HTTP/1.1, which has no windows but those of the network.
    for _ in 0..CONNECTIONS {
        let mut stream = tls(&server, b"http/1.1").await;
        let head = format!("GET {MAPS} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer slow\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut first = [0; 1];
        in_time(stream.read_exact(&mut first)).await.unwrap();
        ended.spawn(tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            let mut all = Vec::new();
            // What was on its way still comes, but not all of it.
            let _ = stream.read_to_end(&mut all).await;
            assert!(!all.ends_with(b"0\r\n\r\n"), "{} bytes were kept", all.len());
        }));
    }
    is_unharmed(&server, "meanwhile").await;
    let (all, taken) = passing(ended.join_all()).await;
    for one in all {
        one.unwrap();
    }
    assert!(taken < PATIENCE * 2, "the last connection was kept for {taken:?}");
    drop(kept);
    is_unharmed(&server, "after").await;
    in_time(server.shutdown()).await.unwrap();
}
