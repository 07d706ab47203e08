//! What a namespace that is going says about what keeps it: five conditions, each with a text for when all is well.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{NamespaceCondition, NamespaceStatus};
use rhumb_meta::Time;

/// The conditions in order, with reason and message for when nothing is in the way.
const CONDITIONS: [(&str, &str, &str); 5] = [
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (FAILURE, "ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
    (REMAINING, "ContentRemoved", "All content successfully removed"),
    (FINALIZERS, "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
];

const FAILURE: &str = "NamespaceDeletionContentFailure";
const REMAINING: &str = "NamespaceContentRemaining";
const FINALIZERS: &str = "NamespaceFinalizersRemaining";

/// What an attempt to empty a namespace found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// What went wrong.
    pub(super) failures: Vec<String>,
    /// How many objects are left, by resource and group as in `pods.` and `deployments.apps`.
    pub(super) remaining: BTreeMap<String, usize>,
    /// How many objects wait for a finalizer.
    pub(super) finalizers: BTreeMap<String, usize>,
}

impl Findings {
    fn message(&self, condition: &str) -> Option<(&'static str, String)> {
        let listed = |items: &BTreeMap<String, usize>, between: &str, after: &str| {
            let mut texts: Vec<String> = items
                .iter()
                .map(|(name, count)| format!("{name} {between} {count} resource {after}"))
                .collect();
            texts.sort();
            texts.join(", ")
        };
        match condition {
            FAILURE if !self.failures.is_empty() => {
                let mut failures = self.failures.clone();
                failures.sort();
                let message = format!(
                    "Failed to delete all resource types, {} remaining: {}",
                    failures.len(),
                    failures.join(", ")
                );
                Some(("ContentDeletionFailed", message))
            }
            REMAINING if !self.remaining.is_empty() => {
                let all = listed(&self.remaining, "has", "instances");
                Some(("SomeResourcesRemain", format!("Some resources are remaining: {all}")))
            }
            FINALIZERS if !self.finalizers.is_empty() => {
                let all = listed(&self.finalizers, "in", "instances");
                let message = format!("Some content in the namespace has finalizers remaining: {all}");
                Some(("SomeFinalizersRemain", message))
            }
            _ => None,
        }
    }
}

/// Brings the conditions of a namespace up to date; false if they were.
pub(super) fn update(status: &mut NamespaceStatus, findings: &Findings, now: Time) -> bool {
    let mut changed = false;
    for (kind, reason, message) in CONDITIONS {
        let told = findings.message(kind);
        let state = if told.is_some() { "True" } else { "False" };
        let (reason, message) = told.unwrap_or_else(|| (reason, message.to_owned()));
        let Some(old) = status.conditions.iter_mut().find(|condition| condition.type_ == kind) else {
            status.conditions.push(NamespaceCondition {
                type_: kind.to_owned(),
                status: state.to_owned(),
                last_transition_time: now,
                reason: reason.to_owned(),
                message,
            });
            changed = true;
            continue;
        };
        if old.status == state && old.reason == reason && old.message == message {
            continue;
        }
        if old.status != state {
            old.last_transition_time = now;
        }
        old.status = state.to_owned();
        old.reason = reason.to_owned();
        old.message = message;
        changed = true;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_say_what_is_left_and_change_only_when_that_does() {
        let mut status = NamespaceStatus::default();
        let findings = Findings {
            remaining: [("pods.".to_owned(), 2), ("widgets.example.com".to_owned(), 1)].into(),
            finalizers: [("example.com/hold".to_owned(), 3)].into(),
            ..Findings::default()
        };
        let (first, later) = (Time::from_unix(1, 0), Time::from_unix(2, 0));
        assert!(update(&mut status, &findings, first));
        assert!(!update(&mut status, &findings, later));
        let told: Vec<_> = status
            .conditions
            .iter()
            .map(|c| (c.status.as_str(), c.reason.as_str(), c.message.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("False", "ResourcesDiscovered", "All resources successfully discovered"),
                ("False", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
                (
                    "False",
                    "ContentDeleted",
                    "All content successfully deleted, may be waiting on finalization"
                ),
                (
                    "True",
                    "SomeResourcesRemain",
                    "Some resources are remaining: pods. has 2 resource instances, \
                     widgets.example.com has 1 resource instances"
                ),
                (
                    "True",
                    "SomeFinalizersRemain",
                    "Some content in the namespace has finalizers remaining: example.com/hold in 3 resource instances"
                ),
            ]
        );
        assert!(update(&mut status, &Findings::default(), later));
        assert_eq!(status.conditions[3].last_transition_time, later);
        assert_eq!(status.conditions[0].last_transition_time, first);
    }

    #[test]
    fn failures_are_listed_in_order() {
        let findings = Findings { failures: vec!["b".to_owned(), "a".to_owned()], ..Findings::default() };
        let mut status = NamespaceStatus::default();
        update(&mut status, &findings, Time::from_unix(0, 0));
        assert_eq!(status.conditions[2].message, "Failed to delete all resource types, 2 remaining: a, b");
    }
}
