//! Validation of pods by operating system.

use rhumb_api::core::v1::{PodSpec, WindowsSecurityContextOptions};
use rhumb_meta::validation::is_dns1123_subdomain;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named};

use super::container::all_containers;

const MAX_CREDENTIAL_SPEC: usize = 64 * 1024;
const MAX_DOMAIN: usize = 256;
const MAX_USER: usize = 104;
const NOT_ON_WINDOWS: &str = "cannot be set for a windows pod";
const NOT_ON_LINUX: &str = "windows options cannot be set for a linux pod";

/// The security settings that only Windows has.
pub(super) fn windows_options(
    options: Option<&WindowsSecurityContextOptions>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let Some(options) = options else { return };
    if let Some(name) = &options.gmsa_credential_spec_name {
        errors.invalid_each(&path.child("gmsaCredentialSpecName"), &Named(name), is_dns1123_subdomain(name));
    }
    if let Some(spec) = &options.gmsa_credential_spec {
        let at = path.child("gmsaCredentialSpec");
        if spec.is_empty() {
            errors.invalid(&at, &Named(spec), "gmsaCredentialSpec cannot be an empty string");
        } else if spec.len() > MAX_CREDENTIAL_SPEC {
            errors.invalid(&at, &Named(spec), "gmsaCredentialSpec size must be under 64 KiB");
        }
    }
    if let Some(name) = &options.run_as_user_name {
        let at = path.child("runAsUserName");
        for detail in user_name_problems(name) {
            errors.invalid(&at, &Named(name), &detail);
        }
    }
}

fn user_name_problems(name: &str) -> Vec<String> {
    if name.is_empty() {
        return vec!["runAsUserName cannot be an empty string".into()];
    }
    if name.chars().any(|c| c.is_ascii_control()) {
        return vec!["runAsUserName cannot contain control characters".into()];
    }
    if name.matches('\\').count() > 1 {
        return vec!["runAsUserName cannot contain more than one backslash".into()];
    }
    let mut problems = Vec::new();
    let (domain, user) = match name.split_once('\\') {
        Some((domain, user)) => (Some(domain), user),
        None => (None, name),
    };
    if domain.is_some_and(|domain| domain.len() >= MAX_DOMAIN) {
        problems.push(format!("runAsUserName's Domain length must be under {MAX_DOMAIN} characters"));
    }
    if domain.is_some_and(|domain| !is_net_bios_name(domain) && !is_domain(domain)) {
        problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format".into());
    }
    if user.is_empty() {
        problems.push("runAsUserName's User cannot be empty".into());
    } else if user.len() > MAX_USER {
        problems.push(format!("runAsUserName's User length must not be longer than {MAX_USER} characters"));
    }
    if !user.is_empty() && user.chars().all(|c| matches!(c, '.' | ' ')) {
        problems.push("runAsUserName's User cannot contain only periods or spaces".into());
    }
    if user.contains(['"', '/', '\\', ':', ';', '|', '=', ',', '+', '*', '?', '<', '>', '@', '[', ']']) {
        let detail = r#"runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[]"#;
        problems.push(detail.into());
    }
    problems
}

fn is_net_bios_name(name: &str) -> bool {
    let is_reserved = |c: char| matches!(c, '\\' | '/' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    (1..=15).contains(&name.chars().count()) && !name.starts_with('.') && !name.contains(is_reserved)
}

fn is_domain(name: &str) -> bool {
    name.split('.').all(|label| {
        let bytes = label.as_bytes();
        bytes.len() <= 63
            && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
            && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    })
}

/// In a pod all containers are processes of the host, or none.
pub(super) fn host_process_pod(spec: &PodSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let of_options = |options: Option<&WindowsSecurityContextOptions>| options.and_then(|o| o.host_process);
    let pod =
        of_options(spec.security_context.as_deref().and_then(|context| context.windows_options.as_deref()));
    let (mut count, mut processes) = (0, 0);
    for (container, at) in all_containers(spec, path) {
        count += 1;
        let context = container.security_context.as_deref();
        let own = of_options(context.and_then(|context| context.windows_options.as_deref()));
        if let (Some(pod), Some(own)) = (pod, own)
            && pod != own
        {
            let at = at.child("securityContext").child("windowsOptions").child("hostProcess");
            let detail = format!("pod hostProcess value must be identical if both are specified, was {pod}");
            errors.invalid(&at, &own, &detail);
        }
        if own.or(pod) == Some(true) {
            processes += 1;
        }
    }
    if processes > 0 && processes != count {
        let detail =
            "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        errors.invalid(path, "", detail);
    }
    if processes > 0 && !spec.host_network {
        let detail = "hostNetwork must be true if pod contains any hostProcess containers";
        errors.invalid(&path.child("hostNetwork"), &false, detail);
    }
}

/// The operating system that a pod is made for, and what that one doesn't have.
pub(super) fn os(spec: &PodSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child("os");
    match spec.os.as_deref().map(|os| os.name.as_str()) {
        None => {}
        Some("linux") => linux(spec, path, errors),
        Some("windows") => windows(spec, path, errors),
        Some("") => errors.required(&at.child("name"), ""),
        Some(other) => errors.not_supported(&at, &Named(other), &["linux", "windows"]),
    }
}

fn linux(spec: &PodSpec, path: &FieldPath, errors: &mut FieldErrors) {
    if spec.security_context.as_deref().is_some_and(|context| context.windows_options.is_some()) {
        errors.forbidden(&path.child("securityContext").child("windowsOptions"), NOT_ON_LINUX);
    }
    for (container, at) in all_containers(spec, path) {
        if container.security_context.as_deref().is_some_and(|context| context.windows_options.is_some()) {
            errors.forbidden(&at.child("securityContext").child("windowsOptions"), NOT_ON_LINUX);
        }
    }
}

fn windows(spec: &PodSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let below = path.child("securityContext");
    if let Some(context) = spec.security_context.as_deref() {
        for (is_set, parent, field) in [
            (context.app_armor_profile.is_some(), &below, "appArmorProfile"),
            (context.se_linux_options.is_some(), &below, "seLinuxOptions"),
            (spec.host_users.is_some(), path, "hostUsers"),
            (spec.host_pid, path, "hostPID"),
            (spec.host_ipc, path, "hostIPC"),
            (context.seccomp_profile.is_some(), &below, "seccompProfile"),
            (context.fs_group.is_some(), &below, "fsGroup"),
            (context.fs_group_change_policy.is_some(), &below, "fsGroupChangePolicy"),
            (!context.sysctls.is_empty(), &below, "sysctls"),
            (spec.share_process_namespace.is_some(), path, "shareProcessNamespace"),
            (context.run_as_user.is_some(), &below, "runAsUser"),
            (context.run_as_group.is_some(), &below, "runAsGroup"),
            (!context.supplemental_groups.is_empty(), &below, "supplementalGroups"),
            (context.supplemental_groups_policy.is_some(), &below, "supplementalGroupsPolicy"),
            (context.se_linux_change_policy.is_some(), &below, "seLinuxChangePolicy"),
        ] {
            if is_set {
                errors.forbidden(&parent.child(field), NOT_ON_WINDOWS);
            }
        }
    }
    for (container, at) in all_containers(spec, path) {
        let Some(context) = container.security_context.as_deref() else { continue };
        for (is_set, field) in [
            (context.app_armor_profile.is_some(), "appArmorProfile"),
            (context.se_linux_options.is_some(), "seLinuxOptions"),
            (context.seccomp_profile.is_some(), "seccompProfile"),
            (context.capabilities.is_some(), "capabilities"),
            (context.read_only_root_filesystem.is_some(), "readOnlyRootFilesystem"),
            (context.privileged.is_some(), "privileged"),
            (context.allow_privilege_escalation.is_some(), "allowPrivilegeEscalation"),
            (context.proc_mount.is_some(), "procMount"),
            (context.run_as_user.is_some(), "runAsUser"),
            (context.run_as_group.is_some(), "runAsGroup"),
        ] {
            if is_set {
                errors.forbidden(&at.child("securityContext").child(field), NOT_ON_WINDOWS);
            }
        }
    }
}
