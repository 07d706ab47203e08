//! A custom resource with a Rust type of its own: its definition, its verbs, its status and scale.

use std::time::Duration;

use rhumb_api::apiextensions::v1::CustomResourceDefinition;
use rhumb_client::config::ContentType;
use rhumb_client::{Api, Client, Patch, from_unstructured};
use rhumb_meta::v1::{ApplyOptions, CreateOptions, DeleteOptions, ListOptions, PatchOptions, UpdateOptions};
use rhumb_meta::{Object, ObjectMeta, Resource, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Unstructured;
use serde_json::json;

use crate::server::Subject;

#[derive(Clone, Default, Schema, Object, Resource)]
#[resource(group = "stable.example.com", version = "v1", namespaced)]
struct CronTab {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(0)]
    metadata: ObjectMeta,
    #[field(0)]
    spec: CronTabSpec,
    #[field(0)]
    status: CronTabStatus,
}

#[derive(Clone, Default, Schema)]
struct CronTabSpec {
    #[field(0)]
    cron_spec: String,
    #[field(0)]
    replicas: Option<i32>,
}

#[derive(Clone, Default, Schema)]
struct CronTabStatus {
    #[field(0)]
    replicas: i32,
}

fn definition() -> CustomResourceDefinition {
    let tree = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{}.{}", CronTab::PLURAL, CronTab::GROUP)},
        "spec": {
            "group": CronTab::GROUP,
            "scope": "Namespaced",
            "names": {"kind": CronTab::KIND, "plural": CronTab::PLURAL, "singular": "crontab"},
            "versions": [{
                "name": CronTab::VERSION, "served": true, "storage": true,
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
                },
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {
                        "cronSpec": {"type": "string"}, "replicas": {"type": "integer"},
                    }},
                    "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
                }}},
            }],
        },
    });
    from_unstructured(&Unstructured::new(tree).expect("an object")).expect("a definition")
}

/// Defines the resource, and waits until it can be used.
async fn define(client: &Client) {
    let definitions = client.resource::<CustomResourceDefinition>();
    match definitions.create(&definition(), &CreateOptions::default()).await {
        Err(error) if error.is_already_exists() => {}
        other => drop(other.expect("it is defined")),
    }
    let name = definition().metadata.name;
    loop {
        let now = definitions.get(&name).await.expect("it is there");
        let is = |type_: &str| {
            now.status
                .conditions
                .iter()
                .any(|condition| condition.type_ == type_ && condition.status == "True")
        };
        if is("Established") && client.resource::<CronTab>().list(&ListOptions::default()).await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn cron(name: &str) -> CronTab {
    let mut cron = CronTab::default();
    cron.metadata.name = name.to_owned();
    cron.spec.cron_spec = "* * * * */5".to_owned();
    cron
}

async fn check(crons: &Api<CronTab>) {
    let made = crons.create(&cron("a"), &CreateOptions::default()).await.expect("it is made");
    assert_eq!(made.type_meta(), ("stable.example.com/v1", "CronTab"));
    let mut read = crons.get("a").await.expect("it is there");
    assert_eq!(read, made);
    read.spec.replicas = Some(2);
    read.status.replicas = 9;
    let updated = crons.update(&read, &UpdateOptions::default()).await.expect("it is changed");
    assert_eq!((updated.spec.replicas, updated.status.replicas), (Some(2), 0), "the status is written apart");
    let mut of_status = updated.clone();
    of_status.status.replicas = 1;
    of_status.spec.replicas = Some(7);
    let updated = crons.update_status(&of_status, &UpdateOptions::default()).await.expect("it is changed");
    assert_eq!((updated.spec.replicas, updated.status.replicas), (Some(2), 1));

    let merge = Patch::Merge(json!({"spec": {"cronSpec": "@daily"}}));
    let patched = crons.patch("a", &merge, &PatchOptions::default()).await.expect("it is patched");
    assert_eq!(patched.spec.cron_spec, "@daily");
    let strategic = Patch::Strategic(json!({"spec": {"cronSpec": "@daily"}}));
    let refused =
        crons.patch("a", &strategic, &PatchOptions::default()).await.expect_err("there is no such patch");
    assert!(refused.is_unsupported_media_type(), "{refused}");

    let options = ApplyOptions { field_manager: "tests".to_owned(), force: true, ..ApplyOptions::default() };
    let applied = crons.apply("b", &cron("b"), &options).await.expect("it is applied");
    assert_eq!(applied.spec.cron_spec, "* * * * */5");
    let mut of_status = CronTab::default();
    of_status.status.replicas = 3;
    let applied = crons.apply_status("b", &of_status, &options).await.expect("it is applied");
    assert_eq!(applied.status.replicas, 3);

    let scales = crons.scale();
    let mut scale = scales.get("a").await.expect("it scales");
    assert_eq!((scale.spec.replicas, scale.status.replicas), (2, 1));
    scale.spec.replicas = 4;
    let scaled = scales.update("a", &scale, &UpdateOptions::default()).await.expect("it is scaled");
    assert_eq!(scaled.spec.replicas, 4);
    assert_eq!(crons.get("a").await.expect("it is there").spec.replicas, Some(4));

    let metadata = crons.as_metadata().list(&ListOptions::default()).await.expect("a list");
    assert_eq!(metadata.items.len(), 2);
    crons.as_metadata().delete("a", &DeleteOptions::default()).await.expect("it goes");
    crons.delete("b", &DeleteOptions::default()).await.expect("it goes");
    let list = crons.list(&ListOptions::default()).await.expect("a list");
    assert!(list.items.is_empty());
    let mut watch = crons
        .watch(&ListOptions { resource_version: list.metadata.resource_version, ..ListOptions::default() })
        .await
        .expect("a watch");
    crons.create(&cron("c"), &CreateOptions::default()).await.expect("it is made");
    let event = watch.next().await.expect("an event").expect("an event");
    assert_eq!(event.object().map(|cron| cron.metadata.name.as_str()), Some("c"));
    crons.delete_collection(&DeleteOptions::default(), &ListOptions::default()).await.expect("all go");
}

#[tokio::test]
async fn a_type_of_ones_own_has_every_verb() {
    let subject = Subject::new("custom").await;
    define(&subject.client()).await;
    // The client that speaks protobuf speaks JSON of custom resources.
    for content_type in [ContentType::Usual, ContentType::Json, ContentType::Protobuf] {
        check(&subject.client_of(content_type).resource::<CronTab>().namespace(&subject.namespace)).await;
    }
    subject.end().await;
}
