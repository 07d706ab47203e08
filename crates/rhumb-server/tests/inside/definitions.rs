//! Definitions of custom resources to ask a server for.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::{Inside, Said};

/// Where definitions are.
pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// Where gears are.
pub(crate) const GEARS: &str = "/apis/machines.example.com/v1/namespaces/default/gears";

/// A definition of a kind with one version.
pub(crate) fn definition(plural: &str, kind: &str, schema: &Json) -> Json {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.machines.example.com")},
        "spec": {
            "group": "machines.example.com",
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}

/// A definition with a default.
pub(crate) fn gears() -> Json {
    definition(
        "gears",
        "Gear",
        &json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "teeth": {"type": "integer", "default": 8}
        }}}}),
    )
}

/// Asks until an answer is as wanted.
pub(crate) async fn until(server: &Inside, path: &str, wanted: impl Fn(&Said) -> bool) -> Said {
    for _ in 0..500 {
        let said = server.get(path).await;
        if wanted(&said) {
            return said;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{path} is never as wanted: {:?}", server.get(path).await)
}

/// Makes a definition and waits until it is served.
pub(crate) async fn define(server: &Inside, definition: Json) {
    let made = server.post(DEFINITIONS, definition.clone()).await;
    assert_eq!(made.code, 201, "{made:?}");
    let path = format!("{DEFINITIONS}/{}", definition["metadata"]["name"].as_str().unwrap_or_default());
    until(server, &path, |said| condition(&said.json, "Established") == "True").await;
    // As in Kubernetes, it is served a moment after it says so, unless its group is built in.
    let spec = &definition["spec"];
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let served = spec["versions"].as_array().into_iter().flatten().find(|version| version["served"] == true);
    let version = served.map(|version| text(&version["name"])).unwrap_or_default();
    let list = format!("/apis/{}/{version}/{}", text(&spec["group"]), text(&spec["names"]["plural"]));
    for _ in 0..50 {
        if server.get(&list).await.code != 404 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// What a definition says of itself.
pub(crate) fn condition<'a>(definition: &'a Json, type_: &str) -> &'a str {
    let conditions = definition["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let found = conditions.iter().find(|condition| condition["type"] == type_);
    found.and_then(|condition| condition["status"].as_str()).unwrap_or_default()
}
