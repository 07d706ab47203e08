//! Checks of privileges and capabilities.

use std::collections::BTreeSet;

use super::super::Violation;
use super::super::part::Subject;
use super::super::wording::{containers, quoted_list};
use super::Finding;

/// Default capabilities of container runtimes.
const DEFAULT_CAPABILITIES: &[&str] = &[
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

pub(super) fn default_capabilities(subject: &Subject<'_>) -> Finding {
    let mut added = BTreeSet::new();
    let names = subject.names(|part| {
        let capabilities = part.security.and_then(|security| security.capabilities.as_deref());
        let others = capabilities
            .into_iter()
            .flat_map(|capabilities| &capabilities.add)
            .filter(|name| !DEFAULT_CAPABILITIES.contains(&name.as_str()));
        let mut is_any = false;
        for name in others {
            is_any = true;
            added.insert(name.as_str());
        }
        is_any
    });
    (!names.is_empty()).then(|| Violation {
        check: "capabilities_baseline",
        reason: "non-default capabilities".into(),
        detail: format!(
            "{} must not include {} in securityContext.capabilities.add",
            containers(&names),
            quoted_list(&added)
        ),
    })
}

pub(super) fn privileged(subject: &Subject<'_>) -> Finding {
    let names = subject.names(|part| part.security.is_some_and(|security| security.privileged == Some(true)));
    (!names.is_empty()).then(|| Violation {
        check: "privileged",
        reason: "privileged".into(),
        detail: format!("{} must not set securityContext.privileged=true", containers(&names)),
    })
}

pub(super) fn proc_mount(subject: &Subject<'_>) -> Finding {
    let mut mounts = BTreeSet::new();
    let names = subject.names(|part| {
        let mount = part.security.and_then(|security| security.proc_mount.as_deref());
        let other = mount.filter(|mount| *mount != "Default");
        mounts.extend(other);
        other.is_some()
    });
    (!names.is_empty()).then(|| Violation {
        check: "procMount",
        reason: "procMount".into(),
        detail: format!(
            "{} must not set securityContext.procMount to {}",
            containers(&names),
            quoted_list(&mounts)
        ),
    })
}

pub(super) fn proc_mount_unless_own_users(subject: &Subject<'_>) -> Finding {
    if subject.has_own_users() { None } else { proc_mount(subject) }
}
