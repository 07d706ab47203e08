//! Validation of the `apiregistration.k8s.io` group.

use rhumb_api::apiregistration::v1::{APIService, APIServiceSpec};
use rhumb_meta::ObjectMeta;
use rhumb_meta::validation::{
    is_dns1035_label, is_dns1123_subdomain, is_path_segment_name, is_valid_port_num,
};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{Scope, common_object_meta, common_object_meta_update};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<APIService>(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(service: &APIService, _: &Context, errors: &mut FieldErrors) {
    metadata(&service.metadata, &service.spec, errors);
    let (spec, path) = (&service.spec, FieldPath::new("spec"));
    if spec.group.is_empty() {
        if spec.version != "v1" {
            let detail = "only v1 may have an empty group and it better be legacy kube";
            errors.required(&path.child("group"), detail);
        }
    } else {
        errors.invalid_each(&path.child("group"), &spec.group, is_dns1123_subdomain(&spec.group));
    }
    errors.invalid_each(&path.child("version"), &spec.version, is_dns1035_label(&spec.version));
    if !(1..=20000).contains(&spec.group_priority_minimum) {
        let detail = "must be positive and less than 20000";
        errors.invalid(&path.child("groupPriorityMinimum"), &spec.group_priority_minimum, detail);
    }
    if !(1..=1000).contains(&spec.version_priority) {
        let detail = "must be positive and less than 1000";
        errors.invalid(&path.child("versionPriority"), &spec.version_priority, detail);
    }
    server(spec, &path, errors);
}

/// The name says version and group once more.
fn metadata(metadata: &ObjectMeta, spec: &APIServiceSpec, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    let required = format!("{}.{}", spec.version, spec.group);
    for (field, name) in [("generateName", &metadata.generate_name), ("name", &metadata.name)] {
        if !name.is_empty() {
            let mut found = is_path_segment_name(name);
            if found.is_empty() && *name != required {
                found.push(format!(r#"must be `spec.version+"."+spec.group`: {}"#, quoted(&required)));
            }
            errors.invalid_each(&path.child(field), name, found);
        }
    }
    common_object_meta(metadata, Scope::Cluster, |_, _| Vec::new(), &path, errors);
}

/// How the server is reached; a local one is not, and so needs no certificates.
fn server(spec: &APIServiceSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let insecure = path.child("insecureSkipTLSVerify");
    let Some(service) = &spec.service else {
        if !spec.ca_bundle.0.is_empty() {
            let shown = format!("{} bytes", spec.ca_bundle.0.len());
            errors.invalid(&path.child("caBundle"), &shown, "local APIServices may not have a caBundle");
        }
        if spec.insecure_skip_tls_verify {
            errors.invalid(&insecure, &true, "local APIServices may not have insecureSkipTLSVerify");
        }
        return;
    };
    let path = path.child("service");
    if service.namespace.is_empty() {
        errors.required(&path.child("namespace"), "");
    }
    if service.name.is_empty() {
        errors.required(&path.child("name"), "");
    }
    let port = service.port.unwrap_or_default();
    let found = is_valid_port_num(i64::from(port));
    if !found.is_empty() {
        errors.invalid(&path.child("port"), &port, &format!("port is not valid: {}", found.join(", ")));
    }
    if spec.insecure_skip_tls_verify && !spec.ca_bundle.0.is_empty() {
        errors.invalid(&insecure, &true, "may not be true if caBundle is present");
    }
}

fn update(new: &APIService, old: &APIService, context: &Context, errors: &mut FieldErrors) {
    common_object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    create(new, context, errors);
}

fn status(new: &APIService, old: &APIService, _: &Context, errors: &mut FieldErrors) {
    common_object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("status").child("conditions");
    for (index, condition) in new.status.conditions.iter().enumerate().wanted() {
        let known = ["True", "False", "Unknown"];
        if !known.contains(&condition.status.as_str()) {
            errors.not_supported(&path.index(index).child("status"), &Named(&condition.status), &known);
        }
    }
}
