//! Clients that ask and don't read what they get, or hang up: what is kept for them is bounded, what is done for them
//! ends, and nobody else waits for them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

#[allow(dead_code, reason = "every test uses a part of it")]
#[path = "front/client.rs"]
mod client;
#[path = "unread/hang_up.rs"]
mod hang_up;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use client::{Client, Tls, connect, in_time};
use h2::RecvStream;
use h2::client::SendRequest;
use http::{Method, Request, Response};
use http_body_util::Full;
use rhumb_server::Server;
use rhumb_server::config::{Options, Storage};
use rhumb_server::environment::{Clock, SystemClock};
use rhumb_server::identity::{MASTERS, User};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::JoinSet;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const POLICIES: &str = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";

/// Memory is the whole process's, so that one test measures it at a time.
static ALONE: Mutex<()> = Mutex::const_new(());

async fn server(settings: &[(&str, &str)]) -> (Server, MutexGuard<'static, ()>) {
    let alone = ALONE.lock().await;
    let mut options = Options { storage: Storage::InMemory, ..Options::default() };
    for (name, value) in settings {
        options.apply(name, value).unwrap();
    }
    options.listen = ([127, 0, 0, 1], 0).into();
    let user = |name: &str, group: &str| User {
        name: name.to_owned(),
        groups: vec![group.to_owned(), "system:authenticated".to_owned()],
        ..User::default()
    };
    let builder = Server::builder().options(options);
    let builder = builder.token("master", user("master", MASTERS)).token("greedy", user("greedy", "readers"));
    let server = builder.token("modest", user("modest", "readers")).start().await.unwrap();
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    let binding = json!({
        "metadata": {"name": "readers"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "readers"}],
    });
    let path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    assert_eq!(write(&mut admin, Method::POST, path, &binding.to_string()).await, 201);
    let mut reader = Client::http2(&server, None).await;
    let greedy = [("authorization", "Bearer greedy")];
    in_time(async { while reader.get_with(MAPS, &greedy).await.code != 200 {} }).await;
    (server, alone)
}

async fn write(client: &mut Client, method: Method, path: &str, body: &str) -> u16 {
    let mut request = client.request(method, path, &[("content-type", "application/json")]);
    *request.body_mut() = Full::new(Bytes::from(body.to_owned()));
    client.send(request).await.unwrap().code
}

/// The memory of this process in MiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default() / 1024
}

/// A connection of HTTP/2 on which nothing is read but what is waited for, with a window for each answer.
async fn opened(server: &Server, window: u32) -> SendRequest<Bytes> {
    let stream = connect(server.address(), server.ca_certificate(), None, b"h2", "localhost").await.unwrap();
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(window);
    let (sender, connection) = builder.handshake(stream).await.unwrap();
    tokio::spawn(connection);
    sender
}

/// Asks, and waits for the head of the answer alone.
async fn ask(sender: &mut SendRequest<Bytes>, token: &str, path: &str) -> Response<RecvStream> {
    let request = Request::get(format!("https://localhost{path}"));
    let request = request.header("authorization", format!("Bearer {token}")).body(()).unwrap();
    *sender = sender.clone().ready().await.unwrap();
    let (response, _) = sender.send_request(request, true).unwrap();
    in_time(response).await.unwrap()
}

/// A watch over a connection of HTTP/1.1, of which the head is read alone.
async fn watch_alone(server: &Server, token: &str) -> Tls {
    let stream = connect(server.address(), server.ca_certificate(), None, b"http/1.1", "localhost").await;
    let mut stream = stream.unwrap();
    let head =
        format!("GET {MAPS}?watch=1 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut read = Vec::new();
    while !read.ends_with(b"\r\n\r\n") {
        read.push(in_time(stream.read_u8()).await.unwrap());
    }
    assert!(read.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&read));
    stream
}

/// Changes an object of 100 KB twenty times, and tells how long that took.
async fn change(admin: &mut Client, text: char) -> Duration {
    let clock = SystemClock::default();
    let begun = clock.elapsed();
    for number in 0..20 {
        let data = text.to_string().repeat(100_000);
        let object = json!({"metadata": {"name": "large", "labels": {"number": number.to_string()}},
            "data": {"text": data}});
        let path = format!("{MAPS}/large");
        assert_eq!(write(admin, Method::PUT, &path, &object.to_string()).await, 200);
    }
    clock.elapsed() - begun
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_watches_that_nobody_reads_neither_slow_writes_nor_fill_the_memory() {
    let (server, _alone) = server(&[]).await;
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    let object = json!({"metadata": {"name": "large"}, "data": {"text": "x".repeat(100_000)}});
    assert_eq!(write(&mut admin, Method::POST, MAPS, &object.to_string()).await, 201);
    let quiet = change(&mut admin, 'a').await;
    let mut kept = Vec::new();
    for _ in 0..4 {
        let mut sender = opened(&server, 65_535).await;
        for _ in 0..200 {
            kept.push(ask(&mut sender, "greedy", &format!("{MAPS}?watch=1")).await);
        }
    }
    let mut streams = Vec::new();
    for _ in 0..200 {
        streams.push(watch_alone(&server, "greedy").await);
    }
    let before = resident();
    let beside = change(&mut admin, 'b').await;
    let grown = resident().saturating_sub(before);
    eprintln!("20 writes took {quiet:?}, and {beside:?} beside watches; {grown} MiB were taken");
    assert!(
        beside < quiet * 5 + Duration::from_secs(2),
        "20 writes took {quiet:?}, and {beside:?} beside watches"
    );
    assert!(grown < 100, "watches that nobody reads took {grown} MiB");
    assert!(kept.iter().all(|answer| answer.status() == 200));
    drop((kept, streams));
}

/// What watches ask for in place of the objects themselves, how many on each of five connections, and how much each
/// of them reads at least.
const FORMS: [(&str, &str, usize, usize); 5] = [
    ("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "", 200, 100),
    ("application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "", 200, 100),
    ("application/json;as=Table;g=meta.k8s.io;v=v1", "&includeObject=None", 200, 100),
    ("application/json;as=Table;g=meta.k8s.io;v=v1", "", 200, 100),
    // What is sent is long, too; those of a user together stay below what may be unread.
    ("application/json;as=Table;g=meta.k8s.io;v=v1", "&includeObject=Object", 4, 400_000),
];

/// Reads so much of answers; gives them back with what each of them began with.
async fn read_all(bodies: Vec<RecvStream>, wanted: usize) -> Vec<(RecvStream, Bytes)> {
    let mut reading = JoinSet::new();
    for mut body in bodies {
        reading.spawn(async move {
            let (mut read, mut first) = (0, Bytes::new());
            while read < wanted {
                let piece = body.data().await.unwrap().unwrap();
                read += piece.len();
                body.flow_control().release_capacity(piece.len()).unwrap();
                first = if first.is_empty() { piece } else { first };
            }
            (body, first)
        });
    }
    in_time(reading.join_all()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_converted_once_for_a_thousand_watches_in_each_form() {
    let (server, _alone) = server(&[]).await;
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    let mut number = 0;
    let mut object = || {
        number += 1;
        // Many small parts take longer to convert than one large one. They are a list that has one owner, so that the
        // metadata stay short.
        let ports: Vec<_> = (1..30_000).map(|port| json!({"port": port})).collect();
        let labels = json!({"number": number.to_string()});
        let spec = json!({"podSelector": {}, "ingress": [{"ports": ports}]});
        json!({"metadata": {"name": "large", "labels": labels}, "spec": spec}).to_string()
    };
    assert_eq!(write(&mut admin, Method::POST, POLICIES, &object()).await, 201);
    for (accept, query, each, wanted) in FORMS {
        let clock = SystemClock::default();
        let (mut kept, mut streams) = (Vec::new(), Vec::new());
        for token in ["greedy", "modest", "greedy", "modest", "master"] {
            let stream =
                connect(server.address(), server.ca_certificate(), None, b"h2", "localhost").await.unwrap();
            let mut builder = h2::client::Builder::new();
            builder.initial_connection_window_size(16 << 20);
            let (mut sender, connection): (SendRequest<Bytes>, _) = builder.handshake(stream).await.unwrap();
            tokio::spawn(connection);
            for _ in 0..each {
                let path = format!(
                    "{POLICIES}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan{query}"
                );
                let request = Request::get(format!("https://localhost{path}")).header("accept", accept);
                let request = request.header("authorization", format!("Bearer {token}")).body(()).unwrap();
                sender = sender.ready().await.unwrap();
                let (response, _) = sender.send_request(request, true).unwrap();
                let answer = in_time(response).await.unwrap();
                assert_eq!(answer.status(), 200, "{accept}");
                streams.push(answer.into_body());
            }
            kept.push(sender);
        }
        let (before, begun) = (resident(), clock.elapsed());
        let path = format!("{POLICIES}/large");
        for is_first in [true, false] {
            assert_eq!(write(&mut admin, Method::PUT, &path, &object()).await, 200);
            let read = read_all(streams, wanted).await;
            assert_eq!(read.len(), 5 * each);
            // The first table of a stream describes its columns.
            let is_described = is_first && accept.contains("Table");
            for (_, told) in &read {
                let told = String::from_utf8_lossy(told);
                assert_eq!(
                    told.contains(r#""columnDefinitions":[{"#),
                    is_described,
                    "{accept}{query}: {told}"
                );
            }
            streams = read.into_iter().map(|(body, _)| body).collect();
            if wanted > 100 {
                break;
            }
        }
        let (taken, grown) = (clock.elapsed() - begun, resident().saturating_sub(before));
        eprintln!("{accept}{query}: {taken:?}, {grown} MiB");
        assert!(taken < Duration::from_secs(5), "{accept}{query}: it took {taken:?}");
        assert!(grown < 150, "{accept}{query}: it took {grown} MiB");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_nobody_reads_hold_a_bounded_amount_for_each_user() {
    let (server, _alone) = server(&[]).await;
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    let object = json!({"metadata": {"name": "large"}, "data": {"text": "x".repeat(1_000_000)}});
    assert_eq!(write(&mut admin, Method::POST, MAPS, &object.to_string()).await, 201);
    let path = format!("{MAPS}/large");
    let before = resident();
    let (mut kept, mut refused) = (Vec::new(), 0);
    for _ in 0..4 {
        // The first byte is taken, so that the server has handed everything on to the connection.
        let mut sender = opened(&server, 1).await;
        for _ in 0..80 {
            let answer = ask(&mut sender, "greedy", &path).await;
            match answer.status().as_u16() {
                200 => kept.push(answer),
                429 => {
                    assert_eq!(answer.headers()["retry-after"], "1");
                    refused += 1;
                }
                other => panic!("{other}"),
            }
        }
    }
    let grown = resident().saturating_sub(before);
    eprintln!("{} answers were kept, {refused} refused; {grown} MiB were taken", kept.len());
    assert!(refused > 0 && grown < 150, "{} answers that nobody reads took {grown} MiB", kept.len());
    // Whoever reads is not hindered, and neither is the user that did not, as soon as it gives up its answers.
    let mut reader = Client::http2(&server, None).await;
    let (modest, greedy) = ([("authorization", "Bearer modest")], [("authorization", "Bearer greedy")]);
    assert_eq!(reader.get_with(&path, &modest).await.code, 200);
    let refused = reader.get_with(&path, &greedy).await;
    let why = "user \"greedy\" does not read its answers: up to 64 MiB of them may wait; read them or close their connections";
    assert_eq!(refused.code, 429);
    assert!(refused.body.contains(&why.replace('"', "\\\"")), "{}", refused.body);
    assert_eq!(reader.get_with("/livez", &greedy).await.code, 200);
    drop(kept);
    in_time(async { while reader.get_with(&path, &greedy).await.code != 200 {} }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_have_so_many_watches_and_are_told_which_flag_allows_more() {
    let settings = [("max-watches", "5"), ("max-watches-per-user", "3")];
    let (server, _alone) = server(&settings).await;
    let watch = format!("{MAPS}?watch=1");
    let mut sender = opened(&server, 65_535).await;
    let mut kept = Vec::new();
    for token in ["greedy", "greedy", "greedy", "modest", "modest"] {
        kept.push(ask(&mut sender, token, &watch).await);
    }
    assert!(kept.iter().all(|answer| answer.status() == 200));
    let mut reader = Client::http2(&server, None).await;
    for (token, flag) in [("greedy", "--max-watches-per-user"), ("modest", "--max-watches")] {
        let token = format!("Bearer {token}");
        let refused = reader.get_with(&watch, &[("authorization", &token)]).await;
        assert_eq!((refused.code, refused.header("retry-after")), (429, "5"));
        let told = format!("raise {flag}\"");
        assert!(refused.body.contains(&told), "{}", refused.body);
        assert!(refused.body.contains(r#""reason":"TooManyRequests""#), "{}", refused.body);
    }
    // Masters are counted and not refused, and what has ended counts no more.
    assert_eq!(ask(&mut sender, "master", &watch).await.status(), 200);
    drop(kept);
    let greedy = [("authorization", "Bearer greedy")];
    let ends = format!("{watch}&timeoutSeconds=1");
    in_time(async { while reader.get_with(&ends, &greedy).await.code != 200 {} }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_bodies_that_come_slowly_hold_a_bounded_amount_for_each_user() {
    let (server, _alone) = server(&[]).await;
    let length = 3_000_000;
    let head = format!(
        "POST {MAPS} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer greedy\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    let text = Arc::new(vec![b' '; length - 10]);
    let before = resident();
    let mut kept = Vec::new();
    for _ in 0..60 {
        let stream =
            connect(server.address(), server.ca_certificate(), None, b"http/1.1", "localhost").await.unwrap();
        let (head, text) = (head.clone(), Arc::clone(&text));
        kept.push(tokio::spawn(async move {
            let mut stream = stream;
            stream.write_all(head.as_bytes()).await.unwrap();
            // All but the end; those that have to wait stay in the network.
            let sent = tokio::time::timeout(Duration::from_secs(3), stream.write_all(&text));
            (sent.await.is_ok(), stream)
        }));
    }
    let mut sent = 0;
    let mut streams = Vec::new();
    for task in kept {
        let (is_sent, stream) = in_time(task).await.unwrap();
        sent += usize::from(is_sent);
        streams.push(stream);
    }
    let grown = resident().saturating_sub(before);
    eprintln!("{sent} bodies were sent; {grown} MiB were taken");
    assert!(grown < 120, "60 bodies of 3 MB took {grown} MiB");
    // Others are not hindered, and neither are small requests of the same user.
    let mut other = Client::http2(&server, None).await;
    for (token, length) in [("greedy", 1000), ("modest", 1_000_000)] {
        let object = json!({"metadata": {"name": token}, "data": {"text": "x".repeat(length)}}).to_string();
        let headers =
            [("authorization", format!("Bearer {token}")), ("content-type", "application/json".into())];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        let mut request = other.request(Method::POST, MAPS, &headers);
        *request.body_mut() = Full::new(Bytes::from(object));
        assert_eq!(other.send(request).await.unwrap().code, 201);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_head_of_an_answer_is_short_however_long_the_head_of_the_request_is() {
    let (server, _alone) = server(&[]).await;
    let mut reader = Client::http2(&server, None).await;
    let length = |said: &client::Answered| -> usize {
        said.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
    };
    let long = "a".repeat(500_000);
    for name in ["audit-id", "accept", "user-agent", "x-other", "accept-encoding", "if-none-match"] {
        let headers = [("authorization", "Bearer modest"), (name, long.as_str())];
        let said = reader.get_with("/api/v1/namespaces", &headers).await;
        assert!(length(&said) < 1000, "{name}: {} bytes of head", length(&said));
    }
    let headers = [("authorization", "Bearer modest"), ("audit-id", "mine")];
    assert_eq!(reader.get_with("/api/v1/namespaces", &headers).await.header("audit-id"), "mine");
}
