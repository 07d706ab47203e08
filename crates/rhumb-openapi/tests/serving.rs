//! What a server does with the documents: index, hashes, custom resources beside the built-in ones.

use rhumb_api::resources::ResourceTable;
use rhumb_meta::GroupVersion;
use rhumb_openapi::{Documents, Enums, Form, Section, Settings, entries, etag, hash, index, to_protobuf};
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
fn what_custom_resources_add_stands_beside_what_is_built_in() {
    let custom = json!({
        "paths": { "/apis/a.b/v1/boxes": { "get": {} }, "/apis/a.b/v1/toys": { "get": {} } },
        "definitions": { "b.a.v1.Toy": { "type": "object" } },
    });
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let table = ResourceTable::select(|served| served.group == "policy" && !served.is_former);
    let settings = Settings::default();
    let documents = Documents::new(&scheme, &table, &settings);
    let mut wanted = parse(&documents.v2());
    for (section, name) in [("paths", "paths"), ("definitions", "definitions")] {
        let (all, more) = (wanted[section].as_object_mut().expect("entries"), &custom[name]);
        all.extend(more.as_object().expect("entries").clone());
    }
    let merged = |form: Form| {
        let outline = documents.v2_outline(form);
        let mut out = outline.head.clone();
        for (section, name, own) in [
            (Section::Paths, "paths", &outline.paths),
            (Section::Definitions, "definitions", &outline.definitions),
        ] {
            let added = entries(form, section, custom[name].as_object().expect("entries").iter());
            out.extend(outline.open(section, own.len() + outline.between().len() + added.len()));
            out.extend([own, outline.between(), &added, outline.close()].concat());
        }
        [out, outline.tail].concat()
    };
    assert_eq!(parse(&merged(Form::Json)), wanted);
    // The order of entries is that of the document, so the sizes are compared, and what was added.
    let (whole, added) = (to_protobuf(&wanted), merged(Form::Protobuf));
    assert_eq!(whole.len(), added.len());
    assert!(documents.v2_protobuf().len() < added.len());
    assert!(documents.v2_outline(Form::Json).names.contains("/version/"));
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
    let document = parse(&documents.v2());
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
