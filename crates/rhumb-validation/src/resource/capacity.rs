//! Validation of capacity requests of shared devices.

use rhumb_api::resource::v1::{CapacityRequestPolicy, CapacityRequestPolicyRange};
use rhumb_meta::Quantity;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

use super::lists::set;

const MAX_VALUES: usize = 10;

/// The amounts that can be asked for of a capacity.
pub(super) fn request_policy(
    policy: &CapacityRequestPolicy,
    capacity: &Quantity,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let default = path.child("default");
    match (policy.valid_values.as_slice(), &policy.valid_range, &policy.default) {
        ([], None, _) => {}
        ([_, ..], Some(_), _) => errors.forbidden(
            path,
            r#"exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time"#,
        ),
        ([_, ..], None, None) => errors.required(&default, "required when validValues is defined"),
        (amounts, None, Some(default)) => {
            values(amounts, default, capacity, &path.child("validValues"), errors);
        }
        (_, Some(_), None) => errors.required(&default, "required when validRange is defined"),
        (_, Some(amounts), Some(default)) => {
            range(amounts, default, capacity, &path.child("validRange"), errors);
        }
    }
}

fn values(
    values: &[Quantity],
    default: &Quantity,
    capacity: &Quantity,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (index, (value, next)) in values.iter().zip(values.iter().skip(1)).enumerate() {
        if value > next {
            let detail = "values must be sorted in ascending order";
            errors.invalid(&path.index(index + 1), &next.to_string(), detail);
        }
    }
    set(
        values,
        MAX_VALUES,
        |value| value.value().to_string(),
        path,
        errors,
        |value, path, errors| {
            if value > capacity {
                let detail = format!("option is larger than capacity value: {capacity}");
                errors.invalid(path, &value.to_string(), &detail);
            }
        },
    );
    // Too long a list is not looked at, and then nothing is found in it.
    if values.len() > MAX_VALUES || !values.contains(default) {
        let detail = "default value is not valid according to the requestPolicy";
        errors.invalid(path, &default.to_string(), detail);
    }
}

fn range(
    range: &CapacityRequestPolicyRange,
    default: &Quantity,
    capacity: &Quantity,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let at = path.child("min");
    let Some(min) = &range.min else {
        return errors.required(&at, "required when validRange is defined");
    };
    if min > capacity {
        errors.invalid(&at, &min.to_string(), &format!("min is larger than capacity value: {capacity}"));
    }
    if default < min {
        errors.invalid(&at, &default.to_string(), &format!("default is less than min: {min}"));
    }
    if let Some(max) = &range.max {
        let at = path.child("max");
        if min > max {
            errors.invalid(&at, &min.to_string(), &format!("min is larger than max: {max}"));
        }
        if max > capacity {
            errors.invalid(&at, &max.to_string(), &format!("max is larger than capacity value: {capacity}"));
        }
        if default > max {
            errors.invalid(&at, &default.to_string(), &format!("default is more than max: {max}"));
        }
    }
    if let Some(step) = &range.step {
        let at = path.child("step");
        let mut first = min.clone();
        first += step;
        if first > *capacity {
            let detail = format!("one step {first} is larger than capacity value: {capacity}");
            errors.invalid(&at, &step.to_string(), &detail);
        }
        on_a_step(default, min, step, &at, errors);
        if let Some(max) = &range.max {
            on_a_step(max, min, step, &at, errors);
        }
    }
}

/// An amount that is some whole steps above the least. No amount is, if a step is nothing.
fn on_a_step(value: &Quantity, min: &Quantity, step: &Quantity, path: &FieldPath, errors: &mut FieldErrors) {
    let above = value.value().wrapping_sub(min.value());
    let is_on_a_step = match step.value() {
        0 => false,
        step => above.wrapping_rem(step) == 0,
    };
    if !is_on_a_step {
        let detail = format!("value is not a multiple of a given step ({step}) from ({min})");
        errors.invalid(path, &value.to_string(), &detail);
    }
}
