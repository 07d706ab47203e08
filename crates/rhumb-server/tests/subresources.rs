//! What stands below objects, questions, and what Services are given.

use std::sync::Arc;

use crate::inside::{Inside, Said};
use crate::starting::gate::{Gate, Held};
use rhumb_api::resources::{GROUPS, ResourceTable};
use serde_json::{Value, json};

const MERGE: &str = "application/merge-patch+json";
/// A key for signing tokens, good for nothing else.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgvqHIwShhmg55uHk5
cGrrVxnfyQrnuRMab+tQ1jH+kIShRANCAASLJxtJg5V+8irC0C0aKImkl3x6TXSI
MwnYzUWOUSKK22FtWlQH8DYcajso/d+Su33DbFNqgUd/+ZdClJIe/0Y6
-----END PRIVATE KEY-----
";

async fn server() -> Inside {
    let options = rhumb_server::ApiOptions {
        accounts: rhumb_server::AccountOptions { key: Some(KEY.into()), ..Default::default() },
        ..rhumb_server::ApiOptions::default()
    };
    Inside::with(options).await
}

fn message(said: &Said) -> (u16, &str) {
    (said.code, said.json["message"].as_str().unwrap_or_default())
}

async fn made(server: &Inside, path: &str, object: Value) -> Value {
    let said = server.post(path, object).await;
    assert_eq!(said.code, 201, "{said:?}");
    said.json
}

fn deployment() -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": {"a": "b"}},
            "template": {
                "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}
            },
        },
    })
}

fn pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "p"}},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    })
}

#[tokio::test]
async fn a_scale_is_applied_without_a_name_in_every_version_that_has_one() {
    const APPLY: &str = "application/apply-patch+yaml";
    let table = ResourceTable::of(GROUPS.iter(), |_| true);
    let options = rhumb_server::ApiOptions { table: Arc::new(table), ..rhumb_server::ApiOptions::default() };
    let server = Inside::with(options).await;
    made(&server, "/apis/apps/v1/namespaces/default/deployments", deployment()).await;
    let versions = [
        ("apps/v1", "autoscaling/v1"),
        ("apps/v1beta2", "apps/v1beta2"),
        ("apps/v1beta1", "apps/v1beta1"),
        ("extensions/v1beta1", "extensions/v1beta1"),
    ];
    for (replicas, (version, of_scale)) in (2..).zip(versions) {
        let path = format!("/apis/{version}/namespaces/default/deployments/x");
        let scale = json!({"apiVersion": of_scale, "kind": "Scale", "spec": {"replicas": replicas}});
        let applied = server.patch(&format!("{path}/scale?fieldManager=a&force=true"), APPLY, scale).await;
        assert_eq!((applied.code, &applied.json["spec"]["replicas"]), (200, &json!(replicas)), "{applied:?}");
        assert_eq!(applied.json["apiVersion"], of_scale);
        assert_eq!(server.get(&path).await.json["spec"]["replicas"], replicas);
    }
}

#[tokio::test]
async fn a_deployment_is_scaled_by_a_scale() {
    let server = server().await;
    let path = "/apis/apps/v1/namespaces/default/deployments";
    made(&server, path, deployment()).await;
    let below = format!("{path}/x/scale");
    let mut scale = server.get(&below).await.json;
    assert_eq!(scale["kind"], "Scale");
    assert_eq!((&scale["spec"]["replicas"], &scale["status"]["selector"]), (&json!(1), &json!("a=b")));
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    assert_eq!(server.get_as(&below, table).await.json["rows"][0]["cells"][1], 1);

    scale["spec"]["replicas"] = json!(3);
    let put = server.put(&below, scale.clone()).await;
    assert_eq!((put.code, &put.json["spec"]["replicas"]), (200, &json!(3)), "{put:?}");
    let stale = server.put(&below, scale.clone()).await;
    assert_eq!((stale.code, &stale.json["details"]["kind"]), (409, &json!("deployments")));
    scale["metadata"]["resourceVersion"] = Value::Null;
    scale["spec"]["replicas"] = json!(-1);
    let negative = server.put(&below, scale).await;
    let why = "Scale.autoscaling \"x\" is invalid: spec.replicas: Invalid value: -1: must be greater than \
               or equal to 0";
    assert_eq!(message(&negative), (422, why));
    let other = server.put(&below, deployment()).await;
    let why = "Deployment in version \"v1\" cannot be handled as a Scale: converting (v1.Deployment) to \
               (autoscaling.Scale): unknown conversion";
    assert_eq!(message(&other), (400, why));

    for kind in [MERGE, "application/strategic-merge-patch+json"] {
        let patched = server.patch(&below, kind, json!({"spec": {"replicas": 5}})).await;
        assert_eq!((patched.code, &patched.json["spec"]["replicas"]), (200, &json!(5)));
    }
    let object = server.get(&format!("{path}/x")).await.json;
    assert_eq!((&object["spec"]["replicas"], &object["metadata"]["generation"]), (&json!(5), &json!(3)));
    let fields = object["metadata"]["managedFields"].as_array().unwrap();
    let of_scale = fields.iter().find(|entry| entry["subresource"] == "scale").unwrap();
    assert_eq!(of_scale["fieldsV1"], json!({"f:spec": {"f:replicas": {}}}));
    assert_eq!(of_scale.get("time"), None);

    let config = json!({
        "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "x"}, "spec": {"replicas": 7}
    });
    let apply = "application/apply-patch+yaml";
    let refused = server.patch(&format!("{below}?fieldManager=one"), apply, config.clone()).await;
    assert_eq!(refused.code, 409, "{refused:?}");
    let applied = server.patch(&format!("{below}?fieldManager=one&force=true"), apply, config).await;
    assert_eq!((applied.code, &applied.json["spec"]["replicas"]), (200, &json!(7)), "{applied:?}");
}

#[tokio::test]
async fn a_pod_is_bound_once() {
    let server = server().await;
    let pods = "/api/v1/namespaces/default/pods";
    let made = made(&server, pods, pod("p")).await;
    let bind = |target: Value| {
        json!({
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p", "annotations": {"a": "b"}},
            "target": target
        })
    };
    let path = format!("{pods}/p/binding");
    let refused = server.post(&path, bind(json!({}))).await;
    assert_eq!(message(&refused), (500, "target.name: Required value"));
    let mut other = bind(json!({"kind": "Node", "name": "n"}));
    other["metadata"]["uid"] = json!("x");
    let refused = server.post(&path, other).await;
    let why = format!(
        "Operation cannot be fulfilled on pods \"p\": StorageError: invalid object, Code: 4, Key: \
         /registry/pods/default/p, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in \
         precondition: x, \
         UID in object meta: {}",
        made["metadata"]["uid"].as_str().unwrap()
    );
    assert_eq!(message(&refused), (409, why.as_str()));
    let bound = server.post(&path, bind(json!({"kind": "Node", "name": "n"}))).await;
    assert_eq!((bound.code, &bound.json["status"]), (201, &json!("Success")), "{bound:?}");
    let again = server.post("/api/v1/namespaces/default/bindings", bind(json!({"name": "m"}))).await;
    let why = "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n\"";
    assert_eq!(message(&again), (409, why));
    let pod = server.get(&format!("{pods}/p")).await.json;
    assert_eq!((&pod["spec"]["nodeName"], &pod["metadata"]["annotations"]["a"]), (&json!("n"), &json!("b")));

    let log = server.get(&format!("{pods}/p/log")).await;
    assert_eq!(message(&log), (404, "pods \"n\" not found"));
    let log = server.get(&format!("{pods}/p/log?tailLines=-1")).await;
    let why =
        "PodLogOptions \"p\" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0";
    assert_eq!(message(&log), (422, why));
    let exec = server.post(&format!("{pods}/p/exec?command=ls&container=other"), json!({})).await;
    assert_eq!(message(&exec), (400, "container other is not valid for pod p"));
    let proxy = server.get(&format!("{pods}/p/proxy/")).await;
    assert_eq!(message(&proxy), (400, "address not allowed"));
    let proxy = server.get("/api/v1/namespaces/default/services/ftp:x:80/proxy/").await;
    assert_eq!(message(&proxy), (400, "invalid service request \"ftp:x:80\""));
}

#[tokio::test]
async fn budgets_decide_about_evictions() {
    let server = server().await;
    let pods = "/api/v1/namespaces/default/pods";
    made(&server, pods, pod("p")).await;
    let bind =
        json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"name": "n"}});
    server.post(&format!("{pods}/p/binding"), bind).await;
    let budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    let budget = |name: &str| {
        json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name},
            "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "p"}}},
        })
    };
    made(&server, budgets, budget("b")).await;
    let path = format!("{pods}/p/eviction");
    let evict = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}});
    let dry = server.post(&format!("{path}?dryRun=All"), evict.clone()).await;
    assert_eq!(dry.code, 201, "{dry:?}");
    let running =
        json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    server.patch(&format!("{pods}/p/status"), MERGE, running).await;
    let kept = server.post(&path, evict.clone()).await;
    assert_eq!(message(&kept), (429, "Cannot evict pod as it would violate the pod's disruption budget."));
    assert_eq!(kept.headers["retry-after"], "10");
    let cause = "The disruption budget b is still being processed by the server.";
    assert_eq!(kept.json["details"]["causes"][0], json!({"reason": "DisruptionBudget", "message": cause}));

    made(&server, budgets, budget("c")).await;
    let two = server.post(&path, evict.clone()).await;
    let why =
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    assert_eq!(message(&two), (500, why));
    server.delete(&format!("{budgets}/c")).await;

    let status = |allowed: i32| {
        json!({"status": {
            "observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": 1, "desiredHealthy": 1,
            "expectedPods": 2
        }})
    };
    server.patch(&format!("{budgets}/b/status"), MERGE, status(0)).await;
    let none = server.post(&path, evict.clone()).await;
    let cause = "The disruption budget b needs 1 healthy pods and has 1 currently";
    assert_eq!(none.json["details"]["causes"][0]["message"], cause);
    server.patch(&format!("{budgets}/b/status"), MERGE, status(1)).await;
    let mut old = evict.clone();
    old["apiVersion"] = json!("policy/v1beta1");
    let evicted = server.post(&path, old).await;
    assert_eq!((evicted.code, &evicted.json["status"]), (201, &json!("Success")), "{evicted:?}");
    let budget = server.get(&format!("{budgets}/b")).await.json;
    assert_eq!(budget["status"]["disruptionsAllowed"], 0);
    assert!(budget["status"]["disruptedPods"]["p"].is_string());
    assert_eq!(budget["status"]["conditions"][0]["reason"], "InsufficientPods");
    let pod = server.get(&format!("{pods}/p")).await.json;
    assert!(pod["metadata"]["deletionTimestamp"].is_string());
    let conditions = pod["status"]["conditions"].as_array().unwrap();
    assert!(conditions.iter().any(|one| one["reason"] == "EvictionByEvictionAPI"));
}

#[tokio::test]
async fn a_token_is_good_while_its_account_and_its_secret_are_there() {
    let server = server().await;
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}});
    let uid = made(&server, accounts, account).await["metadata"]["uid"].clone();
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}});
    made(&server, "/api/v1/namespaces/default/secrets", secret).await;
    let ask =
        |spec: Value| json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec});
    let path = format!("{accounts}/a/token");
    let short = server.post(&path, ask(json!({"expirationSeconds": 10}))).await;
    let why = "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: \
               10: may not \
               specify a duration less than 10 minutes";
    assert_eq!(message(&short), (422, why));
    let kind = ask(json!({"boundObjectRef": {"apiVersion": "v1", "kind": "ConfigMap", "name": "x"}}));
    let why = "cannot bind token to object of type /v1, Kind=ConfigMap";
    assert_eq!(message(&server.post(&path, kind).await), (400, why));
    let missing = server.post(&format!("{accounts}/missing/token"), ask(json!({}))).await;
    assert_eq!(message(&missing), (404, "serviceaccounts \"missing\" not found"));

    let bound = json!({"boundObjectRef": {"apiVersion": "v1", "kind": "Secret", "name": "s"}});
    let asked = made(&server, &path, ask(bound)).await;
    assert_eq!(asked["metadata"]["uid"], uid);
    assert_eq!(asked["spec"]["audiences"], json!(["https://kubernetes.default.svc"]));
    let token = asked["status"]["token"].as_str().unwrap().to_owned();
    let user = server.api.authenticate_token(&token).await.unwrap();
    assert_eq!(user.name, "system:serviceaccount:default:a");
    assert_eq!(json!(user.uid), uid);
    assert!(user.groups.contains(&"system:serviceaccounts:default".to_owned()));
    assert!(user.extra["authentication.kubernetes.io/credential-id"][0].starts_with("JTI="));

    let review = |token: &str, audiences: &[&str]| {
        json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
            "spec": {"token": token, "audiences": audiences},
        })
    };
    let reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
    let status = made(&server, reviews, review(&token, &[])).await["status"].clone();
    assert_eq!((&status["authenticated"], &status["user"]["uid"]), (&json!(true), &uid));
    let status = made(&server, reviews, review(&token, &["other"])).await["status"].clone();
    let why = "[invalid bearer token, token audiences [\"https://kubernetes.default.svc\"] is invalid for \
               the target \
               audiences [\"other\"]]";
    assert_eq!(status, json!({"error": why, "user": {}}));
    let status = made(&server, reviews, review("nonsense", &[])).await["status"].clone();
    assert_eq!(status["error"], "invalid bearer token");
    assert_eq!(server.api.authenticate_token(&format!("{token}x")).await, None);

    server.delete("/api/v1/namespaces/default/secrets/s").await;
    let gone = async || server.api.authenticate_token(&token).await.is_none();
    for _ in 0..1000 {
        if gone().await {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("the token outlives its secret");
}

#[tokio::test]
async fn questions_are_answered_and_forgotten() {
    let server = server().await;
    let who = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let said = made(&server, path, who).await;
    assert_eq!(said["status"]["userInfo"]["username"], "admin");
    let version = "authorization.k8s.io/v1";
    let may = |spec: Value| json!({"apiVersion": version, "kind": "SelfSubjectAccessReview", "spec": spec});
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let said =
        made(&server, path, may(json!({"resourceAttributes": {"verb": "get", "resource": "pods"}}))).await;
    assert_eq!(said["status"], json!({"allowed": true}));
    assert_eq!(said["metadata"]["managedFields"][0]["operation"], "Update");
    let why = ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: exactly \
               one of \
               nonResourceAttributes or resourceAttributes must be specified";
    assert_eq!(message(&server.post(path, may(json!({}))).await), (422, why));
    let rules = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": "default"},
    });
    let said = made(&server, "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", rules).await;
    assert!(
        said["status"]["resourceRules"].as_array().unwrap().iter().any(|rule| rule["verbs"] == json!(["*"]))
    );
    let components = server.get("/api/v1/componentstatuses").await;
    assert_eq!(components.json["kind"], "ComponentStatusList");
    assert_eq!(components.headers["warning"], "299 - \"v1 ComponentStatus is deprecated in v1.19+\"");
    let missing = server.get("/api/v1/componentstatuses/nothing").await;
    assert_eq!(message(&missing), (404, "componentstatus \"nothing\" not found"));
}

const SERVICES: &str = "/api/v1/namespaces/default/services";

fn service(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec})
}

async fn address(server: &Inside, ip: &str) -> u16 {
    server.get(&format!("/apis/networking.k8s.io/v1/ipaddresses/{ip}")).await.code
}

#[tokio::test]
async fn services_get_addresses_that_nobody_else_has() {
    let server = server().await;
    let any = made(&server, SERVICES, service("any", json!({"ports": [{"port": 80}]}))).await;
    let ip = any["spec"]["clusterIP"].as_str().unwrap().to_owned();
    assert!(ip.starts_with("10.0.0."), "{ip}");
    let object = server.get(&format!("/apis/networking.k8s.io/v1/ipaddresses/{ip}")).await.json;
    let parent = json!({"resource": "services", "namespace": "default", "name": "any"});
    assert_eq!(object["spec"]["parentRef"], parent);
    assert_eq!(object["metadata"]["labels"]["ipaddress.kubernetes.io/ip-family"], "IPv4");

    let fixed = |name: &str, ip: &str| service(name, json!({"clusterIP": ip, "ports": [{"port": 80}]}));
    made(&server, SERVICES, fixed("one", "10.0.0.9")).await;
    let taken = server.post(SERVICES, fixed("two", "10.0.0.9")).await;
    let why = "Service \"two\" is invalid: spec.clusterIPs: Invalid value: [\"10.0.0.9\"]: failed to \
               allocate IP 10.0.0.9: \
               provided IP is already allocated";
    assert_eq!(message(&taken), (422, why));
    for outside in ["10.99.0.1", "10.0.0.0", "10.0.0.255"] {
        let refused = server.post(SERVICES, fixed("two", outside)).await;
        let why = format!(
            "Service \"two\" is invalid: spec.clusterIPs: Invalid value: [\"{outside}\"]: failed to \
             allocate IP {outside}: \
             the provided network does not match the current range"
        );
        assert_eq!(message(&refused), (422, why.as_str()));
    }
    let again = server.post(SERVICES, fixed("one", "10.0.0.15")).await;
    assert_eq!(again.code, 409);
    assert_eq!(address(&server, "10.0.0.15").await, 404);
    let dry = server.post(&format!("{SERVICES}?dryRun=All"), fixed("dry", "10.0.0.15")).await;
    assert_eq!((dry.code, address(&server, "10.0.0.15").await), (201, 404));
    server.delete(&format!("{SERVICES}/one")).await;
    assert_eq!(address(&server, "10.0.0.9").await, 404);
    made(&server, SERVICES, fixed("two", "10.0.0.9")).await;
    let alias = json!({
        "spec": {"type": "ExternalName", "externalName": "e.com", "clusterIP": null, "clusterIPs": null}
    });
    let changed = server.patch(&format!("{SERVICES}/two"), MERGE, alias).await;
    assert_eq!((changed.code, changed.json["spec"].get("clusterIP")), (200, None), "{changed:?}");
    assert_eq!(address(&server, "10.0.0.9").await, 404);

    let headless = made(&server, SERVICES, service("none", json!({"clusterIP": "None"}))).await;
    assert_eq!(headless["spec"]["ipFamilies"], json!(["IPv4", "IPv6"]));
    let both = service("both", json!({"ipFamilyPolicy": "RequireDualStack", "ports": [{"port": 80}]}));
    let why = "Service \"both\" is invalid: spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this \
               cluster is not \
               configured for dual-stack services";
    assert_eq!(message(&server.post(SERVICES, both).await), (422, why));
}

#[tokio::test]
async fn services_get_addresses_of_both_families_where_there_are_two() {
    let options = rhumb_server::ApiOptions {
        service_networks: vec![("10.0.0.0".parse().unwrap(), 24), ("fd00::".parse().unwrap(), 112)],
        ..rhumb_server::ApiOptions::default()
    };
    let server = Inside::with(options).await;
    let one = made(&server, SERVICES, service("one", json!({"ports": [{"port": 80}]}))).await;
    assert_eq!(one["spec"]["clusterIPs"].as_array().unwrap().len(), 1);
    let policy = |policy: &str| json!({"spec": {"ipFamilyPolicy": policy}});
    let path = format!("{SERVICES}/one");
    let both = server.patch(&path, MERGE, policy("RequireDualStack")).await.json;
    let ips = both["spec"]["clusterIPs"].as_array().unwrap().clone();
    assert_eq!(both["spec"]["ipFamilies"], json!(["IPv4", "IPv6"]));
    assert_eq!(address(&server, ips[1].as_str().unwrap()).await, 200);
    let single = server.patch(&path, MERGE, policy("SingleStack")).await.json;
    assert_eq!(single["spec"]["clusterIPs"].as_array().unwrap().len(), 1, "{single}");
    assert_eq!(address(&server, ips[1].as_str().unwrap()).await, 404);
    let six =
        made(&server, SERVICES, service("six", json!({"ipFamilies": ["IPv6"], "ports": [{"port": 80}]})))
            .await;
    assert!(six["spec"]["clusterIP"].as_str().unwrap().starts_with("fd00::"));
}

#[tokio::test]
async fn services_get_ports_that_nobody_else_has() {
    let server = server().await;
    let fixed = |name: &str, port: i32| {
        service(name, json!({"type": "NodePort", "ports": [{"name": "a", "port": 80, "nodePort": port}]}))
    };
    made(&server, SERVICES, fixed("one", 30009)).await;
    let taken = server.post(SERVICES, fixed("two", 30009)).await;
    let why = "Service \"two\" is invalid: spec.ports[0].nodePort: Invalid value: 30009: provided port is \
               already allocated";
    assert_eq!(message(&taken), (422, why));
    let outside = server.post(SERVICES, fixed("two", 80)).await;
    let why = "Service \"two\" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not \
               in the valid \
               range. The range of valid ports is 30000-32767";
    assert_eq!(message(&outside), (422, why));
    let shared = json!([
        {"name": "t", "port": 53, "nodePort": 30010},
        {"name": "u", "port": 53, "protocol": "UDP", "nodePort": 30010}
    ]);
    made(&server, SERVICES, service("shared", json!({"type": "NodePort", "ports": shared}))).await;
    let any =
        made(&server, SERVICES, service("any", json!({"type": "LoadBalancer", "ports": [{"port": 80}]})))
            .await;
    assert!(any["spec"]["ports"][0]["nodePort"].as_i64().is_some_and(|port| port >= 30086));
    let local = json!({"spec": {"externalTrafficPolicy": "Local"}});
    let checked = server.patch(&format!("{SERVICES}/any"), MERGE, local).await.json;
    assert!(checked["spec"]["healthCheckNodePort"].as_i64().is_some_and(|port| port >= 30000), "{checked}");

    let path = format!("{SERVICES}/one");
    let moved = json!({"spec": {"ports": [{"name": "a", "port": 80, "nodePort": 30021}]}});
    assert_eq!(server.patch(&path, MERGE, moved).await.json["spec"]["ports"][0]["nodePort"], 30021);
    made(&server, SERVICES, fixed("two", 30009)).await;
    let plain = server.patch(&path, MERGE, json!({"spec": {"type": "ClusterIP"}})).await.json;
    assert_eq!(plain["spec"]["ports"][0].get("nodePort"), None, "{plain}");
    made(&server, SERVICES, fixed("three", 30021)).await;
    server.delete(&format!("{SERVICES}/two")).await;
    made(&server, SERVICES, fixed("four", 30009)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ports_are_free_again_after_many_clients_made_and_deleted_services_at_once() {
    const CLIENTS: usize = 50;
    const EACH: usize = 4;
    let server = std::sync::Arc::new(server().await);
    let node_port = |name: &str, port: Option<i64>| {
        let mut spec = json!({"type": "NodePort", "ports": [{"port": 80}]});
        if let Some(port) = port {
            spec["ports"][0]["nodePort"] = json!(port);
        }
        service(name, spec)
    };
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..CLIENTS {
        let server = std::sync::Arc::clone(&server);
        clients.spawn(async move {
            let mut ports = Vec::new();
            for number in 0..EACH {
                let name = format!("s{client}-{number}");
                let made = made(&server, SERVICES, node_port(&name, None)).await;
                ports.push(made["spec"]["ports"][0]["nodePort"].as_i64().unwrap());
                let gone = server.delete(&format!("{SERVICES}/{name}")).await;
                assert_eq!(gone.code, 200, "{gone:?}");
            }
            ports
        });
    }
    let mut ports = std::collections::BTreeSet::new();
    while let Some(given) = clients.join_next().await {
        ports.extend(given.unwrap());
    }
    for port in ports {
        made(&server, SERVICES, node_port(&format!("again-{port}"), Some(port))).await;
    }
    let addresses = server.get("/apis/networking.k8s.io/v1/ipaddresses").await.json;
    let services = server.get(SERVICES).await.json;
    let all = |list: &Value| -> Vec<String> {
        let items = list["items"].as_array().unwrap().iter();
        let of = |item: &Value| {
            item["spec"]["parentRef"]["name"]
                .as_str()
                .or(item["metadata"]["name"].as_str())
                .map(str::to_owned)
        };
        let mut names: Vec<String> = items.filter_map(of).filter(|name| name != "kubernetes").collect();
        names.sort();
        names
    };
    assert_eq!(all(&addresses), all(&services), "each has an address, and nobody else");
}

#[tokio::test]
async fn what_a_service_was_given_is_free_again_if_its_client_hangs_up_and_it_keeps_it_if_it_is_stored() {
    const STORED: &str = "/registry/services/specs/";
    let store = Gate::new(Held::Nothing);
    let options = rhumb_server::ApiOptions::default();
    let server = Inside::above(store.clone(), options, rhumb_server::Environment::default()).await;
    let asking = |port: i64, ip: &str| {
        let ports = json!([{"port": 80, "nodePort": port}]);
        json!({"type": "NodePort", "clusterIP": ip, "ports": ports})
    };
    for (held, name, port, ip) in [
        (Held::Written(STORED), "stored", 30088, "10.0.0.88"),
        (Held::Writes(STORED), "given-up", 30089, "10.0.0.89"),
    ] {
        store.hold(held);
        tokio::select! {
            said = server.post(SERVICES, service(name, asking(port, ip))) => panic!("{said:?}"),
            () = store.has_held() => {}
        }
        store.hold(Held::Nothing);
    }
    // What the second one was given goes back after whatever the first one's end leads to.
    let again = crate::inside::eventually(async || {
        let said = server.post(SERVICES, service("again", asking(30089, "10.0.0.89"))).await;
        (said.code == 201).then_some(said.code)
    });
    assert_eq!(again.await, 201);
    assert_eq!(server.get(&format!("{SERVICES}/given-up")).await.code, 404);
    assert_eq!(server.get(&format!("{SERVICES}/stored")).await.code, 200);
    for spec in [asking(30088, "10.0.0.90"), asking(30090, "10.0.0.88")] {
        let said = server.post(SERVICES, service("other", spec)).await;
        assert_eq!(said.code, 422, "{said:?}");
    }
    assert_eq!(server.delete(&format!("{SERVICES}/stored")).await.code, 200);
    made(&server, SERVICES, service("other", asking(30088, "10.0.0.88"))).await;
}

#[tokio::test]
async fn what_a_service_has_and_nobody_noted_is_noted_at_the_start() {
    use rhumb_store::{Change, Embedded, Options, Store, Transaction};

    let store: std::sync::Arc<dyn Store> =
        std::sync::Arc::new(Embedded::in_memory(Options::default()).unwrap());
    let start = || {
        let options = rhumb_server::ApiOptions::default();
        Inside::above(std::sync::Arc::clone(&store), options, rhumb_server::Environment::default())
    };
    let first = start().await;
    let spec = json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": 30077}]});
    let one = made(&first, SERVICES, service("one", spec.clone())).await;
    first.api.end();
    let ip = one["spec"]["clusterIP"].as_str().unwrap();
    // As a backup that was restored in parts, or somebody with access to the store, leaves it.
    let lost = ["/registry/ranges/servicenodeports".to_owned(), format!("/registry/ipaddresses/{ip}")];
    for key in lost {
        let key = rhumb_store::Key::from(key);
        assert!(store.get(key.clone(), None).await.unwrap().0.is_some(), "{key:?}");
        let mut transaction = Transaction::default();
        transaction.changes.push(Change::Delete { key });
        store.commit(transaction).await.unwrap();
    }
    let second = start().await;
    let mut reasons = crate::inside::eventually(async || {
        let events = second.get("/api/v1/namespaces/default/events").await.json;
        let events = events["items"].as_array().unwrap();
        let told = events.iter().filter(|event| event["involvedObject"]["name"] == "one");
        let reasons: Vec<String> = told.map(|event| event["reason"].as_str().unwrap().to_owned()).collect();
        (reasons.len() == 2).then_some(reasons)
    })
    .await;
    reasons.sort();
    assert_eq!(reasons, ["ClusterIPNotAllocated", "PortNotAllocated"]);
    let found = crate::inside::eventually(async || {
        let found = address(&second, ip).await;
        (found == 200).then_some(found)
    });
    assert_eq!(found.await, 200);
    let taken = second.post(SERVICES, service("two", spec)).await;
    assert_eq!(taken.code, 422, "{taken:?}");
}
