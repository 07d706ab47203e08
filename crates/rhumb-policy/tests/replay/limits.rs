//! Limit ranges, compared with what a real API server made of the same pods and claims.

use crate::recorded::{Reader, answers, items, text};
use rhumb_api::core::v1::{LimitRange, Pod};
use rhumb_policy::limits::{ANNOTATION, Subject, apply_defaults, check, refusal, subject};
use rhumb_scheme::Unstructured;
use serde_json::Value as Json;

/// So many answers were recorded at least, so that none are lost unseen.
const FEWEST_ANSWERS: usize = 70;

#[test]
fn defaults_and_bounds_are_those_of_the_real_server() {
    let reader = Reader::new();
    let (mut compared, mut wrong) = (0, Vec::new());
    for answer in answers("limits") {
        compared += 1;
        let range = reader.read(&answer["range"]);
        let range = range.downcast_ref::<LimitRange>().expect("a limit range");
        let mut object = reader.read(&answer["object"]);
        if let Some(pod) = object.downcast_mut::<Pod>() {
            apply_defaults(pod, range);
        }
        let case = format!("{} {}", answer["case"], answer["object"]["spec"]);
        match refusal(&check(&*object, range)) {
            Some(ours) => {
                if !items(&answer["texts"]).any(|theirs| text(theirs) == ours) {
                    wrong.push(format!("{case}\n  ours   {ours}\n  theirs {}", answer["texts"]));
                }
            }
            None if answer["made"].is_null() => wrong.push(format!("{case}: let through")),
            None => {
                let ours = Unstructured::from_object(&*object).into_tree();
                let (ours, theirs) =
                    (made(&ours["spec"], &ours["metadata"]), made(&answer["made"]["spec"], &answer["made"]));
                if ours != theirs {
                    wrong.push(format!("{case}\n  ours   {ours}\n  theirs {theirs}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= FEWEST_ANSWERS, "only {compared} answers are left");
}

/// What limit ranges may have set.
fn made(spec: &Json, annotated: &Json) -> Json {
    let resources =
        |list: &Json| items(list).map(|container| container["resources"].clone()).collect::<Vec<_>>();
    serde_json::json!({
        "containers": resources(&spec["containers"]),
        "init": resources(&spec["initContainers"]),
        "note": annotated["annotations"][ANNOTATION],
    })
}

#[test]
fn only_what_can_change_is_looked_at() {
    assert_eq!(subject("", "pods", "", true), Some(Subject::Pod));
    assert_eq!(subject("", "pods", "", false), None);
    assert_eq!(subject("", "pods", "resize", false), Some(Subject::Pod));
    assert_eq!(subject("", "persistentvolumeclaims", "", false), Some(Subject::Claim));
    assert_eq!(subject("", "persistentvolumeclaims", "status", false), None);
}
