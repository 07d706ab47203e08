//! Validation of replica counts in statuses.

use rhumb_scheme::validation::{FieldErrors, FieldPath};

/// Numbers of pods that can't be more than there are.
pub(crate) fn at_most_all(numbers: &[(&str, i32)], all: i32, path: &FieldPath, errors: &mut FieldErrors) {
    for (name, number) in numbers {
        if *number > all {
            errors.invalid(&path.child(name), number, "cannot be greater than status.replicas");
        }
    }
}

/// Only pods that are ready can be available.
pub(crate) fn at_most_ready(available: i32, ready: i32, path: &FieldPath, errors: &mut FieldErrors) {
    if available > ready {
        let path = path.child("availableReplicas");
        errors.invalid(&path, &available, "cannot be greater than readyReplicas");
    }
}
