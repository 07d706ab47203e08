//! Defaults of the group: where roles and subjects come from.

use rhumb_scheme::SchemeBuilder;

use super::{GROUP, v1, v1alpha1, v1beta1};

/// Registers the functions. Only bindings hold references to roles, so these can be filled in wherever they stand.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder
        .defaults(|role: &mut v1::RoleRef| fill(&mut role.api_group, GROUP))
        .defaults(|role: &mut v1beta1::RoleRef| fill(&mut role.api_group, GROUP))
        .defaults(|subject: &mut v1::Subject| subject_group(&subject.kind, &mut subject.api_group))
        .defaults(|subject: &mut v1beta1::Subject| subject_group(&subject.kind, &mut subject.api_group))
        .defaults(subject_v1alpha1);
}

/// Service accounts are in the core group, whose name is empty.
fn subject_group(kind: &str, group: &mut String) {
    if let "User" | "Group" = kind {
        fill(group, GROUP);
    }
}

fn subject_v1alpha1(subject: &mut v1alpha1::Subject) {
    match subject.kind.as_str() {
        "ServiceAccount" => fill(&mut subject.api_version, v1alpha1::CORE_VERSION),
        "User" | "Group" => fill(&mut subject.api_version, v1alpha1::OWN_VERSION),
        _ => {}
    }
}

fn fill(field: &mut String, default: &str) {
    if field.is_empty() {
        default.clone_into(field);
    }
}
