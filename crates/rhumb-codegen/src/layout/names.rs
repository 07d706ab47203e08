//! Names of groups, versions and kinds, and names derived from them.

use crate::namer::version::is_version;
use crate::problem::{Outcome, Problem};

/// Reserved names.
const TAKEN: &[&str] = &[
    "Box",
    "Condition",
    "ListMeta",
    "Object",
    "ObjectMeta",
    "Option",
    "Resource",
    "Schema",
    "Self",
    "String",
    "TypeMeta",
    "Vec",
];

/// Checks the name of a group.
///
/// # Errors
/// If it is no domain, or a crate can't be called after it.
pub fn check_group(group: &str) -> Outcome<()> {
    let is_part = |part: &str| {
        let bytes = part.as_bytes();
        let ends = [bytes.first(), bytes.last()].into_iter().flatten().all(u8::is_ascii_alphanumeric);
        let is_allowed = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
        !part.is_empty() && part.len() < 64 && ends && bytes.iter().all(is_allowed)
    };
    let starts = group.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    if starts && group.len() < 254 && group.contains('.') && group.split('.').all(is_part) {
        return Ok(());
    }
    let message = format!(
        "{group:?} can't be a group: it is a domain that you own, in lower case, such as stable.example.com"
    );
    Err(Problem::new(message).into())
}

/// Checks the name of a version.
///
/// # Errors
/// If it is not of the form of `v1`, `v1beta1` or `v1alpha1`.
pub fn check_version(version: &str) -> Outcome<()> {
    if is_version(version) {
        return Ok(());
    }
    Err(Problem::new(format!("{version:?} can't be a version: it is one such as v1alpha1, v1beta1 or v1"))
        .into())
}

/// Checks the name of a kind.
///
/// # Errors
/// If it is not in CamelCase.
pub fn check_kind(kind: &str) -> Outcome<()> {
    let starts = kind.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase());
    let taken = TAKEN.contains(&kind) || kind.ends_with("List");
    if starts && kind.len() < 60 && kind.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !taken {
        return Ok(());
    }
    let message =
        format!("{kind:?} can't be a kind: it is one word in CamelCase, such as CronTab, and no list");
    Err(Problem::new(message).into())
}

/// Returns the name of a group's package.
pub(super) fn package(group: &str) -> String {
    group.replace('.', "-")
}

/// Returns the name in paths that a kind has if nothing else is said.
pub(super) fn plural(kind: &str) -> String {
    let lower = kind.to_ascii_lowercase();
    match lower.as_bytes() {
        [.., b's' | b'x'] | [.., b'c' | b's', b'h'] => format!("{lower}es"),
        [head @ .., b'y'] if !head.last().is_some_and(|last| b"aeiou".contains(last)) => {
            format!("{}ies", lower.strip_suffix('y').unwrap_or(&lower))
        }
        _ => format!("{lower}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        for (good, bad) in
            [("stable.example.com", "stable"), ("a-b.c", "A.b"), ("x1.y", "-a.b"), ("a.b", "1.b")]
        {
            assert!(check_group(good).is_ok() && check_group(bad).is_err(), "{good} {bad}");
        }
        for (good, bad) in [("v1", "1"), ("v1beta2", "v0"), ("v10alpha1", "v1gamma1"), ("v2", "v1beta")] {
            assert!(check_version(good).is_ok() && check_version(bad).is_err(), "{good} {bad}");
        }
        for (good, bad) in [("CronTab", "cronTab"), ("IPAddress", "Cron-Tab"), ("A1", "CronTabList")] {
            assert!(check_kind(good).is_ok() && check_kind(bad).is_err(), "{good} {bad}");
        }
    }

    #[test]
    fn plurals_are_english() {
        assert_eq!(
            ["CronTab", "Policy", "Ingress", "Key", "Fox"].map(plural),
            ["crontabs", "policies", "ingresses", "keys", "foxes"]
        );
    }
}
