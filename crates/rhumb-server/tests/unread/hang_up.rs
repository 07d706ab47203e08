//! Clients that send a long patch and hang up: the work on it ends with them.
//!
//! How much work that is shows in the processor time of the process, so these run alone as those beside them do.

use std::time::Duration;

use http::{Method, Request};
use http_body_util::Full;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use super::{Client, server, write};
use crate::client::in_time;

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

/// How many containers a patch has.
const CONTAINERS: usize = 40_000;
/// What it takes to tell half of the work from all of it.
const LEAST: Duration = Duration::from_millis(300);

/// For how long all threads of the process were at work.
fn worked() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}

/// Waits until nobody works any more.
async fn idle() {
    let pause = Duration::from_millis(100);
    let mut before = worked();
    loop {
        tokio::time::sleep(pause).await;
        let now = worked();
        if now - before < pause / 10 {
            return;
        }
        before = now;
    }
}

fn containers(count: usize) -> Vec<Value> {
    (0..count).map(|number| json!({"name": format!("c{number}"), "image": "i"})).collect()
}

fn deployment(containers: &[Value]) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "patched"}, "spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": containers}}}})
}

/// Sends a patch once to its end, and once to somewhere in the middle of the work on it.
async fn check(media_type: &str, patch: &Value) {
    let (server, _alone) = server(&[]).await;
    let mut client = Client::http2(&server, Some(server.admin_certificate())).await;
    let object = deployment(&containers(1)).to_string();
    assert_eq!(write(&mut client, Method::POST, DEPLOYMENTS, &object).await, 201);
    let path = format!("{DEPLOYMENTS}/patched?dryRun=All&fieldManager=test");
    let path = if media_type.contains("apply") { path + "&force=true" } else { path };
    let body = patch.to_string();
    let request = |client: &Client| -> Request<Full<bytes::Bytes>> {
        let headers = [("authorization", "Bearer greedy"), ("content-type", media_type)];
        let mut request = client.request(Method::PATCH, &path, &headers);
        *request.body_mut() = Full::new(body.clone().into());
        request
    };
    let mut waiting = Client::http2(&server, None).await;
    idle().await;
    let begun = worked();
    let answer = in_time(waiting.send(request(&waiting))).await.unwrap();
    idle().await;
    let whole = worked() - begun;
    assert_eq!(answer.code, 200, "{}", answer.body.get(..500).unwrap_or(&answer.body));
    assert!(whole > LEAST, "{media_type}: {whole:?} is too short to be stopped");

    let mut leaving = Client::http2(&server, None).await;
    idle().await;
    let begun = worked();
    let sent = request(&leaving);
    let sending = tokio::spawn(async move { leaving.send(sent).await.map(|answer| answer.code) });
    in_time(async {
        while worked() - begun < whole / 4 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
    sending.abort();
    assert!(sending.await.unwrap_err().is_cancelled());
    idle().await;
    let spent = worked() - begun;
    assert!(spent < whole * 3 / 4, "{media_type}: {whole:?} to the end, {spent:?} if the client hangs up");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_work_on_a_json_patch_ends_when_its_client_hangs_up() {
    let place = "/spec/template/spec/containers";
    let all = json!({"op": "replace", "path": place, "value": containers(CONTAINERS)});
    let each =
        |number: usize| json!({"op": "replace", "path": format!("{place}/{number}/image"), "value": "j"});
    let operations: Vec<Value> = std::iter::once(all).chain((0..9_000).map(each)).collect();
    check("application/json-patch+json", &json!(operations)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_work_on_a_merge_patch_ends_when_its_client_hangs_up() {
    check("application/merge-patch+json", &deployment(&containers(CONTAINERS))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_work_on_a_strategic_merge_patch_ends_when_its_client_hangs_up() {
    check("application/strategic-merge-patch+json", &deployment(&containers(CONTAINERS))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_work_on_an_applied_object_ends_when_its_client_hangs_up() {
    check("application/apply-patch+yaml", &deployment(&containers(CONTAINERS))).await;
}
