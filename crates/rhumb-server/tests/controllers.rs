//! The small controllers, in a server without a listener.

mod inside;

use http::Method;
use inside::{Inside, eventually};
use rhumb_server::ApiOptions;
use serde_json::{Value, json};

const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n";

async fn server() -> Inside {
    Inside::with(ApiOptions { authority: CERTIFICATE.to_owned(), ..ApiOptions::default() }).await
}

async fn namespace(server: &Inside, name: &str) {
    let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    assert_eq!(server.post("/api/v1/namespaces", object).await.code, 201);
}

async fn until_code(server: &Inside, path: &str, code: u16) {
    eventually(async || (server.get(path).await.code == code).then_some(())).await;
}

/// Makes a config map with owners, and gives its UID.
async fn map(server: &Inside, namespace: &str, name: &str, meta: Value) -> String {
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta});
    object["metadata"]["name"] = json!(name);
    let made = server.post(&format!("/api/v1/namespaces/{namespace}/configmaps"), object).await;
    assert_eq!(made.code, 201, "{made:?}");
    made.json["metadata"]["uid"].as_str().unwrap().to_owned()
}

fn owner(name: &str, uid: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid, "blockOwnerDeletion": true})
}

async fn delete(server: &Inside, path: &str, policy: &str) -> Value {
    let said =
        server.ask(Method::DELETE, &format!("{path}?propagationPolicy={policy}"), &[], "".into()).await;
    assert!(matches!(said.code, 200 | 202), "{said:?}");
    said.json
}

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[tokio::test]
async fn every_namespace_gets_an_account_and_the_certificate_and_gets_them_back() {
    let server = server().await;
    namespace(&server, "a").await;
    let account = "/api/v1/namespaces/a/serviceaccounts/default";
    let certificate = "/api/v1/namespaces/a/configmaps/kube-root-ca.crt";
    until_code(&server, account, 200).await;
    until_code(&server, certificate, 200).await;
    let first = server.get(account).await.json["metadata"]["uid"].clone();
    assert_eq!(server.delete(account).await.code, 200);
    eventually(async || {
        let now = server.get(account).await;
        (now.code == 200 && now.json["metadata"]["uid"] != first).then_some(())
    })
    .await;
    let other = json!({"data": {"ca.crt": "nonsense", "more": "x"}});
    assert_eq!(server.patch(certificate, "application/merge-patch+json", other).await.code, 200);
    eventually(async || {
        let now = server.get(certificate).await.json;
        (now["data"] == json!({"ca.crt": CERTIFICATE})).then_some(())
    })
    .await;
    assert_eq!(server.delete(certificate).await.code, 200);
    until_code(&server, certificate, 200).await;
}

#[tokio::test]
async fn controllers_can_be_switched_off() {
    let options =
        ApiOptions { controllers: vec!["*".into(), "-serviceaccount".into()], ..ApiOptions::default() };
    let server = Inside::with(options).await;
    let uid = map(&server, "default", "a", json!({})).await;
    map(&server, "default", "b", json!({"ownerReferences": [owner("a", &uid)]})).await;
    server.delete(&format!("{MAPS}/a")).await;
    until_code(&server, &format!("{MAPS}/b"), 404).await;
    assert_eq!(server.get("/api/v1/namespaces/default/serviceaccounts/default").await.code, 404);
}

#[tokio::test]
async fn a_namespace_goes_with_all_that_is_in_it() {
    let server = server().await;
    namespace(&server, "a").await;
    for number in 0..100 {
        map(&server, "a", &format!("map-{number}"), json!({})).await;
    }
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "i"}]}});
    assert_eq!(server.post("/api/v1/namespaces/a/pods", pod).await.code, 201);
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"}});
    assert_eq!(server.post("/apis/coordination.k8s.io/v1/namespaces/a/leases", lease).await.code, 201);
    let deleted = server.delete("/api/v1/namespaces/a").await;
    assert_eq!(deleted.json["status"]["phase"], "Terminating", "{deleted:?}");
    until_code(&server, "/api/v1/namespaces/a", 404).await;
    for list in ["/api/v1/namespaces/a/configmaps", "/apis/coordination.k8s.io/v1/namespaces/a/leases"] {
        assert_eq!(server.get(list).await.json["items"], json!([]), "{list}");
    }
    namespace(&server, "a").await;
}

#[tokio::test]
async fn a_namespace_says_what_keeps_it() {
    let server = server().await;
    namespace(&server, "a").await;
    map(&server, "a", "held", json!({"finalizers": ["example.com/hold"]})).await;
    server.delete("/api/v1/namespaces/a").await;
    let waits = eventually(async || {
        let now = server.get("/api/v1/namespaces/a").await.json;
        (now["status"]["conditions"].as_array().map_or(0, Vec::len) == 5).then_some(now)
    })
    .await;
    let told: Vec<_> = waits["status"]["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|condition| {
            [&condition["type"], &condition["status"], &condition["message"]].map(|v| v.as_str().unwrap())
        })
        .collect();
    assert_eq!(
        told[2],
        [
            "NamespaceDeletionContentFailure",
            "False",
            "All content successfully deleted, may be waiting on finalization"
        ]
    );
    assert_eq!(
        told[3],
        [
            "NamespaceContentRemaining",
            "True",
            "Some resources are remaining: configmaps. has 1 resource instances"
        ]
    );
    assert_eq!(
        told[4],
        [
            "NamespaceFinalizersRemaining",
            "True",
            "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
        ]
    );
    let fields = waits["metadata"]["managedFields"].as_array().unwrap();
    assert!(
        fields
            .iter()
            .any(|entry| entry["manager"] == "kube-controller-manager" && entry["subresource"] == "status")
    );
    let free = json!({"metadata": {"finalizers": null}});
    let held = "/api/v1/namespaces/a/configmaps/held";
    assert_eq!(server.patch(held, "application/merge-patch+json", free).await.code, 200);
    until_code(&server, "/api/v1/namespaces/a", 404).await;
}

#[tokio::test]
async fn dependents_go_in_the_background_when_their_last_owner_does() {
    let server = server().await;
    let first = map(&server, "default", "first", json!({})).await;
    let second = map(&server, "default", "second", json!({})).await;
    let both = json!({"ownerReferences": [owner("first", &first), owner("second", &second)]});
    map(&server, "default", "child", both).await;
    delete(&server, &format!("{MAPS}/first"), "Background").await;
    let left = eventually(async || {
        let now = server.get(&format!("{MAPS}/child")).await;
        (now.json["metadata"]["ownerReferences"].as_array().map_or(0, Vec::len) == 1).then_some(now)
    })
    .await;
    assert_eq!(left.json["metadata"]["ownerReferences"][0]["name"], "second");
    delete(&server, &format!("{MAPS}/second"), "Background").await;
    until_code(&server, &format!("{MAPS}/child"), 404).await;
}

#[tokio::test]
async fn an_owner_in_the_foreground_goes_after_its_dependents() {
    let server = server().await;
    let top = map(&server, "default", "top", json!({})).await;
    let middle = map(&server, "default", "middle", json!({"ownerReferences": [owner("top", &top)]})).await;
    let held = json!({"ownerReferences": [owner("middle", &middle)], "finalizers": ["example.com/hold"]});
    map(&server, "default", "leaf", held).await;
    let marked = delete(&server, &format!("{MAPS}/top"), "Foreground").await;
    assert_eq!(marked["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    eventually(async || {
        let leaf = server.get(&format!("{MAPS}/leaf")).await.json;
        leaf["metadata"].get("deletionTimestamp").map(|_| ())
    })
    .await;
    assert_eq!(server.get(&format!("{MAPS}/top")).await.code, 200);
    let middle = server.get(&format!("{MAPS}/middle")).await.json;
    assert_eq!(middle["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    let free = json!({"metadata": {"finalizers": null}});
    server.patch(&format!("{MAPS}/leaf"), "application/merge-patch+json", free).await;
    for name in ["leaf", "middle", "top"] {
        until_code(&server, &format!("{MAPS}/{name}"), 404).await;
    }
}

#[tokio::test]
async fn objects_that_own_each_other_go_together() {
    let server = server().await;
    let a = map(&server, "default", "a", json!({})).await;
    let b = map(&server, "default", "b", json!({"ownerReferences": [owner("a", &a)]})).await;
    let circle = json!({"metadata": {"ownerReferences": [owner("b", &b)]}});
    let patched = server.patch(&format!("{MAPS}/a"), "application/merge-patch+json", circle).await;
    assert_eq!(patched.code, 200, "{patched:?}");
    delete(&server, &format!("{MAPS}/a"), "Foreground").await;
    for name in ["a", "b"] {
        until_code(&server, &format!("{MAPS}/{name}"), 404).await;
    }
}

#[tokio::test]
async fn orphans_stay_without_their_owner() {
    let server = server().await;
    let uid = map(&server, "default", "owner", json!({})).await;
    map(&server, "default", "child", json!({"ownerReferences": [owner("owner", &uid)]})).await;
    delete(&server, &format!("{MAPS}/owner"), "Orphan").await;
    until_code(&server, &format!("{MAPS}/owner"), 404).await;
    let child = server.get(&format!("{MAPS}/child")).await;
    assert_eq!(child.code, 200);
    assert!(child.json["metadata"].get("ownerReferences").is_none(), "{child:?}");
}

#[tokio::test]
async fn a_child_of_nobody_goes_and_one_of_an_unknown_kind_stays() {
    let server = server().await;
    let nobody = owner("nobody", "00000000-0000-0000-0000-00000000000a");
    let mut strange = nobody.clone();
    strange["apiVersion"] = json!("example.com/v1");
    map(&server, "default", "strange", json!({"ownerReferences": [strange]})).await;
    map(&server, "default", "foundling", json!({"ownerReferences": [nobody]})).await;
    until_code(&server, &format!("{MAPS}/foundling"), 404).await;
    assert_eq!(server.get(&format!("{MAPS}/strange")).await.code, 200);
}

#[tokio::test]
async fn an_owner_in_another_namespace_is_none_and_an_event_says_so() {
    let server = server().await;
    namespace(&server, "a").await;
    let uid = map(&server, "a", "owner", json!({})).await;
    let child = map(&server, "default", "child", json!({"ownerReferences": [owner("owner", &uid)]})).await;
    until_code(&server, &format!("{MAPS}/child"), 404).await;
    let event = event_about(&server, &child).await;
    assert_eq!(event["reason"], "OwnerRefInvalidNamespace");
    assert_eq!(
        event["message"],
        format!(
            "ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: {uid}] does not exist in namespace \"default\""
        )
    );
    assert_eq!(event["source"]["component"], "garbage-collector-controller");
}

async fn event_about(server: &Inside, uid: &str) -> Value {
    eventually(async || {
        let events = server.get("/api/v1/namespaces/default/events").await.json;
        let found =
            events["items"].as_array()?.iter().find(|event| event["involvedObject"]["uid"] == *uid)?;
        Some(found.clone())
    })
    .await
}

#[tokio::test]
async fn what_lives_in_no_namespace_never_goes_for_the_sake_of_what_does() {
    let server = server().await;
    let uid = map(&server, "default", "owner", json!({})).await;
    let class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "p",
        "metadata": {"name": "c", "ownerReferences": [owner("owner", &uid)]}
    });
    let made = server.post("/apis/storage.k8s.io/v1/storageclasses", class).await;
    assert_eq!(made.code, 201, "{made:?}");
    let event = event_about(&server, made.json["metadata"]["uid"].as_str().unwrap()).await;
    assert_eq!(event["reason"], "OwnerRefInvalidNamespace");
    // The same pass that wrote the event would have deleted it; a later object shows that the pass is over.
    let nobody = owner("nobody", "00000000-0000-0000-0000-00000000000a");
    map(&server, "default", "later", json!({"ownerReferences": [nobody]})).await;
    until_code(&server, &format!("{MAPS}/later"), 404).await;
    assert_eq!(server.get("/apis/storage.k8s.io/v1/storageclasses/c").await.code, 200);
}

#[tokio::test]
async fn a_namesake_of_the_owner_is_not_the_owner() {
    let server = server().await;
    let uid = map(&server, "default", "owner", json!({})).await;
    server.delete(&format!("{MAPS}/owner")).await;
    map(&server, "default", "owner", json!({})).await;
    map(&server, "default", "child", json!({"ownerReferences": [owner("owner", &uid)]})).await;
    until_code(&server, &format!("{MAPS}/child"), 404).await;
    assert_eq!(server.get(&format!("{MAPS}/owner")).await.code, 200);
}

#[tokio::test]
async fn events_expire() {
    let lifetime = std::time::Duration::from_secs(1);
    let server = Inside::with(ApiOptions { event_lifetime: lifetime, ..ApiOptions::default() }).await;
    let event = json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"}
    });
    let made = server.post("/api/v1/namespaces/default/events", event).await;
    assert_eq!(made.code, 201, "{made:?}");
    until_code(&server, "/api/v1/namespaces/default/events/e", 404).await;
}
