//! What a server does with the documents: index, hashes, custom resources beside the built-in ones.

use rhumb_api::resources::ResourceTable;
use rhumb_meta::GroupVersion;
use rhumb_openapi::{Documents, Enums, Settings, etag, hash, index, merge_v3};
use serde_json::{Value, json};

fn parse(text: &[u8]) -> Value {
    serde_json::from_slice(text).expect("JSON")
}

#[test]
fn the_index_has_the_hash_of_every_document() {
    let hash = hash(b"{}");
    assert_eq!(
        hash,
        "27C74670ADB75075FAD058D5CEAF7B20C4E7786C83BAE8A32F626F9782AF34C9A33C2046EF60FD2A7878D378E29FEC85\
         1806BBD9A67878F3A9F1CDA4830763FD"
    );
    assert_eq!(etag("AB"), "\"AB\"");
    assert_eq!(
        parse(&index([("apis/apps/v1", &hash), ("api", &"AB".to_owned())])),
        json!({ "paths": {
            "api": { "serverRelativeURL": "/openapi/v3/api?hash=AB" },
            "apis/apps/v1": { "serverRelativeURL": format!("/openapi/v3/apis/apps/v1?hash={hash}") },
        } })
    );
}

#[test]
fn documents_of_custom_resources_are_merged() {
    let custom = json!({
        "swagger": "2.0",
        "paths": { "/apis/a.b/v1/toys": { "get": {} }, "/version/": { "get": "not this one" } },
        "definitions": { "b.a.v1.Toy": { "type": "object" } },
        "parameters": { "toy-x": { "in": "query", "name": "toy" } },
    });
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let table = ResourceTable::select(|served| served.group == "policy" && !served.is_former);
    let settings = Settings::default();
    let documents = Documents::new(&scheme, &table, &settings);
    let (without, merged) = (parse(&documents.v2(&[])), parse(&documents.v2(&[custom.clone(), json!(null)])));
    for section in ["paths", "definitions", "parameters"] {
        let size = |document: &Value| document[section].as_object().map_or(0, |entries| entries.len());
        assert_eq!(size(&merged), size(&without) + 1, "{section}");
    }
    assert_eq!(merged["paths"]["/apis/a.b/v1/toys"], custom["paths"]["/apis/a.b/v1/toys"]);
    assert_eq!(merged["paths"]["/version/"], without["paths"]["/version/"]);
}

#[test]
fn a_version_with_several_custom_kinds_has_one_document() {
    let of = |plural: &str, kind: &str| {
        json!({
            "openapi": "3.0.0",
            "info": { "title": kind },
            "paths": { format!("/apis/a.b/v1/{plural}"): { "get": {} } },
            "components": { "schemas": { format!("b.a.v1.{kind}"): {}, "Shared": { "from": kind } } },
        })
    };
    assert_eq!(
        parse(&merge_v3(&[of("toys", "Toy"), of("boxes", "Box")])),
        json!({
            "openapi": "3.0.0",
            "info": { "title": "Toy" },
            "paths": { "/apis/a.b/v1/toys": { "get": {} }, "/apis/a.b/v1/boxes": { "get": {} } },
            "components": { "schemas": { "b.a.v1.Toy": {}, "b.a.v1.Box": {}, "Shared": { "from": "Toy" } } },
        })
    );
}

#[test]
fn what_is_no_document_adds_nothing() {
    let odd = [
        json!({ "components": 1, "paths": [] }),
        json!(3),
        json!({ "components": { "schemas": {} }, "paths": {} }),
    ];
    assert_eq!(parse(&merge_v3(&odd)), odd[0]);
    assert_eq!(parse(&merge_v3(&[])), json!({}));
}

#[test]
fn settings_show_in_the_documents() {
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let table = ResourceTable::stable();
    let settings = Settings { version: "v1.36.4".into(), cbor: false, logs: false, enums: Enums::Shown };
    let documents = Documents::new(&scheme, &table, &settings);
    assert!(!documents.keys().contains(&"logs".to_owned()));
    assert_eq!(documents.v3("logs"), None);
    assert_eq!(documents.v3_version(&GroupVersion::new_static("apps", "v2")), None);
    let text = documents.v3_version(&GroupVersion::new_static("policy", "v1")).expect("policy/v1 is served");
    assert!(!String::from_utf8_lossy(&text).contains("cbor"));
    let document = parse(&text);
    assert_eq!(document["info"]["version"], "v1.36.4");
    let budget = &document["components"]["schemas"]["io.k8s.api.policy.v1.PodDisruptionBudgetSpec"];
    assert_eq!(
        budget["properties"]["unhealthyPodEvictionPolicy"]["enum"],
        json!(["AlwaysAllow", "IfHealthyBudget"])
    );
}

#[test]
fn versions_that_are_gone_have_documents_too() {
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let table = ResourceTable::everything();
    let settings = Settings::default();
    let documents = Documents::new(&scheme, &table, &settings);
    for key in documents.keys() {
        let document = parse(&documents.v3(&key).expect("every key has a document"));
        let schemas = &document["components"]["schemas"];
        missing(&document, "#/components/schemas/", schemas, &key);
    }
    let document = parse(&documents.v2(&[]));
    missing(&document, "#/definitions/", &document["definitions"], "v2");
}

/// Every reference of a document leads to something in it.
fn missing(value: &Value, folder: &str, schemas: &Value, key: &str) {
    match value {
        Value::Object(members) => {
            if let Some(name) =
                members.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix(folder))
            {
                assert!(schemas.get(name).is_some(), "{key}: {name} is missing");
            }
            members.values().for_each(|value| missing(value, folder, schemas, key));
        }
        Value::Array(items) => items.iter().for_each(|value| missing(value, folder, schemas, key)),
        _ => {}
    }
}
