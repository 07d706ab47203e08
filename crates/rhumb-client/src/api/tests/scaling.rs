//! Scales in every version that there was.

use rhumb_api::autoscaling::v1::Scale;
use rhumb_meta::GroupVersionResource;
use rhumb_meta::v1::{PatchOptions, UpdateOptions};
use serde_json::{Value as Json, json};

use super::fake::{self, Fake, Seen};
use crate::config::ContentType;
use crate::{Error, Patch};

/// A server whose scales are of one version.
async fn server(api_version: &'static str) -> Fake {
    Fake::start(move |seen: &Seen| {
        if !seen.target.ends_with("/scale") {
            let resources = json!({
                "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "example.com/v1",
                "resources": [
                    {"name": "shops", "kind": "Shop", "namespaced": true, "verbs": ["get"]},
                    {"name": "shops/scale", "group": "extensions", "version": "v1beta1", "kind": "Scale",
                     "namespaced": true, "verbs": ["get", "update"]},
                ],
            });
            return fake::json(200, &resources);
        }
        let status = match api_version {
            "autoscaling/v1" => json!({"replicas": 2, "selector": "a=b"}),
            _ => json!({"replicas": 2, "selector": {"a": "b"}}),
        };
        let scale = json!({
            "kind": "Scale", "apiVersion": api_version, "metadata": {"name": "web"},
            "spec": {"replicas": 3}, "status": status,
        });
        fake::json(200, &scale)
    })
    .await
}

async fn check(gvr: GroupVersionResource, api_version: &'static str) -> (Fake, Json) {
    let fake = server(api_version).await;
    let scales = fake.client(ContentType::Json).dynamic(&gvr).namespace("x").scale();
    let mut scale = scales.get("web").await.unwrap();
    let path = format!("/apis/{}/{}/namespaces/x/{}/web/scale", gvr.group, gvr.version, gvr.resource);
    assert_eq!(fake.one().line(), format!("GET {path}"));
    assert_eq!((scale.spec.replicas, scale.status.replicas), (3, 2));
    assert_eq!(scale.status.selector, "a=b", "{api_version}");
    assert_eq!(scale.type_meta.api_version, "autoscaling/v1");
    scale.spec.replicas = 5;
    assert_eq!(scales.update("web", &scale, &UpdateOptions::default()).await.unwrap().spec.replicas, 3);
    let mut seen = fake.take();
    let sent = seen.pop().unwrap();
    assert_eq!(sent.line(), format!("PUT {path}"));
    assert_eq!(sent.json()["spec"]["replicas"], 5);
    (fake, sent.json())
}

#[tokio::test]
async fn every_version_of_a_scale_is_read_and_written() {
    let (_, sent) = check(GroupVersionResource::new("apps", "v1", "deployments"), "autoscaling/v1").await;
    assert_eq!(sent["apiVersion"], "autoscaling/v1");
    let (_, sent) = check(GroupVersionResource::new("apps", "v1beta1", "deployments"), "apps/v1beta1").await;
    assert_eq!(sent["apiVersion"], "apps/v1beta1");
    assert_eq!(sent["status"]["selector"], json!({"a": "b"}));
    let (_, sent) = check(GroupVersionResource::new("apps", "v1beta2", "replicasets"), "apps/v1beta2").await;
    assert_eq!(sent["apiVersion"], "apps/v1beta2");
    let old = GroupVersionResource::new("extensions", "v1beta1", "deployments");
    let (_, sent) = check(old, "extensions/v1beta1").await;
    assert_eq!(sent["apiVersion"], "extensions/v1beta1");
}

#[tokio::test]
async fn what_others_want_is_asked_for_once() {
    let shops = GroupVersionResource::new("example.com", "v1", "shops");
    let (_, sent) = check(shops.clone(), "extensions/v1beta1").await;
    assert_eq!(sent["apiVersion"], "extensions/v1beta1");

    let fake = server("extensions/v1beta1").await;
    let scales = fake.client(ContentType::Json).dynamic(&shops).namespace("x").scale();
    for _ in 0..2 {
        scales.update("web", &Scale::default(), &UpdateOptions::default()).await.unwrap();
    }
    let asked = fake.take();
    let discoveries = asked.iter().filter(|seen| seen.line() == "GET /apis/example.com/v1").count();
    assert_eq!((asked.len(), discoveries), (3, 1));
    let none =
        fake.client(ContentType::Json).dynamic(&GroupVersionResource::new("example.com", "v1", "bars"));
    let refused = none.scale().update("web", &Scale::default(), &UpdateOptions::default()).await;
    assert!(matches!(refused, Err(Error::Unexpected(_))), "{refused:?}");
}

#[tokio::test]
async fn a_scale_is_patched() {
    let fake = server("autoscaling/v1").await;
    let scales = fake.client(ContentType::Json).apps_v1().deployments("x").scale();
    let patch = Patch::Merge(json!({"spec": {"replicas": 1}}));
    scales.patch("web", &patch, &PatchOptions::default()).await.unwrap();
    let seen = fake.one();
    assert_eq!(seen.line(), "PATCH /apis/apps/v1/namespaces/x/deployments/web/scale");
    assert_eq!(seen.header("content-type"), "application/merge-patch+json");
}

#[tokio::test]
async fn what_is_no_scale_is_refused() {
    let fake = server("example.com/v1").await;
    let scales = fake.client(ContentType::Json).apps_v1().deployments("x").scale();
    assert!(matches!(scales.get("web").await, Err(Error::Unexpected(_))));
}
