//! The OpenAPI models made from field tables are those that kube-apiserver publishes.

#[path = "../../../testdata/kubernetes/read.rs"]
mod kubernetes;

use rhumb_meta::GroupVersion;
use rhumb_scheme::openapi::{Dialect, models};
use serde_json::{Value, json};

/// Without descriptions, which are in our own words, and in version 2 without the kinds of what every version has,
/// which name every group that a server has.
fn comparable(mut model: Value, dialect: Dialect, name: &str) -> Value {
    strip(&mut model);
    if dialect == Dialect::V2 && (name.ends_with("Options") || name.ends_with("WatchEvent")) {
        model.as_object_mut().map(|map| map.remove("x-kubernetes-group-version-kind"));
    }
    model
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            // A property may be called "description" too; that one is an object.
            if map.get("description").is_some_and(Value::is_string) {
                map.remove("description");
            }
            // Which field of a union another one chooses is not in the tables; `granular` is what maps are anyway.
            map.remove("x-kubernetes-unions");
            if map.get("x-kubernetes-map-type") == Some(&json!("granular")) {
                map.remove("x-kubernetes-map-type");
            }
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

fn compare(gv: &GroupVersion, dialect: Dialect, published: &Value) -> usize {
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let mut compared = 0;
    let mut differences = Vec::new();
    for (name, model) in models(&scheme, gv, dialect) {
        let Some(theirs) = published.get(&name) else { continue };
        compared += 1;
        let (ours, theirs) = (comparable(model, dialect, &name), comparable(theirs.clone(), dialect, &name));
        if ours != theirs {
            differences.push(format!("{name}\n  ours   {ours}\n  theirs {theirs}"));
        }
    }
    assert!(
        differences.is_empty(),
        "{gv} {dialect:?}: {} differ:\n{}",
        differences.len(),
        differences.join("\n")
    );
    compared
}

#[test]
fn models_equal_those_that_kubernetes_publishes() {
    let published = kubernetes::document("openapi");
    for (name, group, version, at_least) in [
        ("api__v1", "", "v1", 150),
        ("apis__apps__v1", "apps", "v1", 150),
        ("apis__autoscaling__v1", "autoscaling", "v1", 10),
        ("apis__autoscaling__v2", "autoscaling", "v2", 30),
        ("apis__flowcontrol.apiserver.k8s.io__v1", "flowcontrol.apiserver.k8s.io", "v1", 25),
    ] {
        let gv = GroupVersion::new(group, version);
        let compared = compare(&gv, Dialect::V3, &published[name]["components"]["schemas"]);
        assert!(compared >= at_least, "{name}: only {compared} models in common");
        let compared = compare(&gv, Dialect::V2, &published["swagger"]["definitions"]);
        assert!(compared >= at_least, "{name}, version 2: only {compared} models in common");
    }
}

/// Kubernetes wraps a reference only where something stands beside it. Our fields all have descriptions, some of
/// Kubernetes' schema fields don't, so for these references count as equal wrapped or not.
#[test]
fn models_of_definitions_equal_those_that_kubernetes_publishes() {
    let published = kubernetes::document("openapi");
    let document = &published["apis__apiextensions.k8s.io__v1"];
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let gv = GroupVersion::new_static("apiextensions.k8s.io", "v1");
    let mut compared = 0;
    for (name, model) in models(&scheme, &gv, Dialect::V3) {
        let Some(theirs) = document["components"]["schemas"].get(&name) else { continue };
        let both = [model, theirs.clone()].map(|model| {
            let mut model = comparable(model, Dialect::V3, &name);
            unwrap_references(&mut model);
            model
        });
        assert_eq!(both[0], both[1], "{name}");
        compared += 1;
    }
    assert!(compared >= 25, "only {compared} models in common");
}

fn unwrap_references(value: &mut Value) {
    if let Some([only]) = value.get("allOf").and_then(Value::as_array).map(Vec::as_slice)
        && value.as_object().is_some_and(|map| map.len() == 1)
    {
        *value = only.clone();
    }
    match value {
        Value::Object(map) => map.values_mut().for_each(unwrap_references),
        Value::Array(items) => items.iter_mut().for_each(unwrap_references),
        _ => {}
    }
}

#[test]
fn a_shared_type_is_named_after_the_version_it_is_asked_for_in() {
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let models = models(&scheme, &GroupVersion::new_static("apps", "v1beta2"), Dialect::V3);
    let deployment = &models["io.k8s.api.apps.v1beta2.Deployment"];
    assert_eq!(
        deployment["properties"]["spec"]["allOf"][0]["$ref"],
        json!("#/components/schemas/io.k8s.api.apps.v1beta2.DeploymentSpec")
    );
    assert_eq!(
        deployment["x-kubernetes-group-version-kind"],
        json!([{ "group": "apps", "kind": "Deployment", "version": "v1beta2" }])
    );
    assert!(models.keys().all(|name| !name.contains("apps.v1.")), "{:?}", models.keys());
}
