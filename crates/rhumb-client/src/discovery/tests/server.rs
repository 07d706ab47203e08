//! A server that answers from a table and writes down what it was asked.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::{Client, Config};

/// What is answered for a path: the status, headers and body.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: String,
    pub(super) body: String,
}

#[derive(Default)]
struct State {
    answers: HashMap<String, Answer>,
    asked: Vec<String>,
}

#[derive(Clone)]
pub(super) struct Server {
    state: Arc<Mutex<State>>,
    pub(super) client: Client,
}

pub(super) const V2: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

impl Server {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        let client = Client::new(Config::new(format!("http://{address}").parse().unwrap())).unwrap();
        Server { state, client }
    }

    pub(super) fn answer(&self, path: &str, content_type: &str, body: &str) {
        self.answer_with(path, 200, &format!("Content-Type: {content_type}\r\n"), body);
    }

    pub(super) fn answer_with(&self, path: &str, status: u16, headers: &str, body: &str) {
        let answer = Answer { status, headers: headers.to_owned(), body: body.to_owned() };
        self.state.lock().answers.insert(path.to_owned(), answer);
    }

    /// The paths that were asked for since the last time, in alphabetical order.
    pub(super) fn asked(&self) -> Vec<String> {
        let mut asked = std::mem::take(&mut self.state.lock().asked);
        asked.sort();
        asked
    }

    /// Serves a core group and some others in the aggregated form.
    pub(super) fn serve_aggregated(&self, groups: &[(&str, &str, &str)]) {
        let pods = "{\"resource\":\"pods\",\"responseKind\":{\"group\":\"\",\"version\":\"\",\"kind\":\"Pod\"},\
            \"scope\":\"Namespaced\",\"singularResource\":\"pod\",\"verbs\":[\"get\",\"list\"],\
            \"shortNames\":[\"po\"],\"categories\":[\"all\"],\"subresources\":[{\"subresource\":\"status\",\
            \"responseKind\":{\"group\":\"\",\"version\":\"\",\"kind\":\"Pod\"},\"verbs\":[\"get\"]}]}";
        let document = |items: &str| {
            format!(
                "{{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\",\
                \"metadata\":{{}},\"items\":[{items}]}}"
            )
        };
        let core = format!(
            "{{\"metadata\":{{}},\"versions\":[{{\"version\":\"v1\",\"resources\":[{pods}],\"freshness\":\"Current\"}}]}}"
        );
        self.answer("/api", V2, &document(&core));
        let items: Vec<String> = groups
            .iter()
            .map(|(group, kind, freshness)| {
                let plural = format!("{}s", kind.to_lowercase());
                format!(
                    "{{\"metadata\":{{\"name\":\"{group}\"}},\"versions\":[{{\"version\":\"v1\",\"freshness\":\
                     \"{freshness}\",\"resources\":[{{\"resource\":\"{plural}\",\"responseKind\":{{\"group\":\"{group}\",\
                     \"version\":\"v1\",\"kind\":\"{kind}\"}},\"scope\":\"Cluster\",\"singularResource\":\"\",\
                     \"verbs\":[\"get\"]}}]}}]}}"
                )
            })
            .collect();
        self.answer("/apis", V2, &document(&items.join(",")));
    }
}

async fn serve(mut stream: TcpStream, state: Arc<Mutex<State>>) {
    let mut received = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        while let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8(received.drain(..end + 4).collect()).unwrap();
            let target = head.split(' ').nth(1).unwrap_or_default();
            let path = target.split('?').next().unwrap_or_default().to_owned();
            let answer = {
                let mut state = state.lock();
                state.asked.push(path.clone());
                state.answers.get(&path).cloned().unwrap_or(Answer { status: 404, ..Answer::default() })
            };
            let mark = answer.headers.lines().find_map(|line| line.strip_prefix("ETag: "));
            let is_known = mark.is_some_and(|mark| {
                head.lines().any(|line| {
                    line.to_ascii_lowercase().starts_with("if-none-match:") && line.ends_with(mark)
                })
            });
            let response = if is_known {
                "HTTP/1.1 304 Not Modified\r\n\r\n".to_owned()
            } else {
                let Answer { status, headers, body } = answer;
                format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
            };
            if stream.write_all(response.as_bytes()).await.is_err() {
                return;
            }
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(count) => received.extend_from_slice(&buffer[..count]),
        }
    }
}
