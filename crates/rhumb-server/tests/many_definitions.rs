//! Many definitions of the size that operators bring: all of them are served, none costs more because of the others,
//! and nothing stays of them when they are gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::inside::definitions::{DEFINITIONS, condition, define, definition, until};
use crate::inside::{Inside, eventually};
use rhumb_server::{ApiOptions, Environment};
use rhumb_store::{
    Answer, Embedded, Entry, Key, LeaseId, Options, Outcome, Page, Range, Revision, Store, Transaction, Watch,
};
use serde_json::{Map, Value as Json, json};

/// A store that counts what is read of it and written to it.
pub(crate) struct Counting {
    pub(crate) store: Embedded,
    pub(crate) read: Arc<AtomicUsize>,
    pub(crate) written: Arc<AtomicUsize>,
}

impl Store for Counting {
    fn get(&self, key: Key, at: Option<Revision>) -> Answer<'_, (Option<Entry>, Revision)> {
        self.read.fetch_add(1, Ordering::Relaxed);
        self.store.get(key, at)
    }

    fn range(&self, range: Range) -> Answer<'_, Page> {
        Box::pin(async move {
            let page = self.store.range(range).await?;
            self.read.fetch_add(page.entries.len(), Ordering::Relaxed);
            Ok(page)
        })
    }

    fn count(&self, prefix: Key) -> Answer<'_, usize> {
        self.store.count(prefix)
    }

    fn revision(&self) -> Answer<'_, Revision> {
        self.store.revision()
    }

    fn commit(&self, transaction: Transaction) -> Answer<'_, Outcome> {
        self.written.fetch_add(1, Ordering::Relaxed);
        self.store.commit(transaction)
    }

    fn watch(&self, prefix: Key, from: Revision) -> Answer<'_, Watch> {
        self.store.watch(prefix, from)
    }

    fn compact(&self, before: Revision) -> Answer<'_, ()> {
        self.store.compact(before)
    }

    fn grant(&self, time_to_live: Duration) -> Answer<'_, LeaseId> {
        self.store.grant(time_to_live)
    }

    fn revoke(&self, lease: LeaseId) -> Answer<'_, ()> {
        self.store.revoke(lease)
    }
}

#[tokio::test]
async fn a_definition_costs_the_same_beside_few_and_many() {
    let (read, written) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let store = Embedded::in_memory(Options::default()).unwrap();
    let store = Arc::new(Counting { store, read: Arc::clone(&read), written: Arc::clone(&written) });
    let server = Inside::above(store, ApiOptions::default(), Environment::default()).await;
    let make = async |numbers: std::ops::Range<usize>| {
        for number in numbers {
            let (plural, kind) = (format!("kind{number}s"), format!("Kind{number}"));
            define(&server, definition(&plural, &kind, &json!({"type": "object"}))).await;
        }
    };
    // The first one brings the registration of the group with it. Another group stays as it is.
    make(0..1).await;
    let mut apart = definition("parts", "Part", &json!({"type": "object"}));
    apart["metadata"]["name"] = json!("parts.apart.example.com");
    apart["spec"]["group"] = json!("apart.example.com");
    define(&server, apart).await;
    let registration = "/apis/apiregistration.k8s.io/v1/apiservices/v1.machines.example.com";
    until(&server, registration, |said| said.code == 200).await;
    let (mut costs, mut told) = (Vec::new(), Vec::new());
    for begin in [1, 101, 201] {
        let before = [&read, &written].map(|count| count.load(Ordering::Relaxed));
        make(begin..begin + 10).await;
        let after = [&read, &written].map(|count| count.load(Ordering::Relaxed));
        costs.push([after[0] - before[0], after[1] - before[1]]);
        make(begin + 10..begin + 99).await;
        ask_for_all(&server).await;
        let before = server.api.made_of_definitions();
        ask_for_all(&server).await;
        assert_eq!(server.api.made_of_definitions(), before, "nothing has changed");
        make(begin + 99..begin + 100).await;
        ask_for_all(&server).await;
        let after = server.api.made_of_definitions();
        told.push([after[0] - before[0], after[1] - before[1]]);
    }
    // Each is written once by its client and once by the server, which reads it before it does. Now and then the
    // server does something else.
    let is_same = |cost: &[usize; 2]| (10..15).contains(&cost[0]) && (20..25).contains(&cost[1]);
    assert!(costs.iter().all(is_same), "entries read and transactions, for ten definitions each: {costs:?}");
    // The definition for each of three documents, its group for two of them and for discovery.
    assert_eq!(told, [[3, 3]; 3], "pieces and groups that are made anew for one more definition");
}

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Asks for all that tells of definitions.
async fn ask_for_all(server: &Inside) {
    let v2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    for (path, accept) in [
        ("/openapi/v2", "application/json"),
        ("/openapi/v2", v2),
        ("/openapi/v3", "application/json"),
        ("/openapi/v3/apis/machines.example.com/v1", "application/json"),
        ("/apis", AGGREGATED),
        ("/apis", "application/json"),
    ] {
        let said = server.get_as(path, accept).await;
        assert_eq!(said.code, 200, "{path}: {said:?}");
    }
}

#[tokio::test]
async fn discovery_that_is_kept_says_what_is_made_anew() {
    let server = Inside::start().await;
    let tag = |said: &crate::inside::Said| said.headers["etag"].to_str().unwrap().to_owned();
    let (mut seen, mut tags) = (Vec::new(), Vec::new());
    for step in 0..4 {
        match step {
            1 => define(&server, definition("gears", "Gear", &json!({"type": "object"}))).await,
            2 => {
                let mut first = definition("cogs", "Cog", &json!({"type": "object"}));
                first["metadata"]["name"] = json!("cogs.aaa.example.com");
                first["spec"]["group"] = json!("aaa.example.com");
                define(&server, first).await;
            }
            3 => {
                let said = server.delete(&format!("{DEFINITIONS}/gears.machines.example.com")).await;
                assert_eq!(said.code, 200, "{said:?}");
                eventually(async || {
                    let left = server.get_as("/apis", AGGREGATED).await;
                    (!String::from_utf8_lossy(&left.body).contains("machines.example.com")).then_some(())
                })
                .await;
            }
            _ => {}
        }
        let kept = server.get_as("/apis", AGGREGATED).await;
        // What is indented is never kept.
        let anew = server.get_as("/apis?pretty=true", AGGREGATED).await;
        assert!(kept.json == anew.json && kept.json["items"].as_array().unwrap().len() > 10, "{step}");
        assert_ne!(tag(&kept), tag(&anew), "two texts");
        let known = server
            .ask(
                http::Method::GET,
                "/apis",
                &[("accept", AGGREGATED), ("if-none-match", &tag(&kept))],
                bytes::Bytes::new(),
            )
            .await;
        assert_eq!((known.code, known.body.len()), (304, 0));
        let names = kept.json["items"].as_array().unwrap().iter();
        let names = names.map(|item| item["metadata"]["name"].as_str().unwrap().to_owned());
        seen.push(names.filter(|name| name.ends_with(".example.com")).collect::<Vec<_>>());
        assert!(!tags.contains(&tag(&kept)) || step == 3, "{step}");
        tags.push(tag(&kept));
    }
    let expect: [&[&str]; 4] =
        [&[], &["machines.example.com"], &["aaa.example.com", "machines.example.com"], &["aaa.example.com"]];
    assert_eq!(seen, expect);
}

const GROUPS: usize = 10;
const COUNT: usize = 200;

fn group(number: usize) -> String {
    format!("group{}.large.example.com", number % GROUPS)
}

/// A schema of some 80 KB.
fn large_schema(number: usize) -> Json {
    let described = "What the controller does with the field when the object that it belongs to changes.";
    let field = |place: usize| match place % 5 {
        0 => json!({"type": "string", "description": described, "enum": ["Always", "Never"]}),
        1 => json!({"type": "integer", "format": "int32", "description": described, "minimum": 0}),
        2 => json!({"type": "array", "description": described, "items": {"type": "string"}}),
        3 => json!({"type": "object", "description": described, "additionalProperties": {"type": "string"}}),
        _ => json!({"type": "boolean", "description": described, "default": false}),
    };
    let section = |section: usize| {
        let fields = (0..15).map(|place| (format!("field{place}"), field(number + place)));
        let described = format!("{described} This is section {section}.");
        json!({"type": "object", "description": described, "properties": fields.collect::<Map<_, _>>()})
    };
    let sections: Map<String, Json> = (0..33).map(|at| (format!("section{at}"), section(at))).collect();
    json!({"type": "object", "properties": {"spec": {"type": "object", "properties": sections}}})
}

fn large(number: usize) -> Json {
    let mut large = definition(&format!("kind{number}s"), &format!("Kind{number}"), &large_schema(number));
    large["metadata"]["name"] = json!(format!("kind{number}s.{}", group(number)));
    large["spec"]["group"] = json!(group(number));
    assert!((78_000..90_000).contains(&large.to_string().len()), "{}", large.to_string().len());
    large
}

/// What discovery and the documents tell of custom resources: groups, resources, paths of either document.
async fn told(server: &Inside) -> [usize; 4] {
    let discovery = server.get_as("/apis", AGGREGATED).await;
    let items = discovery.json["items"].as_array().unwrap();
    let groups: Vec<&Json> = items
        .iter()
        .filter(|item| item["metadata"]["name"].as_str().unwrap().ends_with("large.example.com"))
        .collect();
    let resources = groups.iter().map(|group| group["versions"][0]["resources"].as_array().unwrap().len());
    let is_list = |path: &&String| path.contains("{namespace}/kind") && !path.contains("{name}");
    let paths = |document: &Json| document["paths"].as_object().unwrap().keys().filter(is_list).count();
    let v2 = server.get("/openapi/v2").await;
    let index = server.get("/openapi/v3").await;
    let mut v3 = 0;
    for key in index.json["paths"].as_object().unwrap().keys().filter(|key| key.contains(".large.")) {
        v3 += paths(&server.get(&format!("/openapi/v3/{key}")).await.json);
    }
    [groups.len(), resources.sum(), paths(&v2.json), v3]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_definitions_in_numbers_are_all_served_and_gone_after_deletion() {
    let server = Inside::start().await;
    for number in 0..COUNT {
        let made = server.post(DEFINITIONS, large(number)).await;
        assert_eq!(made.code, 201, "{made:?}");
    }
    for number in 0..COUNT {
        let name = format!("kind{number}s.{}", group(number));
        until(&server, &format!("{DEFINITIONS}/{name}"), |said| {
            condition(&said.json, "Established") == "True"
        })
        .await;
        let path = format!("/apis/{}/v1/namespaces/default/kind{number}s", group(number));
        let object = json!({"apiVersion": format!("{}/v1", group(number)), "kind": format!("Kind{number}"),
            "metadata": {"name": "a"}, "spec": {"section7": {"unknown": 1}}});
        let made = server.post(&path, object).await;
        assert_eq!(made.code, 201, "{made:?}");
        let section = made.json["spec"]["section7"].as_object().unwrap();
        assert!(section.len() == 3 && section.values().all(|value| *value == false), "{section:?}");
    }
    assert_eq!(told(&server).await, [GROUPS, COUNT, COUNT, COUNT]);
    let v2 = server.get("/openapi/v2").await;
    let model = &v2.json["definitions"]["com.example.large.group3.v1.Kind13"]["properties"]["spec"];
    assert_eq!(model["properties"].as_object().map(Map::len), Some(33));
    let packed = server
        .ask(http::Method::GET, "/openapi/v2", &[("accept-encoding", "gzip")], bytes::Bytes::new())
        .await;
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&*packed.body), &mut plain).unwrap();
    assert!(plain == v2.body, "the same document, compressed once");

    for number in 0..COUNT {
        let said = server.delete(&format!("{DEFINITIONS}/kind{number}s.{}", group(number))).await;
        assert_eq!(said.code, 200, "{said:?}");
    }
    eventually(async || {
        let left = server.get(DEFINITIONS).await;
        left.json["items"].as_array().is_some_and(Vec::is_empty).then_some(())
    })
    .await;
    // Discovery first: reading the documents takes a while.
    eventually(async || {
        let left = server.get("/apis").await;
        (!String::from_utf8_lossy(&left.body).contains("large.example.com")).then_some(())
    })
    .await;
    assert_eq!(told(&server).await, [0; 4]);
    let path = format!("/apis/{}/v1/namespaces/default/kind3s", group(3));
    assert_eq!(server.get(&path).await.code, 404);
    let registered = "/apis/apiregistration.k8s.io/v1/apiservices";
    eventually(async || {
        let left = server.get(registered).await;
        (!String::from_utf8_lossy(&left.body).contains("large.example.com")).then_some(())
    })
    .await;
}

#[tokio::test]
async fn two_definitions_with_the_same_names_in_documents_are_told_of_once() {
    let server = Inside::start().await;
    let schema = json!({"type": "object"});
    define(&server, definition("ones", "One", &schema)).await;
    define(&server, definition("twos", "Two", &schema)).await;
    // The second one asks for the kind of the first, and keeps the one it has; the documents go by what it asks for.
    let path = format!("{DEFINITIONS}/twos.machines.example.com");
    let renamed = json!({"spec": {"names": {"listKind": "OneList"}}});
    assert_eq!(server.patch(&path, "application/merge-patch+json", renamed).await.code, 200);
    let said = until(&server, &path, |said| condition(&said.json, "NamesAccepted") == "False").await;
    assert_eq!(said.json["status"]["acceptedNames"]["listKind"], "TwoList");
    for document in ["/openapi/v2", "/openapi/v3/apis/machines.example.com/v1"] {
        let said = server.get(document).await;
        let text = String::from_utf8_lossy(&said.body);
        assert_eq!(text.matches("\"com.example.machines.v1.OneList\":").count(), 1, "{document}");
        assert_eq!(text.matches("\"com.example.machines.v1.Two\":").count(), 1, "{document}");
    }
}

#[tokio::test]
async fn a_registration_that_somebody_removes_comes_back_while_it_is_wanted() {
    let server = Inside::start().await;
    define(&server, definition("gears", "Gear", &json!({"type": "object"}))).await;
    let path = "/apis/apiregistration.k8s.io/v1/apiservices/v1.machines.example.com";
    let first = until(&server, path, |said| said.code == 200).await;
    assert_eq!(server.delete(path).await.code, 200);
    let uid = &first.json["metadata"]["uid"];
    until(&server, path, |said| said.code == 200 && said.json["metadata"]["uid"] != *uid).await;
    assert_eq!(server.delete(&format!("{DEFINITIONS}/gears.machines.example.com")).await.code, 200);
    until(&server, path, |said| said.code == 404).await;
}

#[tokio::test]
async fn what_versions_share_is_in_the_documents_of_each() {
    let server = Inside::start().await;
    let with_field = |name: &str| {
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {name: {
        "type": "string"}}}}})
    };
    let version = |name: &str, schema: Json| {
        json!({"name": name, "served": true, "storage": name == "v1", "subresources": {"status": {}},
            "selectableFields": [{"jsonPath": ".spec.same"}], "schema": {"openAPIV3Schema": schema}})
    };
    for (plural, kind, beta) in [("gears", "Gear", "same"), ("cogs", "Cog", "other")] {
        let mut both = definition(plural, kind, &json!({}));
        let mut schema = with_field(beta);
        schema["properties"]["spec"]["properties"]["same"] = json!({"type": "string"});
        both["spec"]["versions"] = json!([version("v1", with_field("same")), version("v1beta1", schema)]);
        // Kubernetes refuses them where versions share them and no schema.
        if beta == "other" {
            both["spec"]["versions"][1].as_object_mut().unwrap().remove("selectableFields");
        }
        define(&server, both).await;
    }
    let v2 = server.get("/openapi/v2").await;
    for (plural, kind, beta) in [("gears", "Gear", "same"), ("cogs", "Cog", "other")] {
        for (version, field) in [("v1", "same"), ("v1beta1", beta)] {
            let v3 = server.get(&format!("/openapi/v3/apis/machines.example.com/{version}")).await;
            let path = format!(
                "/apis/machines.example.com/{version}/namespaces/{{namespace}}/{plural}/{{name}}/status"
            );
            let model = format!("com.example.machines.{version}.{kind}");
            for (paths, models) in [
                (&v2.json["paths"], &v2.json["definitions"]),
                (&v3.json["paths"], &v3.json["components"]["schemas"]),
            ] {
                assert!(paths[&path].is_object(), "{path}");
                let model = &models[&model];
                assert!(model["properties"]["spec"]["properties"][field].is_object(), "{model}");
                let selectable = &model["x-kubernetes-selectable-fields"];
                let is_selectable = (field, version) != ("other", "v1beta1");
                assert_eq!(*selectable == json!([{"fieldPath": "spec.same"}]), is_selectable, "{selectable}");
            }
        }
    }
}
