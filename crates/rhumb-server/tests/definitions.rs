//! Definitions over time: how soon they are followed, what a restart finds, and what others have left in the store.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::inside::definitions::{DEFINITIONS, GEARS, condition, define, definition, gears, until};
use crate::inside::{Inside, Said};
use rhumb_server::{ApiOptions, Environment};
use rhumb_store::{Embedded, Key, Options, Store, Transaction};
use serde_json::{Value as Json, json};

/// Asks until an answer is as wanted. How long it took until that was known: how long the answer itself takes to
/// be made is another question.
#[allow(clippy::disallowed_methods, reason = "real time is what is measured")]
async fn known_after(server: &Inside, surface: &(&str, &str), wanted: &dyn Fn(&str) -> bool) -> Duration {
    let begun = Instant::now();
    for _ in 0..5_000 {
        let asked = begun.elapsed();
        let said = server.get_as(surface.0, surface.1).await;
        if wanted(&String::from_utf8_lossy(&said.body)) {
            return asked;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("{} is never as wanted", surface.0);
}

#[tokio::test]
async fn discovery_and_documents_follow_definitions_at_once() {
    const COUNT: usize = 20;
    const SURFACES: [(&str, &str); 3] = [
        ("/apis/machines.example.com/v1", "application/json"),
        ("/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
        ("/openapi/v3/apis/machines.example.com/v1", "application/json"),
    ];
    let server = Inside::start().await;
    // The group stays, and what is made once for all documents is made.
    define(&server, gears()).await;
    server.get(SURFACES[2].0).await;
    let mut times = Vec::new();
    let mut follow = async |wanted: &dyn Fn(&str) -> bool| {
        // Each of them is the first one in turn.
        let first = times.len() % SURFACES.len();
        times.push(known_after(&server, &SURFACES[first], wanted).await);
        for surface in &SURFACES {
            known_after(&server, surface, wanted).await;
        }
    };
    for place in 0..COUNT {
        let (plural, kind) = (format!("kinds{place}x"), format!("Kind{place}x"));
        let path = format!("{DEFINITIONS}/{plural}.machines.example.com");
        let made = server.post(DEFINITIONS, definition(&plural, &kind, &json!({"type": "object"}))).await;
        assert_eq!(made.code, 201, "{made:?}");
        follow(&|text| text.contains(&plural)).await;

        let change = json!([
            {"op": "add", "path": "/spec/versions/0/subresources", "value": {"status": {}}},
            {"op": "add", "path": "/spec/names/categories", "value": [format!("all{place}x")]},
        ]);
        let changed = server.patch(&path, "application/json-patch+json", change).await;
        assert_eq!(changed.code, 200, "{changed:?}");
        // Each says it in its own way.
        let changed =
            [format!("{plural}/status"), format!("{plural}/{{name}}/status"), format!("all{place}x")];
        follow(&|text| changed.iter().any(|sign| text.contains(sign))).await;

        assert_eq!(server.delete(&path).await.code, 200);
        follow(&|text| !text.contains(&plural)).await;
    }
    times.sort();
    let median = times[times.len() / 2];
    assert!(median < Duration::from_millis(100), "{median:?} at the median, {times:?}");
    let v2 = server.get("/openapi/v2").await;
    assert!(v2.json["definitions"]["com.example.machines.v1.Gear"].is_object());
    assert!(v2.json["definitions"]["com.example.machines.v1.Kind0x"].is_null());
}

#[tokio::test]
async fn a_restart_serves_what_was_defined_with_its_objects() {
    let directory = std::env::temp_dir().join(format!("rhumb-custom-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    let open = || Arc::new(Embedded::open(&directory, Options::default()).expect("a store"));
    let store = open();
    let options = ApiOptions::default();
    let server = Inside::above(Arc::clone(&store) as _, options.clone(), Environment::default()).await;
    define(&server, gears()).await;
    let gear = json!({"apiVersion": "machines.example.com/v1", "kind": "Gear", "metadata": {"name": "a"},
        "spec": {"teeth": 12}});
    let made = server.post(GEARS, gear).await;
    assert_eq!(made.code, 201, "{made:?}");
    server.api.end();
    drop(server);
    store.close().expect("an orderly end");
    drop(store);

    let store = open();
    let server = Inside::above(Arc::clone(&store) as _, options, Environment::default()).await;
    // Nothing is waited for: whoever may ask is answered.
    assert_eq!(server.get(&format!("{GEARS}/a")).await.json, made.json);
    let list = server.get("/apis/machines.example.com/v1/gears").await;
    assert_eq!(list.json["items"].as_array().map(Vec::len), Some(1), "{list:?}");
    assert_eq!(server.get("/apis/machines.example.com/v1").await.json["resources"][0]["name"], "gears");
    let document = server.get("/openapi/v3/apis/machines.example.com/v1").await;
    assert!(document.json["components"]["schemas"]["com.example.machines.v1.Gear"].is_object());
    server.api.end();
    drop(server);
    store.close().expect("an orderly end");
    let _ = std::fs::remove_dir_all(&directory);
}

/// A definition as a server of old has stored it.
fn stored(plural: &str, kind: &str, preserves: bool, schema: &Json) -> Json {
    let mut stored = definition(plural, kind, schema);
    let names = json!({"plural": plural, "singular": kind.to_lowercase(), "kind": kind,
        "listKind": format!("{kind}List")});
    stored["metadata"]["uid"] = json!(format!("uid-of-{plural}"));
    stored["metadata"]["generation"] = json!(1);
    stored["spec"]["names"] = names.clone();
    stored["spec"]["conversion"] = json!({"strategy": "None"});
    stored["spec"]["preserveUnknownFields"] = json!(preserves);
    let condition = |type_: &str| {
        json!({"type": type_, "status": "True", "reason": "x", "message": "x",
        "lastTransitionTime": "2020-01-01T00:00:00Z"})
    };
    stored["status"] = json!({"acceptedNames": names, "storedVersions": ["v1"],
        "conditions": [condition("NamesAccepted"), condition("Established")]});
    stored
}

#[tokio::test]
async fn definitions_of_old_keep_unknown_fields_and_say_that_they_are_not_structural() {
    let store = Arc::new(Embedded::in_memory(Options::default()).expect("a store"));
    let untyped = json!({"type": "object", "properties": {"spec": {"properties": {
        "a": {"type": "object", "properties": {"b": {"type": "string"}}}}}}});
    let typed = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "a": {"type": "object", "properties": {"b": {"type": "string"}}}}}}});
    let formless = json!({"type": "object", "properties": {"spec": {"type": "object", "$ref": "#/x"}}});
    for definition in [
        stored("looses", "Loose", true, &untyped),
        stored("gaps", "Gap", false, &untyped),
        stored("keeps", "Keep", true, &typed),
        stored("refs", "Ref", true, &formless),
    ] {
        let name = definition["metadata"]["name"].as_str().unwrap_or_default();
        let key = Key::from(format!("/registry/apiextensions.k8s.io/customresourcedefinitions/{name}"));
        let written = store.commit(Transaction::create(key, definition.to_string().into())).await;
        written.expect("a definition");
    }
    let server = Inside::above(store, ApiOptions::default(), Environment::default()).await;
    const PRESERVES: &str = "spec.preserveUnknownFields: Invalid value: true: must be false";
    const UNTYPED: &str = "spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: \
        must not be empty for specified object fields";
    const FORMLESS: &str =
        "failed to check validation schema for version v1: OpenAPIV3Schema '$ref' is not supported";
    for (plural, status, reason, message) in [
        ("looses", "True", "Violations", format!("[{PRESERVES}, {UNTYPED}]")),
        ("gaps", "True", "Violations", UNTYPED.to_owned()),
        ("keeps", "True", "Violations", PRESERVES.to_owned()),
        ("refs", "Unknown", "StructuralError", FORMLESS.to_owned()),
    ] {
        let path = format!("{DEFINITIONS}/{plural}.machines.example.com");
        let told =
            until(&server, &path, |said| !condition(&said.json, "NonStructuralSchema").is_empty()).await;
        let conditions = told.json["status"]["conditions"].as_array().expect("conditions");
        let found = conditions.iter().find(|found| found["type"] == "NonStructuralSchema").expect("told");
        assert_eq!([&found["status"], &found["reason"], &found["message"]], [status, reason, &message]);
    }
    let object = |kind: &str| {
        json!({"apiVersion": "machines.example.com/v1", "kind": kind, "metadata": {"name": "x"}, "top": 1,
            "spec": {"a": {"b": "x", "c": 1}, "d": null}})
    };
    let whole = json!({"a": {"b": "x", "c": 1}, "d": null});
    for (plural, kind, top, spec) in [
        ("looses", "Loose", json!(1), whole.clone()),
        ("gaps", "Gap", Json::Null, json!({"a": {"b": "x"}})),
        ("keeps", "Keep", json!(1), whole),
    ] {
        let path = format!("/apis/machines.example.com/v1/namespaces/default/{plural}");
        let made = server.post(&path, object(kind)).await;
        assert_eq!((made.code, &made.json["top"], &made.json["spec"]), (201, &top, &spec), "{made:?}");
    }
    let strict = "/apis/machines.example.com/v1/namespaces/default/keeps?fieldValidation=Strict&dryRun=All";
    let mut second = object("Keep");
    second["metadata"]["name"] = json!("y");
    assert_eq!(server.post(strict, second).await.code, 201);
    let document = server.get("/openapi/v3/apis/machines.example.com/v1").await;
    let schema =
        |kind: &str| &document.json["components"]["schemas"][format!("com.example.machines.v1.{kind}")];
    assert_eq!(["Loose", "Gap", "Ref"].map(|kind| schema(kind)["properties"].is_null()), [true; 3]);
    assert!(schema("Keep")["properties"]["spec"].is_object());
}

#[tokio::test]
async fn what_is_defined_in_a_built_in_group_is_told_and_not_reached() {
    let server = Inside::start().await;
    let defined = |plural: &str, kind: &str, group: &str, approval: Option<&str>, versions: &[&str]| {
        let mut defined = definition(plural, kind, &json!({"type": "object"}));
        defined["metadata"] = json!({"name": format!("{plural}.{group}"), "annotations": {}});
        if let Some(approval) = approval {
            defined["metadata"]["annotations"]["api-approved.kubernetes.io"] = json!(approval);
        }
        defined["spec"]["group"] = json!(group);
        let version = |(place, name): (usize, &&str)| {
            json!({"name": name, "served": true, "storage": place == 0,
                "schema": {"openAPIV3Schema": {"type": "object", "description": name}}})
        };
        defined["spec"]["versions"] = versions.iter().enumerate().map(version).collect();
        defined
    };
    for group in ["apps", "policy"] {
        let refused = server.post(DEFINITIONS, defined("foos", "Foo", group, None, &["v1"])).await;
        assert_eq!(refused.code, 422);
        assert_eq!(
            refused.json["details"]["causes"][0]["message"],
            format!("Invalid value: \"{group}\": should be a domain with at least one dot")
        );
    }
    let group = "networking.k8s.io";
    let refused = server.post(DEFINITIONS, defined("foos", "Foo", group, None, &["v1"])).await;
    assert_eq!(refused.json["details"]["causes"][0]["reason"], "FieldValueRequired", "{refused:?}");
    let approval = Some("unapproved, a test");
    define(&server, defined("foos", "Foo", group, approval, &["v1", "v9"])).await;
    define(&server, defined("ingresses", "Ingress", group, approval, &["v1"])).await;

    for path in ["v1/foos", "v9/foos", "v9/namespaces/default/foos", "v9"] {
        let said = server.get(&format!("/apis/{group}/{path}")).await;
        let message = said.json["message"].as_str();
        assert_eq!((said.code, message), (404, Some("the server could not find the requested resource")));
    }
    let ingresses = server.get(&format!("/apis/{group}/v1/ingresses")).await;
    assert_eq!((ingresses.code, &ingresses.json["kind"]), (200, &json!("IngressList")));
    let versions = |said: &Said| {
        let versions = said.json["versions"].as_array().expect("versions").iter();
        versions.map(|version| version["version"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let told = server.get(&format!("/apis/{group}")).await;
    assert_eq!(
        (versions(&told), &told.json["preferredVersion"]["version"]),
        (vec!["v9".into(), "v1".into()], &json!("v9"))
    );
    let accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let aggregated = server.get_as("/apis", accept).await;
    let found = aggregated.json["items"].as_array().expect("groups").iter();
    let found = found.clone().find(|found| found["metadata"]["name"] == group).expect("the group");
    assert_eq!(found["versions"][0]["resources"][0]["resource"], "foos");
    assert!(!found["versions"][1].to_string().contains("foos"));
    for (version, foos, ingresses) in [("v9", true, false), ("v1", false, true)] {
        let document = server.get(&format!("/openapi/v3/apis/{group}/{version}")).await;
        let paths = document.json["paths"].as_object().expect("paths");
        let has = |plural: &str| paths.keys().any(|path| path.ends_with(plural));
        assert_eq!((has("/foos"), has("/ingresses")), (foos, ingresses), "{version}");
    }
    for plural in ["foos", "ingresses"] {
        let path = format!("{DEFINITIONS}/{plural}.{group}");
        assert_eq!(server.delete(&path).await.code, 200);
        until(&server, &path, |said| said.code == 404).await;
    }
    assert_eq!(versions(&server.get(&format!("/apis/{group}")).await), ["v1"]);
}
