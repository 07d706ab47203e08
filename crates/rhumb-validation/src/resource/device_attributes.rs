//! The attributes of a device: each has one value, or one list of them.

use std::collections::BTreeMap;

use rhumb_api::resource::v1::DeviceAttribute;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};

use crate::internal_form::internal;

/// The most bytes that a text or a version may have.
const MAX_VALUE: usize = 64;
const ONE_VALUE: &str = "exactly one value must be specified";

/// Returns how many values there are, where each in a list counts.
pub(super) fn values(attributes: &BTreeMap<String, DeviceAttribute>) -> usize {
    let in_lists = |value: &DeviceAttribute| {
        [value.bools.len(), value.ints.len(), value.strings.len(), value.versions.len()].iter().sum::<usize>()
    };
    attributes.values().map(|value| in_lists(value).max(1)).sum()
}

/// An attribute's value.
pub(super) fn attribute(attribute: &DeviceAttribute, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(value) = &attribute.string {
        text(value, &path.child("string"), errors);
    }
    if let Some(value) = &attribute.version {
        version(value, &path.child("version"), errors);
    }
    for (index, value) in attribute.strings.iter().enumerate().wanted() {
        text(value, &path.child("strings").index(index), errors);
    }
    for (index, value) in attribute.versions.iter().enumerate().wanted() {
        version(value, &path.child("versions").index(index), errors);
    }
    let set = [
        attribute.bool.is_some(),
        attribute.int.is_some(),
        attribute.string.is_some(),
        attribute.version.is_some(),
        !attribute.bools.is_empty(),
        !attribute.ints.is_empty(),
        !attribute.strings.is_empty(),
        !attribute.versions.is_empty(),
    ];
    match set.iter().filter(|is_set| **is_set).count() {
        0 => errors.invalid(path, "", ONE_VALUE),
        1 => {}
        _ => errors.invalid(path, &internal(attribute), ONE_VALUE),
    }
}

fn text(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if value.len() > MAX_VALUE {
        errors.too_long(path, MAX_VALUE);
    }
}

fn version(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if !is_semantic_version(value) {
        errors.invalid(path, value, "must be a string compatible with semver.org spec 2.0.0");
    }
    text(value, path, errors);
}

/// Three numbers, then identifiers behind a dash, then those of the build behind a plus.
fn is_semantic_version(text: &str) -> bool {
    let number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part.len() == 1 || !part.starts_with('0'))
    };
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let release =
        |part: &str| word(part) && (number(part) || part.bytes().any(|byte| !byte.is_ascii_digit()));
    let (text, build) = match text.split_once('+') {
        Some((text, build)) => (text, Some(build)),
        None => (text, None),
    };
    let (numbers, pre_release) = match text.split_once('-') {
        Some((numbers, pre_release)) => (numbers, Some(pre_release)),
        None => (text, None),
    };
    numbers.split('.').count() == 3
        && numbers.split('.').all(number)
        && pre_release.is_none_or(|it| it.split('.').all(release))
        && build.is_none_or(|it| it.split('.').all(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_semantic() {
        for version in ["0.0.0", "1.2.3", "10.20.30-rc.1", "1.0.0-a-b.0x1", "1.0.0+001.a-b", "1.0.0--+-"] {
            assert!(is_semantic_version(version), "{version}");
        }
        for text in [
            "",
            "1.2",
            "1.2.3.4",
            "01.2.3",
            "1.2.3-",
            "1.2.3-01",
            "1.2.3-a..b",
            "1.2.3+",
            "1.2.3+a+b",
            "v1.2.3",
        ] {
            assert!(!is_semantic_version(text), "{text}");
        }
    }
}
