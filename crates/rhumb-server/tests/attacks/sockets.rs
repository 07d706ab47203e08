//! Floods of frames over WebSockets: on watches, on commands in pods and on ports of pods.

use std::time::Duration;

use bytes::Bytes;
use http::Method;
use http_body_util::Full;
use rhumb_server::Server;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::client::{Client, Tls, connect, in_time};
use crate::kubelet::Kubelet;
use crate::{options, user};

const WATCH: &str = "/api/v1/namespaces/default/configmaps?watch=true";
const PODS: &str = "/api/v1/namespaces/default/pods";
/// How many frames a flood has.
const FLOOD: usize = 100_000;
/// How much a client may send that reads nothing: less than this finds room in the network between both, whose two
/// ends keep up to 36 MiB each way.
const UNREAD: usize = 256 << 20;
/// How long nothing may move until it stands still.
const STILL: Duration = Duration::from_secs(3);

const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
/// The last frame of a message.
const LAST: u8 = 0x80;

/// A frame of a client: masked, with zeros, which change nothing.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match payload.len() {
        length @ ..126 => frame.push(0x80 | u8::try_from(length).unwrap()),
        length @ 126..65_536 => {
            frame.push(0x80 | 126);
            frame.extend(u16::try_from(length).unwrap().to_be_bytes());
        }
        length => {
            frame.push(0x80 | 127);
            frame.extend(u64::try_from(length).unwrap().to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

/// Opens a WebSocket by hand.
async fn socket(server: &Server, path: &str, protocol: &str) -> Tls {
    let stream = connect(server.address(), server.ca_certificate(), None, b"http/1.1", "localhost");
    let mut stream = stream.await.unwrap();
    let protocol = match protocol {
        "" => String::new(),
        name => format!("sec-websocket-protocol: {name}\r\n"),
    };
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\norigin: https://localhost\r\nauthorization: Bearer eve\r\n\
         connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
         sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{protocol}\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(in_time(stream.read_u8()).await.unwrap());
    }
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 101 "), "{path}: {answer}");
    stream
}

async fn server() -> Server {
    let builder = Server::builder().options(options(&[("authorization-mode", "AlwaysAllow")]));
    builder.token("eve", user("eve")).start().await.unwrap()
}

async fn post(client: &mut Client, path: &str, object: &Value) {
    let mut request = client.request(Method::POST, path, &[("content-type", "application/json")]);
    *request.body_mut() = Full::new(Bytes::from(object.to_string()));
    let made = in_time(client.send(request)).await.unwrap();
    assert_eq!(made.code, 201, "{}", made.body);
}

/// Answers others, and tells other watches, while all this goes on.
async fn is_unharmed(server: &Server, name: &str) {
    let mut polite = socket(server, &format!("{WATCH}&fieldSelector=metadata.name={name}"), "").await;
    let mut client = Client::http2(server, Some(server.admin_certificate())).await;
    post(&mut client, "/api/v1/namespaces/default/configmaps", &json!({"metadata": {"name": name}})).await;
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains(&format!("\"name\":\"{name}\"")) {
        seen.push(in_time(polite.read_u8()).await.unwrap());
    }
}

/// Reads until the other side closes, and gives what it said last.
async fn rest(stream: &mut Tls) -> Vec<u8> {
    let mut all = Vec::new();
    // A connection that is cut off ends too.
    let _ = in_time(stream.read_to_end(&mut all)).await;
    all
}

/// Sends the same again and again and reads nothing, until nothing moves any more or so much was sent.
async fn flooded(stream: &mut Tls, bytes: &[u8], most: usize) -> usize {
    let mut sent = 0;
    while sent < most {
        match tokio::time::timeout(STILL, stream.write_all(bytes)).await {
            Ok(Ok(())) => sent += bytes.len(),
            Ok(Err(_)) | Err(_) => break,
        }
    }
    sent
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_that_are_too_large_or_wrong_end_a_watch_and_nothing_else() {
    let server = server().await;
    let fragment = frame(BINARY, &[b'x'; 4096]);
    let further = frame(0, &[b'x'; 4096]);
    let fragments = [&fragment[..], &further.repeat(1024)].concat();
    let claims = [&[LAST | BINARY, 0xff][..], &(1_u64 << 62).to_be_bytes(), &[0; 4]].concat();
    for (what, bytes) in [
        ("a megabyte", frame(LAST | BINARY, &vec![b'x'; 1 << 20])),
        ("more than there is", claims),
        ("fragments of megabytes", fragments),
        ("no mask", vec![LAST | TEXT, 1, b'a']),
        ("bits that nobody agreed on", frame(LAST | 0x70 | BINARY, b"a")),
        ("an unknown kind", frame(LAST | 3, b"a")),
        ("a long ping", frame(LAST | PING, &[0; 126])),
        ("a ping in pieces", frame(PING, b"a")),
        ("the end of nothing", frame(LAST, b"a")),
        ("no text", frame(LAST | TEXT, b"\xff\xfe")),
        ("an odd farewell", frame(LAST | CLOSE, b"\x01")),
    ] {
        let mut stream = socket(&server, WATCH, "").await;
        // It may be cut off before it has everything.
        let _ = in_time(stream.write_all(&bytes)).await;
        rest(&mut stream).await;
        eprintln!("{what} ended it");
    }
    is_unharmed(&server, "after").await;
    in_time(server.shutdown()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn floods_of_small_frames_harm_nobody() {
    let server = server().await;
    let mut open = Vec::new();
    for (number, bytes) in [
        frame(LAST | BINARY, b"x"),
        frame(LAST | TEXT, b""),
        // The first of them begins a message that never ends.
        frame(0, b""),
        frame(LAST | 0x0a, b"nobody asked"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut stream = socket(&server, WATCH, "").await;
        if bytes[0] == 0 {
            stream.write_all(&frame(BINARY, b"")).await.unwrap();
        }
        let flood = bytes.repeat(FLOOD / 100);
        for _ in 0..100 {
            in_time(stream.write_all(&flood)).await.unwrap();
        }
        is_unharmed(&server, &format!("meanwhile{number}")).await;
        open.push(stream);
    }
    for mut stream in open {
        stream.write_all(&frame(LAST | CLOSE, b"")).await.unwrap();
        // The events since, and a farewell.
        assert!(!rest(&mut stream).await.is_empty());
    }
    in_time(server.shutdown()).await.unwrap();
}

/// Answers to pings that nobody reads were kept for as long as there was memory.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pings_are_answered_no_faster_than_the_answers_are_read() {
    let server = server().await;
    let mut stream = socket(&server, WATCH, "").await;
    let pings = frame(LAST | PING, &[b'x'; 125]).repeat(500);
    let sent = flooded(&mut stream, &pings, UNREAD).await;
    assert!(sent < UNREAD, "{sent} bytes of pings were taken, and not an answer to one was read");
    is_unharmed(&server, "meanwhile").await;
    // It goes on as soon as somebody reads.
    let mut answers = vec![0; 1 << 20];
    in_time(stream.read_exact(&mut answers)).await.unwrap();
    let pong = [&[0x8a, 125][..], &[b'x'; 125]].concat();
    assert!(answers.windows(pong.len()).any(|part| part == pong));
    drop(stream);
    is_unharmed(&server, "after").await;
    in_time(server.shutdown()).await.unwrap();
}

/// A pod on a node whose kubelet is a stand-in that speaks SPDY alone.
async fn with_pod() -> (Server, Kubelet) {
    let kubelet = Kubelet::start().await;
    let server = server().await;
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    let account = json!({"metadata": {"name": "default"}});
    let mut request = admin.request(
        Method::POST,
        "/api/v1/namespaces/default/serviceaccounts",
        &[("content-type", "application/json")],
    );
    *request.body_mut() = Full::new(Bytes::from(account.to_string()));
    // The server may have made it itself.
    assert!(matches!(in_time(admin.send(request)).await.unwrap().code, 201 | 409));
    let addresses = json!([{"type": "InternalIP", "address": "127.0.0.1"}]);
    let endpoint = json!({"kubeletEndpoint": {"Port": kubelet.address().port()}});
    post(&mut admin, "/api/v1/nodes", &json!({"metadata": {"name": "n"}})).await;
    let status = json!({"status": {"addresses": addresses, "daemonEndpoints": endpoint}});
    let merge = [("content-type", "application/merge-patch+json")];
    let mut request = admin.request(Method::PATCH, "/api/v1/nodes/n/status", &merge);
    *request.body_mut() = Full::new(Bytes::from(status.to_string()));
    assert_eq!(in_time(admin.send(request)).await.unwrap().code, 200);
    let spec = json!({"nodeName": "n", "containers": [{"name": "c", "image": "i"}]});
    post(&mut admin, PODS, &json!({"metadata": {"name": "p"}, "spec": spec})).await;
    (server, kubelet)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn floods_on_commands_and_ports_harm_nobody() {
    let (server, kubelet) = with_pod().await;
    let ways = [
        (format!("{PODS}/p/exec?command=cat&stdin=true&stdout=true"), "v5.channel.k8s.io"),
        (format!("{PODS}/p/portforward?ports=80"), "SPDY/3.1+portforward.k8s.io"),
    ];
    for (number, (path, protocol)) in ways.iter().enumerate() {
        // What is larger than any message, in one frame and in many.
        let part = vec![b'\0'; 1 << 20];
        let fragments = [frame(BINARY, &part), frame(0, &part).repeat(8)].concat();
        for bytes in [frame(LAST | BINARY, &vec![b'\0'; 5 << 20]), fragments] {
            let mut stream = socket(&server, path, protocol).await;
            let _ = in_time(stream.write_all(&bytes)).await;
            rest(&mut stream).await;
        }
        // Frames that say nothing, and a message that goes on with nothing.
        let mut stream = socket(&server, path, protocol).await;
        for bytes in [frame(LAST | BINARY, b""), frame(LAST | TEXT, b""), frame(BINARY, b"")] {
            in_time(stream.write_all(&bytes.repeat(if bytes[0] == BINARY { 1 } else { FLOOD / 10 })))
                .await
                .unwrap();
        }
        in_time(stream.write_all(&frame(0, b"").repeat(FLOOD / 10))).await.unwrap();
        is_unharmed(&server, &format!("meanwhile{number}")).await;
        drop(stream);
        // Pings whose answers nobody reads.
        let mut stream = socket(&server, path, protocol).await;
        let pings = frame(LAST | PING, &[b'x'; 125]).repeat(500);
        let sent = flooded(&mut stream, &pings, UNREAD).await;
        assert!(sent < UNREAD, "{sent} bytes of pings were taken, and not an answer to one was read");
        is_unharmed(&server, &format!("after{number}")).await;
    }
    in_time(kubelet.alone()).await;
    in_time(server.shutdown()).await.unwrap();
}
