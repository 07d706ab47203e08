//! Validation of numbers, quantities, addresses, ports, and immutable fields.

use std::collections::HashSet;

use rhumb_meta::validation as rules;
use rhumb_meta::validation::ip::{self as ips, LegacyForm};
use rhumb_meta::{IntOrString, Quantity};
use rhumb_scheme::validation::{BadValue, FieldErrors, FieldPath};

const NEGATIVE: &str = "must be greater than or equal to 0";

/// A field that keeps its value.
pub fn immutable_field<T: BadValue + PartialEq + ?Sized>(
    new: &T,
    old: &T,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if new != old {
        errors.invalid(path, new, "field is immutable");
    }
}

/// A number that is not negative.
pub fn nonnegative(value: i64, path: &FieldPath, errors: &mut FieldErrors) {
    if value < 0 {
        errors.invalid(path, &value, NEGATIVE);
    }
}

/// Numbers that are not negative, each with the name of its field.
pub fn all_nonnegative(numbers: &[(&str, i64)], path: &FieldPath, errors: &mut FieldErrors) {
    for (name, number) in numbers {
        nonnegative(*number, &path.child(name), errors);
    }
}

/// A quantity that is not negative.
pub fn nonnegative_quantity(value: &Quantity, path: &FieldPath, errors: &mut FieldErrors) {
    if value.sign() < 0 {
        errors.invalid(path, &value.to_string(), NEGATIVE);
    }
}

/// A quantity above zero.
pub fn positive_quantity(value: &Quantity, path: &FieldPath, errors: &mut FieldErrors) {
    if value.sign() <= 0 {
        errors.invalid(path, &value.to_string(), "must be greater than zero");
    }
}

/// A number that is not negative, or a percentage.
pub fn nonnegative_int_or_percent(value: &IntOrString, path: &FieldPath, errors: &mut FieldErrors) {
    match value {
        IntOrString::String(text) => errors.invalid_each(path, value, rules::is_valid_percent(text)),
        IntOrString::Int(number) => nonnegative(i64::from(*number), path, errors),
    }
}

/// A percentage is at most 100 %.
pub fn at_most_100_percent(value: &IntOrString, path: &FieldPath, errors: &mut FieldErrors) {
    if percent_value(value).is_some_and(|percent| percent > 100) {
        errors.invalid(path, value, "must not be greater than 100%");
    }
}

/// Returns the number in front of the percent sign, if it is a percentage.
pub fn percent_value(value: &IntOrString) -> Option<i64> {
    match value {
        IntOrString::String(text) if rules::is_valid_percent(text).is_empty() => {
            Some(IntOrString::String(text.trim_end_matches('%').to_owned()).int_value())
        }
        _ => None,
    }
}

/// Returns the number, be it a percentage or not.
pub fn int_or_percent_value(value: &IntOrString) -> i64 {
    percent_value(value).unwrap_or_else(|| value.int_value())
}

/// The number of a port.
pub fn port_number(port: i32, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, &port, rules::is_valid_port_num(i64::from(port)));
}

/// The name of a port.
pub fn port_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, name, rules::is_valid_port_name(name));
}

/// A port by number or by name.
pub fn port_number_or_name(port: &IntOrString, path: &FieldPath, errors: &mut FieldErrors) {
    match port {
        IntOrString::Int(number) => port_number(*number, path, errors),
        IntOrString::String(name) => port_name(name, path, errors),
    }
}

/// An IP address in canonical form.
pub fn ip(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, value, ips::is_valid_ip(value));
}

/// An IP address in a field that is older than canonical forms. What the old object had may stay.
pub fn legacy_ip(value: &str, old: &OldValues, path: &FieldPath, errors: &mut FieldErrors) {
    if !old.0.contains(value) {
        errors.invalid_each(path, value, ips::is_valid_ip_for_legacy_field(value, LegacyForm::Strict, &[]));
    }
}

/// A block of addresses in canonical form.
pub fn cidr(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, value, ips::is_valid_cidr(value));
}

/// A block of addresses in a field that is older than canonical forms. What the old object had may stay.
pub fn legacy_cidr(value: &str, old: &OldValues, path: &FieldPath, errors: &mut FieldErrors) {
    if !old.0.contains(value) {
        errors.invalid_each(path, value, ips::is_valid_cidr_for_legacy_field(value, LegacyForm::Strict, &[]));
    }
}

/// The values that the old object has, which may stay as they are.
#[derive(Clone, Debug, Default)]
pub struct OldValues(HashSet<String>);

impl<S: Into<String>> FromIterator<S> for OldValues {
    fn from_iter<I: IntoIterator<Item = S>>(values: I) -> Self {
        OldValues(values.into_iter().map(Into::into).collect())
    }
}

/// The address of an interface with its network's prefix.
pub fn interface_address(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, value, ips::is_valid_interface_address(value));
}
