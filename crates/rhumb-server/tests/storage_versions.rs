//! Objects are stored in the version that was chosen for them, and read in all.

use std::sync::Arc;

use rhumb_api::resources::ResourceTable;
use rhumb_codec::{Codecs, proto};
use rhumb_meta::GroupResource;
use rhumb_server::{ApiOptions, Environment, Server};
use rhumb_store::{Embedded, Key, Options, Store};
use serde_json::{Value, json};

use crate::inside::Inside;

const V2: &str = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
const V1: &str = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
const AUTOSCALERS: GroupResource = GroupResource::new_static("autoscaling", "horizontalpodautoscalers");

/// A server on a store, which stores autoscalers in a version.
async fn server(store: &Arc<Embedded>, version: Option<&str>) -> Inside {
    let mut table = ResourceTable::stable();
    if let Some(version) = version {
        table.store_in(&AUTOSCALERS, version).unwrap();
    }
    let options = ApiOptions { table: Arc::new(table), ..ApiOptions::default() };
    Inside::above(store.clone(), options, Environment::default()).await
}

/// The version that an autoscaler is stored in.
async fn stored(store: &Arc<Embedded>, name: &str) -> String {
    let key = Key::from(format!("/registry/horizontalpodautoscalers/default/{name}"));
    let (entry, _) = store.get(key, None).await.unwrap();
    proto::open(&entry.unwrap().value).unwrap().api_version.to_owned()
}

/// An autoscaler that only v2 has fields for.
fn autoscaler(name: &str) -> Value {
    json!({
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": name},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
            "maxReplicas": 3,
            "metrics": [{"type": "Resource", "resource": {
                "name": "memory", "target": {"type": "Utilization", "averageUtilization": 50},
            }}],
            "behavior": {"scaleDown": {"stabilizationWindowSeconds": 7}},
        },
    })
}

#[tokio::test]
async fn an_object_is_stored_in_the_chosen_version_and_read_in_all() {
    let store = Arc::new(Embedded::in_memory(Options::default()).unwrap());
    let chosen = server(&store, Some("v1")).await;
    let made = chosen.post(V2, autoscaler("a")).await;
    assert_eq!(made.code, 201, "{made:?}");
    assert_eq!(stored(&store, "a").await, "autoscaling/v1");
    let read = chosen.get(&format!("{V2}/a")).await.json;
    assert_eq!(read, made.json, "nothing of it is lost");
    assert_eq!(read["spec"]["metrics"][0]["resource"]["name"], "memory");
    let older = chosen.get(&format!("{V1}/a")).await.json;
    assert_eq!(older["apiVersion"], "autoscaling/v1");
    let annotations = older["metadata"]["annotations"].to_string();
    assert!(annotations.contains("autoscaling.alpha.kubernetes.io/metrics"), "{older}");
    assert_eq!(chosen.get(V2).await.json["items"][0]["spec"], read["spec"]);
    // In protobuf as well, where stored bytes are sent as they are if they are in the version that is asked for.
    let codecs = Codecs::new(Arc::new(rhumb_api::scheme().unwrap()));
    for path in [V1, V2] {
        let expected = chosen.get(&format!("{path}/a")).await.json;
        for _ in 0..2 {
            let sent = chosen.get_as(&format!("{path}/a"), "application/vnd.kubernetes.protobuf").await;
            let object = codecs.decode(&sent.body, None).unwrap().object;
            assert_eq!(rhumb_schema::to_tree(&*object), expected, "{path}");
        }
    }

    let mut newer = read.clone();
    newer["spec"]["maxReplicas"] = json!(5);
    let written = chosen.put(&format!("{V2}/a"), newer).await;
    assert_eq!((written.code, &written.json["spec"]["maxReplicas"]), (200, &json!(5)), "{written:?}");
    assert_eq!(stored(&store, "a").await, "autoscaling/v1");
}

#[tokio::test]
async fn what_was_stored_in_another_version_is_read_and_stored_anew_with_the_next_change() {
    let store = Arc::new(Embedded::in_memory(Options::default()).unwrap());
    let usual = server(&store, None).await;
    assert_eq!(usual.post(V2, autoscaler("a")).await.code, 201);
    assert_eq!(stored(&store, "a").await, "autoscaling/v2");
    let hash = |list: &Value| {
        let resources = list["resources"].as_array().unwrap();
        let found = resources.iter().find(|one| one["name"] == "horizontalpodautoscalers");
        found.unwrap()["storageVersionHash"].clone()
    };
    let before = hash(&usual.get("/apis/autoscaling/v1").await.json);

    let chosen = server(&store, Some("v1")).await;
    assert_ne!(hash(&chosen.get("/apis/autoscaling/v1").await.json), before, "discovery tells");
    let read = chosen.get(&format!("{V2}/a")).await.json;
    assert_eq!(read["spec"]["behavior"]["scaleDown"]["stabilizationWindowSeconds"], 7);
    let patch = json!({"metadata": {"labels": {"b": "c"}}});
    let changed = chosen.patch(&format!("{V2}/a"), "application/merge-patch+json", patch).await;
    assert_eq!((changed.code, &changed.json["spec"]), (200, &read["spec"]), "{changed:?}");
    assert_eq!(stored(&store, "a").await, "autoscaling/v1");
}

#[tokio::test]
async fn a_version_that_cannot_be_stored_keeps_the_server_from_starting() {
    let refused = async |resource: &str, version: &str| {
        let builder = Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into());
        let error =
            builder.storage_version(GroupResource::parse(resource), version).start().await.unwrap_err();
        let source = std::error::Error::source(&error).unwrap().to_string();
        (error.to_string(), source)
    };
    let (what, why) = refused("deployments.apps", "v9").await;
    assert_eq!(
        (what.as_str(), why.as_str()),
        ("--storage-versions can't be done", "deployments.apps has no version v9")
    );
    assert_eq!(refused("deployment.apps", "v1").await.1, "no resource deployment.apps is served");
}
