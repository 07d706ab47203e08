//! A definition that `rhumb gen crd` wrote is accepted as it is, and does what the markers say.

use crate::inside::Inside;
use crate::inside::definitions::{DEFINITIONS, condition, define};
use serde_json::{Value as Json, json};

/// The definition that the tests of the generator hold its output against.
const BERTHS: &str = include_str!("../../rhumb-codegen/tests/data/harbor.example.com_berths.json");
const PATH: &str = "/apis/harbor.example.com/v1/namespaces/default/berths";

fn berth(name: &str, spec: Json) -> Json {
    json!({"apiVersion": "harbor.example.com/v1", "kind": "Berth", "metadata": {"name": name}, "spec": spec})
}

/// The least that a berth must say, and more.
fn spec(more: Json) -> Json {
    let mut spec = json!({"quay": "north", "length": 120});
    if let (Json::Object(spec), Json::Object(more)) = (&mut spec, more) {
        spec.extend(more);
    }
    spec
}

async fn start() -> Inside {
    let server = Inside::start().await;
    define(&server, serde_json::from_str(BERTHS).expect("JSON")).await;
    server
}

#[tokio::test]
async fn it_is_established_and_its_schema_is_structural() {
    let server = start().await;
    let path = format!("{DEFINITIONS}/berths.harbor.example.com");
    let said = server.get(&path).await.json;
    assert_eq!(condition(&said, "Established"), "True");
    assert_eq!(condition(&said, "NamesAccepted"), "True");
    assert_eq!(condition(&said, "NonStructuralSchema"), "", "{said}");
    assert_eq!(said["metadata"]["annotations"]["example.com/owner"], "harbor, master");
    let discovery = server.get("/apis/harbor.example.com/v1").await.json;
    let names: Vec<&str> = discovery["resources"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|resource| resource["name"].as_str())
        .collect();
    assert_eq!(names, ["berths", "berths/status", "berths/scale"]);
    assert_eq!(server.get("/apis/harbor.example.com/v1alpha1").await.code, 404, "it is not served");
}

#[tokio::test]
async fn defaults_are_filled_in_and_unknown_fields_go() {
    let server = start().await;
    let more = json!({
        "unheard": 1, "notes": {"any": ["thing"]}, "opens": null, "channel": "ch12", "load": 7,
        "template": {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}},
        "parts": [{"quay": "south"}],
        "moorings": [{"number": 1, "load": "2Gi"}],
    });
    let made = server.post(PATH, berth("a", spec(more))).await;
    assert_eq!(made.code, 201, "{made:?}");
    let spec = &made.json["spec"];
    assert_eq!(spec["cranes"], 1);
    assert_eq!(spec["purpose"], "Cargo");
    assert_eq!(spec["questions"], json!([{"question": "Who?", "answers": ["me", "you"]}]));
    assert_eq!(spec["unheard"], Json::Null);
    assert_eq!(spec["notes"], json!({"any": ["thing"]}));
    assert_eq!(spec["template"]["data"], json!({"a": "b"}));
    assert_eq!(spec["parts"], json!([{"quay": "south"}]));
    let scale = server.get(&format!("{PATH}/a/scale")).await;
    assert_eq!((scale.code, &scale.json["spec"]["replicas"]), (200, &json!(1)), "{scale:?}");
    let selected = server.get(&format!("{PATH}?fieldSelector=spec.quay%3Dnorth")).await.json;
    assert_eq!(selected["items"].as_array().map(Vec::len), Some(1), "{selected}");
    let table = server.get_as(PATH, "application/json;as=Table;v=v1;g=meta.k8s.io").await.json;
    let columns: Vec<&str> = table["columnDefinitions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|column| column["name"].as_str())
        .collect();
    assert_eq!(columns, ["Name", "Length", "Age"]);
}

#[tokio::test]
async fn what_markers_forbid_is_refused() {
    let server = start().await;
    for (more, field) in [
        (json!({"quay": "North"}), "spec.quay"),
        (json!({"quay": ""}), "spec.quay"),
        (json!({"length": 0}), "spec.length"),
        (json!({"length": 401}), "spec.length"),
        (json!({"depth": 0.5}), "spec.depth"),
        (json!({"depth": 1.25}), "spec.depth"),
        (json!({"purpose": "Fun"}), "spec.purpose"),
        (json!({"goods": ["Grain", "Grain"]}), "spec.goods[1]"),
        (json!({"goods": ["Gold"]}), "spec.goods[0]"),
        (json!({"moorings": []}), "spec.moorings"),
        (json!({"moorings": [{"number": 1, "load": "1"}, {"number": 1, "load": "1"}]}), "spec.moorings[1]"),
        (json!({"moorings": [{"number": 1}]}), "spec.moorings[0].load"),
        (json!({"names": {"a": "", "b": "", "c": "", "d": "", "e": ""}}), "spec.names"),
        (json!({"load": "heavy"}), "spec.load"),
        (json!({"tender": {"name": "x"}}), "spec.tender.name"),
        (json!({"pilot": "Nobody"}), "spec.pilot"),
        (json!({"template": {"data": {}}}), "spec.template"),
    ] {
        let refused = server.post(PATH, berth("b", spec(more.clone()))).await;
        let causes = refused.json["details"]["causes"].as_array().cloned().unwrap_or_default();
        let found = causes.iter().any(|cause| {
            cause["field"].as_str().is_some_and(|at| at == field || at.starts_with(&format!("{field}.")))
        });
        assert!(refused.code == 422 && found, "{more}: {refused:?}");
    }
}

#[tokio::test]
async fn what_rules_forbid_is_refused() {
    let server = start().await;
    for (name, more, field, message) in [
        ("void", json!({}), "<nil>", "Invalid value: a berth has a name"),
        ("b", json!({"quay": "pilot"}), "spec.quay", "Invalid value: a quay can't steer"),
        (
            "b",
            json!({"tender": {"kind": "Tug", "name": "tt"}, "pilot": "Ship"}),
            "spec",
            "Invalid value: at most one of the fields in [tender pilot] may be set",
        ),
    ] {
        let refused = server.post(PATH, berth(name, spec(more.clone()))).await;
        let cause = &refused.json["details"]["causes"][0];
        assert_eq!(
            (refused.code, &cause["field"], &cause["message"]),
            (422, &json!(field), &json!(message)),
            "{more}"
        );
    }
    assert_eq!(server.post(PATH, berth("b", spec(json!({})))).await.code, 201);
    let merge = "application/merge-patch+json";
    let shorter = server.patch(&format!("{PATH}/b"), merge, json!({"spec": {"length": 1}})).await;
    assert_eq!(shorter.code, 422, "{shorter:?}");
    assert_eq!(shorter.json["details"]["causes"][0]["message"], "Forbidden: shrinks");
    let longer = server.patch(&format!("{PATH}/b"), merge, json!({"spec": {"length": 121}})).await;
    assert_eq!(longer.code, 200, "{longer:?}");
}
