//! Validation of the form of CEL rules; [`expressions`](super::expressions) compiles them.

use rhumb_api::apiextensions::v1beta1::JSONSchemaProps;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};
use rhumb_structural::field_path::{Notation, find};

use super::props::Props;
use super::structural;

const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// The form of the rules of a schema: messages, reasons, paths.
pub(super) fn forms(schema: &JSONSchemaProps, path: &FieldPath, errors: &mut FieldErrors) {
    let breaks = |text: &str| text.contains(['\n', '\r']);
    let mut is_readable = None;
    for (index, rule) in schema.x_kubernetes_validations.iter().enumerate().wanted() {
        let path = path.child("x-kubernetes-validations").index(index);
        let (expression, message) = (rule.rule.trim(), rule.message.trim());
        let at_message = path.child("message");
        if expression.is_empty() {
            errors.required(&path.child("rule"), "rule is not specified");
        } else if !rule.message.is_empty() && message.is_empty() {
            errors.invalid(&at_message, &rule.message, "must be non-empty if specified");
        } else if breaks(message) {
            errors.invalid(&at_message, &rule.message, "must not contain line breaks");
        } else if breaks(expression) && message.is_empty() {
            errors.required(&at_message, "message must be specified if rule contains line breaks");
        }
        if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
            let detail = "messageExpression must be non-empty if specified";
            errors.required(&path.child("messageExpression"), detail);
        }
        if let Some(reason) = &rule.reason
            && !REASONS.contains(&reason.as_str())
        {
            errors.not_supported(&path.child("reason"), &Named(reason), &REASONS);
        }
        let at_field = path.child("fieldPath");
        if rule.field_path.is_empty() {
            continue;
        }
        if rule.field_path.trim().is_empty() {
            errors.invalid(&at_field, &rule.field_path, "must be non-empty if specified");
        }
        if breaks(&rule.field_path) {
            errors.invalid(&at_field, &rule.field_path, "must not contain line breaks");
        }
        // Where there is no structural form, nobody knows where a path leads.
        let leads_nowhere = find(Props(schema), &rule.field_path, Notation::Brackets).is_err();
        if leads_nowhere && *is_readable.get_or_insert_with(|| structural::form(schema).is_ok()) {
            errors.invalid(&at_field, &rule.field_path, "must be a valid path");
        }
    }
}
