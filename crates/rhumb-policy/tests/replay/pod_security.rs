//! Pod security, compared with what a real API server said about the same pods.

use std::collections::BTreeMap;

use crate::recorded::{Reader, answers, items, text};
use rhumb_api::core::v1::Pod;
use rhumb_meta::GroupKind;
use rhumb_policy::pod_security::{
    LevelAndVersion, Policy, evaluate, existing_pods, has_pod_spec, is_significant_update,
    must_check_existing, pod_spec, refusal, warning,
};

/// So many answers were recorded at least, so that none are lost unseen.
const FEWEST_ANSWERS: usize = 7000;

fn policy(text: &str) -> LevelAndVersion {
    let (level, version) = text.split_once(':').expect("a level and a version");
    LevelAndVersion { level: level.parse().expect("a level"), version: version.parse().expect("a version") }
}

#[test]
fn pods_are_refused_in_the_words_of_the_real_server() {
    let reader = Reader::new();
    let (mut compared, mut wrong) = (0, Vec::new());
    for answer in answers("pod_security") {
        let pods = answer["pods"].is_null() && !answer["answers"].is_null();
        for said in items(&answer["answers"]).filter(|_| pods) {
            let object = reader.read(&answer["object"]);
            let (metadata, spec) = pod_spec(&*object).expect("a pod");
            for name in items(&said["policies"]).map(text) {
                compared += 1;
                let policy = policy(name);
                let violations = evaluate(&policy, metadata, spec);
                let ours = if violations.is_empty() { String::new() } else { refusal(&policy, &violations) };
                let theirs = text(&said["text"]).replace("POLICY", name);
                if ours != theirs {
                    wrong.push(format!("{} {name}\n  ours   {ours}\n  theirs {theirs}", answer["case"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= FEWEST_ANSWERS, "only {compared} answers are left");
}

#[test]
fn whatever_has_pods_is_warned_of() {
    let reader = Reader::new();
    let mut compared = 0;
    for answer in answers("pod_security").iter().filter(|answer| answer["warnings"].is_array()) {
        compared += 1;
        let object = reader.read(&answer["object"]);
        let (metadata, spec) = pod_spec(&*object).expect("a pod's template");
        let policy = policy(text(&answer["policy"]));
        let ours = warning(&policy, &evaluate(&policy, metadata, spec));
        let theirs: Vec<&str> = items(&answer["warnings"]).map(text).collect();
        assert_eq!(theirs, [ours], "{}", answer["case"]);
    }
    assert_eq!(compared, 9);
    assert!(has_pod_spec("batch", "cronjobs") && !has_pod_spec("", "deployments"));
}

#[test]
fn labels_are_read_as_by_the_real_server() {
    let mut compared = 0;
    for answer in answers("pod_security").iter().filter(|answer| answer["labels"].is_object()) {
        compared += 1;
        let labels: BTreeMap<String, String> =
            serde_json::from_value(answer["labels"].clone()).expect("labels");
        let (_, errors) = Policy::from_labels(&labels, &Policy::default());
        if items(&answer["causes"]).count() == 0 {
            assert!(errors.is_empty(), "{}: {errors}", answer["case"]);
            continue;
        }
        let status = errors.status(&GroupKind::new(String::new(), "Namespace".to_owned()), "n");
        assert_eq!(status.message, text(&answer["message"]), "{}", answer["case"]);
    }
    assert_eq!(compared, 13);
}

#[test]
fn pods_that_are_there_already_are_warned_of() {
    let reader = Reader::new();
    let all = answers("pod_security");
    let answer = all.iter().find(|answer| answer["pods"].is_array()).expect("the case");
    let objects: Vec<_> = items(&answer["pods"]).map(|pod| reader.read(pod)).collect();
    for (name, theirs) in answer["answers"].as_object().expect("answers by policy") {
        let pods = objects.iter().filter_map(|object| object.downcast_ref::<Pod>());
        let ours = existing_pods("existing", &policy(name), pods);
        assert_eq!(&serde_json::json!(ours), theirs, "{name}");
    }
}

#[test]
fn a_level_is_warned_of_when_it_is_enforced() {
    let labels = BTreeMap::from([("pod-security.kubernetes.io/enforce".to_owned(), "baseline".to_owned())]);
    let (enforced, _) = Policy::from_labels(&labels, &Policy::default());
    assert_eq!(enforced.warn, policy("baseline:latest"));
    assert_eq!(enforced.audit, policy("privileged:latest"));
    assert!(!enforced.is_fully_privileged() && Policy::default().is_fully_privileged());
    assert!(must_check_existing(&Policy::default(), &enforced));
    assert!(!must_check_existing(&enforced, &Policy::default()));
}

#[test]
fn only_new_containers_and_images_count_as_updates() {
    let old = Pod::default();
    let mut new = old.clone();
    assert!(!is_significant_update(&new, &old));
    new.spec.host_pid = true;
    assert!(!is_significant_update(&new, &old));
    new.spec.ephemeral_containers.push(Default::default());
    assert!(is_significant_update(&new, &old));
    assert!(!is_significant_update(&old, &new));
}
