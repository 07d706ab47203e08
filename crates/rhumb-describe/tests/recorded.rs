//! What kubectl 1.36 said of objects, and what the server answered it: the same answers must give the same
//! text.
//!
//! A record is two files in `tests/recorded`: `NAME.json` with what was asked and answered, and `NAME.txt`
//! with what kubectl printed; if it printed an error in its place, the text begins with `error: `. Where
//! the time zone was another than UTC, its file stands there, too.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_client::{Client, Config};
use rhumb_describe::{Mapping, Settings, Zone, describe};
use rhumb_meta::{GroupVersionKind, GroupVersionResource, Scope, Time};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The answers of a server by request, each with its HTTP status.
type Answers = BTreeMap<String, (u16, Json)>;

struct Record {
    name: String,
    asked: Json,
    expected: String,
}

impl Record {
    fn text(&self, key: &str) -> String {
        self.asked[key].as_str().unwrap_or_default().to_owned()
    }

    fn mapping(&self) -> Mapping {
        let (group, version) = (self.text("group"), self.text("version"));
        let namespaced = self.asked["namespaced"] == true;
        Mapping {
            kind: GroupVersionKind::new(group.clone(), version.clone(), self.text("kind")),
            resource: GroupVersionResource::new(group, version, self.text("resource")),
            scope: if namespaced { Scope::Namespaced } else { Scope::Cluster },
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            show_events: self.asked["showEvents"] != false,
            chunk_size: self.asked["chunkSize"].as_i64().unwrap_or(500),
            now: Time::parse(&self.text("now")).expect("a time"),
            zone: self.zone(),
        }
    }

    fn zone(&self) -> Zone {
        let Some(file) = self.asked["zone"].as_str() else { return Zone::utc() };
        Zone::from_tzif(&std::fs::read(directory().join(file)).expect("a file")).expect("a zone")
    }

    fn answers(&self) -> Answers {
        let answers = self.asked["answers"].as_object().expect("answers");
        let answer =
            |answer: &Json| (answer["status"].as_u64().unwrap_or(200) as u16, answer["body"].clone());
        answers.iter().map(|(request, found)| (normalized(request), answer(found))).collect()
    }
}

/// A request without what doesn't matter: the order of parameters, and of the terms of a selector.
fn normalized(target: &str) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let decoded = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.bytes();
        while let Some(byte) = rest.next() {
            bytes.push(match byte {
                b'%' => {
                    let hex: Vec<u8> = rest.by_ref().take(2).collect();
                    let hex = std::str::from_utf8(&hex).expect("two digits");
                    u8::from_str_radix(hex, 16).expect("two digits")
                }
                b'+' => b' ',
                other => other,
            });
        }
        String::from_utf8(bytes).expect("text")
    };
    let mut parameters: Vec<String> = query
        .split('&')
        .filter(|parameter| !parameter.is_empty() && *parameter != "limit=0")
        .map(|parameter| {
            let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = decoded(value);
            let mut terms: Vec<&str> = value.split(',').collect();
            terms.sort_unstable();
            format!("{key}={}", terms.join(","))
        })
        .collect();
    parameters.sort_unstable();
    format!("{path}?{}", parameters.join("&"))
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded")
}

fn records() -> Vec<Record> {
    let mut records: Vec<Record> = std::fs::read_dir(directory())
        .expect("the directory of records")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| Record {
            name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
            asked: serde_json::from_slice(&std::fs::read(&path).expect("a record")).expect("JSON"),
            expected: std::fs::read_to_string(path.with_extension("txt")).expect("a text"),
        })
        .collect();
    records.sort_by(|one, other| one.name.cmp(&other.name));
    records
}

async fn serve(mut connection: TcpStream, answers: Arc<Answers>) {
    let mut bytes = Vec::new();
    loop {
        let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") else {
            match connection.read_buf(&mut bytes).await {
                Ok(1..) => continue,
                _ => return,
            }
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        bytes.drain(..end + 4);
        let target = normalized(head.split(' ').nth(1).unwrap_or_default());
        let unknown = || {
            (
                500,
                json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 500,
            "message": format!("not recorded: {target}")}),
            )
        };
        let (status, body) = answers.get(&target).cloned().unwrap_or_else(unknown);
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status} Recorded\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        if connection.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await.is_err() {
            return;
        }
    }
}

/// What is said of the recorded object with the recorded answers.
async fn replayed(record: &Record) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let answers = Arc::new(record.answers());
    let server = tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(serve(connection, Arc::clone(&answers)));
        }
    });
    let config = Config::new(format!("http://127.0.0.1:{port}").parse().expect("an address"));
    let client = Client::new(config).expect("a client");
    let (namespace, name) = (record.text("namespace"), record.text("name"));
    let described = describe(&client, &record.mapping(), &namespace, &name, &record.settings()).await;
    server.abort();
    described.unwrap_or_else(|error| format!("error: {error}\n"))
}

/// The lines that differ.
fn difference(expected: &str, actual: &str) -> String {
    let mut text = String::new();
    let (mut expected, mut actual) = (expected.lines(), actual.lines());
    for number in 1.. {
        let (one, other) = (expected.next(), actual.next());
        if one.is_none() && other.is_none() {
            break;
        }
        if one != other {
            let _ = writeln!(text, "  {number} kubectl {:?}\n  {number} here    {:?}", one, other);
        }
    }
    text
}

#[tokio::test]
async fn descriptions_are_those_of_kubectl() {
    let records = records();
    assert!(records.len() >= 80, "only {} records", records.len());
    let mut failures = String::new();
    for record in &records {
        let actual = replayed(record).await;
        if actual != record.expected {
            let _ = writeln!(failures, "{}:\n{}", record.name, difference(&record.expected, &actual));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
