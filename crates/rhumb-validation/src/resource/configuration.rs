//! Validation of driver configurations and device selectors.

use rhumb_api::resource::v1::{DeviceConfiguration, DeviceSelector};
use rhumb_schema::RawJson;
use rhumb_schema::text::parse_tree;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

use super::lists::list;
use super::names::driver_name;

/// The most settings that a class or a claim may have.
pub(super) const MAX_CONFIGS: usize = 32;
const MAX_SELECTORS: usize = 32;
const MAX_EXPRESSION: usize = 10 * 1024;
const MAX_PARAMETERS: usize = 10 * 1024;
const OMITTED: &str = "<value omitted>";
const NO_EXPRESSION: &str = "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/// Whether something is new, or stands in the stored object as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    New,
    Stored,
}

impl Origin {
    pub(super) fn stored_if(condition: bool) -> Self {
        if condition { Origin::Stored } else { Origin::New }
    }
}

/// Conditions on devices.
pub(super) fn selectors(selectors: &[DeviceSelector], path: &FieldPath, errors: &mut FieldErrors) {
    list(selectors, MAX_SELECTORS, path, errors, |selector, path, errors| {
        let path = path.child("cel");
        let Some(cel) = &selector.cel else { return errors.required(&path, "") };
        let path = path.child("expression");
        if cel.expression.is_empty() {
            errors.invalid(&path, "", NO_EXPRESSION);
        } else if cel.expression.len() > MAX_EXPRESSION {
            errors.too_long(&path, MAX_EXPRESSION);
        }
    });
}

/// Settings for a driver.
pub(super) fn configuration(
    config: &DeviceConfiguration,
    origin: Origin,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let path = path.child("opaque");
    let Some(opaque) = &config.opaque else { return errors.required(&path, "") };
    driver_name(&opaque.driver, &path.child("driver"), errors);
    let limit = (origin == Origin::New).then_some(MAX_PARAMETERS);
    json_object(&opaque.parameters, limit, &path.child("parameters"), errors);
}

/// A JSON object with at most so many bytes.
pub(super) fn json_object(raw: &RawJson, limit: Option<usize>, path: &FieldPath, errors: &mut FieldErrors) {
    if raw.0.is_empty() {
        return errors.required(path, "");
    }
    if let Some(limit) = limit.filter(|limit| raw.0.len() > *limit) {
        return errors.too_long(path, limit);
    }
    match parse_tree(&raw.0) {
        Err(error) => errors.invalid(path, OMITTED, &format!("error parsing data as JSON: {error}")),
        Ok(tree) if tree.is_null() => errors.required(path, ""),
        Ok(tree) if tree.is_object() => {}
        Ok(_) => errors.invalid(path, OMITTED, "must be a valid JSON object"),
    }
}
