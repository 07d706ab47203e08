//! Pod security checks by level and release.
//!
//! A row of [`CHECKS`] is a check of a level. It has a revision for every release that changed it; before the
//! first one it isn't made. Those of the baseline come first and each level is sorted by name, because that is
//! the order in which a server says what it found.

mod host;
mod profiles;
mod restricted;
mod rights;

use super::Violation;
use super::level::{Level, LevelAndVersion, Version};
use super::part::Subject;

/// Result of a check.
type Finding = Option<Violation>;

/// One revision of a check.
type Function = fn(&Subject<'_>) -> Finding;

struct Check {
    level: Level,
    /// Minor release from which the restricted level has a stricter check instead.
    stricter_from: Option<u64>,
    /// Revisions with the minor release in which they start, oldest first.
    revisions: &'static [(u64, Function)],
}

const fn baseline(stricter_from: Option<u64>, revisions: &'static [(u64, Function)]) -> Check {
    Check { level: Level::Baseline, stricter_from, revisions }
}

const fn restricted(revisions: &'static [(u64, Function)]) -> Check {
    Check { level: Level::Restricted, stricter_from: None, revisions }
}

const CHECKS: &[Check] = &[
    baseline(None, &[(0, profiles::app_armor)]),
    baseline(Some(22), &[(0, rights::default_capabilities)]),
    baseline(None, &[(0, host::namespaces)]),
    baseline(Some(0), &[(0, host::path_volumes)]),
    baseline(None, &[(0, host::ports)]),
    baseline(None, &[(34, host::probes_and_lifecycle)]),
    baseline(None, &[(0, rights::privileged)]),
    baseline(Some(35), &[(0, rights::proc_mount), (35, rights::proc_mount_unless_own_users)]),
    baseline(None, &[(0, profiles::se_linux), (31, profiles::se_linux_with_engine)]),
    baseline(Some(19), &[(0, profiles::seccomp_annotations), (19, profiles::seccomp)]),
    baseline(
        None,
        &[(0, host::sysctls), (27, host::sysctls_27), (29, host::sysctls_29), (32, host::sysctls_32)],
    ),
    baseline(None, &[(0, host::windows_process)]),
    restricted(&[(8, restricted::escalation), (25, restricted::escalation_unless_windows)]),
    restricted(&[(22, restricted::capabilities), (25, restricted::capabilities_unless_windows)]),
    restricted(&[(35, rights::proc_mount)]),
    restricted(&[(0, restricted::volumes)]),
    restricted(&[(0, restricted::non_root), (35, restricted::non_root_unless_own_users)]),
    restricted(&[(23, restricted::user), (35, restricted::user_unless_own_users)]),
    restricted(&[(19, profiles::seccomp_required), (25, profiles::seccomp_required_unless_windows)]),
];

/// Creates the checks of a level.
pub(super) fn run(policy: &LevelAndVersion, subject: &Subject<'_>) -> Vec<Violation> {
    if policy.level == Level::Privileged {
        return Vec::new();
    }
    let minor = match policy.version {
        Version::Minor(minor) => minor,
        Version::Latest => u64::MAX,
    };
    let is_replaced = |check: &Check| {
        policy.level == Level::Restricted && check.stricter_from.is_some_and(|from| minor >= from)
    };
    CHECKS
        .iter()
        .filter(|check| check.level <= policy.level && !is_replaced(check))
        .filter_map(|check| check.revisions.iter().rev().find(|(from, _)| *from <= minor))
        .filter_map(|(_, function)| function(subject))
        .collect()
}
