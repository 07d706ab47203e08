//! `get --watch` against a server that ends the watch with an error: what is printed is what kubectl prints of it.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;

use rhumb_cli::command::{Command, parse};
use rhumb_cli::{Call, Factory, Kept, Streams, global};
use rhumb_client::config::{Environment, NoWarnings};
use serde_json::{Value, json};

static KUBECTL: Command = rhumb_kubectl::KUBECTL;

fn answer(path: &str) -> Option<Value> {
    let map = json!({"kind": "ConfigMap", "apiVersion": "v1",
                     "metadata": {"name": "a", "namespace": "default", "resourceVersion": "5"}});
    let resource = json!({"name": "configmaps", "singularName": "configmap", "namespaced": true,
                          "kind": "ConfigMap", "shortNames": ["cm"], "verbs": ["get", "list", "watch"]});
    match path.split('?').next()? {
        "/api" => Some(json!({"kind": "APIVersions", "versions": ["v1"]})),
        "/apis" => Some(json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": []})),
        "/api/v1" => Some(json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": [resource]})),
        "/api/v1/namespaces/default/configmaps/a" => Some(map),
        // An object that is there, and then an error.
        "/api/v1/namespaces/default/configmaps" => Some(json!([
            {"type": "ADDED", "object": map},
            {"type": "ERROR", "object": {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                                         "message": "too old resource version", "reason": "Expired", "code": 410}},
            {"type": "MODIFIED", "object": map},
        ])),
        _ => None,
    }
}

/// Serves the answers above, and gives the address.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
            // The headers end with an empty line.
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {}
            let (status, body) = match answer(&path) {
                Some(Value::Array(events)) => {
                    ("200 OK", events.iter().map(|event| format!("{event}\n")).collect())
                }
                Some(body) => ("200 OK", body.to_string()),
                None => ("404 Not Found", json!({"kind": "Status", "code": 404}).to_string()),
            };
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: \
                 close\r\n\r\n"
            );
            // Who goes away before the end of a watch has seen enough.
            let _ = (&stream).write_all(format!("{head}{body}").as_bytes());
        }
    });
    format!("http://{address}")
}

fn run(server: &str, line: &str) -> String {
    let args: Vec<String> = format!("-s {server} {line}").split_whitespace().map(str::to_owned).collect();
    let parsed = parse(&KUBECTL, global::FLAGS, "kubectl", &args).unwrap();
    let mut out = Kept::default();
    let streams = Streams {
        input: Box::new(io::empty()),
        out: Box::new(out.clone()),
        err: Box::new(out.clone()),
        ..Streams::process()
    };
    let factory = Factory::new(&parsed.flags, Environment::empty(), Arc::new(NoWarnings));
    let (commands, path, flags) = (parsed.commands, parsed.path, parsed.flags);
    let mut call = Call { commands, path, flags, args: parsed.args, dash: parsed.dash, streams, factory };
    if let Err(failure) = rhumb_kubectl::run(&mut call) {
        out.write_all(failure.text("").as_bytes()).unwrap();
    }
    String::from_utf8(out.take()).unwrap()
}

#[test]
fn an_error_that_ends_a_watch_is_printed() {
    let server = serve();
    for (line, expect) in [
        ("get cm a -w -o name", "configmap/a\nstatus/<unknown>\n"),
        (
            "get cm a -w",
            "NAME   AGE\na      <unknown>\n\nSTATUS    REASON    MESSAGE\nFailure   Expired   too old resource version\n",
        ),
        (
            "get cm a -w --output-watch-events -o json",
            "{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\
             \"namespace\":\"default\",\"resourceVersion\":\"5\"}}}\n\
             {\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\
             \"status\":\"Failure\",\"message\":\"too old resource version\",\"reason\":\"Expired\",\"code\":410}}\n",
        ),
    ] {
        assert_eq!(run(&server, line), expect, "{line}");
    }
}
