//! Rules of pods that the corpus can't show: those that look at what an older server let pass, those that need more
//! than one change, and that no pod makes a rule panic.

use std::sync::Arc;

use rhumb_codec::Codecs;
use rhumb_meta::{GroupVersion, Object};
use rhumb_scheme::ToInternal;
use rhumb_scheme::validation::Context;
use serde_json::{Value as Json, json};

static V1: GroupVersion = GroupVersion::new_static("", "v1");

fn codecs() -> Codecs {
    Codecs::new(Arc::new(rhumb_validation::scheme().expect("the scheme")))
}

fn decode(codecs: &Codecs, tree: &Json) -> Option<Box<dyn Object>> {
    Some(codecs.decode_to(tree.to_string().as_bytes(), None, &ToInternal).ok()?.object)
}

fn create(codecs: &Codecs, tree: &Json) -> String {
    let object = decode(codecs, tree).expect("an object");
    rhumb_validation::validate_create(codecs.scheme(), &*object, &Context::new(&V1)).to_string()
}

fn update(codecs: &Codecs, new: &Json, old: &Json, subresource: Option<&str>) -> String {
    let (new, old) = (decode(codecs, new).expect("a new object"), decode(codecs, old).expect("an old one"));
    let context = Context::new(&V1);
    rhumb_validation::validate_update(codecs.scheme(), &*new, &*old, subresource, &context).to_string()
}

fn pod(spec: &Json) -> Json {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "default", "resourceVersion": "1"},
        "spec": {"containers": [{"name": "c", "image": "nginx:1"}]},
    });
    for (key, value) in spec.as_object().expect("a map") {
        pod["spec"][key] = value.clone();
    }
    pod
}

#[test]
fn a_binding_names_a_node() {
    let codecs = codecs();
    let binding = |target: Json| {
        let metadata = json!({"name": "p", "namespace": "default"});
        json!({"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target})
    };
    assert_eq!(create(&codecs, &binding(json!({"kind": "Node", "name": "n"}))), "");
    assert_eq!(create(&codecs, &binding(json!({"name": "n"}))), "");
    assert_eq!(create(&codecs, &binding(json!({}))), "target.name: Required value");
    assert_eq!(
        create(&codecs, &binding(json!({"kind": "Pod", "name": "x"}))),
        r#"target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>""#,
    );
}

#[test]
fn logs_are_asked_for_by_positive_numbers() {
    let codecs = codecs();
    let ask = |options: Json| {
        let mut tree = json!({"apiVersion": "v1", "kind": "PodLogOptions"});
        for (key, value) in options.as_object().expect("a map") {
            tree[key] = value.clone();
        }
        create(&codecs, &tree)
    };
    assert_eq!(ask(json!({"tailLines": 0, "limitBytes": 1, "sinceSeconds": 1})), "");
    assert_eq!(
        ask(json!({"tailLines": -1, "limitBytes": 0, "sinceSeconds": 0})),
        "[tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be \
         greater than 0, sinceSeconds: Invalid value: 0: must be greater than 0]",
    );
    assert_eq!(
        ask(json!({"sinceSeconds": 1, "sinceTime": "2020-01-01T00:00:00Z"})),
        "[]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
    );
    assert_eq!(ask(json!({"stream": "All"})), "stream: Forbidden: may not be specified");
}

#[test]
fn ephemeral_containers_stay_as_they_are() {
    let codecs = codecs();
    let with = |containers: Json| pod(&json!({"ephemeralContainers": containers}));
    let old = with(json!([{"name": "d", "image": "b:1", "command": ["sh"]}]));
    let put = |new: Json| update(&codecs, &with(new), &old, Some("ephemeralcontainers"));
    assert_eq!(
        put(json!([{"name": "d", "image": "b:1", "command": ["sh"]}, {"name": "f", "image": "x"}])),
        ""
    );
    assert_eq!(
        put(json!([{"name": "d", "image": "b:1", "command": ["bash", "-l"]}])),
        "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"d\" may not be changed\n\
         @@ -2,7 +2,8 @@\n  \"Name\": \"d\",\n  \"Image\": \"b:1\",\n  \"Command\": [\n-  \"sh\"\n+  \"bash\",\n\
         +  \"-l\"\n  ],\n  \"Args\": null,\n  \"WorkingDir\": \"\",\n",
    );
    assert_eq!(
        put(json!([{"name": "e", "image": "b:1"}])),
        "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"d\" may not be removed\n",
    );
}

#[test]
fn a_stored_pod_may_go_on_breaking_a_rule_that_came_later() {
    let codecs = codecs();
    let spread = |more: Json| {
        let mut constraint =
            json!({"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"});
        for (key, value) in more.as_object().expect("a map") {
            constraint[key] = value.clone();
        }
        json!({"topologySpreadConstraints": [constraint]})
    };
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let term = |kind: &str, term: Json| json!({"affinity": {kind: {required: term}}});
    let in_dashes = json!([{"key": "a", "operator": "In", "values": ["-"]}]);
    let token = json!({"serviceAccountToken": {"path": "../x", "expirationSeconds": 600}});
    for spec in [
        spread(json!({"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}})),
        term("nodeAffinity", json!({"nodeSelectorTerms": [{"matchExpressions": in_dashes}]})),
        term("podAffinity", json!([{"topologyKey": "z", "labelSelector": {"matchExpressions": in_dashes}}])),
        json!({"hostUsers": false, "hostNetwork": true}),
        json!({"securityContext": {"seLinuxChangePolicy": "MountOption"}}),
        json!({"hostNetwork": true, "securityContext": {"sysctls": [{"name": "net.core.somaxconn", "value": "1"}]}}),
        json!({"tolerations": [{"key": "a", "operator": "Lt", "value": "5"}]}),
        json!({"serviceAccountName": "s", "volumes": [{"name": "v", "projected": {"sources": [token]}}]}),
        json!({"containers": [{"name": "c", "image": "i", "resources": {
            "limits": {"cpu": "1", "hugepages-2Mi": "3Mi"}, "requests": {"cpu": "1", "hugepages-2Mi": "3Mi"},
        }}]}),
    ] {
        let old = pod(&spec);
        assert_ne!(create(&codecs, &old), "", "{spec}");
        let mut new = old.clone();
        new["metadata"]["labels"] = json!({"a": "b"});
        assert_eq!(update(&codecs, &new, &old, None), "", "{spec}");
    }
    let mut old = pod(&json!({}));
    old["metadata"]["annotations"] = json!({"controller.kubernetes.io/pod-deletion-cost": "x"});
    assert_ne!(create(&codecs, &old), "");
    assert_eq!(update(&codecs, &old, &old, None), "");
}

/// Every leaf of pods with many fields is put to something odd in turn.
#[test]
fn no_pod_makes_a_rule_panic() {
    let codecs = codecs();
    let odd = [
        json!(""),
        json!("é\u{0}..//"),
        json!(i64::MIN),
        json!("9999999999999999999999E"),
        json!(i32::MAX),
        json!("*/['']"),
        json!(null),
        json!("-1"),
        json!([{}]),
    ];
    let answers: Json =
        serde_json::from_str(include_str!("cases/core/pod-defaults.answers.json")).expect("JSON");
    let context = Context::new(&V1);
    let mut checked = 0;
    for (number, answer) in answers.as_object().expect("a map").values().enumerate() {
        let served = &answer["object"];
        let Some(old) = decode(&codecs, served) else { continue };
        for (position, leaf) in leaves(served).into_iter().enumerate() {
            let mut changed = served.clone();
            if let Some(place) = changed.pointer_mut(&leaf) {
                *place = odd[(number + position) % odd.len()].clone();
            }
            let Some(new) = decode(&codecs, &changed) else { continue };
            _ = rhumb_validation::validate_create(codecs.scheme(), &*new, &context);
            for subresource in [None, Some("status"), Some("ephemeralcontainers"), Some("resize")] {
                _ = rhumb_validation::validate_update(codecs.scheme(), &*new, &*old, subresource, &context);
                _ = rhumb_validation::validate_update(codecs.scheme(), &*old, &*new, subresource, &context);
            }
            checked += 1;
        }
    }
    assert!(checked > 500, "only {checked} pods could be read");
}

/// The pointers to all values without values of their own.
fn leaves(tree: &Json) -> Vec<String> {
    let children: Vec<(String, &Json)> = match tree {
        Json::Object(map) => map.iter().map(|(key, value)| (key.replace('/', "~1"), value)).collect(),
        Json::Array(list) => list.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        _ => return vec![String::new()],
    };
    let below = |(key, value): (String, &Json)| {
        leaves(value).into_iter().map(|rest| format!("/{key}{rest}")).collect::<Vec<String>>()
    };
    children.into_iter().flat_map(below).collect()
}
