//! Ten thousand watches at once, of as many users as there are connections.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rhumb_server::Server;
use rhumb_server::environment::{Clock, SystemClock};
use serde_json::json;
use tokio::task::JoinSet;

use crate::client::{Client, connect, in_time};
use crate::{MEASURING, options, resident, user};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const CONNECTIONS: usize = 40;
/// As many as a connection may have.
const STREAMS: usize = 250;
/// What they may all take together, in kilobytes, both ends of their connections counted.
const MOST: u64 = 300 << 10;
/// How long another client may wait meanwhile, in a build that is not optimised, on a machine that does other things.
const PATIENCE: Duration = Duration::from_secs(10);

/// The watches of one user, on one connection that lives as long as this.
struct Watches {
    sender: http2::SendRequest<Full<Bytes>>,
    bodies: Vec<Incoming>,
}

async fn open(server: std::sync::Arc<Server>, number: usize) -> Watches {
    let stream = connect(server.address(), server.ca_certificate(), None, b"h2", "localhost").await.unwrap();
    let stream = TokioIo::new(stream);
    let (mut sender, connection) = http2::handshake(TokioExecutor::new(), stream).await.unwrap();
    tokio::spawn(connection);
    let mut bodies = Vec::new();
    for _ in 0..STREAMS {
        sender.ready().await.unwrap();
        let request = Request::get(format!("https://localhost{MAPS}?watch=true&labelSelector=seen"))
            .header("authorization", format!("Bearer watcher{number}"));
        let answer = sender.send_request(request.body(Full::default()).unwrap()).await.unwrap();
        assert_eq!(answer.status(), 200);
        bodies.push(answer.into_body());
    }
    Watches { sender, bodies }
}

/// Makes an object that watches see, and reads it again, in time.
async fn is_unharmed(server: &Server, name: &str) {
    let clock = SystemClock::default();
    let mut client = Client::http2(server, Some(server.admin_certificate())).await;
    let mut request = client.request(Method::POST, MAPS, &[("content-type", "application/json")]);
    let object =
        json!({"metadata": {"name": name, "labels": {"seen": ""}}, "data": {"text": "x".repeat(100)}});
    *request.body_mut() = Full::new(Bytes::from(object.to_string()));
    assert_eq!(in_time(client.send(request)).await.unwrap().code, 201);
    assert_eq!(in_time(client.get(&format!("{MAPS}/{name}"))).await.code, 200);
    let taken = clock.elapsed();
    assert!(taken < PATIENCE, "{name} took {taken:?}");
}

/// How many requests without an end there are.
async fn long_ones(server: &Server) -> u64 {
    let mut client = Client::http2(server, Some(server.admin_certificate())).await;
    let metrics = client.get("/metrics").await.body;
    let gauge =
        |line: &&str| line.starts_with("apiserver_longrunning_requests{") && line.contains("configmaps");
    let line = metrics.lines().find(gauge).unwrap_or(" 0");
    line.rsplit(' ').next().unwrap_or_default().parse().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_watches_keep_nobody_out() {
    let _measuring = MEASURING.lock().await;
    let mut builder = Server::builder().options(options(&[("authorization-mode", "AlwaysAllow")]));
    for number in 0..CONNECTIONS {
        builder = builder.token(format!("watcher{number}"), user(&format!("watcher{number}")));
    }
    let server = std::sync::Arc::new(builder.start().await.unwrap());
    is_unharmed(&server, "before").await;
    let before = resident();
    let mut opening = JoinSet::new();
    for number in 0..CONNECTIONS {
        opening.spawn(open(std::sync::Arc::clone(&server), number));
    }
    is_unharmed(&server, "meanwhile").await;
    let mut all = tokio::time::timeout(Duration::from_secs(60), opening.join_all()).await.unwrap();
    assert_eq!(all.iter().map(|watches| watches.bodies.len()).sum::<usize>(), CONNECTIONS * STREAMS);
    is_unharmed(&server, "last").await;
    // Each of them sees it.
    let mut reading = JoinSet::new();
    for mut watches in std::mem::take(&mut all) {
        reading.spawn(async move {
            for body in &mut watches.bodies {
                let mut seen = String::new();
                while !seen.contains("\"name\":\"last\"") {
                    let frame = body.frame().await.unwrap().unwrap();
                    seen.push_str(&String::from_utf8_lossy(&frame.into_data().unwrap()));
                }
            }
            watches
        });
    }
    all = tokio::time::timeout(Duration::from_secs(60), reading.join_all()).await.unwrap();
    let crowded = resident();
    eprintln!("{} kB for {} watches", crowded.saturating_sub(before), CONNECTIONS * STREAMS);
    assert!(crowded.saturating_sub(before) < MOST, "{before} kB before, {crowded} kB with the watches");
    // When they are gone, so is what was kept for them, and as many find room in it again.
    let gone: Vec<_> = all.into_iter().map(|watches| watches.sender).collect();
    drop(gone);
    in_time(async { while long_ones(&server).await > 0 {} }).await;
    is_unharmed(&server, "after").await;
    let again = open(std::sync::Arc::clone(&server), 0).await;
    assert!(resident() < crowded + (crowded - before) / 4, "{crowded} kB, then {} kB", resident());
    drop(again);
    in_time(async { while long_ones(&server).await > 0 {} }).await;
    let server = std::sync::Arc::into_inner(server).unwrap();
    in_time(server.shutdown()).await.unwrap();
}
