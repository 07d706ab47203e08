//! Validation of FlowSchemas.

use std::collections::HashSet;

use rhumb_api::flowcontrol::v1::{FlowSchema, FlowSchemaSpec, FlowSchemaStatus};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::policy_rules::policy_rules;
use super::{EXEMPT, mandatory};
use crate::internal_form::internal;
use crate::meta::{Scope, dns_subdomain, object_meta};

const MAX_PRECEDENCE: i32 = 10000;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    let rules = Rules::create(create).update(update).on("status", status_update);
    builder.rules::<FlowSchema>(rules)?;
    Ok(())
}

fn create(schema: &FlowSchema, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&schema.metadata, Scope::Cluster, name_is_dns_subdomain, &metadata, errors);
    let (name, path) = (&schema.metadata.name, FieldPath::new("spec"));
    spec(name, &schema.spec, &path, errors);
    if mandatory::flow_schema(name).is_some_and(|fixed| fixed != schema.spec) {
        let detail = format!("spec of '{name}' must equal the fixed value");
        errors.invalid(&path, &internal(&schema.spec), &detail);
    }
    status(&schema.status, errors);
}

fn update(new: &FlowSchema, _: &FlowSchema, context: &Context, errors: &mut FieldErrors) {
    create(new, context, errors);
}

fn spec(name: &str, spec: &FlowSchemaSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let (precedence, at) = (spec.matching_precedence, path.child("matchingPrecedence"));
    if precedence <= 0 {
        errors.invalid(&at, &precedence, "must be a positive value");
    }
    if precedence > MAX_PRECEDENCE {
        errors.invalid(&at, &precedence, &format!("must not be greater than {MAX_PRECEDENCE}"));
    }
    if precedence == 1 && name != EXEMPT {
        let detail = "only the schema named 'exempt' may have matchingPrecedence 1";
        errors.invalid(&at, &precedence, detail);
    }
    if let Some(method) = &spec.distinguisher_method
        && !matches!(method.type_.as_str(), "ByNamespace" | "ByUser")
    {
        let at = path.child("distinguisherMethod").child("type");
        errors.not_supported(&at, &internal(&**method), &["ByNamespace", "ByUser"]);
    }
    let (level, at) = (&spec.priority_level_configuration.name, path.child("priorityLevelConfiguration"));
    if level.is_empty() {
        errors.required(&at.child("name"), "must reference a priority level");
    } else {
        dns_subdomain(level, &at.child("name"), errors);
    }
    for (index, rule) in spec.rules.iter().enumerate().wanted() {
        policy_rules(rule, &path.child("rules").index(index), errors);
    }
}

fn status_update(new: &FlowSchema, _: &FlowSchema, _: &Context, errors: &mut FieldErrors) {
    status(&new.status, errors);
}

fn status(status: &FlowSchemaStatus, errors: &mut FieldErrors) {
    condition_types(status.conditions.iter().map(|condition| condition.type_.as_str()), errors);
}

/// The types of conditions are there, each once.
pub(super) fn condition_types<'a>(types: impl Iterator<Item = &'a str>, errors: &mut FieldErrors) {
    let path = FieldPath::new("status").child("conditions");
    let mut seen = HashSet::new();
    for (index, type_) in types.enumerate() {
        let path = path.index(index).child("type");
        if !seen.insert(type_) {
            errors.duplicate(&path, &Named(type_));
        }
        if type_.is_empty() {
            errors.required(&path, "");
        }
    }
}
