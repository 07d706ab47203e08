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
            let target = GroupVersion::new(group.clone(), version.clone());
            let got = through_hub(&scheme, &*object, &target).unwrap_or_else(Json::String);
            wrong.extend(Difference::between(&case["name"], &format!("to {version}"), got, want));
            // Without a stop at the hub it is the same, unless there is nothing to do at all.
            if object.gvk().version != *version {
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
            let target = GroupVersion::new(group.clone(), version.clone());
            let got = through_hub(&scheme, &*object, &target).unwrap_or_else(Json::String);
            wrong.extend(Difference::between(&case["name"], &format!("to {version}"), got, want));
        }
    }
    Difference::report(&wrong);
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

#[test]
fn flowcontrol() {
    check("flowcontrol.json");
}

#[test]
fn core() {
    check("core.json");
}

/// No Kubernetes of today speaks v1alpha1, so what it gave is written down here.
#[test]
fn flowcontrol_v1alpha1_loses_what_it_has_no_field_for() {
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
        json!({"assuredConcurrencyShares": 7, "limitResponse": {"type": "Reject"}})
    );
    let object = scheme.typed(&Unstructured::new(alpha).expect("an object")).expect("a known kind");
    let back = through_hub(&scheme, &*object, &GroupVersion::new(group, "v1")).expect("a conversion");
    assert_eq!(
        back["spec"]["limited"],
        json!({"nominalConcurrencyShares": 7, "limitResponse": {"type": "Reject"}})
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
            ["apps", "autoscaling", "flowcontrol.apiserver.k8s.io"].contains(&gvk.group.as_ref());
        if of_a_group && !options.contains(&gvk.kind.as_ref()) {
            assert_ne!(scheme.conversion_kind(gvk), ConversionKind::None, "{gvk}");
        }
    }
}
