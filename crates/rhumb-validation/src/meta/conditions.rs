//! Validation of conditions.

use std::collections::HashSet;

use rhumb_meta::v1::Condition;
use rhumb_meta::validation::regex_error;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use super::label_name;

const MAX_REASON: usize = 1024;
const MAX_MESSAGE: usize = 32 * 1024;
const REASON_RULE: &str = "a condition reason must start with alphabetic character, optionally followed by a string of \
    alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";

/// The conditions of an object, each type once.
pub fn conditions(conditions: &[Condition], path: &FieldPath, errors: &mut FieldErrors) {
    let mut seen = HashSet::new();
    for (index, each) in conditions.iter().enumerate().wanted() {
        if !seen.insert(&each.type_) {
            errors.duplicate(&path.index(index).child("type"), &each.type_);
        }
        condition(each, &path.index(index), errors);
    }
}

/// One condition.
pub fn condition(condition: &Condition, path: &FieldPath, errors: &mut FieldErrors) {
    label_name(&condition.type_, &path.child("type"), errors);
    if !matches!(condition.status.as_str(), "True" | "False" | "Unknown") {
        let supported = ["False", "True", "Unknown"];
        errors.not_supported(&path.child("status"), &Named(&condition.status), &supported);
    }
    if condition.observed_generation < 0 {
        let detail = "must be greater than or equal to zero";
        errors.invalid(&path.child("observedGeneration"), &condition.observed_generation, detail);
    }
    if condition.last_transition_time.is_zero() {
        errors.required(&path.child("lastTransitionTime"), "");
    }
    let reason = path.child("reason");
    if condition.reason.is_empty() {
        errors.required(&reason, "");
    } else {
        if !is_reason(condition.reason.as_bytes()) {
            let examples = ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"];
            let detail = regex_error(REASON_RULE, "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?", &examples);
            errors.invalid(&reason, &condition.reason, &detail);
        }
        if condition.reason.len() > MAX_REASON {
            errors.too_long(&reason, MAX_REASON);
        }
    }
    if condition.message.len() > MAX_MESSAGE {
        errors.too_long(&path.child("message"), MAX_MESSAGE);
    }
}

fn is_reason(reason: &[u8]) -> bool {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    match reason {
        [] => false,
        [first] => first.is_ascii_alphabetic(),
        [first, middle @ .., last] => {
            first.is_ascii_alphabetic()
                && word(last)
                && middle.iter().all(|byte| word(byte) || matches!(byte, b',' | b':'))
        }
    }
}
