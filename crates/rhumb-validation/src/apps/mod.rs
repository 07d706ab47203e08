//! Validation of the `apps` group. Kinds of `extensions` that share its hub share its rules too.

mod controller_revision;
mod daemon_set;
mod deployment;
mod pod_template;
mod replica_set;
mod stateful_set;

use rhumb_meta::IntOrString;
use rhumb_scheme::validation::{BadValue, FieldErrors, FieldPath, Named};
use rhumb_scheme::{RegisterError, SchemeBuilder};

pub(crate) use pod_template::{matches, template};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    controller_revision::register(builder)?;
    daemon_set::register(builder)?;
    deployment::register(builder)?;
    replica_set::register(builder)?;
    stateful_set::register(builder)
}

/// Counts only go up.
fn collision_count(new: Option<i32>, old: Option<i32>, errors: &mut FieldErrors) {
    if old.is_some_and(|old| new.is_none_or(|new| new < old)) {
        let path = FieldPath::new("status").child("collisionCount");
        errors.invalid(&path, &new.unwrap_or(0), "cannot be decremented");
    }
}

/// Formats a struct as Go prints it where its fields have no names for JSON.
fn internal_struct(fields: &[(&str, String)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

/// Returns a strategy in its internal form: a type, and the details of a rolling update.
fn shown_strategy(type_: &str, rolling_update: Option<String>) -> String {
    let details = rolling_update.unwrap_or_else(|| "null".to_owned());
    internal_struct(&[("Type", Named(type_).shown()), ("RollingUpdate", details)])
}

/// Returns the bounds of a rolling update in their internal form.
fn shown_bounds(max_unavailable: Option<&IntOrString>, max_surge: Option<&IntOrString>) -> String {
    let shown = |bound: Option<&IntOrString>| bound.map_or_else(|| "0".to_owned(), BadValue::shown);
    internal_struct(&[("MaxUnavailable", shown(max_unavailable)), ("MaxSurge", shown(max_surge))])
}
