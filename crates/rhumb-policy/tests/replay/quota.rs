//! Quotas, compared with what a real API server said to the same requests, and what it charged for them.

use std::collections::BTreeMap;

use crate::recorded::{Reader, answers, text};
use rhumb_api::core::v1::{Pod, ResourceQuota};
use rhumb_meta::{Object, Time};
use rhumb_policy::quota::{Evaluator, Operation, Request, charge, tracked, used};
use serde_json::Value as Json;

/// So many answers were recorded at least, so that none are lost unseen.
const FEWEST_ANSWERS: usize = 90;

fn now() -> Time {
    Time::parse("2026-01-01T00:00:00Z").expect("a time")
}

fn evaluator(answer: &Json) -> Evaluator {
    let version = text(&answer["object"]["apiVersion"]);
    let group = version.split_once('/').map_or("", |(group, _)| group);
    Evaluator::of(group, text(&answer["resource"])).expect("it is counted")
}

#[test]
fn requests_are_charged_as_by_the_real_server() {
    let reader = Reader::new();
    let (mut compared, mut wrong) = (0, Vec::new());
    for answer in answers("quota") {
        compared += 1;
        let quota = reader.read(&answer["quota"]);
        let quota = quota.downcast_ref::<ResourceQuota>().expect("a quota");
        let object = reader.read(&answer["object"]);
        let old = (!answer["old"].is_null()).then(|| reader.read(&answer["old"]));
        let request = Request {
            operation: if old.is_some() { Operation::Update } else { Operation::Create },
            subresource: text(&answer["subresource"]),
            object: &*object,
            old: old.as_deref(),
        };
        let charged = charge(&evaluator(&answer), &[quota], &request, now());
        let (ours, after) = match charged {
            Ok(charges) => {
                let used = charges.into_iter().next().map_or_else(|| quota.status.used.clone(), |it| it.used);
                (String::new(), used)
            }
            Err(refusal) => (refusal.to_string(), quota.status.used.clone()),
        };
        let after: BTreeMap<_, _> = after.into_iter().map(|(name, it)| (name, it.to_string())).collect();
        let (ours, theirs) = ((ours, serde_json::json!(after)), (text(&answer["text"]), &answer["used"]));
        if (ours.0.as_str(), &ours.1) != theirs {
            wrong.push(format!("{}\n  ours   {ours:?}\n  theirs {theirs:?}", answer["case"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= FEWEST_ANSWERS, "only {compared} answers are left");
}

/// What was charged for single objects is what they use when they are counted.
#[test]
fn counting_anew_finds_what_was_charged() {
    let reader = Reader::new();
    let mut compared = 0;
    for answer in
        answers("quota").iter().filter(|answer| answer["old"].is_null() && text(&answer["text"]).is_empty())
    {
        let quota = reader.read(&answer["quota"]);
        let quota = quota.downcast_ref::<ResourceQuota>().expect("a quota");
        if quota.status.used.values().any(|amount| !amount.is_zero()) || quota.status.used.is_empty() {
            continue;
        }
        compared += 1;
        let object = reader.read(&answer["object"]);
        let own = (group(answer), text(&answer["resource"]));
        let objects = tracked(&quota.spec.hard).into_iter().filter_map(|(group, resource)| {
            let evaluator = Evaluator::of(&group, &resource)?;
            let found: Vec<&dyn Object> = if own == (&*group, &*resource) { vec![&*object] } else { vec![] };
            Some((evaluator, found))
        });
        let counted = used(&quota.spec, objects, now());
        let counted: BTreeMap<_, _> = counted.into_iter().map(|(name, it)| (name, it.to_string())).collect();
        assert_eq!(serde_json::json!(counted), answer["used"], "{}", answer["case"]);
    }
    assert!(compared > 30, "only {compared} were compared");
}

fn group(answer: &Json) -> &str {
    text(&answer["object"]["apiVersion"]).split_once('/').map_or("", |(group, _)| group)
}

#[test]
fn pods_that_ended_use_nothing_but_their_place() {
    let mut pod = Pod::default();
    let names = |pod: &Pod| Evaluator::Pods.usage(pod, now()).into_keys().collect::<Vec<_>>();
    assert_eq!(names(&pod), ["count/pods", "pods"]);
    pod.status.phase = "Succeeded".to_owned();
    assert_eq!(names(&pod), ["count/pods"]);
    pod.status.phase = "Running".to_owned();
    pod.metadata.deletion_timestamp = Some(Time::parse("2025-12-31T23:59:00Z").expect("a time"));
    pod.metadata.deletion_grace_period_seconds = Some(60);
    assert_eq!(names(&pod), ["count/pods", "pods"]);
    pod.metadata.deletion_grace_period_seconds = Some(59);
    assert_eq!(names(&pod), ["count/pods"]);
}

#[test]
fn events_and_reviews_are_not_counted() {
    assert_eq!(Evaluator::of("", "events"), None);
    assert_eq!(Evaluator::of("authentication.k8s.io", "tokenreviews"), None);
    assert_eq!(
        Evaluator::of("a.io", "things"),
        Some(Evaluator::Objects(vec!["count/things.a.io".to_owned()]))
    );
}
