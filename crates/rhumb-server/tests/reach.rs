//! What leads through the server to nodes, pods and Services, asked in the same process. The texts are those that
//! kube-apiserver v1.36 gave to the same questions.

use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::time::Duration;

use crate::inside::{Inside, Said};
use crate::kubelet::Kubelet;
use bytes::Bytes;
use http::Method;
use http_body_util::BodyExt;
use serde_json::{Value, json};

const MERGE: &str = "application/merge-patch+json";
const PODS: &str = "/api/v1/namespaces/default/pods";
const UPGRADE: &[(&str, &str)] = &[("connection", "Upgrade"), ("upgrade", "SPDY/3.1")];

fn message(said: &Said) -> (u16, &str) {
    (said.code, said.json["message"].as_str().unwrap_or_default())
}

async fn made(server: &Inside, path: &str, object: Value) {
    let said = server.post(path, object).await;
    assert_eq!(said.code, 201, "{said:?}");
}

async fn set(server: &Inside, path: &str, status: Value) {
    let said = server.patch(&format!("{path}/status"), MERGE, json!({"status": status})).await;
    assert_eq!(said.code, 200, "{said:?}");
}

async fn node(server: &Inside, name: &str, address: &str, port: u16) {
    made(server, "/api/v1/nodes", json!({"metadata": {"name": name}})).await;
    let addresses = json!([{"type": "InternalIP", "address": address}]);
    let endpoint = json!({"kubeletEndpoint": {"Port": port}});
    set(
        server,
        &format!("/api/v1/nodes/{name}"),
        json!({"addresses": addresses, "daemonEndpoints": endpoint}),
    )
    .await;
}

async fn pod(server: &Inside, name: &str, node: &str, containers: &[&str]) {
    let containers: Vec<Value> = containers.iter().map(|name| json!({"name": name, "image": "i"})).collect();
    let spec = json!({"nodeName": node, "containers": containers});
    made(server, PODS, json!({"metadata": {"name": name}, "spec": spec})).await;
}

async fn at(server: &Inside, name: &str, address: &str) {
    set(server, &format!("{PODS}/{name}"), json!({"podIP": address, "podIPs": [{"ip": address}]})).await;
}

/// A port that nobody listens on.
fn closed_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address").port()
}

#[tokio::test]
async fn refusals_come_before_anybody_is_asked() {
    let server = Inside::start().await;
    node(&server, "n", "127.0.0.1", closed_port()).await;
    made(&server, "/api/v1/nodes", json!({"metadata": {"name": "bare"}})).await;
    pod(&server, "p", "n", &["c"]).await;
    pod(&server, "two", "n", &["a", "b"]).await;
    pod(&server, "bare", "bare", &["c"]).await;
    made(
        &server,
        PODS,
        json!({"metadata": {"name": "homeless"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}),
    )
    .await;
    at(&server, "two", "127.0.0.1").await;
    let unknown = "a container name must be specified for pod two, choose one of: [a b]";
    let nowhere = "no preferred addresses found; known addresses: []";
    for (path, code, expect) in [
        ("two/log", 400, unknown),
        ("two/log?container=x", 400, "container x is not valid for pod two"),
        ("bare/log", 500, nowhere),
        ("p/log/x", 404, "the server could not find the requested resource"),
        ("two/exec?command=ls", 400, unknown),
        ("two/attach?container=x", 400, "container x is not valid for pod two"),
        ("homeless/exec?command=ls", 400, "pod homeless does not have a host assigned"),
        ("homeless/portforward", 400, "pod homeless does not have a host assigned"),
        ("p/exec?command=ls", 400, "Upgrade request required"),
        ("p/exec?command=ls&dryRun=All", 400, "dryRun is not supported"),
        ("two/proxy/x", 400, "address not allowed"),
        ("p/proxy/x", 400, "address not allowed"),
        ("a:b:c:d/proxy/x", 400, "invalid pod request \"a:b:c:d\""),
        ("../../../nodes/n/proxy/", 400, "address not allowed"),
        ("../../../nodes/bare/proxy/", 500, nowhere),
        ("../services/x:y/proxy/", 404, "services \"x\" not found"),
    ] {
        let path = format!("{PODS}/{path}")
            .replace("/namespaces/default/pods/../../../", "/")
            .replace("/pods/../", "/");
        let said = server.get(&path).await;
        assert_eq!(message(&said), (code, expect), "{path}");
    }
    assert_eq!(server.get(&format!("{PODS}/homeless/log")).await.code, 204);
    for (method, path) in [(Method::POST, "log"), (Method::HEAD, "log"), (Method::PUT, "exec")] {
        assert_eq!(server.ask(method, &format!("{PODS}/p/{path}"), &[], Bytes::new()).await.code, 405);
    }
}

#[tokio::test]
async fn nobody_answers() {
    let server = Inside::start().await;
    let port = closed_port();
    node(&server, "n", "127.0.0.1", port).await;
    pod(&server, "p", "n", &["c"]).await;
    let refused = format!("dial tcp 127.0.0.1:{port}: connect: connection refused");
    let log =
        server.get(&format!("{PODS}/p/log?follow=true&tailLines=3&sinceTime=2020-01-01T00:00:00Z")).await;
    let expect = format!(
        "Get \"https://127.0.0.1:{port}/containerLogs/default/p/c?follow=true&sinceTime=2020-01-01T00%3A00%3A00Z\
         &tailLines=3\": {refused}"
    );
    assert_eq!(message(&log), (500, expect.as_str()));
    assert_eq!(log.json.get("reason"), None);
    for path in ["exec?command=ls", "attach", "portforward"] {
        let said = server.ask(Method::POST, &format!("{PODS}/p/{path}"), UPGRADE, Bytes::new()).await;
        let expect = format!("error dialing backend: {refused}");
        assert_eq!(message(&said), (500, expect.as_str()), "{path}");
    }
}

#[tokio::test]
async fn a_log_comes_as_it_is_written() {
    let kubelet = Kubelet::start().await;
    let server = Inside::start().await;
    node(&server, "n", "127.0.0.1", kubelet.address().port()).await;
    pod(&server, "p", "n", &["c"]).await;
    let said = server.get(&format!("{PODS}/p/log?tailLines=2&timestamps=true")).await;
    let expect = "2026-01-02T03:04:04.000000000Z line 4\n2026-01-02T03:04:05.000000000Z line 5\n";
    assert_eq!((said.code, &*said.body), (200, expect.as_bytes()));
    assert_eq!(said.headers["content-type"], "text/plain");
    let asked = kubelet.asked();
    assert_eq!(asked[0].line, "GET /containerLogs/default/p/c?tailLines=2&timestamps=true");
    assert!(asked[0].certificate.is_none());

    // Nobody writes on, and the server ends: so does the log.
    let request = http::Request::get(format!("{PODS}/p/log?follow=true"));
    let request = request.body(http_body_util::Full::new(Bytes::new())).unwrap();
    let answer = server.api.answer(request, &server.user).await;
    let mut body = answer.into_body();
    assert!(body.frame().await.unwrap().is_ok());
    server.api.close();
    let rest = tokio::time::timeout(Duration::from_secs(30), body.frame()).await.expect("in time");
    assert!(rest.is_none());
    drop(body);
    tokio::time::timeout(Duration::from_secs(30), kubelet.alone()).await.expect("in time");
}

#[tokio::test]
async fn what_is_no_kubelet_is_told_apart() {
    let server = Inside::start().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    node(&server, "n", "127.0.0.1", listener.local_addr().unwrap().port()).await;
    pod(&server, "p", "n", &["c"]).await;
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = [0; 1024];
            let _ = stream.read(&mut buffer).await;
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let said = server.ask(Method::POST, &format!("{PODS}/p/exec?command=ls"), UPGRADE, Bytes::new()).await;
    let expect = "error dialing backend: tls: first record does not look like a TLS handshake";
    assert_eq!(message(&said), (500, expect));
}

/// An address of this machine that others could reach. Nothing is sent to find out.
fn own_address() -> IpAddr {
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a socket");
    socket
        .connect("198.51.100.1:9")
        .expect("a machine with a network: only what others could reach is passed on to");
    let address = socket.local_addr().expect("an address").ip();
    assert!(!address.is_loopback() && !address.is_unspecified(), "{address} is for this machine alone");
    address
}

#[tokio::test]
async fn requests_are_passed_on() {
    let address = own_address();
    let kubelet = Kubelet::start_on(address).await;
    let at_kubelet: SocketAddr = kubelet.address();
    let (address, port) = (address.to_string(), at_kubelet.port());
    let server = Inside::start().await;
    node(&server, "n", &address, port).await;
    pod(&server, "p", "n", &["c"]).await;
    at(&server, "p", &address).await;

    let below = format!("{PODS}/https:p:{port}/proxy");
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        let said = server
            .ask(
                method.parse().unwrap(),
                &format!("{below}/a//../b%20c?d=%2F"),
                &[("te", "x"), ("x-a", "b")],
                "hi".into(),
            )
            .await;
        assert_eq!((said.code, &*said.body), (200, format!("{method} /b%20c?d=%2F").as_bytes()));
        let asked = kubelet.asked();
        assert_eq!(asked[0].body, "hi");
        assert_eq!(asked[0].headers["x-a"], "b");
        assert!(!asked[0].headers.contains_key("te"));
        assert_eq!(said.headers["cache-control"], "no-cache, private");
    }
    let head = server.ask(Method::HEAD, &format!("{below}/x"), &[], Bytes::new()).await;
    assert_eq!((head.code, head.headers["content-length"].to_str().unwrap()), (200, "7"));
    let bare = server.get(&format!("{below}?a=b")).await;
    assert_eq!(
        (bare.code, bare.headers["location"].to_str().unwrap()),
        (301, format!("{below}/?a=b").as_str())
    );

    let closed = closed_port();
    let refused = |port: u16| {
        format!("error trying to reach service: dial tcp {address}:{port}: connect: connection refused")
    };
    let said = server.get(&format!("{PODS}/p:{closed}/proxy/")).await;
    assert_eq!(message(&said), (503, refused(closed).as_str()));
    assert_eq!(said.json["reason"], "ServiceUnavailable");
    let said = server.get(&format!("{PODS}/p:99999/proxy/")).await;
    assert_eq!(message(&said), (503, "error trying to reach service: dial tcp: address 99999: invalid port"));

    let services = "/api/v1/namespaces/default/services";
    let endpoints = "/api/v1/namespaces/default/endpoints";
    let ports = json!([{"name": "web", "port": 80}, {"name": "dead", "port": 81}]);
    made(&server, services, json!({"metadata": {"name": "s"}, "spec": {"ports": ports}})).await;
    let target = json!({"kind": "Pod", "name": "p", "namespace": "default"});
    let subset = |target: Value| {
        json!([{
            "addresses": [{"ip": address, "targetRef": target}],
            "ports": [{"name": "web", "port": port}, {"name": "dead", "port": closed}],
        }])
    };
    made(&server, endpoints, json!({"metadata": {"name": "s"}, "subsets": subset(target)})).await;
    for name in ["https:s:web", "https:s:80"] {
        let said = server.get(&format!("{services}/{name}/proxy/x")).await;
        assert_eq!((said.code, &*said.body), (200, &b"GET /x"[..]), "{name}");
    }
    assert_eq!(
        message(&server.get(&format!("{services}/s:81/proxy/")).await),
        (503, refused(closed).as_str())
    );
    for (name, expect) in [
        ("s:82", "no service port 82 found for service \"s\""),
        ("s", "no endpoints available for service \"s\""),
        ("s:other", "no endpoints available for service \"s:other\""),
    ] {
        assert_eq!(message(&server.get(&format!("{services}/{name}/proxy/")).await), (503, expect));
    }
    // An address that is no pod's is not reached through a Service.
    let other = json!({"kind": "Pod", "name": "q", "namespace": "default"});
    made(&server, services, json!({"metadata": {"name": "t"}, "spec": {"ports": [{"port": 80}]}})).await;
    made(&server, endpoints, json!({"metadata": {"name": "t"}, "subsets": subset(other)})).await;
    let said = server.get(&format!("{services}/t:web/proxy/")).await;
    assert_eq!(message(&said), (503, "no endpoints available for service \"t:web\""));
}
