//! The names of versions and their order, best first, as Kubernetes has it: `v2`, `v1`, `v1beta2`, `v1beta1`,
//! `v1alpha1`.

use std::cmp::Ordering;

/// The parts of a version's name: its number, and how settled it is, with a number of its own.
fn parts(name: &str) -> Option<(u32, u8, u32)> {
    let rest = name.strip_prefix('v')?;
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    let (major, rest) = rest.split_at_checked(end)?;
    let major = major.parse().ok()?;
    if rest.is_empty() {
        return Some((major, 2, 0));
    }
    let (rank, minor) = match (rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
        (Some(minor), _) => (1, minor),
        (_, Some(minor)) => (0, minor),
        _ => return None,
    };
    Some((major, rank, minor.parse().ok()?))
}

/// Whether a module is named like a version.
pub(super) fn looks_like_version(name: &str) -> bool {
    parts(name).is_some()
}

/// Better versions come first: settled ones, then higher numbers.
pub(super) fn order(one: &str, other: &str) -> Ordering {
    let key = |name: &str| parts(name).map(|(major, rank, minor)| (rank, major, minor));
    key(other).cmp(&key(one)).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_version_comes_first() {
        let mut versions = ["v1alpha1", "v1beta1", "v2", "v1", "v1beta2", "v2alpha1"];
        versions.sort_by(|one, other| order(one, other));
        assert_eq!(versions, ["v2", "v1", "v1beta2", "v1beta1", "v2alpha1", "v1alpha1"]);
        assert!(
            !looks_like_version("defaults") && !looks_like_version("v") && !looks_like_version("v1gamma1")
        );
    }
}
