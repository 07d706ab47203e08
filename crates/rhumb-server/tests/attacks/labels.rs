//! Requests that differ in everything a client chooses, to fill what is counted.

use std::collections::BTreeSet;

use http::Method;
use rhumb_server::Server;

use crate::client::Client;

/// The series of a text of metrics, without their values.
fn series(metrics: &str) -> BTreeSet<String> {
    let lines = metrics.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| Some(line.rsplit_once(' ')?.0.to_owned())).collect()
}

async fn strange(client: &mut Client, number: usize) {
    let word = format!("odd{number}");
    let agent = format!("agent-{word}");
    let headers = [("user-agent", agent.as_str()), ("accept", "application/json")];
    let paths = [
        format!("/{word}"),
        format!("/api/{word}"),
        format!("/api/v1/{word}"),
        format!("/api/v1/namespaces/{word}/{word}"),
        format!("/api/v1/namespaces/{word}/pods"),
        format!("/api/v1/namespaces/default/pods/{word}"),
        format!("/api/v1/namespaces/default/pods/a/{word}"),
        format!("/api/v1/nodes/{word}/status"),
        format!("/apis/{word}"),
        format!("/apis/{word}/v1"),
        format!("/apis/{word}/v1/{word}"),
        format!("/apis/apps/{word}/deployments"),
        format!("/apis/apps/v1/{word}"),
        format!("/healthz/{word}"),
        format!("/logs/{word}"),
        format!("/api/v1/pods?dryRun={word}"),
        format!("/openapi/v3/{word}"),
    ];
    for path in paths {
        for method in [Method::GET, Method::DELETE, Method::from_bytes(word.as_bytes()).unwrap()] {
            let request = client.request(method, &path, &headers);
            let answered = client.send(request).await.unwrap();
            assert!(answered.code < 500, "{path}: {answered:?}");
        }
    }
}

/// CVE-2020-8552: every new word in a request made a new series, until the memory was full.
#[tokio::test]
async fn strangers_do_not_choose_what_is_counted() {
    let builder = Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.start().await.unwrap();
    let mut client = Client::http2(&server, Some(server.admin_certificate())).await;
    for number in 0..2 {
        strange(&mut client, number).await;
        client.get("/metrics").await;
    }
    let before = series(&client.get("/metrics").await.body);
    for number in 2..12 {
        strange(&mut client, number).await;
    }
    let metrics = client.get("/metrics").await;
    assert_eq!(metrics.code, 200);
    assert!(!metrics.body.contains("odd"), "{}", metrics.body);
    let new: Vec<String> = series(&metrics.body).difference(&before).cloned().collect();
    assert!(new.is_empty(), "{new:#?}");
}
