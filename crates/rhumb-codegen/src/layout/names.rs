//! What groups, versions and kinds can be called, and what is called after them.

use std::cmp::Ordering;

use crate::problem::{Outcome, Problem};

/// Names that the types of a kind stand beside.
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
    if rank(version).is_some() {
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

/// How a version stands among others: the ripest first counts most, then the number, then the number behind.
fn rank(version: &str) -> Option<(u8, u32, u32)> {
    let rest = version.strip_prefix('v')?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (major, rest) = rest.split_at_checked(digits)?;
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0 && !text.starts_with('+'));
    let major = number(major)?;
    if rest.is_empty() {
        return Some((2, major, 0));
    }
    let (ripeness, minor) = match rest.strip_prefix("beta") {
        Some(minor) => (1, minor),
        None => (0, rest.strip_prefix("alpha")?),
    };
    Some((ripeness, major, number(minor)?))
}

/// The order in which clients prefer versions, the most wanted first.
pub(super) fn by_preference(one: &str, other: &str) -> Ordering {
    rank(other).cmp(&rank(one)).then_with(|| one.cmp(other))
}

/// The newest of versions, as they came one after the other: v1 is newer than v1beta2, and v2alpha1 than v1.
pub(super) fn newest<'a>(versions: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let age = |version: &&str| rank(version).map(|(ripeness, major, minor)| (major, ripeness, minor));
    versions.into_iter().max_by_key(age)
}

/// The name of a group's package.
pub(super) fn package(group: &str) -> String {
    group.replace('.', "-")
}

/// The name in paths that a kind has if nothing else is said.
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
    fn versions_have_an_order_for_clients_and_one_of_age() {
        let mut all = ["v1beta1", "v2alpha1", "v1", "v10", "v1alpha3", "v2"];
        assert_eq!(newest(all), Some("v10"));
        assert_eq!(newest(["v1", "v2alpha1"]), Some("v2alpha1"));
        all.sort_by(|one, other| by_preference(one, other));
        assert_eq!(all, ["v10", "v2", "v1", "v1beta1", "v2alpha1", "v1alpha3"]);
        assert_eq!(
            ["CronTab", "Policy", "Ingress", "Key", "Fox"].map(plural),
            ["crontabs", "policies", "ingresses", "keys", "foxes"]
        );
    }
}
