//! What a fresh server has, beside what a real one has; and that a second start writes nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::inside::{Inside, eventually};
use rhumb_server::config::Controllers;
use rhumb_server::identity::{MASTERS, User};
use rhumb_server::{Api, ApiOptions, Environment};
use rhumb_store::{Embedded, Options, Store};
use serde_json::Value;

/// The answers that were recorded of a real server.
fn recorded() -> BTreeMap<String, Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compare/cases/bootstrap.answers.json");
    let text = std::fs::read(path).expect("recorded answers");
    serde_json::from_slice(&text).expect("answers in JSON")
}

/// An object without what differs from one server to the next; without the owners of fields unless the record
/// has them.
fn masked(object: &Value, recorded: &Value) -> Value {
    let mut object = object.clone();
    mask(&mut object, recorded);
    object
}

fn mask(value: &mut Value, recorded: &Value) {
    match (value, recorded) {
        (value, Value::String(mark)) if mark.starts_with('<') && mark.ends_with('>') => {
            *value = recorded.clone()
        }
        (Value::Object(fields), Value::Object(recorded)) => {
            for (name, value) in fields {
                mask(value, recorded.get(name).unwrap_or(&Value::Null));
            }
        }
        (Value::Array(items), Value::Array(recorded)) => {
            items.iter_mut().zip(recorded).for_each(|(item, recorded)| mask(item, recorded));
        }
        _ => {}
    }
}

fn options() -> ApiOptions {
    ApiOptions {
        authority: "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n".to_owned(),
        address: Some(([192, 0, 2, 2].into(), 6443)),
        // Roles were recorded without the controller that puts them together.
        controllers: Controllers::parse("*,-clusterrole-aggregation-controller").expect("a known name"),
        ..ApiOptions::default()
    }
}

async fn check(server: &Inside, step: &str, path: &str) {
    let recorded = recorded();
    let wanted = &recorded[step]["body"];
    let got = eventually(async || Some(server.get(path).await).filter(|said| said.code == 200)).await;
    let masked = masked(&got.json, wanted);
    if let (Some(got), Some(wanted)) = (masked["items"].as_array(), wanted["items"].as_array()) {
        let names =
            |items: &[Value]| items.iter().map(|item| item["metadata"]["name"].clone()).collect::<Vec<_>>();
        assert_eq!(names(got), names(wanted), "{step}");
        for (got, wanted) in got.iter().zip(wanted) {
            assert_eq!(got, wanted, "{step}");
        }
    }
    assert_eq!(&masked, wanted, "{step}");
}

#[tokio::test]
async fn a_fresh_server_has_what_a_real_one_has() {
    let server = Inside::with(options()).await;
    for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
        check(&server, &format!("namespace {name}"), &format!("/api/v1/namespaces/{name}")).await;
        let account = format!("/api/v1/namespaces/{name}/serviceaccounts/default");
        check(&server, &format!("account in {name}"), &account).await;
        let certificate = format!("/api/v1/namespaces/{name}/configmaps/kube-root-ca.crt");
        check(&server, &format!("certificate in {name}"), &certificate).await;
    }
    let label = "labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults";
    for (step, resource) in [
        ("cluster roles", "clusterroles"),
        ("cluster role bindings", "clusterrolebindings"),
        ("roles", "roles"),
        ("role bindings", "rolebindings"),
    ] {
        check(&server, step, &format!("/apis/rbac.authorization.k8s.io/v1/{resource}?{label}")).await;
    }
    for name in ["system-cluster-critical", "system-node-critical"] {
        let path = format!("/apis/scheduling.k8s.io/v1/priorityclasses/{name}");
        check(&server, &format!("priority class {name}"), &path).await;
    }
    let flow = "/apis/flowcontrol.apiserver.k8s.io/v1";
    let levels =
        ["exempt", "catch-all", "global-default", "workload-high", "workload-low", "system", "node-high"];
    for name in levels {
        check(
            &server,
            &format!("priority level {name}"),
            &format!("{flow}/prioritylevelconfigurations/{name}"),
        )
        .await;
    }
    for name in ["exempt", "catch-all", "probes", "service-accounts", "global-default", "system-nodes"] {
        check(&server, &format!("flow schema {name}"), &format!("{flow}/flowschemas/{name}")).await;
    }
    for name in ["v1.", "v1.apps", "v1.apiextensions.k8s.io", "v2.autoscaling"] {
        let path = format!("/apis/apiregistration.k8s.io/v1/apiservices/{name}");
        check(&server, &format!("API service {name}"), &path).await;
    }
}

#[tokio::test]
async fn the_registrations_are_those_of_a_real_server() {
    let server = Inside::start().await;
    let got = server.get("/apis/apiregistration.k8s.io/v1/apiservices").await;
    let names: Vec<_> =
        got.json["items"].as_array().unwrap().iter().map(|item| &item["metadata"]["name"]).collect();
    let recorded = recorded();
    let rows = recorded["API services"]["body"]["rows"].as_array().unwrap();
    let wanted: Vec<_> = rows.iter().map(|row| &row["cells"][0]).collect();
    assert_eq!(names, wanted);
}

#[tokio::test]
async fn the_server_is_a_service_of_its_cluster() {
    let server = Inside::with(options()).await;
    let service = server.get("/api/v1/namespaces/default/services/kubernetes").await.json;
    assert_eq!(
        service["spec"],
        serde_json::json!({
            "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "sessionAffinity": "None", "type": "ClusterIP",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}]
        })
    );
    let fields = &service["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"];
    assert!(fields.get("f:clusterIP").is_some() && fields.get("f:clusterIPs").is_none(), "{fields}");
    let endpoints = server.get("/api/v1/namespaces/default/endpoints/kubernetes").await.json;
    assert_eq!(endpoints["subsets"][0]["addresses"][0]["ip"], "192.0.2.2");
    assert_eq!(endpoints["subsets"][0]["ports"][0]["port"], 6443);
    let slice =
        server.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes").await.json;
    assert_eq!(slice["endpoints"][0]["addresses"][0], "192.0.2.2");
    let networks = server.get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes").await.json;
    assert_eq!(networks["spec"]["cidrs"][0], "10.0.0.0/24");
    assert_eq!(networks["status"]["conditions"][0]["message"], "Kubernetes default Service CIDR is ready");
    let address = server.get("/apis/networking.k8s.io/v1/ipaddresses/10.0.0.1").await.json;
    assert_eq!(address["spec"]["parentRef"]["name"], "kubernetes");
}

/// A server without controllers above a store that stays.
async fn start(store: &Arc<Embedded>, options: ApiOptions) -> Inside {
    let store: Arc<dyn Store> = Arc::clone(store) as _;
    let options = ApiOptions { controllers: Controllers::parse("").expect("no names"), ..options };
    let api = Api::start(store, options, Environment::default()).await.expect("a server");
    Inside { api, user: User { name: "admin".into(), groups: vec![MASTERS.into()], ..User::default() } }
}

#[tokio::test]
async fn a_second_start_writes_nothing() {
    let store = Arc::new(Embedded::in_memory(Options::default()).unwrap());
    start(&store, options()).await.api.end();
    let before = store.revision().await.unwrap();
    assert!(before.0 <= 3, "{before} transactions for a start");
    start(&store, options()).await.api.end();
    assert_eq!(store.revision().await.unwrap(), before);
}

#[tokio::test]
async fn what_was_taken_away_comes_back_with_the_next_start() {
    let store = Arc::new(Embedded::in_memory(Options::default()).unwrap());
    let server = start(&store, options()).await;
    let role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:discovery";
    let group = "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:basic-user";
    let whole = server.get(role).await.json;
    assert_eq!(server.delete(group).await.code, 200);
    let binding = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:discovery";
    let mut other = server.get(binding).await.json;
    assert_eq!(server.delete(binding).await.code, 200);
    other["roleRef"]["name"] = "cluster-admin".into();
    other["metadata"] = serde_json::json!({"name": "system:discovery"});
    assert_eq!(server.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", other).await.code, 201);
    let emptied = serde_json::json!({"rules": null});
    assert_eq!(server.patch(role, "application/merge-patch+json", emptied).await.code, 200);
    server.api.end();
    let moved = ApiOptions { address: Some(([192, 0, 2, 3].into(), 6443)), ..options() };
    let server = start(&store, moved).await;
    // Each of them is there, though no longer in one rule.
    let rules = server.get(role).await.json["rules"].to_string();
    for path in whole["rules"][0]["nonResourceURLs"].as_array().unwrap() {
        assert!(
            rules.contains(&format!("{{\"nonResourceURLs\":[{path}],\"verbs\":[\"get\"]}}")),
            "{path} in {rules}"
        );
    }
    assert_eq!(server.get(group).await.code, 200);
    assert_eq!(server.get(binding).await.json["roleRef"]["name"], "system:discovery");
    let endpoints = server.get("/api/v1/namespaces/default/endpoints/kubernetes").await.json;
    assert_eq!(endpoints["subsets"][0]["addresses"][0]["ip"], "192.0.2.3");
}
