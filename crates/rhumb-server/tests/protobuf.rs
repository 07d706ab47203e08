//! Objects in protobuf are those in JSON, whether their form was made or is the stored one with the revision put in.

use std::sync::Arc;

use bytes::Bytes;
use rhumb_codec::{Codecs, proto};
use rhumb_meta::Object;
use rhumb_store::{Embedded, Expected, Key, Options, Store, Transaction};
use serde_json::{Value, json};

use crate::inside::Inside;
use rhumb_server::{ApiOptions, Environment};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const STREAM: &str = "application/vnd.kubernetes.protobuf;stream=watch";

/// What an object or a list in protobuf is in JSON.
fn tree(message: &[u8]) -> Value {
    let codecs = Codecs::new(Arc::new(rhumb_api::scheme().unwrap()));
    json_of(&*codecs.decode(message, None).unwrap().object)
}

fn json_of(object: &dyn Object) -> Value {
    let mut text = Vec::new();
    rhumb_schema::text::encode(object, &mut text);
    serde_json::from_slice(&text).unwrap()
}

/// The objects of a watch's frames, each behind its length.
fn frames(mut body: &[u8]) -> Vec<Value> {
    let mut events = Vec::new();
    while let Some((length, rest)) = body.split_first_chunk::<4>() {
        let (frame, rest) = rest.split_at(usize::try_from(u32::from_be_bytes(*length)).unwrap());
        let field = |message: &[u8], wanted: u32| {
            let found = rhumb_schema::wire::fields(message).map(Result::unwrap).find(|(n, _)| *n == wanted);
            match found.unwrap().1 {
                rhumb_schema::wire::Payload::Bytes(bytes) => Bytes::copy_from_slice(bytes),
                other => panic!("{other:?} is no bytes"),
            }
        };
        events.push(tree(&field(&field(frame, 2), 1)));
        body = rest;
    }
    events
}

/// Looks at an object and its list in both formats, twice: the first time may find out what the second one uses.
async fn compare(server: &Inside, list: &str, name: &str) -> Value {
    let path = format!("{list}/{name}");
    let expected = server.get(&path).await.json;
    let listed = server.get(list).await.json;
    for _ in 0..2 {
        assert_eq!(tree(&server.get_as(&path, PROTOBUF).await.body), expected);
        let all = tree(&server.get_as(list, PROTOBUF).await.body);
        let bare = |list: &Value| -> Vec<Value> {
            let mut items = list["items"].as_array().unwrap().clone();
            for item in &mut items {
                item.as_object_mut().unwrap().retain(|key, _| key != "kind" && key != "apiVersion");
            }
            items
        };
        assert_eq!(bare(&all), bare(&listed));
        let watch = format!(
            "{list}?watch=true&resourceVersion=0&timeoutSeconds=1&fieldSelector=metadata.name={name}"
        );
        let seen = frames(&server.get_as(&watch, STREAM).await.body);
        assert_eq!(seen, std::slice::from_ref(&expected));
    }
    expected
}

#[tokio::test]
async fn objects_in_protobuf_are_those_in_json() {
    let server = Inside::start().await;
    let pods = "/api/v1/namespaces/default/pods";
    let container = json!({"name": "web", "image": "web:1", "env": [{"name": "MODE", "value": "ä"}]});
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"containers": [container]},
    });
    assert_eq!(server.post(pods, pod).await.code, 201);
    let made = compare(&server, pods, "web").await;
    assert_eq!(made["spec"]["restartPolicy"], "Always");
    // Another revision has other digits, and after enough of them one more.
    for round in 0..12 {
        let patch = json!({"metadata": {"annotations": {"round": "x".repeat(round * 20)}}});
        let patched = server.patch(&format!("{pods}/web"), "application/merge-patch+json", patch).await;
        assert_eq!(patched.code, 200);
        let seen = tree(&server.get_as(&format!("{pods}/web"), PROTOBUF).await.body);
        assert_eq!(seen["metadata"]["resourceVersion"], patched.json["metadata"]["resourceVersion"]);
    }
    let changed = compare(&server, pods, "web").await;
    assert_ne!(changed["metadata"]["resourceVersion"], made["metadata"]["resourceVersion"]);
    let namespace = compare(&server, "/api/v1/namespaces", "default").await;
    assert_eq!(namespace["kind"], "Namespace");
    compare(&server, "/api/v1/namespaces/default/services", "kubernetes").await;
    compare(&server, "/apis/rbac.authorization.k8s.io/v1/clusterroles", "cluster-admin").await;
}

#[tokio::test]
async fn what_is_stored_in_another_version_is_given_in_the_one_asked_for() {
    let server = Inside::start().await;
    let scaler = json!({
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"},
        "spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
    });
    let place =
        |version: &str| format!("/apis/autoscaling/{version}/namespaces/default/horizontalpodautoscalers");
    let posted = server.post(&place("v2"), scaler).await;
    assert_eq!(posted.code, 201, "{}", posted.json);
    for version in ["v1", "v2", "v1"] {
        let seen = compare(&server, &place(version), "web").await;
        assert_eq!(seen["apiVersion"], format!("autoscaling/{version}"));
    }
}

#[tokio::test]
async fn what_changes_by_being_read_is_not_given_as_it_is_stored() {
    let store: Arc<dyn Store> = Arc::new(Embedded::in_memory(Options::default()).unwrap());
    let server = Inside::above(Arc::clone(&store), ApiOptions::default(), Environment::default()).await;
    // Somebody else's writing: without the defaults of today.
    let mut pod = rhumb_api::core::v1::Pod::default();
    pod.metadata.name = "old".to_owned();
    pod.metadata.namespace = "default".to_owned();
    pod.type_meta.api_version = "v1".to_owned();
    pod.type_meta.kind = "Pod".to_owned();
    let mut value = Vec::new();
    proto::encode(&pod, &mut value).unwrap();
    let key = Key::from("/registry/pods/default/old".to_owned());
    let put = Transaction::default().expect(key.clone(), Expected::Absent).put(key, value.into(), None);
    store.commit(put).await.unwrap();
    let seen = compare(&server, "/api/v1/namespaces/default/pods", "old").await;
    assert_eq!(seen["spec"]["restartPolicy"], "Always");
    assert_eq!(tree(&server.get_as("/api/v1/namespaces/default/pods/old", PROTOBUF).await.body), seen);
}
