//! Validation of PodSecurityPolicies, as Kubernetes 1.20 had them.

use std::collections::BTreeSet;

use rhumb_api::policy::v1beta1::{
    AllowedHostPath, IDRange, PodSecurityPolicy, PodSecurityPolicySpec, RunAsGroupStrategyOptions,
    RuntimeClassStrategyOptions,
};
use rhumb_meta::ObjectMeta;
use rhumb_meta::validation::{is_dns1123_subdomain, name_is_dns_subdomain};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Shown, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::core::file_path::without_backsteps;
use crate::core::pod_annotations::{is_app_armor_profile, seccomp};
use crate::meta::{Scope, object_meta, object_meta_update};

const APP_ARMOR_DEFAULT: &str = "apparmor.security.beta.kubernetes.io/defaultProfileName";
const APP_ARMOR_ALLOWED: &str = "apparmor.security.beta.kubernetes.io/allowedProfileNames";
const SECCOMP_DEFAULT: &str = "seccomp.security.alpha.kubernetes.io/defaultProfileName";
const SECCOMP_ALLOWED: &str = "seccomp.security.alpha.kubernetes.io/allowedProfileNames";
/// In the order in which errors list them.
const VOLUMES: [&str; 30] = [
    "*",
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cephFS",
    "cinder",
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "gitRepo",
    "glusterfs",
    "hostPath",
    "iscsi",
    "nfs",
    "persistentVolumeClaim",
    "photonPersistentDisk",
    "portworxVolume",
    "projected",
    "quobyte",
    "rbd",
    "scaleIO",
    "secret",
    "storageos",
    "vsphereVolume",
];
const GROUP_RULES: [&str; 3] = ["MayRunAs", "MustRunAs", "RunAsAny"];
const MAX_SYSCTL: usize = 253;
const MAX_DRIVER: usize = 63;
const SYSCTL_RULE: &str = "must have at most 253 characters and match regex \
    ([a-z0-9]([-_a-z0-9]*[a-z0-9])?\\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules(Rules::create(create).update(update))?;
    Ok(())
}

fn create(policy: &PodSecurityPolicy, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&policy.metadata, Scope::Cluster, name_is_dns_subdomain, &path, errors);
    always(policy, errors);
}

fn update(new: &PodSecurityPolicy, old: &PodSecurityPolicy, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    always(new, errors);
}

fn always(policy: &PodSecurityPolicy, errors: &mut FieldErrors) {
    annotations(&policy.metadata, &FieldPath::new("metadata").child("annotations"), errors);
    spec(&policy.spec, &FieldPath::new("spec"), errors);
}

/// Profiles that were named in annotations before they had fields.
fn annotations(metadata: &ObjectMeta, path: &FieldPath, errors: &mut FieldErrors) {
    let value = |key: &str| metadata.annotations.get(key).map_or("", String::as_str);
    for (key, single) in [(APP_ARMOR_DEFAULT, true), (APP_ARMOR_ALLOWED, false)] {
        let all = value(key);
        for profile in
            all.split(if single { '\0' } else { ',' }).filter(|profile| !is_app_armor_profile(profile))
        {
            let detail = format!("invalid AppArmor profile name: {}", quoted(profile));
            errors.invalid(&path.key(key), all, &detail);
        }
    }
    if !value(SECCOMP_DEFAULT).is_empty() {
        seccomp(value(SECCOMP_DEFAULT), &path.key(SECCOMP_DEFAULT), errors);
    }
    if !value(SECCOMP_ALLOWED).is_empty() {
        for profile in value(SECCOMP_ALLOWED).split(',').filter(|profile| *profile != "*") {
            seccomp(profile, &path.key(SECCOMP_ALLOWED), errors);
        }
    }
}

fn spec(spec: &PodSecurityPolicySpec, path: &FieldPath, errors: &mut FieldErrors) {
    let user_rules = ["MustRunAs", "MustRunAsNonRoot", "RunAsAny"];
    let user = path.child("runAsUser");
    one_of(&spec.run_as_user.rule, &user_rules, &user.child("rule"), errors);
    ranges(&spec.run_as_user.ranges, &user, errors);
    if let Some(group) = &spec.run_as_group {
        run_as_group(group, &path.child("runAsGroup"), errors);
    }
    one_of(&spec.se_linux.rule, &["MustRunAs", "RunAsAny"], &path.child("seLinux").child("rule"), errors);
    let groups = path.child("supplementalGroups");
    one_of(&spec.supplemental_groups.rule, &GROUP_RULES, &groups.child("rule"), errors);
    ranges(&spec.supplemental_groups.ranges, &groups, errors);
    let group = path.child("fsGroup");
    one_of(&spec.fs_group.rule, &GROUP_RULES, &group.child("rule"), errors);
    ranges(&spec.fs_group.ranges, &group, errors);
    for volume in &spec.volumes {
        one_of(volume, &VOLUMES, &path.child("volumes"), errors);
    }
    capabilities(spec, errors);
    if spec.default_allow_privilege_escalation == Some(true) && spec.allow_privilege_escalation != Some(true)
    {
        let detail = "Cannot set DefaultAllowPrivilegeEscalation to true without also setting \
            AllowPrivilegeEscalation to true";
        errors.invalid(&path.child("defaultAllowPrivilegeEscalation"), &true, detail);
    }
    let mounts = path.child("allowedProcMountTypes");
    for (index, mount) in spec.allowed_proc_mount_types.iter().enumerate().wanted() {
        one_of(mount, &["Default", "Unmasked"], &mounts.index(index), errors);
    }
    host_paths(&spec.allowed_host_paths, &path.child("allowedHostPaths"), errors);
    drivers(spec, path, errors);
    let (allowed, forbidden) = (path.child("allowedUnsafeSysctls"), path.child("forbiddenSysctls"));
    sysctls(&spec.allowed_unsafe_sysctls, &allowed, errors);
    sysctls(&spec.forbidden_sysctls, &forbidden, errors);
    overlaps(spec, &allowed, &forbidden, errors);
    if let Some(strategy) = &spec.runtime_class {
        runtime_class(strategy, &path.child("runtimeClass"), errors);
    }
}

fn one_of(value: &str, supported: &[&str], path: &FieldPath, errors: &mut FieldErrors) {
    if !supported.contains(&value) {
        errors.not_supported(path, &Named(value), supported);
    }
}

fn ranges(ranges: &[IDRange], path: &FieldPath, errors: &mut FieldErrors) {
    let path = path.child("ranges");
    for (index, range) in ranges.iter().enumerate().wanted() {
        let path = path.index(index);
        if range.min < 0 {
            errors.invalid(&path.child("min"), &range.min, "min cannot be negative");
        }
        if range.max < 0 {
            errors.invalid(&path.child("max"), &range.max, "max cannot be negative");
        }
        if range.min > range.max {
            errors.invalid(&path.child("min"), &range.min, "min cannot be greater than max");
        }
    }
}

fn run_as_group(group: &RunAsGroupStrategyOptions, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child("ranges");
    match group.rule.as_str() {
        "RunAsAny" if !group.ranges.is_empty() => {
            let ranges = group.ranges.iter();
            let ranges =
                ranges.map(|range| format!("policy.IDRange{{Min:{}, Max:{}}}", range.min, range.max));
            errors.invalid(&at, &go_list("policy.IDRange", ranges), "Ranges must be empty");
        }
        "RunAsAny" => {}
        "MustRunAs" | "MayRunAs" => {
            if group.ranges.is_empty() {
                let none = Shown("[]policy.IDRange(nil)".to_owned());
                errors.invalid(&at, &none, "must provide at least one range");
            }
            ranges(&group.ranges, path, errors);
        }
        other => {
            let supported = ["MustRunAs", "RunAsAny", "MayRunAs"];
            errors.not_supported(&path.child("rule"), &Named(other), &supported);
        }
    }
}

/// The paths of these errors don't start at the spec; they never did.
fn capabilities(spec: &PodSecurityPolicySpec, errors: &mut FieldErrors) {
    let dropped = &spec.required_drop_capabilities;
    if !dropped.is_empty() && spec.allowed_capabilities.iter().any(|allowed| allowed == "*") {
        let detail = "must be empty when all capabilities are allowed by a wildcard";
        let shown = go_list("core.Capability", dropped.iter().map(String::as_str).map(quoted));
        errors.invalid(&FieldPath::new("requiredDropCapabilities"), &shown, detail);
    }
    let lists = [
        ("defaultAddCapabilities", &spec.default_add_capabilities),
        ("allowedCapabilities", &spec.allowed_capabilities),
    ];
    let dropped: BTreeSet<&String> = dropped.iter().collect();
    for (name, list) in lists {
        for capability in list.iter().filter(|capability| dropped.contains(capability)) {
            let detail = format!("capability is listed in {name} and requiredDropCapabilities");
            errors.invalid(&FieldPath::new(name), &Named(capability), &detail);
        }
    }
}

fn host_paths(paths: &[AllowedHostPath], path: &FieldPath, errors: &mut FieldErrors) {
    for (index, given) in paths.iter().enumerate().wanted() {
        let path = path.index(index);
        if given.path_prefix.is_empty() {
            return errors.required(&path, "is required");
        }
        without_backsteps(&given.path_prefix, &path, errors);
    }
}

fn drivers(spec: &PodSecurityPolicySpec, path: &FieldPath, errors: &mut FieldErrors) {
    // The name of the field stands there twice.
    let flex = path.child("allowedFlexVolumes").child("allowedFlexVolumes");
    for (index, volume) in spec.allowed_flex_volumes.iter().enumerate().wanted() {
        if volume.driver.is_empty() {
            errors.required(&flex.index(index).child("driver"), "must specify a driver");
        }
    }
    let csi = path.child("allowedCSIDrivers").child("allowedCSIDriver");
    for (index, driver) in spec.allowed_csi_drivers.iter().enumerate().wanted() {
        let (path, name) = (csi.index(index).child("name"), &driver.name);
        if name.is_empty() {
            errors.required(&path, "");
        }
        if name.len() > MAX_DRIVER {
            errors.too_long(&path, MAX_DRIVER);
        }
        errors.invalid_each(&path, name, is_dns1123_subdomain(&name.to_lowercase()));
    }
}

fn sysctls(sysctls: &[String], path: &FieldPath, errors: &mut FieldErrors) {
    for (index, sysctl) in sysctls.iter().enumerate().wanted() {
        if sysctl.is_empty() {
            errors.invalid(&path.index(index), sysctl, "empty sysctl not allowed");
        } else if !is_sysctl_pattern(sysctl) {
            errors.invalid(&path.index(index), sysctl, SYSCTL_RULE);
        }
    }
    if sysctls.len() > 1 && sysctls.iter().any(|sysctl| sysctl == "*") {
        errors.forbidden(&path.child("items"), "if '*' is present, must not specify other sysctls");
    }
}

/// Segments between dots, the last of which may end in a star.
fn is_sysctl_pattern(text: &str) -> bool {
    let edge = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let inner = |byte: &u8| edge(byte) || b"-_".contains(byte);
    let (before, last) = text.rsplit_once('.').map_or((None, text), |(before, last)| (Some(before), last));
    let is_segment = |segment: &str| {
        let bytes = segment.as_bytes();
        bytes.first().is_some_and(edge) && bytes.last().is_some_and(edge) && bytes.iter().all(inner)
    };
    let is_last = match last.as_bytes() {
        [] => false,
        [single] => edge(single) || *single == b'*',
        [first, middle @ .., end] => edge(first) && middle.iter().all(inner) && (edge(end) || *end == b'*'),
    };
    text.len() <= MAX_SYSCTL && is_last && before.is_none_or(|before| before.split('.').all(is_segment))
}

fn overlaps(
    spec: &PodSecurityPolicySpec,
    at_allowed: &FieldPath,
    at_forbidden: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (i, allowed) in spec.allowed_unsafe_sysctls.iter().enumerate().wanted() {
        for (j, forbidden) in spec.forbidden_sysctls.iter().enumerate().wanted() {
            let (allowed_prefix, forbidden_prefix) = (allowed.strip_suffix('*'), forbidden.strip_suffix('*'));
            let in_forbidden = match forbidden_prefix {
                Some(prefix) => allowed_prefix.unwrap_or(allowed).starts_with(prefix),
                None => allowed_prefix.is_none() && allowed == forbidden,
            };
            let in_allowed = allowed_prefix
                .is_some_and(|prefix| forbidden_prefix.unwrap_or(forbidden).starts_with(prefix));
            if in_forbidden {
                let detail = format!("sysctl overlaps with {forbidden}");
                errors.invalid(&at_allowed.index(i), allowed, &detail);
            } else if in_allowed {
                let detail = format!("sysctl overlaps with {allowed}");
                errors.invalid(&at_forbidden.index(j), forbidden, &detail);
            }
        }
    }
}

fn runtime_class(strategy: &RuntimeClassStrategyOptions, path: &FieldPath, errors: &mut FieldErrors) {
    let names = &strategy.allowed_runtime_class_names;
    let at = path.child("allowedRuntimeClassNames");
    let mut allowed = BTreeSet::new();
    for (index, name) in names.iter().enumerate().wanted() {
        if name != "*" {
            errors.invalid_each(&at.index(index), name, is_dns1123_subdomain(name));
        }
        if !allowed.insert(name.as_str()) {
            errors.duplicate(&at.index(index), name);
        }
    }
    if let Some(name) = &strategy.default_runtime_class_name {
        errors.invalid_each(&path.child("defaultRuntimeClassName"), name, is_dns1123_subdomain(name));
        if !allowed.contains(name.as_str()) && !allowed.contains("*") {
            errors.required(&at, &format!("default {} must be allowed", quoted(name)));
        }
    }
    if allowed.contains("*") && names.len() > 1 {
        let shown = go_list("string", names.iter().map(String::as_str).map(quoted));
        errors.invalid(&at, &shown, "if '*' is present, must not specify other RuntimeClass names");
    }
}

/// A list in the syntax of Go, which is how errors showed values as long as there were PodSecurityPolicies.
fn go_list(type_: &str, items: impl Iterator<Item = String>) -> Shown {
    Shown(format!("[]{type_}{{{}}}", items.collect::<Vec<_>>().join(", ")))
}
