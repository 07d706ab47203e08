//! Parameters of policies: built-in and custom ones, by name and by labels, in the namespace of the request or
//! another.

use serde_json::{Value as Json, json};

use super::{MAPS, map, refused, start};
use crate::inside::Inside;
use crate::inside::definitions::{GEARS, define, gears};

/// A policy with ConfigMaps as parameters, about Secrets.
async fn with_maps(server: &Inside) {
    let spec = json!({
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "matchConstraints": {"resourceRules": [super::rule("", "v1", "secrets")]},
        "validations": [{"expression": "params == null || object.metadata.name.startsWith(params.data.prefix)",
            "messageExpression": "params.metadata.name + ' wants ' + params.data.prefix"}],
    });
    server.policy("prefixes", spec).await;
}

async fn secret(server: &Inside, namespace: &str, name: &str) -> (u16, String) {
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}});
    let said = server.post(&format!("/api/v1/namespaces/{namespace}/secrets?dryRun=All"), secret).await;
    (said.code, said.json["message"].as_str().unwrap_or_default().to_owned())
}

fn denied(name: &str, why: &str) -> (u16, String) {
    let message = format!(
        "secrets \"{name}\" is forbidden: ValidatingAdmissionPolicy 'prefixes' with binding 'b' denied request: {why}"
    );
    (422, message)
}

fn allowed() -> (u16, String) {
    (201, String::new())
}

async fn parameter(server: &Inside, namespace: &str, name: &str, prefix: &str, labels: Json) {
    let mut object = map(name, json!({"prefix": prefix}));
    object["metadata"]["labels"] = labels;
    let said = server.post(&format!("/api/v1/namespaces/{namespace}/configmaps"), object).await;
    assert_eq!(said.code, 201, "{}", said.json);
}

#[tokio::test]
async fn parameters_are_found_by_name_and_change_what_policies_say() {
    let server = start().await;
    with_maps(&server).await;
    let wanted = json!({"name": "p", "namespace": "default", "parameterNotFoundAction": "Deny"});
    server.bind_policy("prefixes", "b", json!({"paramRef": wanted})).await;
    let missing =
        "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    assert_eq!(secret(&server, "default", "a-x").await, denied("a-x", missing));
    parameter(&server, "default", "p", "a-", json!({})).await;
    assert_eq!(secret(&server, "default", "a-x").await, allowed());
    assert_eq!(secret(&server, "default", "b-x").await, denied("b-x", "p wants a-"));
    let changed = server.put(&format!("{MAPS}/p"), map("p", json!({"prefix": "b-"}))).await;
    assert_eq!(changed.code, 200, "{}", changed.json);
    assert_eq!(secret(&server, "default", "b-x").await, allowed());
    assert_eq!(secret(&server, "default", "a-x").await, denied("a-x", "p wants b-"));
}

#[tokio::test]
async fn parameters_may_be_missing_and_are_those_of_the_namespace() {
    let server = start().await;
    with_maps(&server).await;
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}});
    assert_eq!(server.post("/api/v1/namespaces", namespace).await.code, 201);
    let wanted = json!({"name": "p", "parameterNotFoundAction": "Allow"});
    server.bind_policy("prefixes", "b", json!({"paramRef": wanted})).await;
    parameter(&server, "other", "p", "o-", json!({})).await;
    assert_eq!(secret(&server, "default", "x").await, allowed());
    assert_eq!(secret(&server, "other", "x").await, denied("x", "p wants o-"));
    // Without a reference the policy is asked with null.
    server.delete(&format!("{}/validatingadmissionpolicybindings/b", super::GROUP)).await;
    server.bind_policy("prefixes", "b", json!({})).await;
    assert_eq!(secret(&server, "other", "x").await, allowed());
}

#[tokio::test]
async fn all_parameters_that_are_selected_count() {
    let server = start().await;
    with_maps(&server).await;
    let wanted = json!({"selector": {"matchLabels": {"use": "prefix"}}, "parameterNotFoundAction": "Deny"});
    server.bind_policy("prefixes", "b", json!({"paramRef": wanted})).await;
    parameter(&server, "default", "one", "a", json!({"use": "prefix"})).await;
    parameter(&server, "default", "two", "ab", json!({"use": "prefix"})).await;
    parameter(&server, "default", "unused", "z", json!({"use": "none"})).await;
    assert_eq!(secret(&server, "default", "abc").await, allowed());
    assert_eq!(secret(&server, "default", "acc").await, denied("acc", "two wants ab"));
    assert_eq!(secret(&server, "default", "c").await, denied("c", "one wants a"));
}

#[tokio::test]
async fn cluster_scoped_requests_have_no_namespace_for_parameters() {
    let server = start().await;
    let spec = json!({
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "matchConstraints": {"resourceRules": [super::rule("storage.k8s.io", "v1", "storageclasses")]},
        "validations": [{"expression": "true"}],
    });
    server.policy("classes", spec).await;
    let wanted = json!({"name": "p", "parameterNotFoundAction": "Deny"});
    server.bind_policy("classes", "b", json!({"paramRef": wanted})).await;
    let class = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "c"},
        "provisioner": "example.com/none"});
    let said = server.post("/apis/storage.k8s.io/v1/storageclasses", class).await;
    let message = "storageclasses.storage.k8s.io \"c\" is forbidden: ValidatingAdmissionPolicy 'classes' with binding 'b' \
                   denied request: failed to configure binding: cannot use namespaced paramRef in policy binding that \
                   matches cluster-scoped resources";
    assert_eq!((said.code, said.json["message"].as_str()), (422, Some(message)));
}

#[tokio::test]
async fn custom_resources_are_parameters_and_objects() {
    let server = start().await;
    let spec = json!({
        "paramKind": {"apiVersion": "machines.example.com/v1", "kind": "Gear"},
        "validations": [{"expression": "object.data.size() <= params.spec.teeth"}],
    });
    server.policy("teeth", spec).await;
    let wanted = json!({"name": "g", "parameterNotFoundAction": "Deny"});
    server.bind_policy("teeth", "b", json!({"paramRef": wanted})).await;
    let said = server.map("m", json!({"a": ""})).await;
    let why = "'teeth' denied request: failed to configure policy: failed to find resource referenced by paramKind: \
               'machines.example.com/v1, Kind=Gear'";
    refused(&said, "m", why);
    define(&server, gears()).await;
    let gear = |name: &str, teeth: i64| {
        json!({"apiVersion": "machines.example.com/v1", "kind": "Gear", "metadata": {"name": name},
            "spec": {"teeth": teeth}})
    };
    assert_eq!(server.post(GEARS, gear("g", 1)).await.code, 201);
    assert_eq!(server.map("m", json!({"a": ""})).await.code, 201);
    let why =
        "'teeth' with binding 'b' denied request: failed expression: object.data.size() <= params.spec.teeth";
    refused(&server.map("n", json!({"a": "", "b": ""})).await, "n", why);

    let spec = json!({
        "matchConstraints": {"resourceRules": [super::rule("machines.example.com", "v1", "gears")]},
        "validations": [{"expression": "object.spec.teeth % 2 == 0", "message": "odd"}],
    });
    server.bound("even", spec).await;
    assert_eq!(server.post(GEARS, gear("h", 8)).await.code, 201);
    let said = server.post(GEARS, gear("i", 7)).await;
    let message = "gears.machines.example.com \"i\" is forbidden: ValidatingAdmissionPolicy 'even' with binding \
                   'even-binding' denied request: odd";
    assert_eq!((said.code, said.json["message"].as_str()), (422, Some(message)));
}
