//! Pod security standards.
//!
//! A check belongs to a level, and may have changed with a release, so that a policy names a level and a
//! version ([`LevelAndVersion`]). [`evaluate`] finds what a pod does that its level forbids, [`refusal`] and
//! [`warning`] say it. What namespaces ask for is read by [`Policy::from_labels`].
//!
//! Refuses: to decide who is exempt, and to look up namespaces or pods.

mod checks;
mod existing;
mod level;
mod part;
mod policy;
mod template;
mod wording;

pub use existing::{MOST_PODS_CHECKED, existing_pods, must_check_existing};
pub use level::{Level, LevelAndVersion, ParseLevelError, ParseVersionError, Version};
pub use policy::{Policy, labels};
pub use template::{has_pod_spec, is_significant_update, pod_spec};

use std::borrow::Cow;

use rhumb_api::core::v1::PodSpec;
use rhumb_meta::v1::ObjectMeta;

/// Violation of a level by a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The check that found it.
    pub check: &'static str,
    /// Short reason, the same for all pods.
    pub reason: Cow<'static, str>,
    /// Which containers or values it is about.
    pub detail: String,
}

/// Returns the violations of a pod with this metadata and spec, in Kubernetes' order.
pub fn evaluate(policy: &LevelAndVersion, metadata: &ObjectMeta, spec: &PodSpec) -> Vec<Violation> {
    checks::run(policy, &part::Subject { metadata, spec })
}

/// Returns the words for a pod that is refused.
pub fn refusal(policy: &LevelAndVersion, violations: &[Violation]) -> String {
    format!("violates PodSecurity \"{policy}\": {}", details(violations))
}

/// Returns the words for a pod that is let through, but that one is warned of, or that the audit log notes.
pub fn warning(policy: &LevelAndVersion, violations: &[Violation]) -> String {
    format!("would violate PodSecurity \"{policy}\": {}", details(violations))
}

/// Returns the reasons without what they are about.
pub fn reasons(violations: &[Violation]) -> String {
    let reasons: Vec<&str> = violations.iter().map(|violation| &*violation.reason).collect();
    reasons.join(", ")
}

/// Returns the reasons, each with what it is about.
pub fn details(violations: &[Violation]) -> String {
    let texts: Vec<String> = violations
        .iter()
        .map(|violation| match violation.detail.as_str() {
            "" => violation.reason.to_string(),
            detail => format!("{} ({detail})", violation.reason),
        })
        .collect();
    texts.join(", ")
}
