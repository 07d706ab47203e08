//! Validation of bindings: what is granted can't change, to whom can.

use rhumb_api::rbac::v1::{ClusterRoleBinding, RoleBinding, RoleRef, Subject};
use rhumb_meta::ObjectMeta;
use rhumb_meta::validation::{NamePart, is_path_segment_name, name_is_dns_subdomain, name_is_path_segment};
use rhumb_scheme::validation::{BadValue, Context, FieldErrors, FieldPath, Named, Rules, Shown, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::GROUP;
use crate::meta::{Scope, object_meta, object_meta_update};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder
        .rules::<RoleBinding>(Rules::create(role_binding).update(role_binding_update))?
        .rules::<ClusterRoleBinding>(Rules::create(cluster_role_binding).update(cluster_role_binding_update))?;
    Ok(())
}

fn role_binding(binding: &RoleBinding, _: &Context, errors: &mut FieldErrors) {
    create(&binding.metadata, Scope::Namespaced, &binding.role_ref, &binding.subjects, errors);
}

fn role_binding_update(new: &RoleBinding, old: &RoleBinding, context: &Context, errors: &mut FieldErrors) {
    role_binding(new, context, errors);
    update(&new.metadata, &old.metadata, &new.role_ref, &old.role_ref, errors);
}

fn cluster_role_binding(binding: &ClusterRoleBinding, _: &Context, errors: &mut FieldErrors) {
    create(&binding.metadata, Scope::Cluster, &binding.role_ref, &binding.subjects, errors);
}

fn cluster_role_binding_update(
    new: &ClusterRoleBinding,
    old: &ClusterRoleBinding,
    context: &Context,
    errors: &mut FieldErrors,
) {
    cluster_role_binding(new, context, errors);
    update(&new.metadata, &old.metadata, &new.role_ref, &old.role_ref, errors);
}

fn create(
    metadata: &ObjectMeta,
    scope: Scope,
    role: &RoleRef,
    subjects: &[Subject],
    errors: &mut FieldErrors,
) {
    object_meta(metadata, scope, name_is_path_segment, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("roleRef");
    if role.api_group != GROUP {
        errors.not_supported(&path.child("apiGroup"), &role.api_group, &[GROUP]);
    }
    let kinds: &[&str] = if scope == Scope::Namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    if !kinds.contains(&role.kind.as_str()) {
        errors.not_supported(&path.child("kind"), &role.kind, kinds);
    }
    if role.name.is_empty() {
        errors.required(&path.child("name"), "");
    } else {
        errors.invalid_each(&path.child("name"), &role.name, is_path_segment_name(&role.name));
    }
    for (index, each) in subjects.iter().enumerate().wanted() {
        subject(each, scope, &FieldPath::new("subjects").index(index), errors);
    }
}

fn update(
    metadata: &ObjectMeta,
    before: &ObjectMeta,
    role: &RoleRef,
    old_role: &RoleRef,
    errors: &mut FieldErrors,
) {
    object_meta_update(metadata, before, &FieldPath::new("metadata"), errors);
    if role != old_role {
        let [group, kind, name] = [&role.api_group, &role.kind, &role.name].map(|text| Named(text).shown());
        let shown = Shown(format!(r#"{{"APIGroup":{group},"Kind":{kind},"Name":{name}}}"#));
        errors.invalid(&FieldPath::new("roleRef"), &shown, "cannot change roleRef");
    }
}

fn subject(subject: &Subject, scope: Scope, path: &FieldPath, errors: &mut FieldErrors) {
    if subject.name.is_empty() {
        errors.required(&path.child("name"), "");
    }
    match subject.kind.as_str() {
        "ServiceAccount" => {
            if !subject.name.is_empty() {
                let found = name_is_dns_subdomain(&subject.name, NamePart::Whole);
                errors.invalid_each(&path.child("name"), &subject.name, found);
            }
            if !subject.api_group.is_empty() {
                errors.not_supported(&path.child("apiGroup"), &subject.api_group, &[""]);
            }
            // In a namespace the account is one of that namespace, unless it says otherwise.
            if scope == Scope::Cluster && subject.namespace.is_empty() {
                errors.required(&path.child("namespace"), "");
            }
        }
        "User" | "Group" => {
            if subject.api_group != GROUP {
                errors.not_supported(&path.child("apiGroup"), &subject.api_group, &[GROUP]);
            }
        }
        _ => errors.not_supported(&path.child("kind"), &subject.kind, &["ServiceAccount", "User", "Group"]),
    }
}
