//! Validation of security contexts: users, groups, privileges, profiles and sysctls.

use std::collections::BTreeSet;

use rhumb_api::core::v1::{
    AppArmorProfile, PodSecurityContext, PodSpec, SeccompProfile, SecurityContext, Sysctl,
};
use rhumb_meta::validation::{is_valid_group_id, is_valid_user_id};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use super::file_path::local_descending;
use super::pod_options::PodOptions;
use super::windows::windows_options;
use crate::internal_form::internal;

const MAX_SYSCTL: usize = 253;
const SYSCTL_RULE: &str = "must have at most 253 characters and match regex \
    ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
const MAX_LOCALHOST_PROFILE: usize = 4095;
const PROFILE_TYPES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];

/// The security settings of a container.
pub(super) fn security_context(
    context: &SecurityContext,
    host_users: bool,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if let Some(user) = context.run_as_user {
        errors.invalid_each(&path.child("runAsUser"), &user, is_valid_user_id(user));
    }
    if let Some(group) = context.run_as_group {
        errors.invalid_each(&path.child("runAsGroup"), &group, is_valid_group_id(group));
    }
    if let Some(mount) = context.proc_mount.as_deref() {
        let at = path.child("procMount");
        if !matches!(mount, "Default" | "Unmasked") {
            errors.not_supported(&at, &Named(mount), &["Default", "Unmasked"]);
        }
        if host_users && mount == "Unmasked" {
            errors.invalid(&at, &Named(mount), "`hostUsers` must be false to use `Unmasked`");
        }
    }
    seccomp_profile(context.seccomp_profile.as_deref(), &path.child("seccompProfile"), errors);
    if context.allow_privilege_escalation == Some(false) {
        if context.privileged == Some(true) {
            let detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
            errors.invalid(path, &internal(context), detail);
        }
        let added = context.capabilities.as_deref().map(|capabilities| capabilities.add.as_slice());
        for _ in added.unwrap_or_default().iter().filter(|capability| *capability == "CAP_SYS_ADMIN") {
            let detail =
                "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
            errors.invalid(path, &internal(context), detail);
        }
    }
    windows_options(context.windows_options.as_deref(), &path.child("windowsOptions"), errors);
    app_armor_profile(context.app_armor_profile.as_deref(), &path.child("appArmorProfile"), errors);
}

/// The security settings of a pod.
pub(super) fn pod_security_context(
    context: &PodSecurityContext,
    spec: &PodSpec,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    if let Some(group) = context.fs_group {
        errors.invalid_each(&path.child("fsGroup"), &group, is_valid_group_id(group));
    }
    if let Some(user) = context.run_as_user {
        errors.invalid_each(&path.child("runAsUser"), &user, is_valid_user_id(user));
    }
    if let Some(group) = context.run_as_group {
        errors.invalid_each(&path.child("runAsGroup"), &group, is_valid_group_id(group));
    }
    for (index, group) in context.supplemental_groups.iter().enumerate().wanted() {
        let at = path.child("supplementalGroups").index(index);
        errors.invalid_each(&at, group, is_valid_group_id(*group));
    }
    if spec.share_process_namespace == Some(true) && spec.host_pid {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        errors.invalid(&path.child("shareProcessNamespace"), &true, detail);
    }
    sysctls(&context.sysctls, spec, &path.child("sysctls"), options, errors);
    if let Some(policy) = context.fs_group_change_policy.as_deref()
        && !matches!(policy, "Always" | "OnRootMismatch")
    {
        let at = path.child("fsGroupChangePolicy");
        errors.not_supported(&at, &Named(policy), &["Always", "OnRootMismatch"]);
    }
    seccomp_profile(context.seccomp_profile.as_deref(), &path.child("seccompProfile"), errors);
    windows_options(context.windows_options.as_deref(), &path.child("windowsOptions"), errors);
    app_armor_profile(context.app_armor_profile.as_deref(), &path.child("appArmorProfile"), errors);
    if let Some(policy) = context.supplemental_groups_policy.as_deref()
        && !matches!(policy, "Merge" | "Strict")
    {
        let at = path.child("supplementalGroupsPolicy");
        errors.not_supported(&at, &Named(policy), &["Merge", "Strict"]);
    }
    if let Some(policy) = context.se_linux_change_policy.as_deref() {
        let supported: &[&str] =
            if options.any_se_linux_change_policy { &["MountOption", "Recursive"] } else { &["Recursive"] };
        if !supported.contains(&policy) {
            errors.not_supported(&path.child("seLinuxChangePolicy"), &Named(policy), supported);
        }
    }
}

fn seccomp_profile(profile: Option<&SeccompProfile>, path: &FieldPath, errors: &mut FieldErrors) {
    let Some(profile) = profile else { return };
    match profile.type_.as_str() {
        "Localhost" | "RuntimeDefault" | "Unconfined" => {}
        "" => errors.required(&path.child("type"), "type is required when seccompProfile is set"),
        other => errors.not_supported(&path.child("type"), &Named(other), &PROFILE_TYPES),
    }
    let at = path.child("localhostProfile");
    match (profile.type_ == "Localhost", &profile.localhost_profile) {
        (true, None) => errors.required(&at, "must be set when seccomp type is Localhost"),
        (true, Some(file)) => local_descending(file, &at, errors),
        (false, Some(_)) => {
            errors.invalid(&at, &internal(profile), "can only be set when seccomp type is Localhost");
        }
        (false, None) => {}
    }
}

/// The profile of AppArmor.
pub(super) fn app_armor_profile(
    profile: Option<&AppArmorProfile>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let Some(profile) = profile else { return };
    let at = path.child("localhostProfile");
    match (profile.type_.as_str(), &profile.localhost_profile) {
        ("Localhost", None) => errors.required(&at, "must be set when AppArmor type is Localhost"),
        ("Localhost", Some(name)) => {
            if name.trim() != name {
                errors.invalid(&at, name, "must not be padded with whitespace");
            } else if name.is_empty() {
                errors.required(&at, "must be set when AppArmor type is Localhost");
            }
            if name.len() > MAX_LOCALHOST_PROFILE {
                errors.too_long(&at, MAX_LOCALHOST_PROFILE);
            }
        }
        ("RuntimeDefault" | "Unconfined", Some(name)) => {
            errors.invalid(&at, &Named(name), "can only be set when AppArmor type is Localhost");
        }
        ("RuntimeDefault" | "Unconfined", None) => {}
        ("", _) => errors.required(&path.child("type"), "type is required when appArmorProfile is set"),
        (other, _) => errors.not_supported(&path.child("type"), &Named(other), &PROFILE_TYPES),
    }
}

fn sysctls(
    sysctls: &[Sysctl],
    spec: &PodSpec,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    let mut seen = BTreeSet::new();
    for (index, Sysctl { name, .. }) in sysctls.iter().enumerate().wanted() {
        let at = path.index(index).child("name");
        let is_new = seen.insert(name.as_str());
        if name.is_empty() {
            errors.required(&at, "");
        } else if !is_sysctl_name(name) {
            errors.invalid(&at, name, SYSCTL_RULE);
        } else if !is_new {
            errors.duplicate(&at, name);
        }
        if !options.sysctls_of_host
            && let Some(field) = sysctl_of_host(name, spec)
        {
            errors.invalid(&at, name, &format!("may not be specified when '{field}' is true"));
        }
    }
}

fn is_sysctl_name(name: &str) -> bool {
    let is_edge = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= MAX_SYSCTL
        && name.split(['.', '/']).all(|segment| {
            let bytes = segment.as_bytes();
            bytes.first().is_some_and(is_edge)
                && bytes.last().is_some_and(is_edge)
                && bytes.iter().all(|byte| is_edge(byte) || matches!(byte, b'-' | b'_'))
        })
}

/// Returns the field by which a pod shares the namespace of the host that a sysctl belongs to.
pub(super) fn sysctl_of_host(name: &str, spec: &PodSpec) -> Option<&'static str> {
    // With a slash as the first separator, dots and slashes have changed places.
    let name: String = match name.find(['.', '/']) {
        Some(at) if name.get(at..).is_some_and(|rest| rest.starts_with('/')) => name
            .chars()
            .map(|c| {
                if c == '.' {
                    '/'
                } else if c == '/' {
                    '.'
                } else {
                    c
                }
            })
            .collect(),
        _ => name.to_owned(),
    };
    let name = name.split_once('*').map_or(name.as_str(), |(prefix, _)| prefix);
    let of_ipc = matches!(
        name,
        "kernel.sem"
            | "kernel.shmall"
            | "kernel.shmmax"
            | "kernel.shmmni"
            | "kernel.shm_rmid_forced"
            | "kernel.shm"
            | "kernel.msgmax"
            | "kernel.msgmnb"
            | "kernel.msgmni"
            | "kernel.msg"
    );
    if spec.host_network && name.starts_with("net.") {
        Some("hostNetwork")
    } else if spec.host_ipc && (of_ipc || name.starts_with("fs.mqueue.")) {
        Some("hostIPC")
    } else {
        None
    }
}
