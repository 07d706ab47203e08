//! Validation of a version's subresources, columns and selectable fields.

use std::collections::HashSet;

use rhumb_api::apiextensions::v1beta1::{
    CustomResourceColumnDefinition, CustomResourceSubresources, JSONSchemaProps, SelectableField,
};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};
use rhumb_structural::field_path::{Notation, find};

use super::props::Props;

/// The most fields that objects can be selected by.
pub(super) const MAX_SELECTABLE: usize = 8;

const COLUMN_TYPES: &str = "must be one of boolean,date,integer,number,string";
const COLUMN_FORMATS: [&str; 8] =
    ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/// Paths of a scale must lead where its parts are.
pub(super) fn subresources(
    subresources: Option<&CustomResourceSubresources>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let Some(scale) = subresources.and_then(|subresources| subresources.scale.as_deref()) else { return };
    let at = path.child("scale.specReplicasPath");
    required_path(&scale.spec_replicas_path, &[".spec."], "should be a json path under .spec", &at, errors);
    let at = path.child("scale.statusReplicasPath");
    let detail = "should be a json path under .status";
    required_path(&scale.status_replicas_path, &[".status."], detail, &at, errors);
    if let Some(selector) = scale.label_selector_path.as_ref().filter(|path| !path.is_empty()) {
        let at = path.child("scale.labelSelectorPath");
        let detail = "should be a json path under either .spec or .status";
        required_path(selector, &[".spec.", ".status."], detail, &at, errors);
    }
}

fn required_path(value: &String, starts: &[&str], detail: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if value.is_empty() {
        errors.required(path, "");
    } else if !is_simple_path(value, path, errors) {
    } else if !starts.iter().any(|start| value.starts_with(start)) {
        errors.invalid(path, value, detail);
    }
}

fn is_simple_path(value: &str, path: &FieldPath, errors: &mut FieldErrors) -> bool {
    let is_simple = value.starts_with('.');
    if !is_simple {
        errors.invalid(path, value, "must be a simple json path starting with .");
    }
    is_simple
}

/// A column that clients show.
pub(super) fn column(column: &CustomResourceColumnDefinition, path: &FieldPath, errors: &mut FieldErrors) {
    if column.name.is_empty() {
        errors.required(&path.child("name"), "");
    }
    match column.type_.as_str() {
        "" => errors.required(&path.child("type"), COLUMN_TYPES),
        "boolean" | "date" | "integer" | "number" | "string" => {}
        other => errors.invalid(&path.child("type"), other, COLUMN_TYPES),
    }
    if !column.format.is_empty() && !COLUMN_FORMATS.contains(&column.format.as_str()) {
        let detail = format!("must be one of {}", COLUMN_FORMATS.join(","));
        errors.invalid(&path.child("format"), &column.format, &detail);
    }
    let path = path.child("JSONPath");
    if column.json_path.is_empty() {
        errors.required(&path, "");
    } else {
        is_simple_path(&column.json_path, &path, errors);
    }
}

/// Fields to select by must be there, be told once, and hold a single value.
pub(super) fn selectable_fields(
    fields: &[SelectableField],
    schema: Option<&JSONSchemaProps>,
    path: &FieldPath,
    too_many_allowed: bool,
    errors: &mut FieldErrors,
) {
    let unknown = JSONSchemaProps::default();
    let schema = schema.unwrap_or(&unknown);
    let mut unique: HashSet<String> = HashSet::new();
    for (index, field) in fields.iter().enumerate().wanted() {
        let at = path.index(index).child("jsonPath");
        let value = &field.json_path;
        if value.is_empty() {
            errors.required(&at, "");
            continue;
        }
        let found = match find(Props(schema), value, Notation::Dots) {
            Ok(found) => found,
            Err(error) => {
                errors.invalid(&at, value, &format!("is an invalid path: {error}"));
                continue;
            }
        };
        if found.first == "metadata" {
            errors.invalid(&at, value, "must not point to fields in metadata");
        }
        let type_ = found.schema.map_or("", |schema| schema.0.type_.as_str());
        if !matches!(type_, "string" | "boolean" | "integer") {
            errors.invalid(
                &at,
                value,
                "must point to a field of type string, boolean or integer. Enum string fields and strings \
                 with formats are allowed.",
            );
        }
        if !unique.insert(found.path.to_string()) {
            errors.duplicate(&at, value);
        }
    }
    if unique.len() > MAX_SELECTABLE && !too_many_allowed {
        errors.too_many(path, unique.len(), MAX_SELECTABLE);
    }
}
