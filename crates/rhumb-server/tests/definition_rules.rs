//! Rules in CEL of custom resource definitions, as far as recorded requests don't show them: what they cost, what they
//! do to other requests, and what happens with objects that are older than the rules.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::inside::definitions::{DEFINITIONS, GEARS, define, definition, until};
use crate::inside::{Inside, Said};

const MERGE: &str = "application/merge-patch+json";

fn gears(spec: &Json) -> Json {
    definition("gears", "Gear", &json!({"type": "object", "properties": {"spec": spec}}))
}

fn gear(name: &str, spec: &Json) -> Json {
    json!({"apiVersion": "machines.example.com/v1", "kind": "Gear", "metadata": {"name": name}, "spec": spec})
}

fn warning(said: &Said) -> Option<&str> {
    said.headers.get("warning")?.to_str().ok()
}

fn message(said: &Said) -> &str {
    said.json["message"].as_str().unwrap_or_default()
}

/// Changes the schema of the spec and waits until that counts: `probe` is refused then.
async fn tighten(server: &Inside, spec: &Json, probe: &Json) {
    let path = format!("{DEFINITIONS}/gears.machines.example.com");
    let place = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    let patch = json!([{"op": "replace", "path": place, "value": spec}]);
    let changed = server.patch(&path, "application/json-patch+json", patch).await;
    assert_eq!(changed.code, 200, "{changed:?}");
    for _ in 0..500 {
        if server.post(&format!("{GEARS}?dryRun=All"), gear("probe", probe)).await.code == 422 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the new rules don't count");
}

#[tokio::test]
async fn objects_from_before_a_rule_may_stay_as_they_are_and_their_owner_is_warned() {
    let server = Inside::start().await;
    let fields = json!({"teeth": {"type": "integer"}, "color": {"type": "string"}});
    define(&server, gears(&json!({"type": "object", "properties": fields}))).await;
    assert_eq!(server.post(GEARS, gear("old", &json!({"teeth": 1, "color": "red"}))).await.code, 201);
    let mut stricter = fields.clone();
    stricter["teeth"]["x-kubernetes-validations"] = json!([{"rule": "self > 2", "message": "too few teeth"}]);
    tighten(&server, &json!({"type": "object", "properties": stricter}), &json!({"teeth": 1})).await;

    let path = format!("{GEARS}/old");
    let recolored = server.patch(&path, MERGE, json!({"spec": {"color": "blue"}})).await;
    assert_eq!(recolored.code, 200, "{recolored:?}");
    assert_eq!(warning(&recolored), Some("299 - \"spec.teeth: Invalid value: 1: too few teeth\""));
    let worse = server.patch(&path, MERGE, json!({"spec": {"teeth": 2}})).await;
    assert_eq!((worse.code, warning(&worse)), (422, None), "{worse:?}");
    assert!(message(&worse).ends_with("spec.teeth: Invalid value: 2: too few teeth"), "{worse:?}");
    assert_eq!(server.patch(&path, MERGE, json!({"spec": {"teeth": 3}})).await.code, 200);
}

#[tokio::test]
async fn a_rule_that_is_stored_is_never_refused_however_much_it_costs_now() {
    let server = Inside::start().await;
    let costly = json!({"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"},
        "x-kubernetes-validations": [{"rule": "self.all(a, self.all(b, a != b || a == b))"}]}}});
    let refused = server.post(DEFINITIONS, gears(&costly)).await;
    assert_eq!(refused.code, 422, "{refused:?}");
    assert!(
        message(&refused).contains("estimated rule cost exceeds budget by factor of more than 100x"),
        "{refused:?}"
    );
    let mut bounded = costly.clone();
    bounded["properties"]["names"]["maxItems"] = json!(20);
    bounded["properties"]["names"]["items"]["maxLength"] = json!(20);
    define(&server, gears(&bounded)).await;
    let made = server.post(GEARS, gear("a", &json!({"names": ["x", "y"]}))).await;
    assert_eq!(made.code, 201, "{made:?}");
}

#[tokio::test]
async fn expensive_objects_are_refused_within_the_budget_while_others_are_answered() {
    let server = Inside::start().await;
    define(&server, gears(&json!({"type": "object"}))).await;
    // Each rule may cost what one may, and all together far more than the rules of one object.
    let rule = |number: usize| json!({"rule": format!("self.all(a, self.all(b, a + b >= -{number}))")});
    let rules: Vec<Json> = (0..10).map(rule).collect();
    let deep = json!({"type": "object", "maxProperties": 200, "additionalProperties": {"type": "array",
        "maxItems": 64, "items": {"type": "integer"}, "x-kubernetes-validations": rules}});
    let wheels = definition("wheels", "Wheel", &json!({"type": "object", "properties": {"spec": deep}}));
    define(&server, wheels).await;
    let numbers: Vec<usize> = (0..64).collect();
    let spec: serde_json::Map<String, Json> =
        (0..200).map(|place| (format!("k{place}"), json!(numbers))).collect();
    let wheel = json!({"apiVersion": "machines.example.com/v1", "kind": "Wheel", "metadata": {"name": "w"},
        "spec": spec});
    let refusal = server.post("/apis/machines.example.com/v1/namespaces/default/wheels", wheel);
    let path = format!("{GEARS}/none");
    let both = async { tokio::join!(refusal, server.get(&path)) };
    let (refused, other) =
        tokio::time::timeout(Duration::from_secs(20), both).await.expect("within the budget");
    assert_eq!(refused.code, 422, "{refused:?}");
    assert!(
        message(&refused)
            .contains("validation failed due to running out of cost budget, no further validation"),
        "{refused:?}"
    );
    assert_eq!(other.code, 404, "{other:?}");
}

#[tokio::test]
async fn hostile_expressions_are_refused_with_a_clear_error() {
    let server = Inside::start().await;
    let nested = |depth: usize| format!("{}self > 1{}", "(".repeat(depth), ")".repeat(depth));
    let negated = |depth: usize| format!("{}(self > 1)", "!".repeat(depth));
    for rule in [
        nested(10_000),
        negated(100_000),
        format!("self > {}", "1 + ".repeat(100_000) + "1"),
        format!("self in [{}1]", "1, ".repeat(300_000)),
        format!("'{}' == 'x'", "a".repeat(1 << 20)),
        "self.map(x, x)".to_owned(),
        "[1].all(x, [1].all(y, ".repeat(300),
        "\u{0}".to_owned(),
    ] {
        let spec = json!({"type": "integer", "x-kubernetes-validations": [{"rule": rule}]});
        let said = server.post(&format!("{DEFINITIONS}?dryRun=All"), gears(&spec)).await;
        let start: String = rule.chars().take(40).collect();
        assert!(matches!(said.code, 201 | 422), "{start}: {}", said.code);
        if said.code == 422 {
            assert!(message(&said).contains("x-kubernetes-validations"), "{start}: {}", message(&said));
        }
    }
    let listed = server.get(DEFINITIONS).await;
    assert_eq!(listed.code, 200, "{listed:?}");
}

#[tokio::test]
async fn rules_of_one_definition_in_many_places_see_each_value() {
    let server = Inside::start().await;
    let port = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "maxLength": 20}, "port": {"type": "integer"}},
        "x-kubernetes-validations": [
            {"rule": "!has(oldSelf.port) || has(self.port)", "message": "a port can't be taken away"},
            {"rule": "!has(self.port) || self.port < 100", "messageExpression": "'a large port of ' + self.name"}]});
    let spec = json!({"type": "object", "properties": {"ports": {"type": "array", "maxItems": 10, "items": port,
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}}});
    define(&server, gears(&spec)).await;
    let two = |first: Json, second: Json| json!({"ports": [first, second]});
    let made =
        server.post(GEARS, gear("a", &two(json!({"name": "x", "port": 1}), json!({"name": "y"})))).await;
    assert_eq!(made.code, 201, "{made:?}");
    let path = format!("{GEARS}/a");
    let turned = two(json!({"name": "y", "port": 7}), json!({"name": "x"}));
    let refused = server.patch(&path, MERGE, json!({"spec": turned})).await;
    let causes = refused.json["details"]["causes"].clone();
    assert_eq!(
        causes,
        json!([{"reason": "FieldValueInvalid", "field": "spec.ports[1]",
            "message": "Invalid value: a port can't be taken away"}])
    );
    let large = two(json!({"name": "y", "port": 700}), json!({"name": "x", "port": 1}));
    let refused = server.patch(&path, MERGE, json!({"spec": large})).await;
    assert!(message(&refused).ends_with("spec.ports[0]: Invalid value: a large port of y"), "{refused:?}");
    until(&server, &path, |said| said.code == 200).await;
}
