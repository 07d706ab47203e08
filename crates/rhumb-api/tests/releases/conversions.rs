//! Defaults and conversions of versions that are gone, as the last release that had them makes them.

use rhumb_meta::GroupVersion;
use rhumb_scheme::{Scheme, Unstructured};
use serde_json::{Value as Json, json};

fn scheme() -> Scheme {
    rhumb_api::scheme().expect("the built-in scheme freezes")
}

/// An object in another version, or why it has no form there.
fn convert(scheme: &Scheme, object: &Json, version: &str) -> Result<Json, String> {
    let object = scheme.typed(&Unstructured::new(object.clone()).expect("an object")).expect("a known kind");
    let version: GroupVersion = version.parse().expect("a version");
    let converted = scheme.move_to_version(object, &version).map_err(|error| error.to_string())?;
    Ok(Unstructured::from_object(&*converted).into_tree())
}

fn with_defaults(object: &Json) -> Json {
    let scheme = scheme();
    let mut object =
        scheme.typed(&Unstructured::new(object.clone()).expect("an object")).expect("a known kind");
    scheme.default(&mut *object);
    Unstructured::from_object(&*object).into_tree()
}

/// Converts there and back, which must give the object again.
fn check(object: &Json, version: &str, expected: &[(&str, Json)]) {
    let scheme = scheme();
    let converted = convert(&scheme, object, version).expect("a conversion");
    for (pointer, want) in expected {
        assert_eq!(converted.pointer(pointer), Some(want), "{pointer} of {converted}");
    }
    let own = object["apiVersion"].as_str().expect("a version");
    assert_eq!(&convert(&scheme, &converted, own).expect("the way back"), object);
}

#[test]
fn capacities_of_v1alpha3_are_plain_quantities() {
    let slice = json!({
        "apiVersion": "resource.k8s.io/v1alpha3", "kind": "ResourceSlice", "metadata": {"name": "s"},
        "spec": {"driver": "d", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}, "nodeName": "n",
            "devices": [{"name": "gpu", "basic": {"capacity": {"memory": "1Gi"}, "attributes": {"a": {"int": 3}}}}]},
    });
    let device = json!({
        "name": "gpu", "capacity": {"memory": {"value": "1Gi"}}, "attributes": {"a": {"int": 3}},
    });
    check(&slice, "resource.k8s.io/v1", &[("/spec/nodeName", json!("n")), ("/spec/devices/0", device)]);
}

#[test]
fn devices_lose_in_v1alpha3_what_came_later() {
    let slice = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
        "spec": {"driver": "d", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}, "allNodes": true,
            "devices": [{"name": "gpu", "bindsToNode": true, "allNodes": true}]},
    });
    let converted = convert(&scheme(), &slice, "resource.k8s.io/v1alpha3").expect("a conversion");
    assert_eq!(converted["spec"]["devices"], json!([{"name": "gpu", "basic": {"allNodes": true}}]));
    assert_eq!(converted["spec"]["allNodes"], json!(true));
}

#[test]
fn requests_of_v1alpha3_are_for_one_class_or_have_alternatives() {
    let claim = |request: Json| {
        json!({
            "apiVersion": "resource.k8s.io/v1alpha3", "kind": "ResourceClaim", "metadata": {"name": "c"},
            "spec": {"devices": {"requests": [request]}}, "status": {},
        })
    };
    let one =
        claim(json!({"name": "r", "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2}));
    let exactly = json!({"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2});
    check(&one, "resource.k8s.io/v1", &[("/spec/devices/requests/0/exactly", exactly)]);
    let default = with_defaults(&claim(json!({"name": "r", "deviceClassName": "gpu"})));
    let request = &default["spec"]["devices"]["requests"][0];
    assert_eq!((&request["allocationMode"], &request["count"]), (&json!("ExactCount"), &json!(1)));
}

#[test]
fn claims_on_classes_wait_for_a_pod() {
    for version in ["resource.k8s.io/v1alpha2", "resource.k8s.io/v1alpha1"] {
        let claim = json!({
            "apiVersion": version, "kind": "ResourceClaim", "metadata": {"name": "c"},
            "spec": {"resourceClassName": "r"},
        });
        assert_eq!(with_defaults(&claim)["spec"]["allocationMode"], "WaitForFirstConsumer", "{version}");
        let template = json!({
            "apiVersion": version, "kind": "ResourceClaimTemplate", "metadata": {"name": "t"},
            "spec": {"spec": {"resourceClassName": "r", "allocationMode": "Immediate"}},
        });
        assert_eq!(with_defaults(&template)["spec"]["spec"]["allocationMode"], "Immediate", "{version}");
    }
}

#[test]
fn classes_and_contexts_convert_among_the_versions_that_have_them() {
    let class = json!({
        "apiVersion": "resource.k8s.io/v1alpha1", "kind": "ResourceClass", "metadata": {"name": "c"},
        "driverName": "d", "parametersRef": {"kind": "ConfigMap", "name": "m", "namespace": "n"},
    });
    check(&class, "resource.k8s.io/v1alpha2", &[("/driverName", json!("d"))]);
    let context = json!({
        "apiVersion": "resource.k8s.io/v1alpha2", "kind": "PodSchedulingContext", "metadata": {"name": "p"},
        "spec": {"selectedNode": "a", "potentialNodes": ["a", "b"]},
        "status": {"resourceClaims": [{"name": "c", "unsuitableNodes": ["b"]}]},
    });
    let claims = json!([{"name": "c", "unsuitableNodes": ["b"]}]);
    check(&context, "resource.k8s.io/v1alpha3", &[("/status/resourceClaims", claims)]);
}

#[test]
fn groups_of_the_first_workload_become_templates() {
    let workload = json!({
        "apiVersion": "scheduling.k8s.io/v1alpha1", "kind": "Workload", "metadata": {"name": "w"},
        "spec": {"controllerRef": {"apiGroup": "batch", "kind": "Job", "name": "j"},
            "podGroups": [{"name": "g", "policy": {"gang": {"minCount": 3}}}, {"name": "h", "policy": {"basic": {}}}]},
    });
    check(
        &workload,
        "scheduling.k8s.io/v1alpha2",
        &[
            ("/spec/controllerRef/kind", json!("Job")),
            ("/spec/podGroupTemplates/0/schedulingPolicy", json!({"gang": {"minCount": 3}})),
            ("/spec/podGroupTemplates/1/name", json!("h")),
        ],
    );
}

#[test]
fn the_first_requests_for_pods_know_no_pkcs10() {
    let request = json!({
        "apiVersion": "certificates.k8s.io/v1alpha1", "kind": "PodCertificateRequest", "metadata": {"name": "r"},
        "spec": {"signerName": "example.com/s", "podName": "p", "podUID": "1", "serviceAccountName": "a",
            "serviceAccountUID": "2", "nodeName": "n", "nodeUID": "3", "pkixPublicKey": "AQI=",
            "proofOfPossession": "AwQ="},
        "status": {"certificateChain": "chain"},
    });
    check(
        &request,
        "certificates.k8s.io/v1beta1",
        &[("/spec/pkixPublicKey", json!("AQI=")), ("/status/certificateChain", json!("chain"))],
    );
    assert_eq!(with_defaults(&request)["spec"]["maxExpirationSeconds"], 86400);
}

#[test]
fn a_candidate_with_one_strategy_converts_and_one_with_several_is_refused() {
    let candidate = |strategies: Json| {
        json!({
            "apiVersion": "coordination.k8s.io/v1alpha1", "kind": "LeaseCandidate", "metadata": {"name": "c"},
            "spec": {"leaseName": "l", "binaryVersion": "1.31.0", "preferredStrategies": strategies},
        })
    };
    let oldest = json!(["OldestEmulationVersion"]);
    check(
        &candidate(oldest),
        "coordination.k8s.io/v1beta1",
        &[("/spec/strategy", json!("OldestEmulationVersion"))],
    );
    let refused = convert(&scheme(), &candidate(json!(["a", "b"])), "coordination.k8s.io/v1beta1");
    assert_eq!(
        refused.expect_err("no room for two"),
        "a LeaseCandidate of coordination.k8s.io/v1alpha1 can be converted if it has one preferred strategy at most"
    );
}
