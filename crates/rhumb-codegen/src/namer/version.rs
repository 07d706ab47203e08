//! Names of versions, and their order.

use std::cmp::Ordering;

/// Reports whether a name is that of a version: `v1`, `v1beta1`, `v2alpha3`.
pub(crate) fn is_version(name: &str) -> bool {
    rank(name).is_some()
}

/// Returns the sort key of a version: stability, number, and second number.
fn rank(version: &str) -> Option<(u8, u32, u32)> {
    let rest = version.strip_prefix('v')?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (major, rest) = rest.split_at_checked(digits)?;
    let number = |text: &str| {
        let is_plain = text.starts_with(|first: char| matches!(first, '1'..='9'));
        text.parse::<u32>().ok().filter(|_| is_plain)
    };
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

/// Returns the order in which clients prefer versions, the most wanted first, as Kubernetes has it.
pub(crate) fn by_preference(one: &str, other: &str) -> Ordering {
    rank(other).cmp(&rank(one)).then_with(|| one.cmp(other))
}

/// Returns the newest of versions, as they came one after the other: v1 is newer than v1beta2, and v2alpha1 than v1.
pub(crate) fn newest<'a>(versions: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let age = |version: &&str| rank(version).map(|(ripeness, major, minor)| (major, ripeness, minor));
    versions.into_iter().max_by_key(age)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_versions_are_known() {
        for (good, bad) in [
            ("v1", "1"),
            ("v1beta2", "v0"),
            ("v10alpha1", "v1gamma1"),
            ("v2", "v1beta"),
            ("v20", "v01"),
            ("v1alpha1", "v1alpha+1"),
            ("v3", "defaults"),
        ] {
            assert!(is_version(good) && !is_version(bad), "{good} {bad}");
        }
    }

    #[test]
    fn versions_have_an_order_for_clients_and_one_of_age() {
        let mut all = ["v1beta1", "v2alpha1", "v1", "v10", "v1alpha3", "v1beta2", "v2"];
        assert_eq!(newest(all), Some("v10"));
        assert_eq!(newest(["v1", "v2alpha1"]), Some("v2alpha1"));
        all.sort_by(|one, other| by_preference(one, other));
        assert_eq!(all, ["v10", "v2", "v1", "v1beta2", "v1beta1", "v2alpha1", "v1alpha3"]);
    }
}
