//! Thousands of bad requests: all of them are refused, nothing breaks, and the server goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::header::HeaderValue;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use rhumb_server::Server;
use rhumb_server::environment::{Clock, SystemClock};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::client::{Client, connect, in_time};
use crate::dice::{Dice, Roll};
use crate::faults::Faults;
use crate::inside::definitions::{DEFINITIONS, gears};
use crate::{MEASURING, resident};

const REQUESTS: usize = 8000;
/// Less than this is done where the machine has too much else to do.
const TIME: Duration = Duration::from_secs(15);
/// How much larger the process may be at the end, in kilobytes; other tests run in it as well.
const GROWTH: u64 = 400 << 10;

/// What answers are made of that are right.
fn seeds() -> Vec<Value> {
    let object = |version: &str, kind: &str, rest: Value| {
        let mut object =
            json!({"apiVersion": version, "kind": kind, "metadata": {"name": "a", "labels": {"a": "b"}}});
        for (key, value) in rest.as_object().unwrap() {
            object[key] = value.clone();
        }
        object
    };
    let container = json!({
        "name": "c", "image": "i", "resources": {"requests": {"cpu": "1m", "memory": "1Gi"}},
        "ports": [{"containerPort": 80, "protocol": "TCP"}], "env": [{"name": "A", "value": "b"}],
    });
    let volumes = json!([{"name": "v", "emptyDir": {}}]);
    let spec = json!({"containers": [container], "volumes": volumes, "nodeSelector": {"a": "b"}});
    let selector = json!({"matchLabels": {"a": "b"}});
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": spec});
    vec![
        object("v1", "ConfigMap", json!({"data": {"k": "v"}, "binaryData": {"b": "AAA="}})),
        object("v1", "Secret", json!({"stringData": {"k": "v"}, "type": "Opaque"})),
        object("v1", "Pod", json!({"spec": spec})),
        object(
            "v1",
            "Service",
            json!({"spec": {"ports": [{"port": 80, "targetPort": "x"}], "clusterIP": "None"}}),
        ),
        object("v1", "ResourceQuota", json!({"spec": {"hard": {"pods": "5", "requests.cpu": "1500m"}}})),
        object(
            "v1",
            "Node",
            json!({"spec": {"podCIDR": "10.0.0.0/24", "taints": [{"key": "a", "effect": "NoSchedule"}]}}),
        ),
        object(
            "apps/v1",
            "Deployment",
            json!({"spec": {"replicas": 1, "selector": selector, "template": template}}),
        ),
        object(
            "batch/v1",
            "CronJob",
            json!({"spec": {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}}}}),
        ),
        object(
            "rbac.authorization.k8s.io/v1",
            "ClusterRole",
            json!({"rules": [
            {"apiGroups": ["*"], "resources": ["pods"], "verbs": ["get"], "resourceNames": ["a"]}]}),
        ),
        object(
            "coordination.k8s.io/v1",
            "Lease",
            json!({"spec": {"renewTime": "2024-01-01T00:00:00.000000Z"}}),
        ),
        object("machines.example.com/v1", "Gear", json!({"spec": {"teeth": 3}})),
        object(
            "authorization.k8s.io/v1",
            "SelfSubjectAccessReview",
            json!({"spec": {"resourceAttributes": {
            "verb": "get", "resource": "pods"}}}),
        ),
        object(
            "authentication.k8s.io/v1",
            "TokenReview",
            json!({"spec": {"token": "a.b.c", "audiences": ["x"]}}),
        ),
        object("autoscaling/v1", "Scale", json!({"spec": {"replicas": 3}})),
        object("v1", "DeleteOptions", json!({"preconditions": {"uid": "x"}, "gracePeriodSeconds": 0})),
        gears(),
        json!([
            {"op": "add", "path": "/metadata/labels/x", "value": "y"},
            {"op": "move", "from": "/data", "path": "/x"},
        ]),
        json!({"metadata": {"labels": {"x": null}}, "data": {"k": "w"}, "spec": {"replicas": 2}}),
    ]
}

/// Where objects of a kind are.
fn collection(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "ConfigMap" => "/api/v1/namespaces/default/configmaps",
        "Secret" => "/api/v1/namespaces/default/secrets",
        "Pod" => "/api/v1/namespaces/default/pods",
        "Service" => "/api/v1/namespaces/default/services",
        "ResourceQuota" => "/api/v1/namespaces/default/resourcequotas",
        "Node" => "/api/v1/nodes",
        "Deployment" => "/apis/apps/v1/namespaces/default/deployments",
        "CronJob" => "/apis/batch/v1/namespaces/default/cronjobs",
        "ClusterRole" => "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        "Lease" => "/apis/coordination.k8s.io/v1/namespaces/default/leases",
        "Gear" => "/apis/machines.example.com/v1/namespaces/default/gears",
        "SelfSubjectAccessReview" => "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        "TokenReview" => "/apis/authentication.k8s.io/v1/tokenreviews",
        "CustomResourceDefinition" => DEFINITIONS,
        _ => return None,
    })
}

const YAML: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: &m\n  name: a\n  labels: {a: 'b', \"c\": d}\ndata:\n  \
                    text: |+\n    one\n\n  folded: >-\n    two\n  number: '1_000'\n";

async fn post(client: &mut Client, path: &str, object: &Value) -> u16 {
    let mut request = client.request(Method::POST, path, &[("content-type", "application/json")]);
    *request.body_mut() = Full::new(Bytes::from(object.to_string()));
    client.send(request).await.unwrap().code
}

async fn admin(server: &Server) -> Client {
    Client::http1(server, Some(server.admin_certificate())).await
}

/// What became of a request: its code and the beginning of the answer, or nothing if it can not be sent at all.
async fn throw(client: &mut Client, server: &Server, roll: &Roll) -> Option<(u16, String)> {
    let mut request =
        Request::builder().method(roll.method.clone()).uri(roll.path.as_str()).header("host", "localhost");
    for (name, value) in &roll.headers {
        request = request.header(*name, HeaderValue::from_bytes(value).ok()?);
    }
    let request = request.body(Full::new(Bytes::from(roll.body.clone()))).ok()?;
    let Client::Http1(sender) = client else { return None };
    if sender.ready().await.is_err() {
        *client = admin(server).await;
        return Box::pin(throw(client, server, roll)).await;
    }
    let response = sender.send_request(request).await.unwrap_or_else(|error| panic!("{roll:?}: {error}"));
    let code = response.status().as_u16();
    if code == 101 || (code == 200 && roll.may_go_on()) {
        *client = admin(server).await;
        return Some((code, String::new()));
    }
    let body =
        response.into_body().collect().await.unwrap_or_else(|error| panic!("{roll:?}: {error}")).to_bytes();
    Some((code, String::from_utf8_lossy(&body).chars().take(500).collect()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_bad_requests_break_nothing() {
    let _measuring = MEASURING.lock().await;
    let panics = Arc::new(AtomicUsize::new(0));
    let (count, before) = (Arc::clone(&panics), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |info| {
        count.fetch_add(1, Ordering::SeqCst);
        before(info);
    }));
    let builder = Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.start().await.unwrap();
    let mut client = admin(&server).await;
    assert_eq!(post(&mut client, DEFINITIONS, &gears()).await, 201);
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": "b"}});
    assert_eq!(post(&mut client, "/api/v1/namespaces/default/configmaps", &map).await, 201);
    let mut bodies: Vec<Vec<u8>> = seeds().iter().map(|seed| seed.to_string().into_bytes()).collect();
    bodies.push(YAML.into());
    let placed = seeds().into_iter().filter_map(|seed| {
        let collection = collection(seed["kind"].as_str()?)?;
        Some((collection, seed.to_string().into_bytes()))
    });
    let objects: Vec<_> = placed.collect();
    let accept = [("accept", "application/vnd.kubernetes.protobuf")];
    for path in
        ["/api/v1/namespaces/default/configmaps/m", "/api/v1/namespaces/default", "/api/v1/namespaces"]
    {
        bodies.push(client.get_with(path, &accept).await.bytes.to_vec());
    }

    let (clock, begun) = (SystemClock::default(), resident());
    let (mut dice, faults) = (Dice(20_240_229), Faults::read());
    let (mut sent, mut refused, mut wrong) = (0, 0, Vec::new());
    while sent < REQUESTS && clock.elapsed() < TIME {
        let roll = if sent % 2 == 0 { dice.near(&objects) } else { dice.request(&bodies) };
        let Some((code, answer)) = in_time(throw(&mut client, &server, &roll)).await else { continue };
        sent += 1;
        refused += usize::from((400..500).contains(&code));
        if code >= 500 && !faults.has(code, &answer) {
            let body = String::from_utf8_lossy(&roll.body).chars().take(300).collect::<String>();
            wrong.push(format!("{} {} {:?}\n{body}\n{code} {answer}", roll.method, roll.path, roll.headers));
        }
    }
    let grown = resident().saturating_sub(begun);
    eprintln!("{sent} requests, {refused} refused, {grown} kB more");
    assert!(wrong.is_empty(), "{}\n{} of {sent} answers blame the server", wrong.join("\n\n"), wrong.len());
    assert!(refused * 2 > sent, "only {refused} of {sent} were refused");
    assert!(grown < GROWTH, "{grown} kB more than before");
    assert_eq!(panics.load(Ordering::SeqCst), 0);
    // It is as it was.
    let mut client = admin(&server).await;
    assert_eq!(client.get("/livez").await.code, 200);
    assert_eq!(client.get("/api/v1/namespaces/default").await.code, 200);
    let after = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "after"}});
    assert_eq!(post(&mut client, "/api/v1/namespaces/kube-system/configmaps", &after).await, 201);
    drop(client);
    in_time(server.shutdown()).await.unwrap();
}

/// What no client library would send.
#[tokio::test]
async fn what_is_no_http_is_refused_or_cut_off() {
    let builder = Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.start().await.unwrap();
    let long = format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "a".repeat(200_000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(20_000));
    let lines: [&[u8]; 16] = [
        b"GET /api/v1/\0 HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GET /api/\xff\xfe HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GET api HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GET  HTTP/1.1\r\n\r\n",
        b"\r\n\r\n\r\n\r\nA\r\n\r\n",
        b"CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GET http://[::1 HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost : a\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: a\r\n b\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n\
          0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
        b"POST /api/v1/namespaces HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n\
          transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\na\r\n",
        long.as_bytes(),
        many.as_bytes(),
    ];
    for line in lines {
        let admin = Some(server.admin_certificate());
        let stream =
            connect(server.address(), server.ca_certificate(), admin, b"http/1.1", "localhost").await;
        let mut stream = stream.unwrap();
        // The server may have cut the connection before it has everything.
        let _ = stream.write_all(line).await;
        let _ = stream.shutdown().await;
        let mut answer = Vec::new();
        let _ = in_time(stream.read_to_end(&mut answer)).await;
        let shown = String::from_utf8_lossy(line.get(..60).unwrap_or(line));
        assert!(!answer.starts_with(b"HTTP/1.1 5"), "{shown}: {}", String::from_utf8_lossy(&answer));
        let answers = answer.windows(9).filter(|part| *part == b"HTTP/1.1 ").count();
        assert!(answers <= 1, "{shown} is {answers} requests: {}", String::from_utf8_lossy(&answer));
    }
    assert_eq!(admin(&server).await.get("/readyz").await.code, 200);
}

/// The beginning of a handshake of TLS 1.1 and older, with nothing newer beside it.
fn hello(version: u8) -> Vec<u8> {
    let suites = [0xc0, 0x13, 0xc0, 0x14, 0x00, 0x2f, 0x00, 0x35, 0x00, 0x0a];
    let body = [&[3, version][..], &[7; 32], &[0, 0, 10], &suites, &[1, 0]].concat();
    let length = u8::try_from(body.len()).unwrap();
    let handshake = [&[1, 0, 0, length][..], &body].concat();
    [&[0x16, 3, 1, 0, length + 4][..], &handshake].concat()
}

#[tokio::test]
async fn nobody_speaks_tls_that_is_older_than_1_2() {
    const ALERT: u8 = 0x15;
    let builder = Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.start().await.unwrap();
    for version in [0, 1, 2] {
        let mut stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(&hello(version)).await.unwrap();
        let mut answer = Vec::new();
        in_time(stream.read_to_end(&mut answer)).await.unwrap();
        assert_eq!((answer.len(), answer[0]), (7, ALERT), "3.{version}: {answer:x?}");
    }
    assert_eq!(admin(&server).await.get("/readyz").await.code, 200);
}
