//! Conversion between versions, compared with Kubernetes: each case holds an object and what became of it in every
//! version of its group after passing the hub, or the error.

mod fixture;

use fixture::{Difference, read};
use rhumb_meta::GroupVersion;
use rhumb_scheme::{ConversionKind, Object, Scheme, ToInternal, Unstructured};
use serde_json::{Value as Json, json};

fn check(file: &str) {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let mut wrong = Vec::new();
    for case in read(&format!("conversion/{file}")) {
        let given = Unstructured::new(case["given"].clone()).expect("an object");
        let object = scheme.typed(&given).expect("a known kind");
        let group = object.gvk().group.into_owned();
        for (version, want) in case["expect"].as_object().into_iter().flatten() {
            let target = target_of(&group, version);
            let got = through_hub(&scheme, &*object, &target).unwrap_or_else(Json::String);
            wrong.extend(Difference::between(&case["name"], &format!("to {version}"), got, want));
            // Without a stop at the hub it is the same, unless there is nothing to do at all; to another group there
            // is no other way.
            if target.group == group && object.gvk().version != *version {
                let direct = scheme.convert_to_version(&*object, &target).expect("a direct way");
                let got = Unstructured::from_object(&*direct).into_tree();
                wrong.extend(Difference::between(
                    &case["name"],
                    &format!("straight to {version}"),
                    got,
                    want,
                ));
            }
        }
        for (version, want) in case["errors"].as_object().into_iter().flatten() {
            let target = target_of(&group, version);
            let got = through_hub(&scheme, &*object, &target).unwrap_or_else(Json::String);
            wrong.extend(Difference::between(&case["name"], &format!("to {version}"), got, want));
        }
    }
    Difference::report(&wrong);
}

/// A version of the object's own group, or of another if it names one: kinds move.
fn target_of(group: &str, version: &str) -> GroupVersion {
    let (group, version) = version.split_once('/').unwrap_or((group, version));
    GroupVersion::new(group.to_owned(), version.to_owned())
}

fn through_hub(scheme: &Scheme, object: &dyn Object, target: &GroupVersion) -> Result<Json, String> {
    let hub = scheme.convert_to_version(object, &ToInternal).map_err(|error| error.to_string())?;
    let converted = scheme.move_to_version(hub, target).map_err(|error| error.to_string())?;
    Ok(Unstructured::from_object(&*converted).into_tree())
}

#[test]
fn apiextensions() {
    check("apiextensions.json");
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
fn events() {
    check("events.json");
}

#[test]
fn events_of_either_group_become_those_of_the_other() {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let mut wrong = Vec::new();
    for case in read("conversion/events_across_groups.json") {
        let given = Unstructured::new(case["given"].clone()).expect("an object");
        let object = scheme.typed(&given).expect("a known kind");
        let target = GroupVersion::parse(case["to"].as_str().expect("a version")).expect("a version");
        let got = through_hub(&scheme, &*object, &target).unwrap_or_else(Json::String);
        wrong.extend(Difference::between(&case["name"], "", got, &case["expect"]));
    }
    Difference::report(&wrong);
}

#[test]
fn admissionregistration() {
    check("admissionregistration.json");
}

#[test]
fn apiregistration() {
    check("apiregistration.json");
}

#[test]
fn authentication() {
    check("authentication.json");
}

#[test]
fn authorization() {
    check("authorization.json");
}

#[test]
fn certificates() {
    check("certificates.json");
}

#[test]
fn rbac() {
    check("rbac.json");
}

/// Kubernetes lost the name of the container on the way to v2beta1 and back. We don't.
#[test]
fn autoscaling_v2beta1_keeps_the_container_of_a_metric() {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let source = json!({"name": "cpu", "container": "main", "targetAverageUtilization": 50});
    let beta = json!({
        "apiVersion": "autoscaling/v2beta1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"},
        "spec": {
            "scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 3,
            "metrics": [{"type": "ContainerResource", "containerResource": source}],
        },
    });
    let object = scheme.typed(&Unstructured::new(beta).expect("an object")).expect("a known kind");
    let group = "autoscaling";
    let back = through_hub(&scheme, &*object, &GroupVersion::new(group, "v2beta1")).expect("a conversion");
    assert_eq!(back["spec"]["metrics"][0]["containerResource"], source);
    let v2 = through_hub(&scheme, &*object, &GroupVersion::new(group, "v2")).expect("a conversion");
    assert_eq!(v2["spec"]["metrics"][0]["containerResource"]["container"], "main");
}

/// What v2beta1 has no field for stands in an annotation, in the form that v1 has it in too.
#[test]
fn autoscaling_v2beta1_keeps_the_behavior_in_an_annotation() {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let v2 = json!({
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"},
        "spec": {
            "scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 3,
            "behavior": {"scaleDown": {"selectPolicy": "Min", "tolerance": "0.1"}},
        },
        "status": {"desiredReplicas": 0, "currentMetrics": null},
    });
    let object = scheme.typed(&Unstructured::new(v2.clone()).expect("an object")).expect("a known kind");
    let group = "autoscaling";
    let beta = through_hub(&scheme, &*object, &GroupVersion::new(group, "v2beta1")).expect("a conversion");
    let annotation = &beta["metadata"]["annotations"]["autoscaling.alpha.kubernetes.io/behavior"];
    let kept = concat!(
        r#"{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Min","#,
        r#""Policies":null,"Tolerance":"100m"}}"#
    );
    assert_eq!(annotation, kept);
    let object = scheme.typed(&Unstructured::new(beta).expect("an object")).expect("a known kind");
    let back = through_hub(&scheme, &*object, &GroupVersion::new(group, "v2")).expect("a conversion");
    assert_eq!(back["spec"]["behavior"], json!({"scaleDown": {"selectPolicy": "Min", "tolerance": "100m"}}));
}

#[test]
fn resource() {
    check("resource.json");
}

#[test]
fn storage() {
    check("storage.json");
}

/// No Kubernetes of today speaks v1alpha1, so what the last one that did gave is written down here.
#[test]
fn flowcontrol_v1alpha1_has_lending_and_exempt_levels_as_in_its_last_release() {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let v1 = json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration",
        "metadata": {"name": "p"},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 7, "lendablePercent": 20, "limitResponse": {"type": "Reject"},
        }},
        "status": {},
    });
    let object = scheme.typed(&Unstructured::new(v1).expect("an object")).expect("a known kind");
    let group = "flowcontrol.apiserver.k8s.io";
    let alpha = through_hub(&scheme, &*object, &GroupVersion::new(group, "v1alpha1")).expect("a conversion");
    assert_eq!(
        alpha["spec"]["limited"],
        json!({"assuredConcurrencyShares": 7, "lendablePercent": 20, "limitResponse": {"type": "Reject"}})
    );
    let object = scheme.typed(&Unstructured::new(alpha).expect("an object")).expect("a known kind");
    let back = through_hub(&scheme, &*object, &GroupVersion::new(group, "v1")).expect("a conversion");
    assert_eq!(
        back["spec"]["limited"],
        json!({"nominalConcurrencyShares": 7, "lendablePercent": 20, "limitResponse": {"type": "Reject"}})
    );
}

#[test]
fn every_kind_reaches_its_hub() {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let options =
        ["ListOptions", "GetOptions", "DeleteOptions", "CreateOptions", "UpdateOptions", "PatchOptions"];
    for known in scheme.all_known_types() {
        let gvk = known.gvk;
        let of_a_group =
            ["apps", "autoscaling", "batch", "extensions", "flowcontrol.apiserver.k8s.io", "policy"]
                .contains(&gvk.group.as_ref());
        if of_a_group && !options.contains(&gvk.kind.as_ref()) {
            assert_ne!(scheme.conversion_kind(gvk), ConversionKind::None, "{gvk}");
        }
    }
}
