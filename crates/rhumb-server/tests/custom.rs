//! Custom resources, asked of a server without a listener.

use std::time::Duration;

use crate::inside::Inside;
use crate::inside::definitions::{DEFINITIONS, GEARS, condition, define, definition, gears, until};
use serde_json::{Value as Json, json};

#[tokio::test]
async fn what_is_established_is_served_at_once() {
    let server = Inside::start().await;
    assert_eq!(server.get(GEARS).await.code, 404);
    define(&server, gears()).await;
    let list = server.get(GEARS).await;
    assert_eq!((list.code, list.json["kind"].as_str()), (200, Some("GearList")), "{list:?}");
    let discovery = server.get("/apis/machines.example.com/v1").await;
    assert_eq!(discovery.json["resources"][0]["name"], "gears");

    let gear = json!({"apiVersion": "machines.example.com/v1", "kind": "Gear", "metadata": {"name": "a"},
        "spec": {"nothing": 1}});
    let made = server.post(GEARS, gear).await;
    assert_eq!((made.code, &made.json["spec"]), (201, &json!({"teeth": 8})), "{made:?}");
    assert_eq!(made.headers["warning"], "299 - \"unknown field \\\"spec.nothing\\\"\"");
    let got = server.get(&format!("{GEARS}/a")).await;
    assert_eq!(got.json, made.json);
}

#[tokio::test]
async fn names_that_are_taken_become_free_when_their_definition_goes() {
    let server = Inside::start().await;
    define(&server, gears()).await;
    let cogs = definition("cogs", "Gear", &json!({"type": "object"}));
    assert_eq!(server.post(DEFINITIONS, cogs).await.code, 201);
    let path = format!("{DEFINITIONS}/cogs.machines.example.com");
    let refused = until(&server, &path, |said| condition(&said.json, "NamesAccepted") == "False").await;
    assert_eq!(refused.json["status"]["acceptedNames"], json!({"kind": "", "plural": "cogs"}));
    assert_eq!(server.get("/apis/machines.example.com/v1/cogs").await.code, 404);

    server.delete(&format!("{DEFINITIONS}/gears.machines.example.com")).await;
    until(&server, &path, |said| condition(&said.json, "Established") == "True").await;
    // As in Kubernetes, it is served a moment after it says so.
    until(&server, "/apis/machines.example.com/v1/cogs", |said| said.code == 200).await;
}

#[tokio::test]
async fn a_definition_goes_when_the_last_of_its_objects_is_let_go() {
    let server = Inside::start().await;
    define(&server, gears()).await;
    for (name, finalizers) in [("free", json!([])), ("held", json!(["example.com/hold"]))] {
        let gear = json!({"apiVersion": "machines.example.com/v1", "kind": "Gear",
            "metadata": {"name": name, "finalizers": finalizers}});
        assert_eq!(server.post(GEARS, gear).await.code, 201);
    }
    let path = format!("{DEFINITIONS}/gears.machines.example.com");
    let deleted = server.delete(&path).await;
    assert_eq!(deleted.code, 200, "{deleted:?}");
    assert_eq!(condition(&deleted.json, "Terminating"), "True");
    assert_eq!(deleted.json["metadata"]["generation"], 1);

    until(&server, &format!("{GEARS}/free"), |said| said.code == 404).await;
    let path_of_held = format!("{GEARS}/held");
    until(&server, &path_of_held, |said| said.json["metadata"].get("deletionTimestamp").is_some()).await;
    let refused = server
        .post(
            GEARS,
            json!({"apiVersion": "machines.example.com/v1", "kind": "Gear", "metadata": {"name": "x"}}),
        )
        .await;
    assert_eq!(refused.code, 403, "{refused:?}");

    let merge = "application/merge-patch+json";
    server.patch(&format!("{GEARS}/held"), merge, json!({"metadata": {"finalizers": null}})).await;
    until(&server, &path, |said| said.code == 404).await;
    until(&server, "/apis/machines.example.com", |said| said.code == 404).await;
}

#[tokio::test]
async fn a_watch_ends_when_the_definition_changes() {
    let server = Inside::start().await;
    define(&server, gears()).await;
    let path = format!("{GEARS}?watch=1&timeoutSeconds=60");
    let watch = server.get(&path);
    let change = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let patch = json!([{"op": "add", "path":
            "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color",
            "value": {"type": "string", "default": "red"}}]);
        let path = format!("{DEFINITIONS}/gears.machines.example.com");
        let changed = server.patch(&path, "application/json-patch+json", patch).await;
        assert_eq!(changed.code, 200, "{changed:?}");
    };
    let ended = tokio::time::timeout(Duration::from_secs(20), async { tokio::join!(watch, change) }).await;
    assert!(ended.is_ok(), "the watch goes on");
    let gear = json!({"apiVersion": "machines.example.com/v1", "kind": "Gear", "metadata": {"name": "a"},
        "spec": {}});
    assert_eq!(server.post(GEARS, gear).await.json["spec"], json!({"teeth": 8, "color": "red"}));
}

#[tokio::test]
async fn what_could_not_be_kept_to_is_refused() {
    let server = Inside::start().await;
    let webhooks = json!({"apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "a"}, "webhooks": [{
        "name": "a.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://example.com"},
    }]});
    let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    let refused = server.post(path, webhooks).await;
    assert_eq!(refused.code, 422, "{refused:?}");
    assert_eq!(refused.json["details"]["causes"][0]["reason"], "FieldValueForbidden");
}

#[tokio::test]
async fn many_definitions_of_one_group_cost_little_each() {
    const COUNT: usize = 200;
    let server = Inside::start().await;
    let schema = |place: usize| {
        let leaf = |field: usize| {
            (format!("field{field}of{place}"), json!({"type": "string", "pattern": "^[a-z]*$"}))
        };
        let fields: serde_json::Map<String, Json> = (0..50).map(leaf).collect();
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}})
    };
    let before = resident();
    for place in 0..COUNT {
        let made = server
            .post(DEFINITIONS, definition(&format!("kinds{place}"), &format!("Kind{place}"), &schema(place)));
        assert_eq!(made.await.code, 201);
    }
    let last = format!("/apis/machines.example.com/v1/kinds{}", COUNT - 1);
    until(&server, &last, |said| said.code == 200).await;
    let list = server.get("/apis/machines.example.com/v1").await;
    until(&server, "/apis/machines.example.com/v1", |said| {
        said.json["resources"].as_array().is_some_and(|all| all.len() == COUNT)
    })
    .await;
    assert_eq!(list.code, 200);
    let each = resident().saturating_sub(before) / COUNT;
    assert!(each < 200 * 1024, "a definition costs {each} bytes");
}

/// The memory of this process, in bytes.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default() * 4096
}
