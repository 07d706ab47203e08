//! Validation of CEL rules, without compiling their expressions.

use rhumb_api::apiextensions::v1beta1::JSONSchemaProps;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use super::field_path::{Notation, find};
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
        let leads_nowhere = find(schema, &rule.field_path, Notation::Brackets).is_err();
        if leads_nowhere && *is_readable.get_or_insert_with(|| structural::form(schema).is_ok()) {
            errors.invalid(&at_field, &rule.field_path, "must be a valid path");
        }
    }
}

/// Rules that look at the old value need one that can be told from the others.
pub(super) fn correlation(
    schema: &JSONSchemaProps,
    uncorrelated: Option<&FieldPath>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (index, rule) in schema.x_kubernetes_validations.iter().enumerate().wanted() {
        let path = path.child("x-kubernetes-validations").index(index);
        match (uses_old_self(&rule.rule), uncorrelated, rule.optional_old_self) {
            (true, Some(outer), _) => {
                let detail = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {outer}"
                );
                errors.invalid(&path.child("rule"), &rule.rule, &detail);
            }
            (false, _, Some(optional)) => {
                let detail = "may not be set if oldSelf is not used in rule";
                errors.invalid(&path.child("optionalOldSelf"), &optional, detail);
            }
            _ => {}
        }
    }
}

/// Reports whether `oldSelf` stands in an expression as a name of its own, outside of texts and comments.
fn uses_old_self(expression: &str) -> bool {
    let mut rest = expression;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => literal_length(rest, matches!(before, 'r' | 'R')),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            letter if letter.is_ascii_alphabetic() || letter == '_' => {
                let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
                if rest.get(..end) == Some("oldSelf") && before != '.' {
                    return true;
                }
                end
            }
            other => other.len_utf8(),
        };
        let Some((token, after)) = rest.split_at_checked(length) else { return false };
        before = token.chars().next_back().unwrap_or(before);
        rest = after;
    }
    false
}

/// Returns how long the literal is that begins here: in single or triple quotes, with escapes unless it is raw.
fn literal_length(text: &str, is_raw: bool) -> usize {
    let Some(quote) = text.get(..1) else { return text.len() };
    let triple = quote.repeat(3);
    let end = if text.starts_with(&triple) { triple.as_str() } else { quote };
    let mut at = end.len();
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(end) {
            return at + end.len();
        }
        let escaped = !is_raw && rest.starts_with('\\');
        at += rest.chars().take(1 + usize::from(escaped)).map(char::len_utf8).sum::<usize>();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::uses_old_self;

    #[test]
    fn old_self_counts_as_a_name_only() {
        for (expression, expected) in [
            ("self == oldSelf", true),
            ("self.oldSelf > 1", false),
            ("oldSelfish", false),
            ("self != 'oldSelf'", false),
            (r#"self != "a\"oldSelf""#, false),
            (r#"self != r"a\" + oldSelf"#, true),
            ("self != '''oldSelf' '''", false),
            ("true // oldSelf", false),
            ("true // x\n|| oldSelf.hasValue()", true),
            ("'ä' + oldSelf", true),
            ("", false),
        ] {
            assert_eq!(uses_old_self(expression), expected, "{expression}");
        }
    }
}
