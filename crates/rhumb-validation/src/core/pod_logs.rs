//! Validation of log options.

use rhumb_api::core::v1::PodLogOptions;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath};

use crate::meta::nonnegative;

const POSITIVE: &str = "must be greater than 0";

pub(super) fn log_options(options: &PodLogOptions, _: &Context, errors: &mut FieldErrors) {
    if let Some(lines) = options.tail_lines {
        nonnegative(lines, &FieldPath::new("tailLines"), errors);
    }
    if let Some(bytes) = options.limit_bytes
        && bytes < 1
    {
        errors.invalid(&FieldPath::new("limitBytes"), &bytes, POSITIVE);
    }
    match options.since_seconds {
        Some(_) if options.since_time.is_some() => {
            errors.forbidden(
                &FieldPath::new(""),
                "at most one of `sinceTime` or `sinceSeconds` may be specified",
            );
        }
        Some(seconds) if seconds < 1 => {
            errors.invalid(&FieldPath::new("sinceSeconds"), &seconds, POSITIVE);
        }
        _ => {}
    }
    // Streams can be told apart only where a gate that is off by default says so.
    if options.stream.is_some() {
        errors.forbidden(&FieldPath::new("stream"), "may not be specified");
    }
}
