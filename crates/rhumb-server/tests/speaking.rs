//! How clients speak to the whole server: over WebSocket, for others, within limits of time, and what is
//! counted.

use crate::client::{Client, Tls, connect, in_time};
use futures_util::{SinkExt, StreamExt};
use http::{Method, Request};
use rhumb_server::Server;
use rhumb_server::identity::{MASTERS, User};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

const WATCH: &str = "/api/v1/namespaces/default/configmaps?watch=true&labelSelector=watched";
const ADMIN: (&str, &str) = ("authorization", "Bearer admin");

async fn server() -> Server {
    let user = |name: &str, groups: &[&str]| User {
        name: name.to_owned(),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        ..User::default()
    };
    Server::builder()
        .in_memory()
        .listen(([127, 0, 0, 1], 0).into())
        .token("admin", user("admin", &[MASTERS]))
        .token("eve", user("eve", &[]))
        .start()
        .await
        .unwrap()
}

async fn create(client: &mut Client, name: &str) {
    let body = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "labels": { "watched": "" } },
    });
    let mut request = client.request(Method::POST, "/api/v1/namespaces/default/configmaps", &[ADMIN]);
    *request.body_mut() = body.to_string().into();
    assert_eq!(client.send(request).await.unwrap().code, 201);
}

/// Opens a WebSocket; what the server said if it won't.
async fn socket(
    server: &Server,
    path: &str,
    headers: &[(&str, &str)],
) -> Result<(WebSocketStream<Tls>, String), u16> {
    let stream = connect(server.address(), server.ca_certificate(), None, b"http/1.1", "localhost");
    let mut request: Request<()> = format!("wss://localhost{path}").into_client_request().unwrap();
    request.headers_mut().insert("origin", "https://localhost".parse().unwrap());
    for (name, value) in headers {
        let name = http::HeaderName::try_from(*name).unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    match client_async(request, stream.await.unwrap()).await {
        Ok((socket, response)) => {
            let protocol = response.headers().get("sec-websocket-protocol");
            Ok((socket, protocol.map_or("", |value| value.to_str().unwrap()).to_owned()))
        }
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(other) => panic!("{other}"),
    }
}

async fn next(socket: &mut WebSocketStream<Tls>) -> Message {
    in_time(socket.next()).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_watch_over_websocket_has_a_message_for_every_event() {
    let server = server().await;
    let mut client = Client::http1(&server, None).await;
    create(&mut client, "a").await;
    create(&mut client, "b").await;
    let (mut watch, protocol) = socket(&server, WATCH, &[ADMIN]).await.unwrap();
    assert_eq!(protocol, "");
    for expect in ["a", "b"] {
        let message = next(&mut watch).await;
        let event: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
        assert!(message.is_text());
        assert_eq!((&event["type"], &event["object"]["metadata"]["name"]), (&json!("ADDED"), &json!(expect)));
    }
    create(&mut client, "c").await;
    assert!(next(&mut watch).await.to_text().unwrap().contains("\"name\":\"c\""));
    watch.send(Message::Ping("x".into())).await.unwrap();
    assert_eq!(next(&mut watch).await, Message::Pong("x".into()));
    watch.close(None).await.unwrap();
    let farewell = in_time(watch.next()).await;
    assert!(matches!(farewell, Some(Ok(Message::Close(_))) | None), "{farewell:?}");
    in_time(server.shutdown()).await.unwrap();
}

#[tokio::test]
async fn events_in_protobuf_are_messages_of_bytes_without_their_length() {
    let server = server().await;
    let mut client = Client::http1(&server, None).await;
    create(&mut client, "a").await;
    let protobuf = ("accept", "application/vnd.kubernetes.protobuf;stream=watch");
    let (mut watch, _) = socket(&server, WATCH, &[ADMIN, protobuf]).await.unwrap();
    let message = next(&mut watch).await;
    assert!(message.is_binary());
    assert!(message.into_data().starts_with(b"\x0a\x05ADDED\x12"));
    in_time(server.shutdown()).await.unwrap();
}

#[tokio::test]
async fn a_websocket_ends_with_its_watch_and_with_the_server() {
    let server = server().await;
    let (mut short, _) = socket(&server, &format!("{WATCH}&timeoutSeconds=1"), &[ADMIN]).await.unwrap();
    // As a Kubernetes server says it: all is well.
    let Message::Close(Some(farewell)) = next(&mut short).await else { panic!("closed without a word") };
    assert_eq!(u16::from(farewell.code), 1000);
    let (mut long, _) = socket(&server, WATCH, &[ADMIN]).await.unwrap();
    server.begin_shutdown();
    assert!(matches!(next(&mut long).await, Message::Close(_)));
    in_time(server.shutdown()).await.unwrap();
}

#[tokio::test]
async fn browsers_send_their_token_as_a_protocol() {
    let server = server().await;
    // "admin", as browsers have to write it.
    let token = "base64url.bearer.authorization.k8s.io.YWRtaW4";
    let offered = format!("{token}, base64.binary.k8s.io");
    let (_, protocol) = socket(&server, WATCH, &[("sec-websocket-protocol", &offered)]).await.unwrap();
    assert_eq!(protocol, "base64.binary.k8s.io");
    assert_eq!(socket(&server, WATCH, &[("sec-websocket-protocol", "a, b"), ADMIN]).await.unwrap_err(), 400);
    assert_eq!(socket(&server, WATCH, &[]).await.unwrap_err(), 401);
    let origin = |value| [ADMIN, ("origin", value)];
    assert_eq!(socket(&server, WATCH, &origin("")).await.unwrap_err(), 403);
    assert_eq!(socket(&server, WATCH, &origin("null")).await.unwrap_err(), 403);
    assert!(socket(&server, WATCH, &origin("http://anywhere.example.com")).await.is_ok());
    let nowhere = "/api/v1/nothing?watch=true";
    assert_eq!(socket(&server, nowhere, &[ADMIN]).await.unwrap_err(), 404);
}

#[tokio::test]
async fn masters_speak_for_others_and_nobody_else_does() {
    let server = server().await;
    let mut client = Client::http1(&server, None).await;
    let as_tom = ("impersonate-user", "tom");
    let refused = client.get_with("/api/v1/nodes", &[ADMIN, as_tom]).await;
    assert_eq!(refused.code, 403);
    assert!(refused.body.contains(r#"nodes is forbidden: User \"tom\" cannot list"#), "{}", refused.body);
    let to_masters = ("impersonate-group", MASTERS);
    assert_eq!(client.get_with("/api/v1/nodes", &[ADMIN, as_tom, to_masters]).await.code, 200);
    let eve = ("authorization", "Bearer eve");
    let refused = client.get_with("/apis", &[eve, as_tom, to_masters]).await;
    let message = r#"forbidden: User \"eve\" cannot impersonate-on:user-info:get path \"/apis\""#;
    assert!(refused.code == 403 && refused.body.contains(message), "{}", refused.body);
}

#[tokio::test]
async fn requests_have_a_time_limit_that_clients_can_lower() {
    let server = server().await;
    let mut client = Client::http1(&server, None).await;
    // The list waits for a revision that doesn't come.
    let path = "/api/v1/nodes?resourceVersion=1000000000&timeout=10ms";
    let late = client.get_with(path, &[ADMIN]).await;
    assert_eq!(late.code, 504);
    assert!(
        late.body.contains("Timeout: request did not complete within the allotted timeout"),
        "{}",
        late.body
    );
    let malformed = client.get_with("/api/v1/nodes?timeout=soon", &[ADMIN]).await;
    assert_eq!(malformed.code, 400);
    assert!(malformed.body.contains("time: invalid duration"), "{}", malformed.body);
}

#[tokio::test]
async fn requests_are_counted_by_resource_and_verb() {
    let server = server().await;
    let mut client = Client::http1(&server, None).await;
    create(&mut client, "a").await;
    client.get_with("/api/v1/namespaces/default/configmaps", &[ADMIN]).await;
    client.get_with("/api/v1/namespaces/default/configmaps/a", &[ADMIN]).await;
    client.get_with("/api/v1/nothing", &[ADMIN]).await;
    let (watch, _) = socket(&server, WATCH, &[ADMIN]).await.unwrap();
    let metrics = client.get_with("/metrics", &[ADMIN]).await.body;
    let has = |name: &str, code: &str, verb: &str, scope: &str, dry_run: &str| {
        let line = format!(
            "{name}{{{code}component=\"apiserver\",{dry_run}group=\"\",resource=\"configmaps\",\
             scope=\"{scope}\",subresource=\"\",verb=\"{verb}\",version=\"v1\"}} 1"
        );
        assert!(metrics.lines().any(|found| found == line), "{line}\nis not in\n{metrics}");
    };
    let total = "apiserver_request_total";
    has(total, "code=\"201\",", "POST", "resource", "dry_run=\"\",");
    has(total, "code=\"200\",", "GET", "resource", "dry_run=\"\",");
    has(total, "code=\"200\",", "LIST", "namespace", "dry_run=\"\",");
    has("apiserver_longrunning_requests", "", "WATCH", "namespace", "");
    assert!(!metrics.contains("nothing"));
    assert!(metrics.contains("apiserver_resource_objects{group=\"\",resource=\"configmaps\"}"), "{metrics}");
    in_time(async { while client.get_with("/readyz/informer-sync", &[ADMIN]).await.code != 200 {} }).await;
    drop(watch);
}

#[tokio::test]
async fn tokens_of_the_file_are_known_to_reviews() {
    const OWN: &str = "https://kubernetes.default.svc";
    let server = server().await;
    let mut client = Client::http1(&server, None).await;
    let mut review = async |token: &str, audiences: Value| {
        let body = json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
            "spec": {"token": token, "audiences": audiences},
        });
        let path = "/apis/authentication.k8s.io/v1/tokenreviews";
        let mut request = client.request(Method::POST, path, &[ADMIN]);
        *request.body_mut() = body.to_string().into();
        let said = client.send(request).await.unwrap();
        assert_eq!(said.code, 201, "{}", said.body);
        let said: Value = serde_json::from_str(&said.body).unwrap();
        said["status"].clone()
    };
    let known = json!({
        "authenticated": true,
        "audiences": [OWN],
        "user": {"username": "admin", "groups": [MASTERS, "system:authenticated"]},
    });
    let unknown = json!({"error": "invalid bearer token", "user": {}});
    assert_eq!(review("admin", Value::Null).await, known);
    assert_eq!(review("admin", json!([OWN])).await, known);
    assert_eq!(review("admin", json!(["x", OWN])).await, known);
    assert_eq!(review("admin", json!(["x"])).await, unknown);
    assert_eq!(review("nobody", Value::Null).await, unknown);
}
