//! Defaults and conversions of kinds that have several versions, compared with Kubernetes: each case holds an object,
//! what it is with its defaults, and what becomes of it without them in every version of every group that has the kind.

mod fixture;

use fixture::{Difference, read};
use rhumb_meta::GroupVersion;
use rhumb_scheme::{Object, Scheme, ToInternal, Unstructured};
use serde_json::{Value as Json, json};

fn check(file: &str) {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let mut wrong = Vec::new();
    for case in read(&format!("versions/{file}")) {
        let given = Unstructured::new(case["given"].clone()).expect("an object");
        let mut object = scheme.typed(&given).expect("a known kind");
        for (version, want) in case["convert"].as_object().into_iter().flatten() {
            let (group, version) = version.split_once('/').expect("a group and a version");
            let target = GroupVersion::new(group.to_owned(), version.to_owned());
            let got = through_hub(&scheme, &*object, &target).unwrap_or_else(Json::String);
            wrong.extend(Difference::between(&case["name"], &format!("to {target}"), got, want));
        }
        scheme.default(&mut *object);
        let mut got = Unstructured::from_object(&*object).into_tree();
        without_empty_time(&mut got);
        wrong.extend(Difference::between(&case["name"], "default", got, &case["default"]));
    }
    Difference::report(&wrong);
}

fn through_hub(scheme: &Scheme, object: &dyn Object, target: &GroupVersion) -> Result<Json, String> {
    let hub = scheme.convert_to_version(object, &ToInternal).map_err(|error| error.to_string())?;
    let converted = scheme.move_to_version(hub, target).map_err(|error| error.to_string())?;
    let mut tree = Unstructured::from_object(&*converted).into_tree();
    without_empty_time(&mut tree);
    Ok(tree)
}

/// Retired kinds show the time of their creation even if there is none; that is tested with the golden bytes.
fn without_empty_time(tree: &mut Json) {
    if let Some(metadata) = tree["metadata"].as_object_mut()
        && metadata.get("creationTimestamp").is_some_and(Json::is_null)
    {
        metadata.remove("creationTimestamp");
    }
}

#[test]
fn ingresses() {
    check("ingresses.json");
}

#[test]
fn ingress_classes() {
    check("ingress_classes.json");
}

#[test]
fn network_policies() {
    check("network_policies.json");
}

#[test]
fn endpoint_slices() {
    check("endpoint_slices.json");
    check("endpoint_slices_v1alpha1.json");
}

#[test]
fn runtime_classes() {
    check("runtime_classes.json");
}

#[test]
fn leases() {
    check("leases.json");
}

#[test]
fn priority_classes() {
    check("priority_classes.json");
    check("priority_classes_v1alpha1.json");
}

/// No Kubernetes has both v1alpha1 and v1, so what follows from the rules for v1beta1 is written down here.
#[test]
fn endpoint_slices_of_v1alpha1_lose_their_hints() {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let slice = |version: &str, endpoint: Json| {
        json!({
            "apiVersion": format!("discovery.k8s.io/{version}"), "kind": "EndpointSlice",
            "metadata": {"name": "a"}, "addressType": "IPv4", "endpoints": [endpoint], "ports": null,
        })
    };
    let v1 = json!({
        "addresses": ["10.0.0.1"], "conditions": {}, "nodeName": "n", "zone": "z",
        "hints": {"forZones": [{"name": "z"}]},
    });
    let alpha = json!({
        "addresses": ["10.0.0.1"], "conditions": {}, "nodeName": "n",
        "topology": {"kubernetes.io/hostname": "n", "topology.kubernetes.io/zone": "z"},
    });
    let given = Unstructured::new(slice("v1", v1.clone())).expect("an object");
    let object = scheme.typed(&given).expect("a known kind");
    let target = GroupVersion::new("discovery.k8s.io", "v1alpha1");
    let converted = through_hub(&scheme, &*object, &target).expect("a conversion");
    assert_eq!(converted["endpoints"][0], alpha);
    let object = scheme.typed(&Unstructured::new(converted).expect("an object")).expect("a known kind");
    let back = through_hub(&scheme, &*object, &GroupVersion::new("discovery.k8s.io", "v1"));
    let mut without_hints = v1;
    without_hints.as_object_mut().expect("an endpoint").remove("hints");
    assert_eq!(back.expect("a conversion")["endpoints"][0], without_hints);
}
