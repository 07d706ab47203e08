//! Servers that are busy, slow, gone, or talk nonsense.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Method;
use rhumb_api::core::v1::Pod;
use rhumb_scheme::Unstructured;
use tokio::time::Instant;

use super::server::{Server, Step, answer, head, json};
use super::{client, client_with, config, shared};
use crate::Error;
use crate::rest::Client;

const SHORT: Duration = Duration::from_millis(200);

#[tokio::test]
async fn a_busy_server_is_asked_again_when_it_says_so() {
    let server = Server::start(|number, _| match number {
        0 => answer(429, &[("retry-after", "0")], "busy"),
        1 => answer(503, &[("retry-after", "0")], "busy"),
        2 => answer(500, &[("retry-after", "0")], "busy"),
        3 => json(200, "{}"),
        _ => answer(503, &[], "no hint, no second try"),
    })
    .await;
    let client = client(&server);
    client.post().absolute("/x").bytes("body").send().await.unwrap();
    let seen = server.seen();
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().all(|seen| seen.body == b"body" && seen.connection == 0));
    assert!(client.get().absolute("/x").send().await.unwrap_err().is_service_unavailable());
    assert_eq!(server.seen().len(), 5);
}

#[tokio::test]
async fn patience_ends() {
    let server = Server::start(|_, _| answer(429, &[("retry-after", "0")], "busy")).await;
    let client = client(&server);
    let error = client.get().absolute("/x").send().await.unwrap_err();
    assert!(error.is_too_many_requests());
    assert_eq!(server.seen().len(), 11);
    client.get().absolute("/x").max_retries(0).send().await.unwrap_err();
    assert_eq!(server.seen().len(), 12);
    assert!(client.get().absolute("/x").max_retries(2).stream().await.is_err());
    assert_eq!(server.seen().len(), 15);
}

#[tokio::test]
async fn the_wait_is_as_long_as_the_server_says() {
    let server = Server::start(|number, _| match number {
        0 => answer(503, &[("retry-after", "1")], ""),
        1 => json(200, "{}"),
        _ => answer(429, &[("retry-after", "30")], ""),
    })
    .await;
    let start = Instant::now();
    client(&server).get().absolute("/x").send().await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
    // Waiting counts against the request's own time.
    let error = client(&server).get().absolute("/x").timeout(SHORT).send().await.unwrap_err();
    assert!(matches!(error, Error::Timeout(SHORT)));
    let error = client(&server).get().absolute("/x").max_retries(0).send().await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(30)));
}

#[tokio::test]
async fn a_read_is_sent_again_when_the_connection_is_lost() {
    let server = Server::start(|number, _| match number {
        0 | 2 => vec![Step::Close],
        _ => json(200, "{}"),
    })
    .await;
    let client = client(&server);
    client.get().absolute("/a").send().await.unwrap();
    let error = client.post().absolute("/b").send().await.unwrap_err();
    assert!(matches!(error, Error::Connection(_)), "{error:?}");
    let lines: Vec<_> = server.seen().iter().map(|seen| seen.line()).collect();
    assert_eq!(lines, ["GET /a", "GET /a", "POST /b"]);
}

#[tokio::test]
async fn an_idle_connection_that_was_closed_is_no_error() {
    let server = Server::start(|_, _| {
        let mut steps = json(200, "{}");
        steps.push(Step::Close);
        steps
    })
    .await;
    let client = client(&server);
    for _ in 0..20 {
        client.post().absolute("/x").send().await.unwrap();
        // The client must have a chance to see that the connection was closed; a request that is under way when that
        // happens may not be sent again.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_body_that_ends_early_is_an_error() {
    let server = Server::start(|_, _| {
        let mut bytes = head(200, &[("content-type", "application/json"), ("content-length", "100")]);
        bytes.extend_from_slice(b"{\"kind\":");
        vec![Step::Send(bytes), Step::Close]
    })
    .await;
    let error = client(&server).get().absolute("/x").send().await.unwrap_err();
    assert!(matches!(error, Error::Connection(_)), "{error:?}");
}

#[tokio::test]
async fn garbage_is_an_error_and_is_not_asked_for_again() {
    let server =
        Server::start(|_, _| vec![Step::Send(b"SSH-2.0-OpenSSH\r\n\r\n".to_vec()), Step::Close]).await;
    let error = client(&server).get().absolute("/x").send().await.unwrap_err();
    assert!(matches!(error, Error::Connection(_)), "{error:?}");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_silent_server_costs_no_more_than_the_time_allowed() {
    let server = Server::start(|_, seen| match &*seen.target {
        "/slow?timeout=200ms" => {
            vec![Step::Send(head(200, &[("content-length", "10")])), Step::Send(b"{".to_vec()), Step::Hang]
        }
        _ => vec![Step::Hang],
    })
    .await;
    let client = client_with(&server, |config| config.timeout = Some(SHORT));
    for path in ["/silent", "/slow"] {
        let error = client.get().absolute(path).send().await.unwrap_err();
        assert!(error.is_timeout(), "{path}: {error:?}");
    }
    let lines: Vec<_> = server.seen().iter().map(|seen| seen.line()).collect();
    assert_eq!(lines, ["GET /silent?timeout=200ms", "GET /slow?timeout=200ms"]);
    assert!(client.get().absolute("/watch").watch::<Pod>().await.unwrap_err().is_timeout());
}

#[tokio::test]
async fn nobody_there_is_told_at_once() {
    let server = Server::start(|_, _| Vec::new()).await;
    let config = config(&server);
    drop(server);
    // The listener goes with its task, which needs a moment to end.
    tokio::time::sleep(Duration::from_millis(20)).await;
    let error = Client::new(config).unwrap().get().absolute("/x").send().await.unwrap_err();
    assert!(error.is_connection_refused(), "{}", error.chain());
    assert!(error.chain().starts_with("the server can't be reached: "), "{}", error.chain());
}

#[tokio::test]
async fn a_redirection_is_followed_within_the_server_only() {
    let other = Server::start(|_, _| json(200, "{}")).await;
    let elsewhere = format!("{}/stolen", other.uri());
    let shown = elsewhere.clone();
    let server = Server::start(move |_, seen| match &*seen.target {
        "/a" => answer(301, &[("location", "/b?x=1")], ""),
        "/b?x=1" => answer(307, &[("location", "c/d")], ""),
        "/c/d" => json(200, r#"{"kind":"here"}"#),
        "/loop" => answer(302, &[("location", "/loop")], ""),
        "/away" => answer(302, &[("location", &elsewhere)], ""),
        "/away2" => answer(302, &[("location", "//example.com/x")], ""),
        _ => answer(308, &[("location", "/a")], ""),
    })
    .await;
    let client = client_with(&server, |config| config.auth = crate::config::Auth::Token("secret".into()));
    let response = client.get().absolute("/a").send().await.unwrap();
    assert_eq!(response.body, r#"{"kind":"here"}"#);
    let error = client.get().absolute("/loop").send().await.unwrap_err();
    assert_eq!(error.to_string(), "the server redirected more than 10 times");
    let error = client.get().absolute("/away").send().await.unwrap_err();
    assert_eq!(error.to_string(), format!("the server redirected to {shown}, which is not followed"));
    assert!(client.get().absolute("/away2").send().await.is_err());
    // What writes is not sent anywhere else.
    assert_eq!(client.post().absolute("/post").send().await.unwrap_err().code(), Some(308));
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn an_answer_has_its_bounds() {
    let server = Server::start(|_, _| json(200, &"x".repeat(100_000))).await;
    let client = client(&server);
    assert!(client.get().absolute("/x").max_body(99_999).send().await.is_err());
    assert_eq!(client.get().absolute("/x").max_body(100_000).send().await.unwrap().body.len(), 100_000);
}

#[tokio::test]
async fn clones_share_the_rate_limit() {
    let server = Server::start(|_, _| json(200, "{}")).await;
    let client = client_with(&server, |config| {
        config.qps = Some(20.0);
        config.burst = 2;
    });
    let start = Instant::now();
    let done = shared(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..6)
        .map(|_| {
            let (client, done) = (client.clone(), done.clone());
            tokio::spawn(async move {
                client.request(Method::GET).absolute("/x").send().await.unwrap();
                done.fetch_add(1, Ordering::Relaxed);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(done.load(Ordering::Relaxed), 6);
    assert!(start.elapsed() >= Duration::from_millis(195), "{:?}", start.elapsed());
}

/// Answers that are right but for a few bytes: whatever comes of them, it comes, and it is no panic.
#[tokio::test]
async fn damaged_answers_are_no_more_than_errors() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let event = r#"{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}}"#;
    let list =
        r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{"spec":{}}]}"#;
    let server = Server::start(move |number, _| {
        let mut random = fastrand::Rng::with_seed(seed ^ number as u64);
        let (kind, body) = match random.u8(0..4) {
            0 => ("application/json", list.as_bytes().to_vec()),
            1 => ("application/json", event.repeat(3).into_bytes()),
            2 => (
                "application/vnd.kubernetes.protobuf",
                [b"k8s\0\x0a\x02v1", &*random_bytes(&mut random)].concat(),
            ),
            _ => ("text/html", random_bytes(&mut random)),
        };
        let code = random.choice([200, 200, 200, 201, 404, 500]).unwrap_or(200);
        let mut bytes = match answer(code, &[("content-type", kind)], body).pop() {
            Some(Step::Send(bytes)) => bytes,
            _ => Vec::new(),
        };
        for _ in 0..random.usize(0..4) {
            let place = random.usize(0..bytes.len());
            bytes[place] = random.u8(..);
        }
        bytes.truncate(bytes.len() - random.usize(0..3) * random.usize(0..bytes.len() / 3));
        vec![Step::Send(bytes), Step::Close]
    })
    .await;
    let client = client_with(&server, |config| config.timeout = Some(Duration::from_secs(10)));
    let mut readable = 0;
    for _ in 0..300 {
        let request = client.get().absolute("/x").max_retries(0);
        if let Ok(response) = request.clone().send().await {
            readable += usize::from(response.decode_list::<Pod>().is_ok());
            let _ = (response.decode::<Pod>(), response.decode::<Unstructured>());
        }
        if let Ok(mut stream) = request.watch::<Pod>().await {
            while let Some(event) = stream.next().await {
                readable += usize::from(event.is_ok());
            }
        }
    }
    assert!(readable > 10, "some survive: {readable}");
}

fn random_bytes(random: &mut fastrand::Rng) -> Vec<u8> {
    (0..random.usize(0..200)).map(|_| random.u8(..)).collect()
}

#[tokio::test]
async fn a_server_that_never_answers_does_not_hold_a_request_for_ever() {
    let server = Server::start(|_, _| vec![Step::Hang]).await;
    let client = client(&server);
    let sent = tokio::spawn(async move { client.post().absolute("/silent").send().await });
    while server.seen().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // From here on time passes as soon as there is nothing else to do.
    tokio::time::pause();
    assert!(matches!(sent.await.unwrap().unwrap_err(), Error::Timeout(_)));
}

/// A server that takes connections and closes them, at once or when something has come.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_hangs_up_at_once_leaves_no_request_behind() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let accepting = tokio::spawn(async move {
        let mut count = 0u32;
        while let Ok((mut stream, _)) = listener.accept().await {
            count += 1;
            if count.is_multiple_of(3) {
                tokio::spawn(async move {
                    let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 16]).await;
                });
            }
        }
    });
    let mut config = crate::config::Config::new(format!("http://{address}").parse().unwrap());
    config.environment = crate::config::Environment::empty();
    let client = Client::new(config).unwrap();
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move {
                // It takes some thousand before one meets a connection at the very moment of its end.
                for _ in 0..1500 {
                    let request = client.get().absolute("/x").max_retries(0).send();
                    let ended = tokio::time::timeout(Duration::from_secs(30), request).await;
                    assert!(matches!(ended.expect("it ends"), Err(Error::Connection(_))));
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    accepting.abort();
}
