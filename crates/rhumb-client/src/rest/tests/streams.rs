//! Watches and bodies that come in pieces.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use http::{HeaderMap, StatusCode};
use parking_lot::Mutex;
use rhumb_api::core::v1::Pod;
use rhumb_codec::framing::Framing;
use rhumb_codec::proto;
use rhumb_schema::RawJson;
use rhumb_scheme::Unstructured;
use tokio::io::AsyncBufReadExt;

use super::server::{Server, Step, chunk, chunked, head, json};
use super::{client, client_with, core};
use crate::Error;
use crate::config::{ContentType, RequestObserver, SentRequest, WatchEnd};
use crate::object::WatchEvent;
use crate::rest::{Client, WatchStream};

const JSON: &[(&str, &str)] = &[("content-type", "application/json")];

fn added(name: &str) -> String {
    format!(
        r#"{{"type":"ADDED","object":{{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{name}"}}}}}}"#
    ) + "\n"
}

async fn watch(client: &Client) -> WatchStream<Pod> {
    client.get().version(&core()).resource("pods").watch().await.expect("a watch")
}

/// The names that came, and how it ended.
async fn drain(mut stream: WatchStream<Pod>) -> (Vec<String>, Option<Error>) {
    let mut names = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => names.push(event.object().map(|pod| pod.metadata.name.clone()).unwrap_or_default()),
            Err(error) => {
                assert!(stream.next().await.is_none(), "nothing comes after an error");
                return (names, Some(error));
            }
        }
    }
    (names, None)
}

#[tokio::test]
async fn events_come_however_the_bytes_are_cut() {
    let server = Server::start(|_, _| {
        let text: String = (0..30).map(|index| added(&format!("pod-{index}"))).collect();
        let mut steps = vec![Step::Send(chunked(JSON))];
        steps.extend(text.as_bytes().chunks(37).map(|piece| Step::Send(chunk(piece))));
        steps.push(Step::Send(chunk("")));
        steps
    })
    .await;
    let (names, error) = drain(watch(&client(&server)).await).await;
    assert_eq!(names.len(), 30);
    assert_eq!(names[29], "pod-29");
    assert!(error.is_none());
    let seen = &server.seen()[0];
    assert_eq!(seen.line(), "GET /api/v1/pods?watch=true");
    assert_eq!(seen.header("accept-encoding"), None);
}

#[tokio::test]
async fn protobuf_is_read_by_what_the_answer_says() {
    let server = Server::start(|_, _| {
        let mut pod = Pod::default();
        pod.type_meta.set("v1", "Pod");
        let mut bytes = Vec::new();
        for (kind, name) in [("ADDED", "a"), ("DELETED", "b"), ("BOOKMARK", "c")] {
            pod.metadata.name = name.into();
            pod.metadata.resource_version = "9".into();
            let mut object = Vec::new();
            proto::encode(&pod, &mut object).unwrap();
            let event = rhumb_meta::v1::WatchEvent { type_: kind.into(), object: RawJson(object) };
            let mut frame = Vec::new();
            proto::encode_bare(&event, &mut frame).unwrap();
            Framing::LengthDelimited.write(&frame, &mut bytes).unwrap();
        }
        let kind = [("content-type", "application/vnd.kubernetes.protobuf;stream=watch")];
        vec![Step::Send(chunked(&kind)), Step::Send(chunk(bytes)), Step::Send(chunk(""))]
    })
    .await;
    let client = client_with(&server, |config| config.content_type = ContentType::Protobuf);
    let events: Vec<_> = watch(&client).await.map(Result::unwrap).collect().await;
    assert!(matches!(&events[0], WatchEvent::Added(pod) if pod.metadata.name == "a"));
    assert!(matches!(&events[1], WatchEvent::Deleted(pod) if pod.metadata.name == "b"));
    let WatchEvent::Bookmark { resource_version, initial_events_end: false } = &events[2] else { panic!() };
    assert_eq!(resource_version, "9");
    assert_eq!(events.len(), 3);
}

#[tokio::test]
async fn objects_without_a_type_are_asked_for_in_json() {
    let server = Server::start(|_, _| json(200, &added("a"))).await;
    let client = client_with(&server, |config| config.content_type = ContentType::Protobuf);
    let mut stream = client.get().absolute("/x").watch::<Unstructured>().await.unwrap();
    assert!(matches!(stream.next().await, Some(Ok(WatchEvent::Added(_)))));
    assert_eq!(server.seen()[0].header("accept"), Some("application/json"));
}

#[tokio::test]
async fn a_watch_ends_with_the_first_thing_that_is_wrong() {
    let server = Server::start(|number, _| {
        let mut steps = vec![Step::Send(chunked(JSON)), Step::Send(chunk(added("a")))];
        match number {
            // The server ends it in order.
            0 => steps.push(Step::Send(chunk(""))),
            // The connection is cut between events, and in one.
            1 => steps.push(Step::Close),
            2 => steps.extend([Step::Send(chunk(&added("b")[..40])), Step::Close]),
            // The body ends in an event.
            3 => steps.extend([Step::Send(chunk(&added("b")[..40])), Step::Send(chunk(""))]),
            4 => steps.push(Step::Send(chunk("<html>"))),
            5 => steps.push(Step::Send(chunk(r#"{"type":"NEW","object":{}}"#))),
            6 => steps.push(Step::Send(chunk(r#"{"type":"ADDED","object":{"spec":7}}"#))),
            7 => steps.push(Step::Send(chunk(
                r#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}"#.to_owned()
                    + &added("b"),
            ))),
            _ => steps.push(Step::Send(b"this is no chunk\r\n".to_vec())),
        }
        steps
    })
    .await;
    let client = client(&server);
    for number in 0..9 {
        let (names, error) = drain(watch(&client).await).await;
        assert_eq!(names[0], "a", "{number}");
        match number {
            0 => assert!(error.is_none()),
            1 | 2 | 8 => assert!(matches!(error, Some(Error::Connection(_))), "{number}: {error:?}"),
            7 => assert_eq!((names.len(), error.is_none()), (2, true)),
            _ => assert!(matches!(error, Some(Error::Stream(_))), "{number}: {error:?}"),
        }
    }
}

/// Writes down how watches ended.
#[derive(Default)]
struct Ends(Mutex<Vec<String>>);

impl RequestObserver for Ends {
    fn sending(&self, _: &SentRequest<'_>) {}

    fn answered(&self, _: &SentRequest<'_>, _: Option<(StatusCode, &HeaderMap)>, _: Duration) {}

    fn received(&self, _: &[u8]) {}

    fn watch_ended(&self, why: WatchEnd<'_>) {
        self.0.lock().push(format!("{why:?}").split('(').next().unwrap_or_default().to_owned());
    }
}

#[tokio::test]
async fn why_a_watch_ended_is_told_unless_the_server_ended_it() {
    let server = Server::start(|number, _| {
        let mut steps = vec![Step::Send(chunked(JSON)), Step::Send(chunk(added("a")))];
        match number {
            0 => steps.push(Step::Send(chunk(""))),
            1 => steps.push(Step::Close),
            2 => steps.extend([Step::Send(chunk(&added("b")[..40])), Step::Close]),
            3 => steps.extend([Step::Send(chunk(&added("b")[..40])), Step::Send(chunk(""))]),
            // What comes over the connection is wrong, not the connection.
            4 => steps.push(Step::Send(chunk(r#"{"type":"NEW","object":{}}"#))),
            5 => steps.push(Step::Send(b"this is no chunk\r\n".to_vec())),
            _ => steps.push(Step::Hang),
        }
        steps
    })
    .await;
    let ends = Arc::new(Ends::default());
    let client = client_with(&server, |config| {
        config.timeout = Some(Duration::from_millis(300));
        config.observer = Some(Arc::clone(&ends) as _);
    });
    let none: &[&str] = &[];
    let (cut, failed, over): (&[&str], &[&str], &[&str]) = (&["Truncated"], &["Failed"], &["Timeout"]);
    for (number, expect) in [none, cut, cut, cut, none, failed, over].into_iter().enumerate() {
        drain(watch(&client).await).await;
        assert_eq!(std::mem::take(&mut *ends.0.lock()), expect, "{number}");
    }
}

#[tokio::test]
async fn a_frame_over_the_limit_is_not_kept() {
    let server = Server::start(|_, _| {
        let big = format!(r#"{{"type":"ADDED","object":{{"x":"{}"#, "x".repeat(1 << 20));
        let mut steps = vec![Step::Send(chunked(JSON)), Step::Send(chunk(big))];
        steps.extend((0..17).map(|_| Step::Send(chunk("x".repeat(1 << 20)))));
        steps
    })
    .await;
    let (_, error) = drain(watch(&client(&server)).await).await;
    assert_eq!(error.unwrap().to_string(), "object to decode was longer than maximum allowed size");
}

#[tokio::test]
async fn dropping_a_watch_ends_it() {
    let server =
        Server::start(|_, _| vec![Step::Send(chunked(JSON)), Step::Send(chunk(added("a"))), Step::Hang])
            .await;
    let client = client(&server);
    let mut stream = watch(&client).await;
    stream.next().await.unwrap().unwrap();
    let waiting = tokio::time::timeout(Duration::from_millis(50), stream.next()).await;
    assert!(waiting.is_err(), "the watch goes on");
    drop(stream);
    let gone = tokio::time::timeout(Duration::from_secs(5), server.gone.acquire()).await;
    assert!(gone.is_ok(), "the server was told");
}

#[tokio::test]
async fn lines_are_read_as_they_come() {
    let server = Server::start(|number, _| match number {
        0 => vec![
            Step::Send(chunked(&[("content-type", "text/plain")])),
            Step::Send(chunk("one\ntw")),
            Step::Send(chunk("o\n\nthree")),
            Step::Send(chunk("")),
        ],
        1 => vec![Step::Send(head(200, &[])), Step::Send(b"all of it".to_vec()), Step::Close],
        _ => vec![Step::Send(chunked(&[])), Step::Send(chunk("half")), Step::Close],
    })
    .await;
    let client = client(&server);
    let mut lines = client.get().absolute("/log").stream().await.unwrap().lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        found.push(line);
    }
    assert_eq!(found, ["one", "two", "", "three"]);
    let whole = client.get().absolute("/log").stream().await.unwrap().collect(100).await.unwrap();
    assert_eq!(whole, "all of it");
    assert!(client.get().absolute("/log").stream().await.unwrap().collect(100).await.is_err());
}

#[tokio::test]
async fn a_watch_ends_and_a_stream_fails_when_their_time_is_over() {
    let server = Server::start(|_, _| {
        vec![Step::Send(chunked(JSON)), Step::Send(chunk(added("a"))), Step::Send(chunk("{")), Step::Hang]
    })
    .await;
    let client = client_with(&server, |config| config.timeout = Some(Duration::from_millis(300)));
    let begin = tokio::time::Instant::now();
    let (names, error) = drain(watch(&client).await).await;
    assert_eq!(names, ["a"]);
    assert!(error.is_none(), "{error:?}");
    assert!(begin.elapsed() >= Duration::from_millis(300));
    let mut stream = client.get().absolute("/log").stream().await.unwrap();
    let error = loop {
        match stream.next().await.expect("it does not just end") {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(error.is_timeout(), "{error:?}");
    // A server that was told when ends a watch itself: what it sends until then is not cut off.
    let request = client.get().absolute("/pods").param("timeoutSeconds", "60");
    let mut stream = request.watch::<Pod>().await.unwrap();
    assert!(stream.next().await.is_some_and(|event| event.is_ok()));
    assert!(tokio::time::timeout(Duration::from_secs(1), stream.next()).await.is_err());
    // Another time for one request goes before the client's.
    let request = client.get().absolute("/log").timeout(Duration::from_secs(60));
    let mut stream = request.stream().await.unwrap();
    while let Ok(Some(piece)) = tokio::time::timeout(Duration::from_secs(1), stream.next()).await {
        piece.unwrap();
    }
}
