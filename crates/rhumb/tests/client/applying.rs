//! Server-side apply between two managers.

use rhumb_api::apps::v1::Deployment;
use rhumb_client::{Api, Error};
use rhumb_meta::v1::{ApplyOptions, CreateOptions, UpdateOptions};
use rhumb_scheme::Unstructured;
use serde_json::json;

use crate::server::Subject;
use crate::verbs::deployment;

fn by(manager: &str) -> ApplyOptions {
    ApplyOptions { field_manager: manager.to_owned(), ..ApplyOptions::default() }
}

async fn apply(api: &Api<Deployment>, manager: &str, replicas: Option<i32>) -> Result<Deployment, Error> {
    let mut wanted = deployment("web");
    wanted.spec.replicas = replicas;
    api.apply("web", &wanted, &by(manager)).await
}

#[tokio::test]
async fn managers_meet_in_a_conflict() {
    let subject = Subject::new("apply").await;
    let api = subject.client().apps_v1().deployments(&subject.namespace);
    let made = apply(&api, "one", Some(2)).await.expect("it is made");
    let entry = made.metadata.managed_fields.iter().find(|entry| entry.manager == "one").expect("an owner");
    let fields = entry.fields_v1.as_ref().map(|fields| format!("{fields:?}")).unwrap_or_default();
    for not_said in ["f:status", "f:strategy", "f:resources", "f:creationTimestamp"] {
        assert!(!fields.contains(not_said), "{not_said} is owned: {fields}");
    }
    apply(&api, "two", Some(2)).await.expect("two may want the same");
    let refused = apply(&api, "two", Some(3)).await.expect_err("one wants something else");
    assert!(refused.is_conflict(), "{refused}");
    let details = refused.status().and_then(|status| status.details.clone()).expect("details");
    let causes: Vec<(&str, &str)> =
        details.causes.iter().map(|cause| (cause.reason.as_str(), cause.field.as_str())).collect();
    assert_eq!(causes, [("FieldManagerConflict", ".spec.replicas")]);

    let mut wanted = deployment("web");
    wanted.spec.replicas = Some(3);
    let forced = ApplyOptions { force: true, ..by("two") };
    assert_eq!(api.apply("web", &wanted, &forced).await.expect("by force").spec.replicas, Some(3));
    apply(&api, "one", None).await.expect("one no longer says how many");
    let now = apply(&api, "two", Some(4)).await.expect("nobody else does");
    assert_eq!(now.spec.replicas, Some(4));

    let read = api.get("web").await.expect("it is there");
    assert!(api.apply("web", &read, &by("one")).await.is_err(), "what was read says too much");
    let tree = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"paused": true},
    });
    let tree = Unstructured::new(tree).expect("an object");
    assert!(api.apply("web", &tree, &by("three")).await.expect("a part of it").spec.paused);
    let kept = api.as_unstructured().apply("web", &tree, &by("three")).await.expect("the same");
    assert_eq!(kept.get(&["spec", "replicas"]), Some(&json!(4)));
    subject.end().await;
}

#[tokio::test]
async fn a_status_is_applied_apart() {
    let subject = Subject::new("apply-status").await;
    let api = subject.client().apps_v1().deployments(&subject.namespace);
    api.create(&deployment("web"), &CreateOptions::default()).await.expect("it is made");
    let mut status = Deployment::default();
    status.status.replicas = 2;
    status.status.observed_generation = 1;
    let applied = api.apply_status("web", &status, &by("controller")).await.expect("its status");
    assert_eq!((applied.status.replicas, applied.spec.replicas), (2, Some(2)));
    let read = api.subresource::<Deployment>("status").get("web").await.expect("it is there");
    assert_eq!(read.status.observed_generation, 1);
    api.update(&read, &UpdateOptions::default()).await.expect("what was read may be written");
    subject.end().await;
}
