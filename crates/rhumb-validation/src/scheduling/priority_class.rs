//! Validation of PriorityClasses.

use rhumb_api::scheduling::v1::PriorityClass;
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{Scope, immutable_field, object_meta, object_meta_update};

/// The start of names that only classes of the system have.
const SYSTEM_PREFIX: &str = "system-";
/// The classes of the system and their values. None of them is the default.
const SYSTEM_CLASSES: [(&str, i32); 2] =
    [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)];
/// The highest value that others may have.
const HIGHEST: i32 = 1_000_000_000;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<PriorityClass>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(class: &PriorityClass, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&class.metadata, Scope::Cluster, name_is_dns_subdomain, &metadata, errors);
    if class.metadata.name.starts_with(SYSTEM_PREFIX) {
        if let Err(error) = system_class(class) {
            let detail = format!(
                "priority class names with '{SYSTEM_PREFIX}' prefix are reserved for system use only. error: {error}"
            );
            errors.forbidden(&metadata.child("name"), &detail);
        }
    } else if class.value > HIGHEST {
        let detail = format!("maximum allowed value of a user defined priority is {HIGHEST}");
        errors.forbidden(&FieldPath::new("value"), &detail);
    }
    let path = FieldPath::new("preemptionPolicy");
    match class.preemption_policy.as_deref() {
        None | Some("PreemptLowerPriority" | "Never") => {}
        Some("") => errors.required(&path, ""),
        Some(_) => {
            errors.not_supported(&path, &class.preemption_policy, &["PreemptLowerPriority", "Never"]);
        }
    }
}

/// Reports whether a class with a name of the system is what the system has under that name.
fn system_class(class: &PriorityClass) -> Result<(), String> {
    let name = &class.metadata.name;
    match SYSTEM_CLASSES.iter().find(|(known, _)| known == name) {
        None => Err(format!("{name} is not a known system priority class")),
        Some((_, value)) if class.value != *value => {
            Err(format!("value of {name} PriorityClass must be {value}"))
        }
        Some(_) if class.global_default => {
            Err(format!("globalDefault of {name} PriorityClass must be false"))
        }
        Some(_) => Ok(()),
    }
}

fn update(new: &PriorityClass, old: &PriorityClass, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if new.value != old.value {
        errors.forbidden(&FieldPath::new("value"), "may not be changed in an update.");
    }
    let path = FieldPath::new("preemptionPolicy");
    immutable_field(&new.preemption_policy, &old.preemption_policy, &path, errors);
}
