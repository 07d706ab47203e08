//! What a server does when clients ask for more than it has: turn some away, let each have its turn, cut off those
//! who only want to keep it busy.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

#[allow(dead_code, reason = "every test uses a part of it")]
#[path = "front/client.rs"]
mod client;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use client::{Client, connect, in_time, start};
use http::{Method, Request};
use http_body_util::Full;
use rhumb_server::Server;
use rhumb_server::config::{Options, Storage};
use rhumb_server::environment::{Clock, SystemClock};
use rhumb_server::identity::{MASTERS, User};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn user(name: &str, group: &str) -> User {
    User { name: name.to_owned(), groups: vec![group.to_owned()], ..User::default() }
}

fn options(settings: &[(&str, &str)]) -> Options {
    let mut options = Options { storage: Storage::InMemory, ..Options::default() };
    for (name, value) in settings {
        options.apply(name, value).unwrap();
    }
    options.listen = ([127, 0, 0, 1], 0).into();
    options
}

#[tokio::test]
async fn beyond_the_bound_clients_are_told_to_come_again() {
    let settings = [("max-requests-inflight", "2"), ("max-mutating-requests-inflight", "1")];
    let builder = Server::builder().options(options(&settings));
    let builder = builder.token("a", user("a", "")).token("b", user("b", "")).token("c", user("c", ""));
    let (server, fake) = start(builder).await;
    let mut waiting = Vec::new();
    for token in ["Bearer a", "Bearer b"] {
        let mut client = Client::http2(&server, None).await;
        let request = client.request(Method::GET, "/wait", &[("authorization", token)]);
        waiting.push(tokio::spawn(async move { client.send(request).await.unwrap().code }));
        fake.entered.notified().await;
    }
    let mut client = Client::http1(&server, None).await;
    let refused = client.get_with("/api", &[("authorization", "Bearer c")]).await;
    assert_eq!((refused.code, refused.header("retry-after")), (429, "1"));
    assert_eq!(refused.body, "Too many requests, please try again later.\n");
    assert_eq!(refused.header("content-type"), "text/plain; charset=utf-8");
    // What changes something has places of its own, what has no end of its own needs none, and masters never wait.
    let request = client.request(Method::POST, "/api", &[("authorization", "Bearer c")]);
    assert_eq!(client.send(request).await.unwrap().code, 200);
    let watch = client.get_with("/api/v1/pods?watch=1", &[("authorization", "Bearer c")]).await;
    assert_eq!(watch.code, 200);
    assert_eq!(client.get_with("/livez", &[("authorization", "Bearer c")]).await.code, 200);
    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    assert_eq!(admin.get("/api").await.code, 200);
    for task in waiting {
        fake.release.notify_one();
        assert_eq!(in_time(task).await.unwrap(), 200);
    }
    assert_eq!(client.get_with("/api", &[("authorization", "Bearer c")]).await.code, 200);
}

#[tokio::test]
async fn rapid_reset_ends_the_connection_and_nothing_else() {
    let (server, fake) = start(Server::builder().options(options(&[]))).await;
    let admin = Some(server.admin_certificate());
    let stream = connect(server.address(), server.ca_certificate(), admin, b"h2", "localhost").await.unwrap();
    let (mut sender, connection) = h2::client::handshake(stream).await.unwrap();
    let cut = tokio::spawn(connection);
    let sent = in_time(async {
        let mut sent = 0;
        while sent < 100_000 {
            let request = Request::get("https://localhost/wait").body(()).unwrap();
            let Ok(ready) = sender.clone().ready().await else { break };
            sender = ready;
            let Ok((_, mut stream)) = sender.send_request(request, true) else { break };
            stream.send_reset(h2::Reason::CANCEL);
            sent += 1;
            if sent % 10 == 0 {
                tokio::task::yield_now().await;
            }
        }
        sent
    })
    .await;
    assert!(sent < 100_000, "{sent} requests were taken back, and nobody minded");
    drop(sender);
    let _ = in_time(cut).await;
    // Whoever gives up now and then goes on.
    let mut other = Client::http2(&server, admin).await;
    for _ in 0..20 {
        let request = other.request(Method::GET, "/wait", &[]);
        let given_up = tokio::time::timeout(Duration::from_millis(5), other.send(request)).await;
        assert!(given_up.is_err());
    }
    assert_eq!(other.get("/api").await.code, 200);
    drop(fake);
    in_time(server.shutdown()).await.unwrap();
}

#[tokio::test]
async fn a_body_that_comes_too_slowly_is_not_waited_for() {
    let server = Server::builder().options(options(&[])).start().await.unwrap();
    let admin = Some(server.admin_certificate());
    let stream = connect(server.address(), server.ca_certificate(), admin, b"http/1.1", "localhost").await;
    let mut stream = stream.unwrap();
    let head = "POST /api/v1/namespaces?timeout=200ms HTTP/1.1\r\nhost: localhost\r\n\
                content-type: application/json\r\ncontent-length: 100\r\n\r\n{\"metadata\":";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 4096];
    let count = in_time(stream.read(&mut answer)).await.unwrap();
    let answer = String::from_utf8_lossy(&answer[..count]).into_owned();
    assert!(answer.starts_with("HTTP/1.1 504 "), "{answer}");
}

/// How long gets take in the middle, in microseconds.
async fn get_time(client: &mut Client, clock: &SystemClock, path: &str) -> u128 {
    let mut times = Vec::new();
    for _ in 0..200 {
        let begun = clock.elapsed();
        assert_eq!(client.get(path).await.code, 200);
        times.push((clock.elapsed() - begun).as_micros());
    }
    times.sort_unstable();
    times[times.len() / 2]
}

/// A client that lists everything in a loop over many connections must not make gets of others take more than three
/// times as long. The machine may be busy with other things, so that a few tries are allowed.
#[test]
fn a_client_that_lists_everything_in_a_loop_slows_others_by_less_than_three_times() {
    const CONNECTIONS: usize = 24;
    let serving = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let builder = Server::builder().options(options(&[])).token("lister", user("lister", MASTERS));
    let server = Arc::new(serving.block_on(builder.start()).unwrap());
    let stop = Arc::new(AtomicBool::new(false));
    let lists = Arc::new(AtomicUsize::new(0));
    let probing = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let path = "/api/v1/namespaces/default/configmaps";
    let mut prober = probing.block_on(async {
        let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
        for number in 0..400 {
            let object =
                json!({"metadata": {"name": format!("c{number}")}, "data": {"text": "x".repeat(5000)}});
            let mut request = admin.request(Method::POST, path, &[("content-type", "application/json")]);
            *request.body_mut() = Full::new(Bytes::from(object.to_string()));
            assert_eq!(admin.send(request).await.unwrap().code, 201);
        }
        admin
    });
    let clock = SystemClock::default();
    let one = format!("{path}/c1");
    let mut measured = Vec::new();
    for _ in 0..6 {
        stop.store(false, Ordering::SeqCst);
        let alone = probing.block_on(get_time(&mut prober, &clock, &one));
        let listing = std::thread::spawn({
            let (server, stop, lists) = (Arc::clone(&server), Arc::clone(&stop), Arc::clone(&lists));
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    let mut tasks = Vec::new();
                    for _ in 0..CONNECTIONS {
                        let mut client = Client::http1(&server, None).await;
                        let (stop, lists) = (Arc::clone(&stop), Arc::clone(&lists));
                        tasks.push(tokio::spawn(async move {
                            let token = [("authorization", "Bearer lister")];
                            while !stop.load(Ordering::SeqCst) {
                                assert_eq!(client.get_with("/api/v1/configmaps", &token).await.code, 200);
                                lists.fetch_add(1, Ordering::SeqCst);
                            }
                        }));
                    }
                    for task in tasks {
                        task.await.unwrap();
                    }
                });
            }
        });
        let before = lists.load(Ordering::SeqCst);
        while lists.load(Ordering::SeqCst) < before + CONNECTIONS {
            std::thread::yield_now();
        }
        let beside = probing.block_on(get_time(&mut prober, &clock, &one));
        stop.store(true, Ordering::SeqCst);
        listing.join().unwrap();
        measured.push((alone, beside));
        if beside <= 3 * alone {
            break;
        }
    }
    eprintln!("microseconds for a get alone, and beside lists: {measured:?}");
    let found = measured.iter().any(|(alone, beside)| *beside <= 3 * alone);
    assert!(found, "microseconds for a get alone, and beside lists: {measured:?}");
    let server = Arc::into_inner(server).unwrap();
    serving.block_on(server.shutdown()).unwrap();
}
