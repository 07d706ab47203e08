//! What requests cost, under the names that Kubernetes' components have.

use rhumb_api::core::v1::ConfigMap;
use rhumb_meta::v1::{CreateOptions, ListOptions};

use super::client_with;
use super::server::{Server, Step, answer, gzip, json};
use crate::config::RequestMetrics;

const LIST: &str =
    r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}"#;

/// The value of a series.
fn value(metrics: &RequestMetrics, series: &str) -> String {
    let text = metrics.render();
    let found = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    found.unwrap_or_else(|| panic!("no {series} in {text}")).to_owned()
}

#[tokio::test]
async fn requests_are_counted_by_verb_host_and_result() {
    let server = Server::start(|number, _| match number {
        0 => answer(429, &[("retry-after", "0")], "busy"),
        1 => json(200, LIST),
        2 => {
            let headers = [("content-type", "application/json"), ("content-encoding", "gzip")];
            answer(200, &headers, gzip(LIST.as_bytes()))
        }
        3 => json(409, r#"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"AlreadyExists"}"#),
        4 => vec![Step::Close],
        _ => json(200, r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"8"}}}"#),
    })
    .await;
    let metrics = RequestMetrics::default();
    let client = client_with(&server, |config| {
        config.metrics = Some(metrics.clone());
        (config.qps, config.burst) = (Some(1000.0), 100);
    });
    let maps = client.resource::<ConfigMap>().namespace("a");
    for _ in 0..2 {
        maps.list(&ListOptions::default()).await.unwrap();
    }
    let mut map = ConfigMap::default();
    map.metadata.name = "b".to_owned();
    assert!(maps.create(&map, &CreateOptions::default()).await.unwrap_err().is_already_exists());
    maps.create(&map, &CreateOptions::default()).await.unwrap_err();
    let mut watch = maps.watch(&ListOptions::default()).await.unwrap();
    while watch.next().await.is_some() {}

    let host = server.address();
    let of = |name: &str, rest: &str| value(&metrics, &format!("rest_client_{name}{{{rest}}}"));
    let result = |code: &str, method: &str| {
        of("requests_total", &format!("code=\"{code}\",host=\"{host}\",method=\"{method}\""))
    };
    assert_eq!(result("429", "GET"), "1");
    // Two lists and the watch.
    assert_eq!(result("200", "GET"), "3");
    assert_eq!(result("409", "POST"), "1");
    assert_eq!(result("<error>", "POST"), "1");
    let retries = format!("code=\"200\",host=\"{host}\",verb=\"GET\"");
    assert_eq!(of("request_retries_total", &retries), "1");
    let (get, post) = (format!("host=\"{host}\",verb=\"GET\""), format!("host=\"{host}\",verb=\"POST\""));
    // The watch is not among them, and all tries of a request are one.
    assert_eq!(of("request_duration_seconds_count", &get), "2");
    assert_eq!(of("request_duration_seconds_count", &post), "2");
    assert_eq!(of("request_duration_seconds_bucket", &format!("{get},le=\"60\"")), "2");
    assert_eq!(of("response_size_bytes_count", &get), "2");
    assert_eq!(of("response_size_bytes_sum", &get), (2 * LIST.len()).to_string(), "decompressed");
    assert_eq!(of("response_size_bytes_count", &post), "1");
    assert_eq!(of("request_size_bytes_count", &get), "3");
    assert_eq!(of("request_size_bytes_bucket", &format!("{get},le=\"64\"")), "3");
    assert_eq!(of("request_size_bytes_bucket", &format!("{post},le=\"+Inf\"")), "2");
    let sent: usize = server.seen().iter().map(|seen| seen.body.len()).sum();
    assert_eq!(of("request_size_bytes_sum", &post), sent.to_string());
    // A try that is repeated waits again; a watch doesn't wait.
    assert_eq!(of("rate_limiter_duration_seconds_count", &get), "3");
}

#[tokio::test]
async fn a_request_that_nobody_waits_for_any_more_is_counted() {
    let server = Server::start(|_, _| vec![Step::Hang]).await;
    let metrics = RequestMetrics::default();
    let client = client_with(&server, |config| config.metrics = Some(metrics.clone()));
    let maps = client.resource::<ConfigMap>().namespace("a");
    let options = ListOptions::default();
    let list = tokio::time::timeout(std::time::Duration::from_millis(50), maps.list(&options));
    list.await.unwrap_err();
    let took =
        format!("rest_client_request_duration_seconds_count{{host=\"{}\",verb=\"GET\"}}", server.address());
    assert_eq!(value(&metrics, &took), "1");
}
