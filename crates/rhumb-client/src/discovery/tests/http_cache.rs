//! Answers that a server says are unchanged.

use std::time::Duration;

use super::server::Server;
use super::{Dir, recorded};
use crate::discovery::{DiscoveryClient, HttpCache, OpenApiForm};

const ADDRESS: &str = "https://127.0.0.1:7843/api?timeout=32s";

#[test]
fn what_kubectl_kept_is_read() {
    let stored = HttpCache::new(recorded().join("http")).load(ADDRESS).unwrap();
    assert!(stored.body.starts_with(b"{\"kind\":\"APIGroupDiscoveryList\""));
    assert!(stored.headers["etag"].to_str().unwrap().starts_with("\"4D7E1BED"));
    assert!(stored.headers["x-varied-accept"].to_str().unwrap().ends_with(",application/json"));
}

#[test]
fn what_is_kept_comes_back_and_a_wrong_sum_is_passed_over() {
    let dir = Dir::new();
    let cache = HttpCache::new(dir.path());
    let theirs = HttpCache::new(recorded().join("http")).load(ADDRESS).unwrap();
    let response = crate::Response {
        status: http::StatusCode::OK,
        headers: theirs.headers.clone(),
        body: theirs.body.clone(),
        warnings: Vec::new(),
    };
    let accept = theirs.headers["x-varied-accept"].to_str().unwrap();
    cache.save(ADDRESS, accept, &response);
    let ours = cache.load(ADDRESS).unwrap();
    assert_eq!(ours.body, theirs.body);
    for name in ["etag", "vary", "x-varied-accept", "content-type", "cache-control", "date"] {
        assert_eq!(ours.headers[name], theirs.headers[name]);
    }
    let file = std::fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
    assert_eq!(
        file.file_name(),
        std::fs::read_dir(recorded().join("http")).unwrap().next().unwrap().unwrap().path().file_name()
    );
    let mut content = std::fs::read(&file).unwrap();
    *content.last_mut().unwrap() ^= 1;
    std::fs::write(&file, &content).unwrap();
    assert!(cache.load(ADDRESS).is_none());
    std::fs::write(&file, b"short").unwrap();
    assert!(cache.load(ADDRESS).is_none());
}

#[tokio::test]
async fn a_known_mark_saves_the_body() {
    let dir = Dir::new();
    let server = Server::start().await;
    let headers = "Content-Type: application/json\r\nETag: \"one\"\r\nCache-Control: no-cache, private\r\n";
    server.answer_with("/openapi/v2", 200, headers, "document one");
    let discovery = DiscoveryClient::new(&server.client).with_http_cache(dir.path());
    for _ in 0..3 {
        assert_eq!(discovery.openapi_v2(OpenApiForm::Json).await.unwrap(), "document one");
    }
    // It was asked for each time, and answered with nothing from then on: a changed body under the same mark shows it.
    server.answer_with("/openapi/v2", 200, headers, "not sent");
    assert_eq!(discovery.openapi_v2(OpenApiForm::Json).await.unwrap(), "document one");
    assert_eq!(server.asked().len(), 4);
    server.answer_with("/openapi/v2", 200, &headers.replace("one", "two"), "document two");
    assert_eq!(discovery.openapi_v2(OpenApiForm::Json).await.unwrap(), "document two");
}

#[tokio::test]
async fn another_form_is_another_answer() {
    let dir = Dir::new();
    let server = Server::start().await;
    let headers = "Content-Type: application/json\r\nETag: \"one\"\r\nVary: Accept\r\n";
    server.answer_with("/openapi/v2", 200, headers, "json");
    let discovery = DiscoveryClient::new(&server.client).with_http_cache(dir.path());
    assert_eq!(discovery.openapi_v2(OpenApiForm::Json).await.unwrap(), "json");
    server.answer_with("/openapi/v2", 200, headers, "protobuf");
    assert_eq!(discovery.openapi_v2(OpenApiForm::Protobuf).await.unwrap(), "protobuf");
}

#[tokio::test]
async fn what_says_how_long_it_holds_is_not_asked_for() {
    let dir = Dir::new();
    let server = Server::start().await;
    let now = crate::config::Environment::process().now();
    let date = httpdate::fmt_http_date(now);
    let expires = httpdate::fmt_http_date(now + Duration::from_secs(3600)).replace("GMT", "UTC");
    let discovery = DiscoveryClient::new(&server.client).with_http_cache(dir.path());
    for (headers, requests) in [
        (format!("Date: {date}\r\nExpires: {expires}\r\nCache-Control: public, immutable\r\n"), 1),
        (format!("Date: {date}\r\nCache-Control: max-age=100\r\n"), 1),
        (format!("Date: {date}\r\nCache-Control: max-age=0\r\n"), 2),
        (format!("Date: {date}\r\nExpires: {expires}\r\nCache-Control: no-cache\r\n"), 2),
        (format!("Date: {date}\r\nExpires: {expires}\r\nCache-Control: no-store\r\n"), 2),
    ] {
        for file in std::fs::read_dir(dir.path()).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
        server.answer_with("/openapi/v2", 200, &headers, "document");
        for _ in 0..2 {
            assert_eq!(discovery.openapi_v2(OpenApiForm::Json).await.unwrap(), "document");
        }
        assert_eq!(server.asked().len(), requests, "{headers}");
    }
}
