//! The chain of plugins: what a plugin of a user of the library sees, and that there is no way around it.
//!
//! Some of these tests stand for holes that Kubernetes had; each says which.

use std::sync::Arc;

use crate::inside::{Inside, Said, eventually};
use parking_lot::Mutex;
use rhumb_api::core::v1::{ConfigMap, Node, Pod, PodExecOptions};
use rhumb_meta::Object;
use rhumb_server::admission::{Admission, Attributes, Chain, Deciding, Operation};
use rhumb_server::config::AdmissionPlugins;
use rhumb_server::identity::{MASTERS, User};
use rhumb_server::{ApiOptions, Failure};
use serde_json::{Value, json};

const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";
const PODS: &str = "/api/v1/namespaces/default/pods";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// A key for signing tokens, good for nothing else.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgvqHIwShhmg55uHk5
cGrrVxnfyQrnuRMab+tQ1jH+kIShRANCAASLJxtJg5V+8irC0C0aKImkl3x6TXSI
MwnYzUWOUSKK22FtWlQH8DYcajso/d+Su33DbFNqgUd/+ZdClJIe/0Y6
-----END PRIVATE KEY-----
";

/// Notes what it sees of what clients write.
#[derive(Clone, Default)]
struct Witness(Arc<Mutex<Vec<String>>>);

impl Witness {
    fn note(&self, step: &str, request: &Attributes<'_>, old: bool, new: bool) {
        let below = match request.subresource {
            "" => String::new(),
            below => format!("/{below}"),
        };
        let operation = request.operation.as_str();
        let (resource, name) = (&request.resource.resource, request.name);
        let dry = if request.dry_run { " dry" } else { "" };
        let seen = match (old, new) {
            (true, true) => "both",
            (true, false) => "old",
            (false, true) => "new",
            (false, false) => "nothing",
        };
        self.0.lock().push(format!("{step} {operation} {resource}{below} {name}{dry}: {seen}"));
    }

    /// What was seen since it was last asked.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }
}

impl Admission for Witness {
    fn name(&self) -> &str {
        "Witness"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.user.name == "admin"
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        self.note("mutate", request, old.is_some(), true);
        if let (None, Some(map)) = (old, new.downcast_mut::<ConfigMap>()) {
            map.data.insert("seen".to_owned(), "yes".to_owned());
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        self.note("validate", request, old.is_some(), new.is_some());
        let refused = new.and_then(|new| new.downcast_ref::<ConfigMap>());
        let refused = refused.is_some_and(|map| map.data.contains_key("evil"));
        let verdict = if refused { Err(request.forbidden(new, "it is evil")) } else { Ok(()) };
        Box::pin(std::future::ready(verdict))
    }
}

fn options(plugin: impl Admission) -> ApiOptions {
    ApiOptions {
        plugins: AdmissionPlugins::only(&["NamespaceLifecycle"]),
        admission: Chain::default().with(plugin),
        accounts: rhumb_server::AccountOptions { key: Some(KEY.into()), ..Default::default() },
        ..ApiOptions::default()
    }
}

async fn made(server: &Inside, path: &str, object: Value) -> Value {
    let said = server.post(path, object).await;
    assert_eq!(said.code, 201, "{said:?}");
    said.json
}

fn message(said: &Said) -> (u16, &str) {
    (said.code, said.json["message"].as_str().unwrap_or_default())
}

fn map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"app": "m"}}})
}

fn pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    })
}

#[tokio::test]
async fn a_plugin_sees_every_way_to_write() {
    let witness = Witness::default();
    let server = Inside::admitting(options(witness.clone())).await;
    let both = |operation: &str, what: &str, seen: &str| {
        vec![format!("mutate {operation} {what}: {seen}"), format!("validate {operation} {what}: {seen}")]
    };
    let path = format!("{MAPS}/a");
    assert_eq!(made(&server, MAPS, map("a")).await["data"]["seen"], "yes");
    assert_eq!(witness.take(), both("CREATE", "configmaps a", "new"));
    assert_eq!(server.put(&path, map("a")).await.code, 200);
    assert_eq!(witness.take(), both("UPDATE", "configmaps a", "both"));
    for form in [MERGE, STRATEGIC] {
        assert_eq!(server.patch(&path, form, json!({"data": {"k": form}})).await.code, 200);
        assert_eq!(witness.take(), both("UPDATE", "configmaps a", "both"));
    }
    let applied = server.patch(&format!("{path}?fieldManager=me"), APPLY, map("a")).await;
    assert_eq!(applied.code, 200, "{applied:?}");
    assert_eq!(witness.take(), both("UPDATE", "configmaps a", "both"));
    let applied = server.patch(&format!("{MAPS}/b?fieldManager=me"), APPLY, map("b")).await;
    assert_eq!((applied.code, &applied.json["data"]["seen"]), (201, &json!("yes")), "{applied:?}");
    assert_eq!(witness.take(), both("CREATE", "configmaps b", "new"));
    assert_eq!(server.post(&format!("{MAPS}?dryRun=All"), map("c")).await.code, 201);
    assert_eq!(witness.take(), both("CREATE", "configmaps c dry", "new"));
    assert_eq!(server.delete(&format!("{path}?dryRun=All")).await.code, 200);
    assert_eq!(witness.take(), ["validate DELETE configmaps a dry: old"]);
    assert_eq!(server.delete(&path).await.code, 200);
    assert_eq!(witness.take(), ["validate DELETE configmaps a: old"]);
    made(&server, MAPS, map("d")).await;
    witness.take();
    assert_eq!(server.delete(&format!("{MAPS}?labelSelector=app%3Dm")).await.code, 200);
    assert_eq!(witness.take(), ["validate DELETE configmaps b: old", "validate DELETE configmaps d: old"]);
}

#[tokio::test]
async fn a_plugin_sees_what_is_below_objects() {
    let witness = Witness::default();
    let server = Inside::admitting(options(witness.clone())).await;
    let both = |operation: &str, what: &str, seen: &str| {
        vec![format!("mutate {operation} {what}: {seen}"), format!("validate {operation} {what}: {seen}")]
    };
    made(&server, PODS, pod("p")).await;
    made(&server, PODS, pod("q")).await;
    witness.take();
    let below = |name: &str| format!("{PODS}/p/{name}");
    let later = json!({"spec": {"ephemeralContainers": [{"name": "e", "image": "i"}]}});
    let more = json!({"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}});
    for (name, patch) in [
        ("status", json!({"status": {"phase": "Running"}})),
        ("ephemeralcontainers", later),
        ("resize", more),
    ] {
        let said = server.patch(&below(name), STRATEGIC, patch).await;
        // What is wrong with a change is found after plugins have seen it, and before they see it again.
        let seen = witness.take();
        assert_eq!(seen[0], format!("mutate UPDATE pods/{name} p: both"), "{said:?}");
        assert!(said.code != 200 || seen.len() == 2, "{seen:?}");
    }
    let binding = json!({
        "apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"name": "n"}
    });
    assert_eq!(server.post(&below("binding"), binding).await.code, 201);
    assert_eq!(witness.take(), both("CREATE", "pods/binding p", "new"));
    let binding = json!({
        "apiVersion": "v1", "kind": "Binding", "metadata": {"name": "q"}, "target": {"name": "n"}
    });
    assert_eq!(server.post("/api/v1/namespaces/default/bindings", binding).await.code, 201);
    assert_eq!(witness.take()[0], "mutate CREATE bindings q: new");
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}});
    assert_eq!(server.post(&below("eviction"), eviction).await.code, 201);
    assert_eq!(witness.take(), both("CREATE", "pods/eviction p", "new"));

    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": {"a": "b"}},
            "template": {
                "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}
            },
        },
    });
    let path = "/apis/apps/v1/namespaces/default/deployments";
    made(&server, path, deployment).await;
    witness.take();
    let scaled = server.patch(&format!("{path}/d/scale"), MERGE, json!({"spec": {"replicas": 3}})).await;
    assert_eq!(scaled.code, 200);
    assert_eq!(witness.take(), both("UPDATE", "deployments/scale d", "both"));

    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    made(&server, accounts, json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}}))
        .await;
    witness.take();
    let token = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
    assert_eq!(server.post(&format!("{accounts}/a/token"), token).await.code, 201);
    assert_eq!(witness.take(), both("CREATE", "serviceaccounts/token a", "new"));
}

#[tokio::test]
async fn a_plugin_sees_questions_and_connections() {
    let witness = Witness::default();
    let server = Inside::admitting(options(witness.clone())).await;
    let both = |operation: &str, what: &str| {
        vec![format!("mutate {operation} {what}: new"), format!("validate {operation} {what}: new")]
    };
    let access = json!({"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"}});
    let whose = json!({"resourceAttributes": access["resourceAttributes"], "user": "ann"});
    for (group, resource, spec) in [
        ("authorization.k8s.io", "selfsubjectaccessreviews", access),
        ("authorization.k8s.io", "subjectaccessreviews", whose.clone()),
        ("authorization.k8s.io", "namespaces/default/localsubjectaccessreviews", whose),
        ("authorization.k8s.io", "selfsubjectrulesreviews", json!({"namespace": "default"})),
        ("authentication.k8s.io", "selfsubjectreviews", json!({})),
        ("authentication.k8s.io", "tokenreviews", json!({"token": "x"})),
    ] {
        made(&server, &format!("/apis/{group}/v1/{resource}"), json!({"spec": spec})).await;
        let resource = resource.rsplit('/').next().unwrap();
        assert_eq!(witness.take(), both("CREATE", &format!("{resource} ")));
    }
    // What is no question is not shown to those who decide about it last.
    let said = server.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", json!({"spec": {}})).await;
    assert_eq!((said.code, witness.take().len()), (422, 1));

    made(&server, PODS, pod("p")).await;
    made(&server, "/api/v1/nodes", json!({"metadata": {"name": "n"}})).await;
    let service = json!({"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}});
    made(&server, "/api/v1/namespaces/default/services", service).await;
    witness.take();
    for (path, what) in [
        (format!("{PODS}/p/exec?command=ls&stdout=1"), "pods/exec p"),
        (format!("{PODS}/p/attach?stdout=1"), "pods/attach p"),
        (format!("{PODS}/p/portforward"), "pods/portforward p"),
        (format!("{PODS}/p/proxy/x"), "pods/proxy p"),
        ("/api/v1/nodes/n/proxy/x".to_owned(), "nodes/proxy n"),
        ("/api/v1/namespaces/default/services/s/proxy/x".to_owned(), "services/proxy s"),
    ] {
        let said = server.get(&path).await;
        assert!(said.code >= 400, "{said:?}");
        assert_eq!(witness.take(), both("CONNECT", what), "{path}");
    }
}

/// Lets nobody run anything but `ls`, and that in one container.
struct OnlyList;

impl Admission for OnlyList {
    fn name(&self) -> &str {
        "OnlyList"
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        if let (Operation::Connect, Some(options)) = (request.operation, new.downcast_mut::<PodExecOptions>())
        {
            options.container = "other".to_owned();
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        let wanted = new.and_then(|new| new.downcast_ref::<PodExecOptions>());
        let is_other = wanted.is_some_and(|wanted| wanted.command != ["ls"]);
        let verdict = if is_other { Err(request.forbidden(new, "only ls is run here")) } else { Ok(()) };
        Box::pin(std::future::ready(verdict))
    }
}

#[tokio::test]
async fn a_plugin_decides_about_commands() {
    let server = Inside::admitting(options(OnlyList)).await;
    made(&server, PODS, pod("p")).await;
    let run = async |command: &str| server.get(&format!("{PODS}/p/exec?command={command}&container=c")).await;
    assert_eq!(message(&run("rm").await), (403, "pods \"p\" is forbidden: only ls is run here"));
    assert_eq!(message(&run("ls").await), (400, "container other is not valid for pod p"));
}

#[tokio::test]
async fn what_a_plugin_refuses_is_not_stored() {
    let server = Inside::admitting(options(Witness::default())).await;
    let evil = |name: &str| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"evil": "x"}
        })
    };
    let why = "configmaps \"a\" is forbidden: it is evil";
    assert_eq!(message(&server.post(MAPS, evil("a")).await), (403, why));
    let applied = server.patch(&format!("{MAPS}/a?fieldManager=me"), APPLY, evil("a")).await;
    assert_eq!(message(&applied), (403, why));
    assert_eq!(server.get(&format!("{MAPS}/a")).await.code, 404);
    made(&server, MAPS, map("a")).await;
    let path = format!("{MAPS}/a");
    assert_eq!(message(&server.put(&path, evil("a")).await), (403, why));
    let patch = json!({"data": {"evil": "x"}});
    assert_eq!(message(&server.patch(&path, MERGE, patch).await), (403, why));
    assert_eq!(server.get(&path).await.json["data"], json!({"seen": "yes"}));
}

/// Lets no label of nodes change, by comparing with the stored node.
struct KeepLabels;

impl Admission for KeepLabels {
    fn name(&self) -> &str {
        "KeepLabels"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.is_resource("", "nodes") && request.operation == Operation::Update
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        let labels = |node: Option<&dyn Object>| {
            node.and_then(|node| node.downcast_ref::<Node>()).map(|node| node.metadata.labels.clone())
        };
        let same = labels(old) == labels(new);
        let verdict: Result<(), Failure> =
            if same { Ok(()) } else { Err(request.forbidden(new, "labels stay")) };
        Box::pin(std::future::ready(verdict))
    }
}

/// CVE-2021-25735: plugins saw an old node that had some of the new one in it, so that changes of nodes went by them.
#[tokio::test]
async fn updates_of_nodes_are_seen_beside_the_stored_node() {
    let server = Inside::admitting(options(KeepLabels)).await;
    let nodes = "/api/v1/nodes";
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": {"a": "b"}}});
    let stored = made(&server, nodes, node).await;
    let why = "nodes \"n\" is forbidden: labels stay";
    let mut changed = stored.clone();
    changed["metadata"]["labels"]["a"] = json!("c");
    changed["spec"]["unschedulable"] = json!(true);
    let patch = json!({"metadata": {"labels": {"a": "c"}}});
    for path in [format!("{nodes}/n"), format!("{nodes}/n/status")] {
        assert_eq!(message(&server.put(&path, changed.clone()).await), (403, why), "{path}");
        for form in [MERGE, STRATEGIC] {
            assert_eq!(message(&server.patch(&path, form, patch.clone()).await), (403, why), "{path}");
        }
    }
    assert_eq!(server.get(&format!("{nodes}/n")).await.json["metadata"]["labels"], json!({"a": "b"}));
    let spec = server.patch(&format!("{nodes}/n"), MERGE, json!({"spec": {"unschedulable": true}})).await;
    assert_eq!(spec.code, 200, "{spec:?}");
}

/// Lets no image run but one, in whatever container.
struct OneImage;

impl Admission for OneImage {
    fn name(&self) -> &str {
        "OneImage"
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        let spec = new.and_then(|new| new.downcast_ref::<Pod>()).map(|pod| &pod.spec);
        let bad = spec.is_some_and(|spec| {
            let ordinary = spec.containers.iter().chain(&spec.init_containers).map(|one| &one.image);
            let later = spec.ephemeral_containers.iter().map(|one| &one.ephemeral_container_common.image);
            ordinary.chain(later).any(|image| image != "i")
        });
        let verdict = if bad { Err(request.forbidden(new, "image")) } else { Ok(()) };
        Box::pin(std::future::ready(verdict))
    }
}

/// CVE-2023-2727: a policy about images didn't see those of containers that were added to running pods.
#[tokio::test]
async fn images_of_added_containers_are_seen() {
    let server = Inside::admitting(options(OneImage)).await;
    made(&server, PODS, pod("p")).await;
    let added = |image: &str| json!({"spec": {"ephemeralContainers": [{"name": "e", "image": image}]}});
    let path = format!("{PODS}/p/ephemeralcontainers");
    let why = "pods \"p\" is forbidden: image";
    assert_eq!(message(&server.patch(&path, STRATEGIC, added("evil")).await), (403, why));
    let mut whole = server.get(&format!("{PODS}/p")).await.json;
    whole["spec"]["ephemeralContainers"] = json!([{"name": "e", "image": "evil"}]);
    assert_eq!(message(&server.put(&path, whole).await), (403, why));
    assert_eq!(server.patch(&path, STRATEGIC, added("i")).await.code, 200);
}

/// A server with all plugins, on which pods can be made.
async fn complete() -> Inside {
    let options = ApiOptions {
        accounts: rhumb_server::AccountOptions { key: Some(KEY.into()), ..Default::default() },
        ..ApiOptions::default()
    };
    let server = Inside::admitting(options).await;
    let account = "/api/v1/namespaces/default/serviceaccounts/default";
    eventually(async || (server.get(account).await.code == 200).then_some(())).await;
    server
}

/// CVE-2023-2728 and CVE-2024-3177: pods got at Secrets that their account does not name, by containers that were
/// added to them, and by taking all variables of a Secret.
#[tokio::test]
async fn no_container_gets_at_secrets_that_the_account_does_not_name() {
    let server = complete().await;
    let account = json!({
        "apiVersion": "v1", "kind": "ServiceAccount",
        "metadata": {"name": "strict", "annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}},
        "secrets": [{"name": "mine"}],
    });
    made(&server, "/api/v1/namespaces/default/serviceaccounts", account).await;
    let pod = |name: &str, extra: Value| {
        let mut spec = json!({
            "serviceAccountName": "strict", "containers": [{"name": "c", "image": "i"}],
        });
        for (key, value) in extra.as_object().unwrap() {
            spec[key] = value.clone();
        }
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
    };
    let from =
        |secret: &str| json!({"name": "x", "image": "i", "envFrom": [{"secretRef": {"name": secret}}]});
    let variable = json!({
        "name": "x", "image": "i",
        "env": [{"name": "E", "valueFrom": {"secretKeyRef": {"name": "other", "key": "k"}}}],
    });
    let ok = json!({"name": "c", "image": "i"});
    let projected = json!({"sources": [{"secret": {"name": "other"}}]});
    for extra in [
        json!({"containers": [from("other")]}),
        json!({"containers": [ok, variable]}),
        json!({"initContainers": [from("other")]}),
        json!({"initContainers": [variable]}),
        json!({"volumes": [{"name": "v", "secret": {"secretName": "other"}}]}),
        json!({"volumes": [{"name": "v", "projected": projected}]}),
        json!({"volumes": [{"name": "v", "csi": {"driver": "d", "nodePublishSecretRef": {"name": "other"}}}]}),
        json!({"imagePullSecrets": [{"name": "other"}]}),
    ] {
        let said = server.post(PODS, pod("p", extra.clone())).await;
        assert_eq!(said.code, 403, "{extra} {said:?}");
    }
    made(&server, PODS, pod("p", json!({"containers": [from("mine")]}))).await;
    let path = format!("{PODS}/p/ephemeralcontainers");
    for container in [from("other"), variable] {
        let patch = json!({"spec": {"ephemeralContainers": [container]}});
        let said = server.patch(&path, STRATEGIC, patch).await;
        assert_ne!(said.code, 200, "{said:?}");
    }
    let mut own = from("mine");
    own["name"] = json!("own");
    let said = server.patch(&path, STRATEGIC, json!({"spec": {"ephemeralContainers": [own]}})).await;
    assert_eq!(said.code, 200, "{said:?}");
}

/// CVE-2025-5187: a node gave itself an owner that is not there, was deleted for it, and came back with other labels
/// and without its taints.
#[tokio::test]
async fn a_node_can_not_have_itself_deleted_by_an_owner() {
    let mut server = complete().await;
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "one"}});
    made(&server, "/api/v1/nodes", node).await;
    server.user = User {
        name: "system:node:one".to_owned(),
        groups: vec!["system:nodes".to_owned(), MASTERS.to_owned()],
        ..User::default()
    };
    let owners = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "none", "uid": "none"}]);
    let why = "nodes \"one\" is forbidden: node \"one\" is not allowed to modify ownerReferences";
    let patch = json!({"metadata": {"ownerReferences": owners}});
    for path in ["/api/v1/nodes/one", "/api/v1/nodes/one/status"] {
        for form in [MERGE, STRATEGIC] {
            assert_eq!(message(&server.patch(path, form, patch.clone()).await), (403, why), "{path} {form}");
        }
        let mut whole = server.get("/api/v1/nodes/one").await.json;
        whole["metadata"]["ownerReferences"] = owners.clone();
        assert_eq!(message(&server.put(path, whole).await), (403, why), "{path}");
        let applied = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": "one", "ownerReferences": owners},
        });
        let said = server.patch(&format!("{path}?fieldManager=me"), APPLY, applied).await;
        assert_eq!(message(&said), (403, why), "{path}");
    }
}

/// A second default class was made when the first had just been answered and the cache did not have it yet.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plugins_see_what_was_written_a_moment_ago() {
    let server = complete().await;
    let classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    let ranges = "/api/v1/namespaces/default/limitranges";
    for round in 0..100 {
        let class = |name: &str| {
            let (metadata, kind) = (json!({"name": name}), "PriorityClass");
            json!({
                "apiVersion": "scheduling.k8s.io/v1", "kind": kind, "metadata": metadata, "value": round,
                "globalDefault": true,
            })
        };
        let cpu = format!("{}m", round + 1);
        let range = json!({
            "apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "range"},
            "spec": {"limits": [{"type": "Container", "default": {"cpu": cpu}}]},
        });
        made(&server, classes, class("one")).await;
        assert_eq!(server.post(classes, class("two")).await.code, 403, "round {round}");
        made(&server, ranges, range).await;
        let said = server.post(&format!("{PODS}?dryRun=All"), pod("p")).await;
        assert_eq!((said.code, &said.json["spec"]["priority"]), (201, &json!(round)), "round {round}");
        let limits = &said.json["spec"]["containers"][0]["resources"]["limits"];
        assert_eq!(limits["cpu"], json!(cpu), "round {round}");
        for path in [format!("{classes}/one"), format!("{ranges}/range")] {
            assert_eq!(server.delete(&path).await.code, 200, "round {round}");
        }
    }
}

/// Warnings were lost with the object when a plugin refused it.
#[tokio::test]
async fn who_is_refused_is_warned_all_the_same() {
    let server = complete().await;
    let quota = json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"},
        "spec": {"hard": {"pods": "0", "services.nodeports": "0"}},
    });
    let quotas = "/api/v1/namespaces/default/resourcequotas";
    made(&server, quotas, quota).await;
    // Before it was counted what there is, a quota refuses nothing.
    eventually(async || {
        let quota = server.get(&format!("{quotas}/none")).await.json;
        quota["status"]["used"]["pods"].as_str().map(str::to_owned)
    })
    .await;
    let mut pod = pod("p");
    pod["spec"]["containers"][0]["env"] = json!([{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]);
    let services = "/api/v1/namespaces/default/services";
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
        "spec": {"type": "ExternalName", "externalName": "a.example.com"},
    });
    made(&server, services, service).await;
    let node_port = json!({"spec": {"type": "NodePort", "ports": [{"port": 80}]}});
    let refused = [
        (server.post(PODS, pod).await, "hides previous definition of \\\"A\\\""),
        (server.patch(&format!("{services}/s"), MERGE, node_port).await, "spec.externalName is ignored"),
    ];
    for (said, warning) in refused {
        assert_eq!(said.code, 403, "{said:?}");
        let warned = said.headers.get("warning").map(|value| value.to_str().unwrap()).unwrap_or_default();
        assert!(warned.contains(warning), "{warned:?}");
    }
}

#[tokio::test]
async fn however_many_ask_at_once_a_quota_gives_what_it_has() {
    let server = Arc::new(complete().await);
    let quotas = "/api/v1/namespaces/default/resourcequotas";
    let quota = json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"},
        "spec": {"hard": {"pods": "5", "count/configmaps": "100"}},
    });
    made(&server, quotas, quota).await;
    let used = async |name: &str| {
        let quota = server.get(&format!("{quotas}/q")).await.json;
        quota["status"]["used"][name].as_str().map(str::to_owned)
    };
    eventually(async || used("pods").await.filter(|used| used == "0")).await;
    let mut asking = Vec::new();
    for number in 0..20 {
        let server = Arc::clone(&server);
        asking.push(tokio::spawn(async move {
            let said = server.post(PODS, pod(&format!("p{number}"))).await;
            assert!(matches!(said.code, 201 | 403), "{said:?}");
            usize::from(said.code == 201)
        }));
    }
    let mut given = 0;
    for asked in asking {
        given += asked.await.unwrap();
    }
    assert_eq!(given, 5);
    assert_eq!(used("pods").await.as_deref(), Some("5"));
    // What is deleted can be had again.
    let pods = server.get(PODS).await.json;
    let name = pods["items"][0]["metadata"]["name"].as_str().unwrap().to_owned();
    assert_eq!(server.delete(&format!("{PODS}/{name}?gracePeriodSeconds=0")).await.code, 200);
    eventually(async || used("pods").await.filter(|used| used == "4")).await;
    made(&server, PODS, pod("again")).await;
}

#[tokio::test]
async fn who_may_change_objects_may_not_therefore_make_them() {
    let mut server = complete().await;
    let rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    let group = "rbac.authorization.k8s.io";
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "patcher"},
        "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "patch"]}],
    });
    made(&server, &format!("{rbac}/roles"), role).await;
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "patcher"},
        "roleRef": {"apiGroup": group, "kind": "Role", "name": "patcher"},
        "subjects": [{"apiGroup": group, "kind": "User", "name": "patcher"}],
    });
    made(&server, &format!("{rbac}/rolebindings"), binding).await;
    made(&server, MAPS, map("there")).await;
    server.user = User { name: "patcher".to_owned(), ..User::default() };
    let apply =
        async |name: &str| server.patch(&format!("{MAPS}/{name}?fieldManager=me"), APPLY, map(name)).await;
    eventually(async || (apply("there").await.code == 200).then_some(())).await;
    let why = "configmaps \"new\" is forbidden: User \"patcher\" cannot create resource \"configmaps\" in API \
               group \"\" in the namespace \"default\"";
    assert_eq!(message(&apply("new").await), (403, why));
}
