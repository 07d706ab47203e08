//! Method, path, query, headers and body of every verb.

use rhumb_api::apps::v1::Deployment;
use rhumb_api::core::v1::{Namespace, Node, Pod};
use rhumb_codec::proto;
use rhumb_meta::v1::{
    ApplyOptions, CreateOptions, DeleteOptions, GetOptions, ListOptions, PatchOptions, Preconditions,
    UpdateOptions,
};
use rhumb_meta::{Object, ObjectMeta, Resource, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Unstructured;
use serde_json::json as tree;

use super::fake::{self, Fake, Reply, Seen};
use crate::config::ContentType;
use crate::{Answer, Patch};

const JSON: &str = "application/json";
const JSON_OR_ANY: &str = "application/json, */*";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/x/deployments";

#[derive(Clone, Default, Schema, Object, Resource)]
#[resource(group = "stable.example.com", version = "v1", namespaced)]
struct CronTab {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    metadata: ObjectMeta,
    #[field(2)]
    spec: CronTabSpec,
}

#[derive(Clone, Default, Schema)]
struct CronTabSpec {
    #[field(1)]
    cron_spec: String,
}

/// Answers lists with an empty list, all else with a nameless object, in the form that is asked for first.
fn plain(seen: &Seen) -> Reply {
    let path = seen.target.split('?').next().unwrap_or_default();
    let is_list = seen.method == "GET" && path.ends_with('s') && !path.ends_with("status");
    let is_list = is_list || seen.method == "DELETE" && path.ends_with('s');
    let kind = if is_list { "DeploymentList" } else { "Deployment" };
    if seen.header("accept").starts_with(PROTOBUF) {
        let mut object = Deployment::default();
        object.type_meta.set("apps/v1", kind);
        let mut bytes = Vec::new();
        proto::encode(&object, &mut bytes).expect("it has a protobuf form");
        return (200, PROTOBUF, bytes);
    }
    fake::json(200, &tree!({"kind": kind, "apiVersion": "apps/v1", "metadata": {}}))
}

fn named(name: &str) -> Deployment {
    let mut deployment = Deployment::default();
    deployment.metadata.name = name.to_owned();
    deployment
}

fn check(fake: &Fake, expect: &str, accept: &str, content_type: &str) -> Seen {
    let seen = fake.one();
    assert_eq!(seen.line(), expect);
    assert_eq!(seen.header("accept"), accept, "{expect}");
    assert_eq!(seen.header("content-type"), content_type, "{expect}");
    assert_eq!(seen.body.is_empty(), content_type.is_empty(), "{expect}");
    seen
}

#[tokio::test]
async fn typed_requests_are_those_of_client_go() {
    let fake = Fake::start(plain).await;
    let api = fake.client(ContentType::Json).resource::<Deployment>().namespace("x");
    let reads = |path: &str| {
        check(&fake, &format!("GET {path}"), JSON_OR_ANY, "");
    };

    api.get("a").await.unwrap();
    reads(&format!("{DEPLOYMENTS}/a"));
    let options = GetOptions { resource_version: "7".to_owned(), ..GetOptions::default() };
    api.get_with("a", &options).await.unwrap();
    reads(&format!("{DEPLOYMENTS}/a?resourceVersion=7"));
    api.list(&ListOptions::default()).await.unwrap();
    reads(DEPLOYMENTS);
    api.clone().all_namespaces().list(&ListOptions::default()).await.unwrap();
    reads("/apis/apps/v1/deployments");
    api.clone().default_namespace().list(&ListOptions::default()).await.unwrap();
    reads("/apis/apps/v1/namespaces/home/deployments");
    let options = ListOptions {
        label_selector: "app=web,tier!=test".to_owned(),
        field_selector: "metadata.name=a".to_owned(),
        limit: 10,
        continue_: "t/o=k&n".to_owned(),
        resource_version: "7".to_owned(),
        resource_version_match: "NotOlderThan".to_owned(),
        ..ListOptions::default()
    };
    api.list(&options).await.unwrap();
    reads(&format!(
        "{DEPLOYMENTS}?continue=t%2Fo%3Dk%26n&fieldSelector=metadata.name%3Da&\
         labelSelector=app%3Dweb%2Ctier%21%3Dtest&limit=10&resourceVersion=7&resourceVersionMatch=NotOlderThan"
    ));
    let options = ListOptions {
        resource_version: "7".to_owned(),
        allow_watch_bookmarks: true,
        send_initial_events: Some(false),
        timeout_seconds: Some(300),
        ..ListOptions::default()
    };
    drop(api.watch(&options).await.unwrap());
    reads(&format!(
        "{DEPLOYMENTS}?allowWatchBookmarks=true&resourceVersion=7&sendInitialEvents=false&timeout=5m0s&\
         timeoutSeconds=300&watch=true"
    ));

    let writes = |method: &str, path: &str| {
        let seen = check(&fake, &format!("{method} {path}"), JSON_OR_ANY, JSON);
        assert_eq!(seen.json()["apiVersion"], "apps/v1");
        assert_eq!(seen.json()["kind"], "Deployment");
        assert_eq!(seen.json()["metadata"]["name"], "a");
    };
    api.create(&named("a"), &CreateOptions::default()).await.unwrap();
    writes("POST", DEPLOYMENTS);
    let options = CreateOptions {
        dry_run: vec!["All".to_owned()],
        field_manager: "me".to_owned(),
        field_validation: "Strict".to_owned(),
        ..CreateOptions::default()
    };
    api.create(&named("a"), &options).await.unwrap();
    writes("POST", &format!("{DEPLOYMENTS}?dryRun=All&fieldManager=me&fieldValidation=Strict"));
    api.update(&named("a"), &UpdateOptions::default()).await.unwrap();
    writes("PUT", &format!("{DEPLOYMENTS}/a"));
    let options = UpdateOptions { field_manager: "me".to_owned(), ..UpdateOptions::default() };
    api.update_status(&named("a"), &options).await.unwrap();
    writes("PUT", &format!("{DEPLOYMENTS}/a/status?fieldManager=me"));
}

#[tokio::test]
async fn the_namespace_of_an_object_counts_where_none_was_named() {
    let fake = Fake::start(plain).await;
    let api = fake.client(ContentType::Json).resource::<Deployment>();
    let mut deployment = named("a");
    deployment.metadata.namespace = "own".to_owned();
    api.create(&deployment, &CreateOptions::default()).await.unwrap();
    assert_eq!(fake.one().line(), "POST /apis/apps/v1/namespaces/own/deployments");
    api.update(&deployment, &UpdateOptions::default()).await.unwrap();
    assert_eq!(fake.one().line(), "PUT /apis/apps/v1/namespaces/own/deployments/a");
    api.clone().namespace("x").update(&deployment, &UpdateOptions::default()).await.unwrap();
    assert_eq!(fake.one().line(), "PUT /apis/apps/v1/namespaces/x/deployments/a");

    let error = api.get("a").await.unwrap_err();
    assert_eq!(error.to_string(), "deployments live in namespaces: name one with `namespace`");
    let nodes = fake.client(ContentType::Json).resource::<Node>();
    let error = nodes.clone().namespace("x").get("a").await.unwrap_err();
    assert_eq!(error.to_string(), "nodes don't live in namespaces");
    nodes.get("a").await.unwrap();
    assert_eq!(fake.one().line(), "GET /api/v1/nodes/a");
    fake.client(ContentType::Json).resource::<Namespace>().get("x").await.unwrap();
    assert_eq!(fake.one().line(), "GET /api/v1/namespaces/x");
}

#[tokio::test]
async fn names_that_are_none_are_not_sent() {
    let fake = Fake::start(plain).await;
    let api = fake.client(ContentType::Json).resource::<Deployment>().namespace("x");
    for name in ["", "..", "a/b", "a%20"] {
        assert!(api.get(name).await.is_err(), "{name}");
        assert!(api.delete(name, &DeleteOptions::default()).await.is_err(), "{name}");
        assert!(api.update(&named(name), &UpdateOptions::default()).await.is_err(), "{name}");
    }
    assert!(api.clone().namespace("a/b").get("a").await.is_err());
    assert!(fake.take().is_empty());
}

#[tokio::test]
async fn patches_say_what_they_are() {
    let fake = Fake::start(plain).await;
    let api = fake.client(ContentType::Protobuf).resource::<Deployment>().namespace("x");
    let accept = "application/vnd.kubernetes.protobuf,application/json";
    let options =
        PatchOptions { field_manager: "me".to_owned(), force: Some(true), ..PatchOptions::default() };
    let merge = tree!({"spec": {"replicas": 3}});
    for (patch, content_type) in [
        (Patch::Json(tree!([{"op": "remove", "path": "/spec/paused"}])), "application/json-patch+json"),
        (Patch::Merge(merge.clone()), "application/merge-patch+json"),
        (Patch::Strategic(merge.clone()), "application/strategic-merge-patch+json"),
        (Patch::Apply(merge.clone()), "application/apply-patch+yaml"),
    ] {
        api.patch("a", &patch, &options).await.unwrap();
        let line = format!("PATCH {DEPLOYMENTS}/a?fieldManager=me&force=true");
        assert_eq!(check(&fake, &line, accept, content_type).json(), *patch.tree());
    }
    api.patch("a", &Patch::Merge(merge), &PatchOptions::default()).await.unwrap();
    check(&fake, &format!("PATCH {DEPLOYMENTS}/a"), accept, "application/merge-patch+json");
}

#[tokio::test]
async fn apply_names_its_manager_and_says_whether_it_forces() {
    let fake = Fake::start(plain).await;
    let api = fake.client(ContentType::Json).resource::<Deployment>().namespace("x");
    let yaml = "application/apply-patch+yaml";
    let mut wanted = named("a");
    wanted.spec.replicas = Some(2);
    let options = ApplyOptions { field_manager: "me".to_owned(), ..ApplyOptions::default() };
    api.apply("a", &wanted, &options).await.unwrap();
    let seen = check(&fake, &format!("PATCH {DEPLOYMENTS}/a?fieldManager=me&force=false"), JSON_OR_ANY, yaml);
    let expect = tree!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "a"}, "spec": {"replicas": 2},
    });
    assert_eq!(seen.json(), expect);

    let forced = ApplyOptions { force: true, dry_run: vec!["All".to_owned()], ..options.clone() };
    let as_tree = Unstructured::new(expect.clone()).unwrap();
    api.apply_status("a", &as_tree, &forced).await.unwrap();
    let line = format!("PATCH {DEPLOYMENTS}/a/status?dryRun=All&fieldManager=me&force=true");
    assert_eq!(check(&fake, &line, JSON_OR_ANY, yaml).json(), expect);

    wanted.metadata.name.clear();
    api.apply("a", &wanted, &options).await.unwrap();
    assert_eq!(fake.take().pop().unwrap().json(), expect, "the name need not be said twice");

    assert!(api.apply("a", &wanted, &ApplyOptions::default()).await.is_err(), "no manager");
    wanted.metadata.managed_fields.push(Default::default());
    assert!(api.apply("a", &wanted, &options).await.is_err(), "it was read");
    assert!(fake.take().is_empty());
}

#[tokio::test]
async fn deletions_have_a_body() {
    let fake = Fake::start(plain).await;
    let client = fake.client(ContentType::Json);
    let api = client.resource::<Deployment>().namespace("x");
    let options = DeleteOptions {
        propagation_policy: Some("Foreground".to_owned()),
        preconditions: Some(Box::new(Preconditions { uid: Some("u".to_owned()), ..Default::default() })),
        ..DeleteOptions::default()
    };
    api.delete("a", &options).await.unwrap();
    let seen = check(&fake, &format!("DELETE {DEPLOYMENTS}/a"), JSON_OR_ANY, JSON);
    let expect = |api_version: &str| {
        tree!({
            "kind": "DeleteOptions", "apiVersion": api_version,
            "preconditions": {"uid": "u"}, "propagationPolicy": "Foreground",
        })
    };
    assert_eq!(seen.json(), expect("apps/v1"));
    let which = ListOptions { label_selector: "a=b".to_owned(), ..ListOptions::default() };
    api.delete_collection(&options, &which).await.unwrap();
    let seen = check(&fake, &format!("DELETE {DEPLOYMENTS}?labelSelector=a%3Db"), JSON_OR_ANY, JSON);
    assert_eq!(seen.json(), expect("apps/v1"));
    client.dynamic(&Deployment::gvr()).namespace("x").delete("a", &options).await.unwrap();
    assert_eq!(fake.one().json(), expect("v1"));
}

#[tokio::test]
async fn a_deletion_is_answered_by_the_object_or_a_status() {
    let fake = Fake::start(|seen: &Seen| {
        let (kind, version) = match seen.target.ends_with("gone") {
            true => ("Status", "v1"),
            false => ("Pod", "v1"),
        };
        fake::json(200, &tree!({"kind": kind, "apiVersion": version, "metadata": {}}))
    })
    .await;
    let pods = fake.client(ContentType::Json).resource::<Pod>().namespace("x");
    let options = DeleteOptions::default();
    assert!(matches!(pods.delete("gone", &options).await.unwrap(), Answer::Status(_)));
    assert!(matches!(pods.delete("going", &options).await.unwrap(), Answer::Object(_)));
}

#[tokio::test]
async fn built_in_types_are_read_in_protobuf_and_sent_as_json() {
    let fake = Fake::start(plain).await;
    let client = fake.client(ContentType::default());
    let accept = "application/vnd.kubernetes.protobuf,application/json";
    let api = client.resource::<Deployment>().namespace("x");
    api.get("a").await.unwrap();
    check(&fake, &format!("GET {DEPLOYMENTS}/a"), accept, "");
    api.create(&named("a"), &CreateOptions::default()).await.unwrap();
    let seen = check(&fake, &format!("POST {DEPLOYMENTS}"), accept, JSON);
    assert_eq!(seen.json()["kind"], "Deployment");

    client.resource::<CronTab>().namespace("x").get("c").await.unwrap();
    check(&fake, "GET /apis/stable.example.com/v1/namespaces/x/crontabs/c", JSON, "");
    client.dynamic(&Deployment::gvr()).namespace("x").get("a").await.unwrap();
    check(&fake, &format!("GET {DEPLOYMENTS}/a"), JSON, "");
}

#[tokio::test]
async fn protobuf_is_for_built_in_types_only() {
    let fake = Fake::start(plain).await;
    let client = fake.client(ContentType::Protobuf);
    let accept = "application/vnd.kubernetes.protobuf,application/json";
    let api = client.resource::<Deployment>().namespace("x");
    api.create(&named("a"), &CreateOptions::default()).await.unwrap();
    let seen = check(&fake, &format!("POST {DEPLOYMENTS}"), accept, PROTOBUF);
    let envelope = proto::open(&seen.body).expect("an envelope");
    assert_eq!((envelope.api_version, envelope.kind), ("apps/v1", "Deployment"));
    let mut sent = Deployment::default();
    proto::decode_into(envelope.raw, &mut sent).expect("a deployment");
    assert_eq!(sent.metadata.name, "a");
    api.delete("a", &DeleteOptions::default()).await.unwrap();
    let seen = check(&fake, &format!("DELETE {DEPLOYMENTS}/a"), accept, PROTOBUF);
    assert_eq!(proto::open(&seen.body).expect("an envelope").kind, "DeleteOptions");

    let crons = client.resource::<CronTab>().namespace("x");
    let mut cron = CronTab::default();
    cron.metadata.name = "c".to_owned();
    cron.spec.cron_spec = "* *".to_owned();
    crons.create(&cron, &CreateOptions::default()).await.unwrap();
    let path = "/apis/stable.example.com/v1/namespaces/x/crontabs";
    let seen = check(&fake, &format!("POST {path}"), JSON, JSON);
    let expect = tree!({
        "kind": "CronTab", "apiVersion": "stable.example.com/v1",
        "metadata": {"name": "c"}, "spec": {"cronSpec": "* *"},
    });
    assert_eq!(seen.json(), expect);
    crons.delete("c", &DeleteOptions::default()).await.unwrap();
    check(&fake, &format!("DELETE {path}/c"), JSON, JSON);

    let dynamic = client.dynamic(&Deployment::gvr()).namespace("x");
    dynamic.get("a").await.unwrap();
    check(&fake, &format!("GET {DEPLOYMENTS}/a"), JSON, "");
    let as_tree = Unstructured::new(tree!({"kind": "Deployment", "metadata": {"name": "a"}})).unwrap();
    dynamic.create(&as_tree, &CreateOptions::default()).await.unwrap();
    let seen = check(&fake, &format!("POST {DEPLOYMENTS}"), JSON, JSON);
    assert_eq!(seen.json(), *as_tree.tree(), "a tree is sent as it is");
    dynamic.update_status(&as_tree, &UpdateOptions::default()).await.unwrap();
    check(&fake, &format!("PUT {DEPLOYMENTS}/a/status"), JSON, JSON);
}

#[tokio::test]
async fn metadata_is_asked_for_as_such() {
    let fake = Fake::start(|_: &Seen| {
        let of_one = tree!({
            "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": {"name": "a"},
        });
        fake::json(200, &of_one)
    })
    .await;
    let api = fake.client(ContentType::Json).metadata(&Deployment::gvr()).namespace("x");
    let one = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,\
               application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
    let many = one.replace("Metadata;", "MetadataList;");
    assert_eq!(api.get("a").await.unwrap().metadata.name, "a");
    check(&fake, &format!("GET {DEPLOYMENTS}/a"), one, "");
    let _ = api.list(&ListOptions::default()).await;
    check(&fake, &format!("GET {DEPLOYMENTS}"), &many, "");
    drop(api.watch(&ListOptions::default()).await.unwrap());
    check(&fake, &format!("GET {DEPLOYMENTS}?watch=true"), one, "");
    let patch = Patch::Merge(tree!({"metadata": {"labels": {"a": "b"}}}));
    api.patch("a", &patch, &PatchOptions::default()).await.unwrap();
    check(&fake, &format!("PATCH {DEPLOYMENTS}/a"), one, "application/merge-patch+json");
    api.delete("a", &DeleteOptions::default()).await.unwrap();
    let seen = check(&fake, &format!("DELETE {DEPLOYMENTS}/a"), one, JSON);
    assert_eq!(seen.json(), tree!({"kind": "DeleteOptions", "apiVersion": "v1"}));
    assert!(api.create(&Default::default(), &CreateOptions::default()).await.is_err());
    assert!(api.update(&Default::default(), &UpdateOptions::default()).await.is_err());
    assert!(fake.take().is_empty(), "metadata alone is never written");
}

#[tokio::test]
async fn trees_say_what_they_are_even_in_lists() {
    let fake = Fake::start(|_: &Seen| {
        fake::json(
            200,
            &tree!({
                "kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "9"},
                "items": [{"metadata": {"name": "a"}}, {"kind": "Own", "apiVersion": "o/v1", "metadata": {}}],
            }),
        )
    })
    .await;
    let client = fake.client(ContentType::Json);
    let list = client.dynamic(&Pod::gvr()).list(&ListOptions::default()).await.unwrap();
    assert_eq!(list.metadata.resource_version, "9");
    let kinds: Vec<&str> = list.items.iter().map(|item| item.type_meta().1).collect();
    assert_eq!(kinds, ["Pod", "Own"]);
    let pods = client.resource::<Pod>().list(&ListOptions::default()).await.unwrap();
    assert_eq!(pods.items.first().map(|pod| pod.metadata.name.as_str()), Some("a"));
}

#[tokio::test]
async fn who_is_not_there_is_not_found() {
    let fake = Fake::start(|_: &Seen| {
        let status = tree!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404,
            "message": "pods \"a\" not found",
        });
        fake::json(404, &status)
    })
    .await;
    let pods = fake.client(ContentType::Json).resource::<Pod>().namespace("x");
    assert!(pods.get("a").await.unwrap_err().is_not_found());
    assert!(pods.find("a").await.unwrap().is_none());
}
