//! URLs, and answers that are as they should be or refusals.

use std::time::Duration;

use http::HeaderValue;
use http::header::{ACCEPT, AUTHORIZATION};
use rhumb_api::core::v1::{ConfigMap, Pod, PodList};
use rhumb_codec::proto;
use rhumb_meta::v1::{ListOptions, Status, StatusReason};
use rhumb_meta::{GroupVersion, Object};
use rhumb_scheme::Unstructured;

use super::server::{Server, answer, gzip, json};
use super::{client, client_with, core, shared};
use crate::Error;
use crate::config::{Auth, Config, ContentType, Environment, Impersonate};
use crate::rest::{Client, PatchKind, Request, WarningCollector};

fn offline(server: &str) -> Client {
    let mut config = Config::new(server.parse().unwrap());
    config.environment = Environment::empty();
    Client::new(config).unwrap()
}

#[test]
fn urls_are_those_of_go_clients() {
    let apps = GroupVersion::new("apps", "v1");
    let check = |make: &dyn Fn(Request) -> Request, expect: &str| {
        for (server, base) in [("http://h:1", ""), ("http://h:1/", ""), ("http://h:1/k8s/c-1/", "/k8s/c-1")] {
            let uri = make(offline(server).get()).uri().unwrap();
            assert_eq!(uri, *format!("http://h:1{base}{expect}"));
        }
    };
    check(&|r| r.version(&core()).resource("pods"), "/api/v1/pods");
    check(&|r| r.version(&core()).namespace("").resource("Pods"), "/api/v1/pods");
    check(
        &|r| r.version(&apps).namespace("a").resource("deployments").name("b").subresource("status"),
        "/apis/apps/v1/namespaces/a/deployments/b/status",
    );
    // The order of the steps doesn't matter.
    check(
        &|r| {
            r.name("b")
                .suffix("x/y")
                .resource("services")
                .subresource("proxy")
                .namespace("a")
                .version(&core())
        },
        "/api/v1/namespaces/a/services/b/proxy/x/y",
    );
    check(&|r| r.absolute("/healthz"), "/healthz");
    check(&|r| r.absolute("/openapi/v3/"), "/openapi/v3/");
    check(&|r| r.absolute("/a/../b/").resource("c"), "/b/c");
    check(&|r| r.request_uri("/apis/x?b=2&a=1%202"), "/apis/x?a=1+2&b=2");
    check(&|r| r.version(&core()).resource("nodes").name("a b:c"), "/api/v1/nodes/a%20b:c");
    check(&|r| r.absolute("/x").param("b", "2").param("a", "é&").param("b", "1"), "/x?a=%C3%A9%26&b=2&b=1");
    let options = ListOptions { label_selector: "a in (b)".into(), limit: 5, ..ListOptions::default() };
    check(&|r| r.absolute("/x").options(&options), "/x?labelSelector=a+in+%28b%29&limit=5");
    check(&|r| r.absolute("/x").timeout(Duration::from_secs(90)), "/x?timeout=1m30s");
    check(
        &|r| r.absolute("/x").param("timeout", "5s").timeout(Duration::from_millis(1500)),
        "/x?timeout=1.5s",
    );
}

#[tokio::test]
async fn mistakes_are_told_in_go_words() {
    let client = offline("http://127.0.0.1:1");
    let get = || client.get().version(&core());
    for (request, expect) in [
        (get().resource("pods").name(""), "resource name may not be empty"),
        (get().name("a/b"), r#"invalid resource name "a/b": [may not contain '/']"#),
        (get().name("a/b%"), r#"invalid resource name "a/b%": [may not contain '/' may not contain '%']"#),
        (get().name(".."), r#"invalid resource name "..": [may not be '..']"#),
        (get().resource("a/b"), r#"invalid resource "a/b": [may not contain '/']"#),
        (get().namespace("%"), r#"invalid namespace "%": [may not contain '%']"#),
        (get().subresource("/"), r#"invalid subresource "/": [may not contain '/']"#),
        (get().name("a").name("b"), r#"resource name already set to "a", cannot change to "b""#),
        (get().resource("a").resource("b"), r#"resource already set to "a", cannot change to "b""#),
        (get().namespace("a").namespace("b"), r#"namespace already set to "a", cannot change to "b""#),
        (get().subresource("a").subresource("b"), r#"subresource already set to "a", cannot change to "b""#),
        (
            get().namespace("").resource("pods").name("a"),
            "an empty namespace may not be set when a resource name is provided",
        ),
        (
            client.post().version(&core()).namespace("").resource("pods"),
            "an empty namespace may not be set during creation",
        ),
        // The first mistake is the one that is told.
        (get().name("").name("a/b").resource("%"), "resource name may not be empty"),
    ] {
        let error = request.send().await.unwrap_err();
        assert!(matches!(error, Error::Request(_)));
        assert_eq!(error.to_string(), expect);
    }
}

#[tokio::test]
async fn an_object_is_read_in_both_formats() {
    let mut pod = Pod::default();
    pod.type_meta.set("v1", "Pod");
    pod.metadata.name = "a".into();
    let mut bytes = Vec::new();
    proto::encode(&pod, &mut bytes).unwrap();
    let server = Server::start(move |number, _| match number {
        0 => json(200, r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}"#),
        _ => answer(200, &[("content-type", "application/vnd.kubernetes.protobuf")], &bytes),
    })
    .await;
    let client = client_with(&server, |config| config.content_type = ContentType::Protobuf);
    for _ in 0..2 {
        let request = client.get().version(&core()).namespace("x").resource("pods").name("a");
        assert_eq!(request.send().await.unwrap().decode::<Pod>().unwrap(), pod);
    }
    let seen = server.seen();
    assert_eq!(seen[0].line(), "GET /api/v1/namespaces/x/pods/a");
    assert_eq!(seen[0].header("accept"), Some("application/vnd.kubernetes.protobuf,application/json"));
    assert_eq!(seen[0].header("accept-encoding"), Some("gzip"));
    assert_eq!(seen[0].connection, seen[1].connection, "the connection is used again");
}

#[tokio::test]
async fn a_body_goes_in_the_clients_format() {
    let server = Server::start(|_, seen| json(201, &String::from_utf8_lossy(&seen.body))).await;
    let mut map = ConfigMap::default();
    map.type_meta.set("v1", "ConfigMap");
    map.data.insert("a".into(), "b".into());
    let request = client(&server).post().version(&core()).namespace("x").resource("configmaps");
    let response = request.object(&map).send().await.unwrap();
    assert!(response.was_created());
    assert_eq!(response.decode::<ConfigMap>().unwrap(), map);
    let protobuf = client_with(&server, |config| config.content_type = ContentType::Protobuf);
    let _ = protobuf.put().absolute("/x").object(&map).send().await;
    let tree = Unstructured::from_object(&map);
    let _ = protobuf.put().absolute("/x").object(&tree).send().await;
    let _ = protobuf.patch(PatchKind::Merge).absolute("/x").bytes("{}").send().await;
    let types: Vec<_> =
        server.seen().iter().map(|seen| seen.header("content-type").unwrap().to_owned()).collect();
    assert_eq!(
        types,
        [
            "application/json",
            "application/vnd.kubernetes.protobuf",
            "application/json",
            "application/merge-patch+json"
        ]
    );
    assert!(server.seen()[1].body.starts_with(proto::MAGIC));
}

#[tokio::test]
async fn lists_are_read_in_both_formats() {
    let mut list = PodList::default();
    list.type_meta.set("v1", "PodList");
    list.metadata.resource_version = "7".into();
    list.metadata.continue_ = "next".into();
    for index in 0..3 {
        let mut pod = Pod::default();
        pod.metadata.name = format!("pod-{index}");
        list.items.push(pod);
    }
    let (mut protobuf, mut text) = (Vec::new(), Vec::new());
    proto::encode(&list, &mut protobuf).unwrap();
    rhumb_codec::json::encode(&list, &mut text);
    let server = Server::start(move |number, _| match number {
        0 => answer(200, &[("content-type", "application/vnd.kubernetes.protobuf")], &protobuf),
        1 | 2 => answer(200, &[("content-type", "application/json; charset=utf-8")], &text),
        3 => json(200, r#"{"kind":"PodList","apiVersion":"v1","items":null}"#),
        4 => json(200, r#"{"kind":"Pod","apiVersion":"v1","items":[]}"#),
        5 => json(
            200,
            r#"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}"#,
        ),
        6 => json(200, r#"{"kind":"PodList","apiVersion":"v1","items":[{},7]}"#),
        _ => json(200, ""),
    })
    .await;
    let client = client(&server);
    let get = || client.get().version(&core()).resource("pods").send();
    for _ in 0..2 {
        let read = get().await.unwrap().decode_list::<Pod>().unwrap();
        assert_eq!(read.items, list.items);
        assert_eq!((read.resource_version(), read.next_page()), ("7", Some("next")));
    }
    let trees = get().await.unwrap().decode_list::<Unstructured>().unwrap();
    assert_eq!(trees.items.len(), 3);
    assert_eq!(trees.items[2].type_meta(), ("v1", "Pod"));
    assert!(get().await.unwrap().decode_list::<Pod>().unwrap().items.is_empty());
    let error = get().await.unwrap().decode_list::<Pod>().unwrap_err();
    assert_eq!(error.to_string(), "the server sent a Pod (v1) where a list was asked for");
    assert!(get().await.unwrap().decode_list::<Pod>().unwrap_err().is_resource_expired());
    let error = get().await.unwrap().decode_list::<Pod>().unwrap_err();
    assert!(error.to_string().contains("cannot unmarshal number"), "{error}");
    assert!(get().await.unwrap().decode_list::<Pod>().is_err());
}

#[tokio::test]
async fn a_status_is_no_object() {
    let success = r#"{"kind":"Status","apiVersion":"v1","status":"Success","details":{"name":"a"}}"#;
    let server = Server::start(move |_, _| json(200, success)).await;
    let response = client(&server).delete().absolute("/x").send().await.unwrap();
    assert_eq!(response.type_meta().unwrap(), ("v1".to_owned(), "Status".to_owned()));
    assert_eq!(response.decode::<Status>().unwrap().status, "Success");
    let error = response.decode::<Pod>().unwrap_err();
    assert_eq!(error.to_string(), "the server sent a Status (v1) where an object was asked for");
}

#[tokio::test]
async fn a_refusal_is_the_servers_status() {
    let body = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \"a\" not found",
        "reason":"NotFound","details":{"name":"a","kind":"pods"},"code":404}"#;
    let server = Server::start(move |_, _| json(404, body)).await;
    let request = client(&server).get().version(&core()).namespace("x").resource("pods").name("a");
    let error = request.send().await.unwrap_err();
    assert!(error.is_not_found() && !error.is_conflict() && !error.is_unexpected_server_error());
    assert_eq!(error.to_string(), r#"pods "a" not found"#);
    assert_eq!(error.status().unwrap().details.as_ref().unwrap().kind, "pods");
    let error = client(&server).get().version(&core()).resource("pods").watch::<Pod>().await.unwrap_err();
    assert!(error.is_not_found());
    let error = client(&server).get().absolute("/logs").stream().await.unwrap_err();
    assert!(error.is_not_found());
}

#[tokio::test]
async fn a_refusal_without_a_status_gets_one_in_gos_words() {
    // Code, content type, body; what is said of it.
    let cases: &[(u16, &str, &str, StatusReason, &str)] = &[
        (
            404,
            "text/plain",
            "404 page not found",
            StatusReason::NotFound,
            "the server could not find the requested resource (get deployments.apps web)",
        ),
        (
            400,
            "",
            "",
            StatusReason::BadRequest,
            "the server rejected our request for an unknown reason (get deployments.apps web)",
        ),
        (
            401,
            "text/html",
            "<p>",
            StatusReason::Unauthorized,
            "the server has asked for the client to provide credentials (get deployments.apps web)",
        ),
        (403, "text/plain", " no, you \n", StatusReason::Forbidden, "no, you (get deployments.apps web)"),
        (403, "application/json", "{}", StatusReason::Forbidden, "unknown (get deployments.apps web)"),
        (
            405,
            "",
            "",
            StatusReason::MethodNotAllowed,
            "the server does not allow this method on the requested resource (get deployments.apps web)",
        ),
        (
            406,
            "",
            "",
            StatusReason::NotAcceptable,
            "the server was unable to respond with a content type that the client supports (get deployments.apps web)",
        ),
        (406, "text/plain", "only x", StatusReason::NotAcceptable, "only x (get deployments.apps web)"),
        (409, "", "", StatusReason::Conflict, "the server reported a conflict (get deployments.apps web)"),
        (415, "text/plain", "no y", StatusReason::UnsupportedMediaType, "no y (get deployments.apps web)"),
        (
            422,
            "",
            "",
            StatusReason::Invalid,
            "the server rejected our request due to an error in our request (get deployments.apps web)",
        ),
        (
            429,
            "",
            "",
            StatusReason::TooManyRequests,
            "the server has received too many requests and has asked us to try again later (get deployments.apps web)",
        ),
        (
            500,
            "text/plain",
            "a \"b\"\n",
            StatusReason::InternalError,
            r#"an error on the server ("a \"b\"") has prevented the request from succeeding (get deployments.apps web)"#,
        ),
        (
            502,
            "application/json",
            "{\"kind\":\"Status\"}",
            StatusReason::InternalError,
            r#"an error on the server ("unknown") has prevented the request from succeeding (get deployments.apps web)"#,
        ),
        (
            503,
            "",
            "",
            StatusReason::ServiceUnavailable,
            "the server is currently unable to handle the request (get deployments.apps web)",
        ),
        (
            504,
            "",
            "",
            StatusReason::Timeout,
            "the server was unable to return a response in the time allotted, but may still be processing the request (get deployments.apps web)",
        ),
        (
            418,
            "",
            "",
            StatusReason::Unknown,
            "the server responded with the status code 418 but did not return more information (get deployments.apps web)",
        ),
        (
            301,
            "",
            "",
            StatusReason::Unknown,
            "the server responded with the status code 301 but did not return more information (get deployments.apps web)",
        ),
    ];
    let server = Server::start(move |number, _| {
        let (code, content_type, body, ..) = cases[number];
        let headers = [("content-type", content_type)];
        answer(code, if content_type.is_empty() { &[] } else { &headers }, body)
    })
    .await;
    let client = client(&server);
    for (code, _, _, reason, message) in cases {
        let request = client.get().version(&GroupVersion::new("apps", "v1")).namespace("x");
        let error = request.resource("deployments").name("web").send().await.unwrap_err();
        assert_eq!(error.to_string(), *message);
        assert_eq!((error.reason(), error.code()), (*reason, Some(i32::from(*code))));
        assert!(error.is_unexpected_server_error());
    }
}

#[tokio::test]
async fn long_garbage_is_not_shown_in_full() {
    let server =
        Server::start(|_, _| answer(500, &[("content-type", "text/plain")], "x".repeat(100_000))).await;
    let error = client(&server).post().absolute("/x").send().await.unwrap_err();
    assert_eq!(error.to_string().matches('x').count(), 2048);
}

#[tokio::test]
async fn warnings_are_handed_over() {
    let server = Server::start(|number, _| {
        let code = if number == 0 { 200 } else { 404 };
        answer(code, &[("warning", r#"299 - "old \"thing\"""#), ("warning", r#"299 - "b""#)], "{}")
    })
    .await;
    let collector = WarningCollector::default();
    let client = client_with(&server, |config| config.warnings = shared(collector.clone()));
    let response = client.get().absolute("/x").send().await.unwrap();
    assert_eq!(response.warnings.len(), 2);
    assert_eq!(collector.take()[0].text, r#"old "thing""#);
    client.get().absolute("/x").send().await.unwrap_err();
    assert_eq!(collector.take().len(), 2);
}

#[tokio::test]
async fn compressed_answers_are_read_within_bounds() {
    let text =
        format!(r#"{{"kind":"ConfigMap","apiVersion":"v1","data":{{"a":"{}"}}}}"#, "x".repeat(1 << 20));
    let length = text.len();
    let server = Server::start(move |number, _| match number {
        0 | 1 => answer(200, &[("content-encoding", "gzip")], gzip(text.as_bytes())),
        2 => answer(200, &[("content-encoding", "gzip")], "this is no gzip"),
        3 => answer(200, &[("content-encoding", "gzip")], &gzip(text.as_bytes())[..1000]),
        4 => answer(200, &[("content-encoding", "br")], "x"),
        _ => answer(404, &[("content-encoding", "gzip"), ("content-type", "text/plain")], gzip(b"no")),
    })
    .await;
    let client = client(&server);
    let map: ConfigMap = client.get().absolute("/x").send().await.unwrap().decode().unwrap();
    assert_eq!(map.data["a"].len(), 1 << 20);
    let error = client.get().absolute("/x").max_body(length - 1).send().await.unwrap_err();
    assert_eq!(error.to_string(), format!("the server's answer is larger than {} bytes", length - 1));
    for _ in 0..3 {
        assert!(matches!(client.get().absolute("/x").send().await, Err(Error::Unexpected(_))));
    }
    assert!(client.get().absolute("/x").send().await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn requests_say_who_sends_them() {
    let server = Server::start(|_, _| json(200, "{}")).await;
    let client = client_with(&server, |config| {
        config.auth = Auth::Token("abc".into());
        config.disable_compression = true;
        let mut impersonate = Impersonate { user: "jane".into(), ..Impersonate::default() };
        impersonate.groups = vec!["g1".into(), "g2".into()];
        impersonate.extra.insert("x/y".into(), vec!["z".into()]);
        config.impersonate = Some(impersonate);
    });
    client.get().absolute("/x").send().await.unwrap();
    let own = client.get().absolute("/x").header(AUTHORIZATION, HeaderValue::from_static("Basic eA=="));
    let own = own.header(ACCEPT, HeaderValue::from_static("text/plain"));
    own.header("impersonate-user".parse().unwrap(), HeaderValue::from_static("joe")).send().await.unwrap();
    let seen = server.seen();
    assert_eq!(seen[0].header("authorization"), Some("Bearer abc"));
    assert_eq!(seen[0].header("impersonate-user"), Some("jane"));
    assert_eq!(seen[0].header("impersonate-extra-x%2fy"), Some("z"));
    assert_eq!(seen[0].headers.iter().filter(|(name, _)| name == "impersonate-group").count(), 2);
    assert_eq!(seen[0].header("accept"), Some("application/json, */*"));
    assert_eq!(seen[0].header("accept-encoding"), None);
    let agent = seen[0].header("user-agent").unwrap();
    assert!(agent.starts_with("rhumb/v") && agent.ends_with(')'), "{agent}");
    assert_eq!(seen[1].header("authorization"), Some("Basic eA=="));
    assert_eq!(seen[1].header("impersonate-user"), Some("joe"));
    assert_eq!(seen[1].header("impersonate-group"), None);
    assert_eq!(seen[1].header("accept"), Some("text/plain"));
}
