//! `rhumb scheme graph --server`: the picture of what a running server serves, definitions included.

#[allow(dead_code, reason = "other tests use the rest")]
mod running;

use std::process::Command;

use running::{Rhumb, Scratch};
use serde_json::json;

/// The picture of a group, or what is said instead.
fn graph(kubeconfig: &str, group: &str) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_rhumb"))
        .args(["scheme", "graph", "--server", "--kubeconfig", kubeconfig, "--group", group])
        .output()
        .expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

#[test]
fn the_picture_of_a_server_shows_what_it_serves_and_stores() {
    let scratch = Scratch::new("scheme-of-server");
    let kubeconfig = scratch.path().join("kubeconfig");
    let kubeconfig = kubeconfig.to_str().expect("text").to_owned();
    let chosen = ["--in-memory", "--storage-versions", "horizontalpodautoscalers.autoscaling=v1"];
    let server =
        Rhumb::start(scratch.path(), &[&chosen[..], &["--kubeconfig-out", kubeconfig.as_str()]].concat());
    let version = |name: &str, is_stored: bool| {
        let schema = json!({"openAPIV3Schema": {"type": "object"}});
        json!({"name": name, "served": true, "storage": is_stored, "schema": schema})
    };
    server.client().done(
        "POST",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        &json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "kites.toys.example.com"},
            "spec": {
                "group": "toys.example.com", "scope": "Namespaced",
                "names": {"plural": "kites", "kind": "Kite"},
                "versions": [version("v1", false), version("v1beta1", true)],
            },
        }),
    );
    // Until the definition is served there is no such group; asking takes longer than that.
    let toys = (0..200).find_map(|_| graph(&kubeconfig, "toys.example.com").ok()).expect("it is served");
    assert!(toys.contains(">Kite<") && toys.contains(">v1beta1<"), "{toys}");
    assert_eq!((toys.matches(">stored<").count(), toys.matches(">preferred<").count()), (1, 1));

    let autoscaling = graph(&kubeconfig, "autoscaling").expect("it is built in");
    let stored = autoscaling.find(">stored<").expect("autoscalers are stored");
    // The versions are v2 and v1, and what is stored stands in the second column.
    let before = &autoscaling[..stored];
    let row = &before[before.find(">HorizontalPodAutoscaler<").expect("it has a row")..];
    assert_eq!(row.matches("<circle").count(), 2, "{row}");
    assert!(!autoscaling.contains("v2beta1"), "a version that is off is not in it");

    let unknown = graph(&kubeconfig, "tools").expect_err("there is no such group");
    assert!(unknown.starts_with("error: the server has no group \"tools\". It has: \"\", "), "{unknown}");
}
