//! What policies and bindings are about: selectors, subresources, names, other versions of a resource.

use serde_json::{Value as Json, json};

use super::{DEPLOYMENTS, MAPS, MERGE, deployment, map, rule, start};
use crate::inside::Inside;
use crate::inside::definitions::{define, definition};

/// Makes a policy that refuses all that it is about.
async fn refusing(server: &Inside, constraints: Json) {
    let spec =
        json!({"matchConstraints": constraints, "validations": [{"expression": "false", "message": "no"}]});
    server.policy("refusing", spec).await;
    server.bind_policy("refusing", "refusing", json!({})).await;
}

#[tokio::test]
async fn selectors_choose_namespaces_and_objects() {
    let server = start().await;
    for (name, team) in [("one", "a"), ("two", "b")] {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": name, "labels": {"team": team}}});
        assert_eq!(server.post("/api/v1/namespaces", namespace).await.code, 201);
    }
    let constraints = json!({
        "resourceRules": [rule("", "v1", "configmaps"), rule("", "v1", "namespaces")],
        "namespaceSelector": {"matchLabels": {"team": "a"}},
        "objectSelector": {"matchExpressions": [{"key": "free", "operator": "DoesNotExist"}]},
    });
    refusing(&server, constraints).await;
    let post = async |namespace: &str, labels: Json| {
        let mut object = map("m", json!({}));
        object["metadata"]["labels"] = labels;
        server.post(&format!("/api/v1/namespaces/{namespace}/configmaps?dryRun=All"), object).await.code
    };
    assert_eq!(post("one", json!({})).await, 422);
    assert_eq!(post("one", json!({"free": "yes"})).await, 201);
    assert_eq!(post("two", json!({})).await, 201);
    let namespace = |team: &str| {
        json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": "new", "labels": {"team": team}}})
    };
    assert_eq!(server.post("/api/v1/namespaces?dryRun=All", namespace("a")).await.code, 422);
    assert_eq!(server.post("/api/v1/namespaces?dryRun=All", namespace("b")).await.code, 201);
    assert_eq!(server.delete("/api/v1/namespaces/one?dryRun=All").await.code, 422);
    assert_eq!(server.delete("/api/v1/namespaces/two?dryRun=All").await.code, 200);
}

#[tokio::test]
async fn an_object_that_loses_its_labels_is_still_selected() {
    let server = start().await;
    let mut object = map("m", json!({}));
    object["metadata"]["labels"] = json!({"held": "yes"});
    assert_eq!(server.post(MAPS, object).await.code, 201);
    let constraints = json!({"resourceRules": [rule("", "v1", "configmaps")],
        "objectSelector": {"matchLabels": {"held": "yes"}}});
    refusing(&server, constraints).await;
    let path = format!("{MAPS}/m");
    assert_eq!(server.patch(&path, MERGE, json!({"metadata": {"labels": null}})).await.code, 422);
    assert_eq!(server.delete(&path).await.code, 422);
}

#[tokio::test]
async fn names_are_chosen_and_resources_excluded() {
    let server = start().await;
    let mut named = rule("", "v1", "configmaps");
    named["resourceNames"] = json!(["a", "b"]);
    let mut excluded = rule("", "*", "*");
    excluded["resourceNames"] = json!(["b"]);
    refusing(&server, json!({"resourceRules": [named], "excludeResourceRules": [excluded]})).await;
    assert_eq!(server.map("a", json!({})).await.code, 422);
    assert_eq!(server.map("b", json!({})).await.code, 201);
    assert_eq!(server.map("c", json!({})).await.code, 201);
}

#[tokio::test]
async fn bindings_narrow_what_their_policy_is_about() {
    let server = start().await;
    let spec = json!({"validations": [{"expression": "false", "message": "no"}],
        "matchConstraints": {"resourceRules": [rule("", "v1", "*")]}});
    server.policy("wide", spec).await;
    let narrow = json!({"matchResources": {"resourceRules": [rule("", "v1", "configmaps")],
        "objectSelector": {"matchLabels": {"bound": "yes"}}}});
    server.bind_policy("wide", "narrow", narrow).await;
    let mut object = map("m", json!({}));
    assert_eq!(server.post(&format!("{MAPS}?dryRun=All"), object.clone()).await.code, 201);
    object["metadata"]["labels"] = json!({"bound": "yes"});
    assert_eq!(server.post(&format!("{MAPS}?dryRun=All"), object).await.code, 422);
}

#[tokio::test]
async fn subresources_are_seen_as_what_they_are() {
    let server = start().await;
    assert_eq!(server.post(DEPLOYMENTS, deployment("web", 1)).await.code, 201);
    let constraints = json!({"resourceRules": [rule("apps", "v1", "deployments/*")]});
    let spec = json!({"matchConstraints": constraints, "validations": [{
        "expression": "request.subResource != 'scale' || object.spec.replicas - oldObject.spec.replicas < 3",
        "messageExpression": "request.kind.group + ' ' + object.apiVersion + ' ' + object.kind",
    }, {
        "expression": "request.subResource != 'status' || object.status.?replicas.orValue(0) < 9",
        "messageExpression": "request.kind.group + ' ' + object.apiVersion + ' ' + object.kind",
    }]});
    server.bound("below", spec).await;
    let web = format!("{DEPLOYMENTS}/web");
    assert_eq!(server.patch(&web, MERGE, json!({"spec": {"replicas": 2}})).await.code, 200);
    let scale = async |replicas: i64| {
        let patch = json!({"spec": {"replicas": replicas}});
        let said = server.patch(&format!("{web}/scale"), MERGE, patch).await;
        (said.code, said.json["message"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(scale(4).await.0, 200);
    let prefix = "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'below' with binding 'below-binding' \
                  denied request: ";
    assert_eq!(scale(9).await, (422, format!("{prefix}autoscaling autoscaling/v1 Scale")));
    let said = server.patch(&format!("{web}/status"), MERGE, json!({"status": {"replicas": 9}})).await;
    let message = format!("{prefix}apps apps/v1 Deployment");
    assert_eq!((said.code, said.json["message"].as_str()), (422, Some(message.as_str())));

    let eviction = json!({"resourceRules": [rule("", "v1", "pods/eviction")]});
    let spec = json!({"matchConstraints": eviction, "validations": [{"expression": "request.operation != 'CREATE'",
        "messageExpression": "request.kind.group + ' ' + object.kind + ' ' + object.metadata.name"}]});
    server.bound("evictions", spec).await;
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}});
    let said = server.post("/api/v1/namespaces/default/pods/p/eviction", eviction).await;
    let message = "pods \"p\" is forbidden: ValidatingAdmissionPolicy 'evictions' with binding 'evictions-binding' denied \
                   request: policy Eviction p";
    assert_eq!((said.code, said.json["message"].as_str()), (422, Some(message)));
}

fn autoscaler(version: &str) -> Json {
    json!({"apiVersion": format!("autoscaling/{version}"), "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "h"},
        "spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}})
}

#[tokio::test]
async fn rules_for_one_version_take_requests_in_others() {
    let server = start().await;
    let spec = |policy: &str| {
        json!({
            "matchConstraints": {"resourceRules": [rule("autoscaling", "v2", "horizontalpodautoscalers")],
                "matchPolicy": policy},
            "matchConditions": [{"name": "asked", "expression": "request.resource.version == 'v1'"}],
            "validations": [{"expression": "false", "messageExpression":
                "[string(object.apiVersion), request.resource.version, request.requestResource.version, request.kind.version, \
                 request.requestKind.version].join(' ')"}],
        })
    };
    server.bound("exact", spec("Exact")).await;
    let path = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers?dryRun=All";
    assert_eq!(server.post(path, autoscaler("v1")).await.code, 201);
    server.bound("equivalent", spec("Equivalent")).await;
    let said = server.post(path, autoscaler("v1")).await;
    let message = "horizontalpodautoscalers.autoscaling \"h\" is forbidden: ValidatingAdmissionPolicy 'equivalent' with \
                   binding 'equivalent-binding' denied request: autoscaling/v2 v2 v1 v2 v1";
    assert_eq!((said.code, said.json["message"].as_str()), (422, Some(message)), "{}", said.json);
}

#[tokio::test]
async fn custom_resources_are_seen_in_the_version_of_the_rule() {
    let server = start().await;
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let mut wheels = definition("wheels", "Wheel", &schema);
    let version = |name: &str, storage: bool| {
        json!({"name": name, "served": true, "storage": storage,
        "schema": {"openAPIV3Schema": schema}})
    };
    wheels["spec"]["versions"] = json!([version("v1", true), version("v2", false)]);
    define(&server, wheels).await;
    let spec = json!({
        "matchConstraints": {"resourceRules": [rule("machines.example.com", "v2", "wheels")]},
        "validations": [{"expression": "object.spec.round == true", "messageExpression":
            "object.apiVersion + ' ' + (oldObject == null ? 'new' : oldObject.apiVersion)"}],
    });
    server.bound("round", spec).await;
    let wheel = |version: &str, round: bool| {
        json!({"apiVersion": format!("machines.example.com/{version}"), "kind": "Wheel", "metadata": {"name": "w"},
            "spec": {"round": round}})
    };
    let path = |version: &str| format!("/apis/machines.example.com/{version}/namespaces/default/wheels");
    let said = server.post(&path("v1"), wheel("v1", false)).await;
    let prefix = "wheels.machines.example.com \"w\" is forbidden: ValidatingAdmissionPolicy 'round' with binding \
                  'round-binding' denied request: machines.example.com/v2";
    assert_eq!((said.code, said.json["message"].as_str()), (422, Some(format!("{prefix} new").as_str())));
    assert_eq!(server.post(&path("v1"), wheel("v1", true)).await.code, 201);
    let patch = json!({"spec": {"round": false}});
    let said = server.patch(&format!("{}/w", path("v1")), MERGE, patch).await;
    let message = format!("{prefix} machines.example.com/v2");
    assert_eq!((said.code, said.json["message"].as_str()), (422, Some(message.as_str())));
}
