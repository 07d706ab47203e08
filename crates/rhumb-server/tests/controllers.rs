//! The small controllers, in a server without a listener.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::inside::{Inside, eventually};
use crate::many_definitions::Counting;
use http::Method;
use rhumb_server::config::Controllers;
use rhumb_server::environment::{Clock, SystemClock, SystemEntropy};
use rhumb_server::{ApiOptions, Environment};
use rhumb_store::{Embedded, Options, Store};
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
    made.json["metadata"]["uid"].as_str().expect("a UID").to_owned()
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
        ApiOptions { controllers: Controllers::parse("*,-serviceaccount").unwrap(), ..ApiOptions::default() };
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

#[tokio::test]
async fn a_flow_schema_says_whether_its_level_is_there() {
    let server = server().await;
    let flow = "/apis/flowcontrol.apiserver.k8s.io/v1";
    let schema = json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "s"},
        "spec": {"priorityLevelConfiguration": {"name": "l"}, "matchingPrecedence": 9000}
    });
    assert_eq!(server.post(&format!("{flow}/flowschemas"), schema).await.code, 201);
    let condition = async |reason: &str| {
        eventually(async || {
            let now = server.get(&format!("{flow}/flowschemas/s")).await.json;
            let condition = now["status"]["conditions"][0].clone();
            (condition["reason"] == *reason).then_some(condition)
        })
        .await
    };
    let dangling = condition("NotFound").await;
    assert_eq!(dangling["status"], "True");
    assert_eq!(
        dangling["message"],
        "This FlowSchema references the PriorityLevelConfiguration object named \"l\" but there is no such object"
    );
    let level = json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration",
        "metadata": {"name": "l"},
        "spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 1, "limitResponse": {"type": "Reject"}}}
    });
    assert_eq!(server.post(&format!("{flow}/prioritylevelconfigurations"), level).await.code, 201);
    assert_eq!(condition("Found").await["status"], "False");
}

#[tokio::test]
async fn a_registration_says_why_its_server_is_out_of_reach() {
    let server = server().await;
    let registrations = "/apis/apiregistration.k8s.io/v1/apiservices";
    let registration = json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1.nobody.example.com"},
        "spec": {
            "group": "nobody.example.com", "version": "v1", "groupPriorityMinimum": 1000, "versionPriority": 15,
            "insecureSkipTLSVerify": true, "service": {"namespace": "default", "name": "nobody"}
        }
    });
    assert_eq!(server.post(registrations, registration).await.code, 201);
    let because = async |reason: &str| {
        eventually(async || {
            let now = server.get(&format!("{registrations}/v1.nobody.example.com")).await.json;
            let condition = now["status"]["conditions"][0].clone();
            (condition["reason"] == *reason).then_some(condition)
        })
        .await
    };
    assert_eq!(because("ServiceNotFound").await["message"], "service/nobody in \"default\" is not present");
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "nobody"},
        "spec": {"clusterIP": "10.0.0.9", "ports": [{"port": 443}]}
    });
    let made = server.post("/api/v1/namespaces/default/services", service).await;
    assert_eq!(made.code, 201, "{made:?}");
    because("EndpointsNotFound").await;
}

#[tokio::test]
async fn versions_of_custom_resources_are_registered_while_they_are_served() {
    let server = server().await;
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let schema = json!({"openAPIV3Schema": {"type": "object"}});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}]
        }
    });
    let made = server.post(definitions, definition).await;
    assert_eq!(made.code, 201, "{made:?}");
    let registration = "/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com";
    until_code(&server, registration, 200).await;
    let got = server.get(registration).await.json;
    assert_eq!(got["metadata"]["labels"]["kube-aggregator.kubernetes.io/automanaged"], "true");
    assert_eq!(got["status"]["conditions"][0]["reason"], "Local");
}

/// A clock that goes two minutes ahead.
#[derive(Default)]
struct Ahead(SystemClock);

impl Clock for Ahead {
    fn now(&self) -> (i64, u32) {
        let (seconds, fraction) = self.0.now();
        (seconds + 120, fraction)
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

#[tokio::test]
async fn addresses_that_a_crash_left_taken_are_freed() {
    const ADDRESSES: &str = "/apis/networking.k8s.io/v1/ipaddresses";
    let store: Arc<dyn Store> = Arc::new(Embedded::in_memory(Options::default()).expect("a store"));
    let server = Inside::above(Arc::clone(&store), ApiOptions::default(), Environment::default()).await;
    let kept = "10.0.0.200";
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
        "spec": {"clusterIP": kept, "ports": [{"port": 80}]}});
    let made = server.post("/api/v1/namespaces/default/services", service).await;
    assert_eq!(made.code, 201, "{made:?}");
    let taken = async |ip: &str, service: &str, manager: &str| {
        let object = json!({"apiVersion": "networking.k8s.io/v1", "kind": "IPAddress", "metadata": {
            "name": ip, "labels": {"ipaddress.kubernetes.io/managed-by": manager}},
            "spec": {"parentRef": {"resource": "services", "namespace": "default", "name": service}}});
        let made = server.post(ADDRESSES, object).await;
        assert_eq!(made.code, 201, "{made:?}");
    };
    taken("10.0.0.201", "gone", "ipallocator.k8s.io").await;
    taken("10.0.0.202", "web", "ipallocator.k8s.io").await;
    taken("10.0.0.203", "gone", "somebody.example.com").await;
    server.api.end();

    let later = Environment::new(Arc::new(Ahead::default()), Arc::new(SystemEntropy::default()));
    let server = Inside::above(store, ApiOptions::default(), later).await;
    until_code(&server, &format!("{ADDRESSES}/10.0.0.201"), 404).await;
    until_code(&server, &format!("{ADDRESSES}/10.0.0.202"), 404).await;
    assert_eq!(server.get(&format!("{ADDRESSES}/10.0.0.203")).await.code, 200);
    assert_eq!(server.get(&format!("{ADDRESSES}/{kept}")).await.code, 200);
}

#[tokio::test]
async fn what_nothing_uses_is_let_go() {
    let server = Inside::admitting(ApiOptions::default()).await;
    until_code(&server, "/api/v1/namespaces/default/serviceaccounts/default", 200).await;
    let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    let claim = |name: &str| {
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
    };
    for name in ["free", "used"] {
        let made = server.post(claims, claim(name)).await;
        assert_eq!(made.code, 201, "{made:?}");
        assert_eq!(made.json["metadata"]["finalizers"], json!(["kubernetes.io/pvc-protection"]));
    }
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {
        "nodeName": "n", "containers": [{"name": "c", "image": "i"}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "used"}}]}});
    assert_eq!(server.post("/api/v1/namespaces/default/pods", pod).await.code, 201);
    for name in ["used", "free"] {
        assert_eq!(server.delete(&format!("{claims}/{name}")).await.code, 200);
    }
    until_code(&server, &format!("{claims}/free"), 404).await;
    assert_eq!(server.get(&format!("{claims}/used")).await.code, 200, "a pod uses it");
    let gone = "/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0";
    assert_eq!(server.delete(gone).await.code, 200);
    until_code(&server, &format!("{claims}/used"), 404).await;

    let volumes = "/api/v1/persistentvolumes";
    let volume = json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/v"}}});
    assert_eq!(server.post(volumes, volume).await.code, 201);
    let status = json!({"status": {"phase": "Bound"}});
    let path = format!("{volumes}/v/status");
    assert_eq!(server.patch(&path, "application/merge-patch+json", status).await.code, 200);
    assert_eq!(server.delete(&format!("{volumes}/v")).await.code, 200);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(server.get(&format!("{volumes}/v")).await.code, 200, "it is bound");
    let status = json!({"status": {"phase": "Released"}});
    assert_eq!(server.patch(&path, "application/merge-patch+json", status).await.code, 200);
    until_code(&server, &format!("{volumes}/v"), 404).await;

    let classes = "/apis/storage.k8s.io/v1/volumeattributesclasses";
    let class = json!({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttributesClass",
        "metadata": {"name": "fast"}, "driverName": "d.example.com", "parameters": {"iops": "1"}});
    assert_eq!(server.post(classes, class).await.code, 201);
    let mut held = claim("held");
    held["spec"]["volumeAttributesClassName"] = json!("fast");
    assert_eq!(server.post(claims, held).await.code, 201);
    assert_eq!(server.delete(&format!("{classes}/fast")).await.code, 200);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(server.get(&format!("{classes}/fast")).await.code, 200, "a claim has it");
    assert_eq!(server.delete(&format!("{claims}/held")).await.code, 200);
    until_code(&server, &format!("{classes}/fast"), 404).await;
}

#[tokio::test]
async fn owners_that_are_nowhere_are_looked_for_together_and_not_while_a_kind_is_unknown() {
    const OTHERS: usize = 300;
    const OWNERS: usize = 60;
    let (read, written) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let store = Embedded::in_memory(Options::default()).unwrap();
    let store = Arc::new(Counting { store, read: Arc::clone(&read), written });
    let server = Inside::above(store, ApiOptions::default(), Environment::default()).await;
    namespace(&server, "a").await;
    let mut elsewhere = String::new();
    for number in 0..OTHERS {
        elsewhere = map(&server, "a", &format!("map-{number}"), json!({})).await;
    }
    // However the kind is told, it is one resource.
    let owners = (0..OWNERS).map(|number| {
        json!({"apiVersion": if number % 2 == 0 { "v1" } else { "v9" }, "kind": "ConfigMap",
            "name": format!("gone-{number}"), "uid": format!("gone-{number}")})
    });
    let mut owners: Vec<Value> = owners.collect();
    owners.push(owner("map", &elsewhere));
    let before = read.load(Ordering::Relaxed);
    map(&server, "default", "lost", json!({"ownerReferences": owners.clone()})).await;
    until_code(&server, &format!("{MAPS}/lost"), 404).await;
    let told = eventually(async || {
        let events = server.get("/api/v1/namespaces/default/events").await.json;
        let found = events["items"].as_array().into_iter().flatten();
        let mut found = found.filter(|event| event["reason"] == "OwnerRefInvalidNamespace");
        found.next().map(|event| event["message"].to_string())
    })
    .await;
    assert!(told.contains(&elsewhere), "{told}");
    let cost = read.load(Ordering::Relaxed) - before;
    assert!(cost < 4 * OTHERS, "{cost} entries were read for {OWNERS} owners");
    // As long as nobody knows what one of them is, the others are not asked for again and again.
    owners.push(json!({"apiVersion": "nowhere.example.com/v1", "kind": "Thing", "name": "t", "uid": "t"}));
    let before = read.load(Ordering::Relaxed);
    map(&server, "default", "waiting", json!({"ownerReferences": owners})).await;
    map(&server, "default", "next", json!({"ownerReferences": [owner("none", "none")]})).await;
    until_code(&server, &format!("{MAPS}/next"), 404).await;
    let cost = read.load(Ordering::Relaxed) - before;
    assert!(cost < 2 * OTHERS, "{cost} entries were read for an owner of an unknown kind");
    assert_eq!(server.get(&format!("{MAPS}/waiting")).await.code, 200);
}
