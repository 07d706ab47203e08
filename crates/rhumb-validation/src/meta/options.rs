//! Validation of request options.

use rhumb_meta::v1::{CreateOptions, DeleteOptions, PatchOptions, TableOptions, UpdateOptions};
use rhumb_schema::text::is_printable;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named};

const MAX_FIELD_MANAGER: usize = 128;

/// Which kind of patch a request brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchType {
    /// Server-side apply, which needs a manager and may be forced.
    Apply,
    /// Any other.
    Other,
}

/// The options of a deletion.
pub fn delete_options(options: &DeleteOptions, errors: &mut FieldErrors) {
    let path = FieldPath::new("propagationPolicy");
    if let Some(policy) = &options.propagation_policy {
        if options.orphan_dependents.is_some() {
            let detail = "orphanDependents and deletionPropagation cannot be both set";
            errors.invalid(&path, &Named(policy), detail);
        }
        if !matches!(policy.as_str(), "Foreground" | "Background" | "Orphan") {
            errors.not_supported(&path, &Named(policy), &["Foreground", "Background", "Orphan", "nil"]);
        }
    }
    dry_run(&options.dry_run, &FieldPath::new("dryRun"), errors);
    if options.ignore_store_read_error_with_cluster_breaking_potential == Some(true) {
        let path = FieldPath::new("ignoreStoreReadErrorWithClusterBreakingPotential");
        for (is_set, other) in [
            (!options.dry_run.is_empty(), "dryRun"),
            (options.propagation_policy.is_some(), "propagationPolicy"),
            (options.orphan_dependents.is_some(), "orphanDependents"),
            (options.grace_period_seconds.is_some(), "gracePeriodSeconds"),
            (options.preconditions.is_some(), "preconditions"),
        ] {
            if is_set {
                errors.invalid(&path, &true, &format!("cannot be set together with .{other}"));
            }
        }
    }
}

/// The options of a creation.
pub fn create_options(options: &CreateOptions, errors: &mut FieldErrors) {
    writing(&options.field_manager, &options.dry_run, &options.field_validation, errors);
}

/// The options of an update.
pub fn update_options(options: &UpdateOptions, errors: &mut FieldErrors) {
    writing(&options.field_manager, &options.dry_run, &options.field_validation, errors);
}

/// The options of a patch.
pub fn patch_options(options: &PatchOptions, patch: PatchType, errors: &mut FieldErrors) {
    match patch {
        PatchType::Apply if options.field_manager.is_empty() => {
            errors.required(&FieldPath::new("fieldManager"), "is required for apply patch");
        }
        PatchType::Other if options.force.is_some() => {
            errors.forbidden(&FieldPath::new("force"), "may not be specified for non-apply patch");
        }
        _ => {}
    }
    writing(&options.field_manager, &options.dry_run, &options.field_validation, errors);
}

fn writing(manager: &str, dry_runs: &[String], validation: &str, errors: &mut FieldErrors) {
    field_manager(manager, &FieldPath::new("fieldManager"), errors);
    dry_run(dry_runs, &FieldPath::new("dryRun"), errors);
    field_validation(validation, &FieldPath::new("fieldValidation"), errors);
}

/// The options of a table.
pub fn table_options(options: &TableOptions, errors: &mut FieldErrors) {
    if !matches!(options.include_object.as_str(), "" | "Metadata" | "None" | "Object") {
        let detail = "must be 'Metadata', 'Object', 'None', or empty";
        errors.invalid(&FieldPath::new("includeObject"), &Named(&options.include_object), detail);
    }
}

/// The name of who sets fields.
pub fn field_manager(manager: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if manager.len() > MAX_FIELD_MANAGER {
        errors.too_long(path, MAX_FIELD_MANAGER);
    }
    for (position, character) in manager.char_indices() {
        if !is_printable(character) {
            let code = u32::from(character);
            let detail = format!("invalid character U+{code:04X} (at position {position})");
            errors.invalid(path, manager, &detail);
        }
    }
}

/// What is done for show only.
pub fn dry_run(values: &[String], path: &FieldPath, errors: &mut FieldErrors) {
    if values.iter().any(|value| value != "All") {
        errors.not_supported(path, &values.to_vec(), &["All"]);
    }
}

/// What becomes of unknown fields.
pub fn field_validation(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if !matches!(value, "" | "Ignore" | "Strict" | "Warn") {
        errors.not_supported(path, value, &["", "Ignore", "Strict", "Warn"]);
    }
}
