//! Defaults, compared with what Kubernetes fills in: each case holds an object as given and as it came back.

mod fixture;

use fixture::{Difference, read};
use rhumb_scheme::{Object, Unstructured};
use serde_json::Value as Json;

fn check(file: &str) {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let mut wrong = Vec::new();
    for case in read(&format!("defaults/{file}")) {
        let given = Unstructured::new(case["given"].clone()).expect("an object");
        let mut object = scheme.typed(&given).expect("a known kind");
        scheme.default(&mut *object);
        wrong.extend(Difference::between(&case["name"], "", tree(&*object), &case["expect"]));
        let once = tree(&*object);
        scheme.default(&mut *object);
        assert_eq!(tree(&*object), once, "{}: defaulting twice changes more", case["name"]);
    }
    Difference::report(&wrong);
}

fn tree(object: &dyn Object) -> Json {
    Unstructured::from_object(object).into_tree()
}

#[test]
fn apps() {
    check("apps.json");
}

#[test]
fn autoscaling() {
    check("autoscaling.json");
}

/// The beta versions, which newer releases don't know.
#[test]
fn autoscaling_beta() {
    check("autoscaling_beta.json");
}

#[test]
fn batch() {
    check("batch.json");
}

#[test]
fn extensions() {
    check("extensions.json");
}

#[test]
fn policy() {
    check("policy.json");
}

#[test]
fn flowcontrol() {
    check("flowcontrol.json");
}

#[test]
fn core() {
    check("core.json");
}

#[test]
fn core_kinds_beside_pods() {
    check("core_kinds.json");
}

#[test]
fn resource() {
    check("resource.json");
}

#[test]
fn storage() {
    check("storage.json");
}

#[test]
fn pull_policy_of_every_form_of_image_name() {
    check("images.json");
}

/// Roles, webhooks, policies, certificates, tokens, API services, audit sinks.
#[test]
fn access() {
    check("access.json");
}
