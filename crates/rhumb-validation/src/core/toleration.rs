//! Validation of tolerations, including those in the legacy annotation.

use std::collections::HashSet;

use rhumb_api::core::v1::Toleration;
use rhumb_meta::validation::{is_decimal_integer, is_valid_label_value};
use rhumb_schema::text::{parse_tree, quoted};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use super::pod_options::PodOptions;
use super::taints::taint_effect;
use crate::meta::label_name;

/// The taints that a pod tolerates.
pub(crate) fn tolerations(
    tolerations: &[Toleration],
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    for (index, one) in tolerations.iter().enumerate().wanted() {
        toleration(one, &path.index(index), options, errors);
    }
}

fn toleration(toleration: &Toleration, path: &FieldPath, options: &PodOptions, errors: &mut FieldErrors) {
    let at = path.child("operator");
    if !toleration.key.is_empty() {
        label_name(&toleration.key, &path.child("key"), errors);
    } else if toleration.operator != "Exists" {
        let detail =
            "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
        errors.invalid(&at, &Named(&toleration.operator), detail);
    }
    if toleration.toleration_seconds.is_some() && toleration.effect != "NoExecute" {
        let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        errors.invalid(&path.child("effect"), &Named(&toleration.effect), detail);
    }
    let value = &toleration.value;
    match toleration.operator.as_str() {
        "Equal" | "" => {
            let found = is_valid_label_value(value);
            if !found.is_empty() {
                errors.invalid(&at, value, &found.join(";"));
            }
        }
        "Exists" => {
            if !value.is_empty() {
                errors.invalid(&at, value, "value must be empty when `operator` is 'Exists'");
            }
        }
        "Lt" | "Gt" if options.comparing_tolerations => {
            errors.invalid_each(&path.child("value"), value, is_decimal_integer(value));
            if let Some(error) = integer_error(value) {
                errors.invalid(&path.child("value"), value, &error);
            }
        }
        operator @ ("Lt" | "Gt") => {
            errors.not_supported(&at, &Named(operator), &["Equal", "Exists", "Lt", "Gt"]);
        }
        operator => errors.not_supported(&at, &Named(operator), &["Equal", "Exists"]),
    }
    if !toleration.effect.is_empty() {
        taint_effect(&toleration.effect, &path.child("effect"), errors);
    }
}

fn integer_error(text: &str) -> Option<String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let problem = match (is_number, text.parse::<i64>()) {
        (true, Ok(_)) => return None,
        (true, Err(_)) => "value out of range",
        (false, _) => "invalid syntax",
    };
    Some(format!("strconv.ParseInt: parsing {}: {problem}", quoted(text)))
}

/// What a pod tolerates may only grow, or change its time.
pub(super) fn only_added(
    new: &[Toleration],
    old: &[Toleration],
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    let now: HashSet<[&str; 4]> = new.iter().map(without_time).collect();
    if !old.iter().all(|before| now.contains(&without_time(before))) {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        return errors.forbidden(path, detail);
    }
    tolerations(new, path, options, errors);
}

/// Returns what makes a toleration the same as another one: all but its time.
pub(crate) fn without_time(toleration: &Toleration) -> [&str; 4] {
    [&toleration.key, &toleration.operator, &toleration.value, &toleration.effect].map(String::as_str)
}

/// Returns the tolerations of an annotation, or what Go says of a text that has none.
pub(super) fn from_annotation(text: &str) -> Result<Vec<Toleration>, String> {
    let tree = parse_tree(text.as_bytes()).map_err(|error| error.to_string())?;
    if tree.is_null() {
        return Ok(Vec::new());
    }
    let items =
        tree.as_array().ok_or_else(|| mismatch(&tree.to_string(), "value of type []core.Toleration"))?;
    let mut found = Vec::new();
    for item in items {
        let mut toleration = Toleration::default();
        if !item.is_null() && !item.is_object() {
            return Err(mismatch(&item.to_string(), "value of type core.Toleration"));
        }
        for (key, value) in item.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            let (place, target) = match key.to_ascii_lowercase().as_str() {
                "key" => (&mut toleration.key, "Key of type string"),
                "operator" => (&mut toleration.operator, "Operator of type core.TolerationOperator"),
                "value" => (&mut toleration.value, "Value of type string"),
                "effect" => (&mut toleration.effect, "Effect of type core.TaintEffect"),
                "tolerationseconds" => {
                    let target = "struct field Toleration.TolerationSeconds of type int64";
                    let seconds = value.as_i64().ok_or_else(|| mismatch(&value.to_string(), target))?;
                    toleration.toleration_seconds = Some(seconds);
                    continue;
                }
                _ => continue,
            };
            let target = format!("struct field Toleration.{target}");
            value.as_str().ok_or_else(|| mismatch(&value.to_string(), &target))?.clone_into(place);
        }
        found.push(toleration);
    }
    Ok(found)
}

/// Says as Go does that some JSON is of another kind than its target; a number that doesn't fit is shown.
fn mismatch(json: &str, target: &str) -> String {
    let kind = match json.as_bytes().first() {
        Some(b'"') => "string".to_owned(),
        Some(b'{') => "object".to_owned(),
        Some(b'[') => "array".to_owned(),
        Some(b't' | b'f') => "bool".to_owned(),
        _ if target.ends_with("int64") => format!("number {json}"),
        _ => "number".to_owned(),
    };
    format!("json: cannot unmarshal {kind} into Go {target}")
}
