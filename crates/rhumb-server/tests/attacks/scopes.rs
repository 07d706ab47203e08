//! Custom resources reached in a scope or a group that is not theirs.

use http::Method;
use serde_json::{Value, json};

use crate::inside::Inside;
use crate::inside::definitions::{DEFINITIONS, define, definition, gears};

fn open() -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

/// CVE-2019-11247: an object outside of namespaces was reached through a path with a namespace, where other rules
/// hold. Here such a path leads nowhere, whoever asks.
#[tokio::test]
async fn a_scope_is_not_a_matter_of_spelling() {
    let server = Inside::start().await;
    let mut wide = definition("engines", "Engine", &open());
    wide["spec"]["scope"] = json!("Cluster");
    define(&server, wide).await;
    define(&server, gears()).await;
    let group = "/apis/machines.example.com/v1";
    let engine = json!({
        "apiVersion": "machines.example.com/v1", "kind": "Engine", "metadata": {"name": "e"}, "data": "hidden",
    });
    assert_eq!(server.post(&format!("{group}/engines"), engine.clone()).await.code, 201);
    let wrong = format!("{group}/namespaces/default/engines");
    for path in [wrong.clone(), format!("{wrong}/e"), format!("{wrong}/e/status"), format!("{wrong}?watch=1")]
    {
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let content = match method {
                Method::PATCH => "application/merge-patch+json",
                _ => "application/json",
            };
            let headers = [("content-type", content)];
            let said = server.ask(method.clone(), &path, &headers, engine.to_string().into()).await;
            assert!(matches!(said.code, 404 | 405), "{method} {path}: {said:?}");
            assert!(!String::from_utf8_lossy(&said.body).contains("hidden"), "{method} {path}: {said:?}");
        }
    }
    // What is in namespaces is listed over all of them, and nothing else is done without one.
    let gear = json!({"apiVersion": "machines.example.com/v1", "kind": "Gear", "metadata": {"name": "g"}});
    assert!(matches!(server.post(&format!("{group}/gears"), gear.clone()).await.code, 400..=499));
    assert!(matches!(server.get(&format!("{group}/gears/g")).await.code, 400..=499));
    assert!(matches!(server.delete(&format!("{group}/gears/g")).await.code, 400..=499));
    assert_eq!(server.get(&format!("{group}/engines/e")).await.json["data"], "hidden");
}

/// CVE-2022-3162: a definition whose names lead out of its place in the store read what belongs to others.
#[tokio::test]
async fn no_definition_leads_out_of_its_place() {
    let server = Inside::start().await;
    let evil = ["..", "../secrets", "a/b", "/", "", "a%2fb", "a\0b", ".", "a..b", "A"];
    for name in evil {
        for part in ["group", "plural", "version", "name"] {
            let mut made = definition("gears", "Gear", &open());
            match part {
                "group" => made["spec"]["group"] = json!(name),
                "plural" => made["spec"]["names"]["plural"] = json!(name),
                "version" => made["spec"]["versions"][0]["name"] = json!(name),
                _ => {}
            }
            let spec = &made["spec"];
            let own = match part {
                "name" => name.to_owned(),
                _ => [&spec["names"]["plural"], &spec["group"]].map(|text| text.as_str().unwrap()).join("."),
            };
            made["metadata"]["name"] = json!(own);
            let said = server.post(DEFINITIONS, made).await;
            assert!(matches!(said.code, 400..=499), "{part} {name:?}: {said:?}");
        }
    }
    let list = server.get(DEFINITIONS).await.json;
    assert_eq!(list["items"], json!([]));

    // Nor does the name of an object, or of a namespace.
    define(&server, gears()).await;
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"key": "hidden"},
    });
    assert_eq!(server.post("/api/v1/namespaces/default/secrets", secret).await.code, 201);
    for place in ["default", "..", "%2e%2e", "..%2f..%2fsecrets", "..%2f..%2fsecrets%2fdefault", "%00", "."] {
        for name in
            ["", "/..%2f..%2fsecrets%2fdefault%2fs", "/%2e%2e", "/..", "/s", "/..%5c..%5csecrets", "/%00"]
        {
            let path = format!("/apis/machines.example.com/v1/namespaces/{place}/gears{name}");
            let said = server.get(&path).await;
            let text = String::from_utf8_lossy(&said.body);
            // The secret is kept in base 64.
            assert!(said.code < 500 && !text.contains("aGlkZGVu"), "{path}: {said:?}");
            assert!(said.code != 200 || said.json["items"] == json!([]), "{path}: {said:?}");
        }
    }
    for name in ["..", "../x", "a/b", "a%2fb", "."] {
        let gear =
            json!({"apiVersion": "machines.example.com/v1", "kind": "Gear", "metadata": {"name": name}});
        let said = server.post("/apis/machines.example.com/v1/namespaces/default/gears", gear).await;
        assert!(matches!(said.code, 400..=499), "{name}: {said:?}");
    }
}
