//! Every verb: typed in JSON and in protobuf, dynamic, and by metadata.

use rhumb_api::apps::v1::Deployment;
use rhumb_api::core::v1::{ConfigMap, Container};
use rhumb_client::config::ContentType;
use rhumb_client::{Answer, Api, Patch, Readable, from_unstructured, to_unstructured};
use rhumb_meta::v1::{
    CreateOptions, DeleteOptions, GetOptions, LabelSelector, ListOptions, PatchOptions, Preconditions,
    StatusReason, UpdateOptions,
};
use rhumb_meta::{Object, Resource};
use rhumb_scheme::Unstructured;
use serde_json::json;

use crate::server::Subject;

pub(crate) fn deployment(name: &str) -> Deployment {
    let mut deployment = Deployment::default();
    deployment.metadata.name = name.to_owned();
    let labels = [("app".to_owned(), name.to_owned())];
    deployment.metadata.labels = labels.clone().into();
    deployment.spec.replicas = Some(2);
    deployment.spec.selector =
        Some(Box::new(LabelSelector { match_labels: labels.clone().into(), ..LabelSelector::default() }));
    deployment.spec.template.metadata.labels = labels.into();
    let container =
        Container { name: "main".to_owned(), image: "example.com/image".to_owned(), ..Container::default() };
    deployment.spec.template.spec.containers.push(container);
    deployment
}

fn name_of(object: &dyn Object) -> String {
    object.metadata().map(|metadata| metadata.name.clone()).unwrap_or_default()
}

/// Creates, reads, changes in every way and deletes an object of a type that the caller knows the inside of.
async fn round<K: Readable>(api: &Api<K>, object: &K, other: &K, replicas: impl Fn(&K) -> Option<i32>) {
    let name = name_of(object);
    let made = api.create(object, &CreateOptions::default()).await.expect("it is made");
    assert_eq!(name_of(&made), name);
    let metadata = made.metadata().expect("metadata").into_owned();
    assert!(!metadata.uid.is_empty() && metadata.generation == 1, "{metadata:?}");
    let again = api.create(object, &CreateOptions::default()).await.expect_err("it is there");
    assert!(again.is_already_exists(), "{again}");
    let dry = CreateOptions { dry_run: vec!["All".to_owned()], ..CreateOptions::default() };
    api.create(other, &dry).await.expect("it could be made");
    assert!(api.find(&name_of(other)).await.expect("an answer").is_none(), "it was not meant");
    api.create(other, &CreateOptions::default()).await.expect("it is made");

    let read = api.get(&name).await.expect("it is there");
    assert_eq!(replicas(&read), Some(2));
    let any = GetOptions { resource_version: "0".to_owned(), ..GetOptions::default() };
    assert_eq!(name_of(&api.get_with(&name, &any).await.expect("it is there")), name);
    let missing = api.get("no-such-thing").await.expect_err("it is not there");
    assert!(missing.is_not_found() && missing.reason() == StatusReason::NotFound, "{missing}");

    let list = api.list(&ListOptions::default()).await.expect("a list");
    assert_eq!(list.items.len(), 2);
    assert!(!list.metadata.resource_version.is_empty());
    let labelled = ListOptions { label_selector: format!("app={name}"), ..ListOptions::default() };
    let list = api.list(&labelled).await.expect("a list");
    assert_eq!(list.items.iter().map(|item| name_of(item)).collect::<Vec<_>>(), std::slice::from_ref(&name));
    let selected = ListOptions { field_selector: format!("metadata.name={name}"), ..ListOptions::default() };
    assert_eq!(api.list(&selected).await.expect("a list").items.len(), 1);

    let mut changed = read.clone();
    changed.edit_metadata(&mut |metadata| {
        metadata.annotations.insert("step".to_owned(), "update".to_owned());
    });
    let updated = api.update(&changed, &UpdateOptions::default()).await.expect("it is changed");
    assert_eq!(updated.metadata().expect("metadata").annotations["step"], "update");
    let outdated = api.update(&changed, &UpdateOptions::default()).await.expect_err("it was changed");
    assert!(outdated.is_conflict(), "{outdated}");
    api.update_status(&updated, &UpdateOptions::default()).await.expect("its status");

    patch_in_every_form(api, &name, &replicas).await;

    let other_uid = Preconditions { uid: Some("other".to_owned()), ..Preconditions::default() };
    let only = DeleteOptions { preconditions: Some(Box::new(other_uid)), ..DeleteOptions::default() };
    assert!(api.delete(&name, &only).await.expect_err("another uid").is_conflict());
    api.delete(&name, &DeleteOptions::default()).await.expect("it goes");
    assert!(api.delete(&name, &DeleteOptions::default()).await.expect_err("it is gone").is_not_found());
    let gone =
        api.delete_collection(&DeleteOptions::default(), &ListOptions::default()).await.expect("all go");
    assert!(matches!(&gone, Answer::Object(list) if list.items.len() == 1), "{gone:?}");
    assert!(api.list(&ListOptions::default()).await.expect("a list").items.is_empty());
}

async fn patch_in_every_form<K: Readable>(api: &Api<K>, name: &str, replicas: impl Fn(&K) -> Option<i32>) {
    let options = PatchOptions { field_manager: "tests".to_owned(), ..PatchOptions::default() };
    let forms = [
        Patch::Json(json!([{"op": "replace", "path": "/spec/replicas", "value": 3}])),
        Patch::Merge(json!({"spec": {"replicas": 4}})),
        Patch::Strategic(json!({"spec": {"replicas": 5}})),
    ];
    for (patch, expect) in forms.iter().zip(3..) {
        let patched = api.patch(name, patch, &options).await.expect("it is patched");
        assert_eq!(replicas(&patched), Some(expect), "{patch:?}");
    }
    let apply = Patch::Apply(json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {"replicas": 6},
    }));
    let forced = PatchOptions { force: Some(true), ..options.clone() };
    assert_eq!(replicas(&api.patch(name, &apply, &forced).await.expect("it is applied")), Some(6));
    let broken = Patch::Json(json!([{"op": "remove", "path": "/spec/nothing"}]));
    assert!(api.patch(name, &broken, &options).await.expect_err("it doesn't fit").is_invalid());
}

#[tokio::test]
async fn typed_in_json_and_in_protobuf() {
    let subject = Subject::new("typed").await;
    for content_type in [ContentType::Usual, ContentType::Json, ContentType::Protobuf] {
        let api = subject.client_of(content_type).resource::<Deployment>().namespace(&subject.namespace);
        round(&api, &deployment("web"), &deployment("db"), |deployment| deployment.spec.replicas).await;
    }
    subject.end().await;
}

#[tokio::test]
async fn through_the_clientset() {
    let subject = Subject::new("clientset").await;
    let api = subject.client().apps_v1().deployments(&subject.namespace);
    round(&api, &deployment("web"), &deployment("db"), |deployment| deployment.spec.replicas).await;
    subject.end().await;
}

#[tokio::test]
async fn as_trees() {
    let subject = Subject::new("dynamic").await;
    let replicas = |tree: &Unstructured| {
        tree.get(&["spec", "replicas"])
            .and_then(serde_json::Value::as_i64)
            .and_then(|n| i32::try_from(n).ok())
    };
    // Protobuf is what the client speaks, but trees have none.
    for content_type in [ContentType::Usual, ContentType::Json, ContentType::Protobuf] {
        let api = subject.client_of(content_type).dynamic(&Deployment::gvr()).namespace(&subject.namespace);
        let (web, db) = (to_unstructured(&deployment("web")), to_unstructured(&deployment("db")));
        round(&api, &web, &db, replicas).await;
    }
    let api = subject.client().dynamic(&Deployment::gvr()).namespace(&subject.namespace);
    api.create(&to_unstructured(&deployment("web")), &CreateOptions::default()).await.expect("it is made");
    for item in api.list(&ListOptions::default()).await.expect("a list").items {
        assert_eq!(item.type_meta(), ("apps/v1", "Deployment"));
        let typed: Deployment = from_unstructured(&item).expect("a deployment");
        assert_eq!(typed.spec.template.spec.containers.len(), 1);
        assert_eq!(to_unstructured(&typed), item);
    }
    subject.end().await;
}

#[tokio::test]
async fn by_metadata() {
    let subject = Subject::new("metadata").await;
    let typed = subject.client().resource::<Deployment>().namespace(&subject.namespace);
    typed.create(&deployment("web"), &CreateOptions::default()).await.expect("it is made");
    typed.create(&deployment("db"), &CreateOptions::default()).await.expect("it is made");
    let api = subject.client().metadata(&Deployment::gvr()).namespace(&subject.namespace);
    let one = api.get("web").await.expect("it is there");
    assert_eq!(one.type_meta(), ("meta.k8s.io/v1", "PartialObjectMetadata"));
    assert_eq!(one.metadata, typed.get("web").await.expect("it is there").metadata);
    let list = typed.as_metadata().list(&ListOptions::default()).await.expect("a list");
    assert_eq!(list.items.len(), 2);
    assert!(list.items.iter().all(|item| !item.metadata.uid.is_empty()));
    let patch = Patch::Merge(json!({"metadata": {"labels": {"new": "yes"}}}));
    let patched = api.patch("web", &patch, &PatchOptions::default()).await.expect("it is patched");
    assert_eq!(patched.metadata.labels["new"], "yes");
    assert!(api.create(&one, &CreateOptions::default()).await.is_err(), "there is too little of it");
    api.delete("web", &DeleteOptions::default()).await.expect("it goes");
    assert!(api.get("web").await.expect_err("it is gone").is_not_found());
    api.delete_collection(&DeleteOptions::default(), &ListOptions::default()).await.expect("all go");
    assert!(typed.list(&ListOptions::default()).await.expect("a list").items.is_empty());
    subject.end().await;
}

#[tokio::test]
async fn another_version_and_another_namespace() {
    let subject = Subject::new("places").await;
    let client = subject.client();
    let mut map = ConfigMap::default();
    map.metadata.name = "here".to_owned();
    map.data.insert("key".to_owned(), "value".to_owned());
    let here = client.resource::<ConfigMap>().default_namespace();
    here.create(&map, &CreateOptions::default()).await.expect("it is made");
    let everywhere = client.resource::<ConfigMap>();
    let named = ListOptions { field_selector: "metadata.name=here".to_owned(), ..ListOptions::default() };
    let found = everywhere.list(&named).await.expect("a list");
    let ours: Vec<&ConfigMap> =
        found.items.iter().filter(|map| map.metadata.namespace == subject.namespace).collect();
    assert_eq!(ours.len(), 1);
    // An object that was read says where it is.
    everywhere.update(ours[0], &UpdateOptions::default()).await.expect("it is changed");
    let modified = here.modify("here", &UpdateOptions::default(), |map| map.immutable = Some(true)).await;
    assert_eq!(modified.expect("it is changed").immutable, Some(true));

    // One Rust type in two versions: what is sent says the version it is sent to.
    let (v2, v1) = (client.autoscaling_v2(), client.autoscaling_v1());
    let mut scaler = rhumb_api::autoscaling::v2::HorizontalPodAutoscaler::default();
    scaler.metadata.name = "scaler".to_owned();
    scaler.spec.max_replicas = 5;
    scaler.spec.scale_target_ref.kind = "Deployment".to_owned();
    scaler.spec.scale_target_ref.name = "web".to_owned();
    scaler.spec.scale_target_ref.api_version = "apps/v1".to_owned();
    let scalers = v2.horizontal_pod_autoscalers(&subject.namespace);
    scalers.create(&scaler, &CreateOptions::default()).await.expect("it is made");
    let old = v1.horizontal_pod_autoscalers(&subject.namespace).get("scaler").await.expect("it is there");
    assert_eq!(old.spec.max_replicas, 5);
    subject.end().await;
}
