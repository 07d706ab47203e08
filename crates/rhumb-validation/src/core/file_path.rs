//! Paths of files on nodes and inside of volumes: whether they stay where they may.

use rhumb_scheme::validation::{FieldErrors, FieldPath};

/// Reports whether a path has a part that goes up.
pub(super) fn goes_up(target: &str) -> bool {
    target.split('/').any(|part| part == "..")
}

/// A path that never goes up.
pub(crate) fn without_backsteps(target: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if goes_up(target) {
        errors.invalid(path, target, "must not contain '..'");
    }
}

/// A relative path that stays below where it starts.
pub(super) fn local_descending(target: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if target.starts_with('/') {
        errors.invalid(path, target, "must be a relative path");
    }
    without_backsteps(target, path, errors);
}

/// A relative path that stays below, with a first part that no writer of volumes needs for itself.
pub(super) fn local_non_reserved(target: &str, path: &FieldPath, errors: &mut FieldErrors) {
    local_descending(target, path, errors);
    if target.starts_with("..") && !target.starts_with("../") {
        errors.invalid(path, target, "must not start with '..'");
    }
}

/// The mode of a file.
pub(super) fn file_mode(mode: Option<i32>, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(mode) = mode
        && !(0..=0o777).contains(&mode)
    {
        errors.invalid(path, &mode, "must be a number between 0 and 0777 (octal), both inclusive");
    }
}
