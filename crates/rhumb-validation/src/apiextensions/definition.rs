//! Validation of custom resource definitions.

use std::collections::HashSet;

use rhumb_api::apiextensions::v1beta1::{
    CustomResourceDefinition, CustomResourceDefinitionNames, CustomResourceDefinitionSpec,
    CustomResourceDefinitionVersion, CustomResourceSubresources, JSONSchemaProps,
};
use rhumb_meta::url::Url;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::validation::{is_dns1035_label, is_dns1123_subdomain, name_is_dns_subdomain};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{
    BadValue, Context, FieldError, FieldErrors, FieldPath, FieldProblem, Named, Rules, Wanted,
};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::conversion::conversion;
use super::go_form;
use super::openapi::validation;
use super::serving::{column, selectable_fields, subresources};
use super::structural;
use super::tightened::{Tightened, any_within};
use crate::meta::{Scope, common_object_meta, common_object_meta_update, immutable_field};

/// The annotation that says who has approved of a kind in a group of the Kubernetes project.
const APPROVED: &str = "api-approved.kubernetes.io";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<CustomResourceDefinition>(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(definition: &CustomResourceDefinition, _: &Context, errors: &mut FieldErrors) {
    let spec = &definition.spec;
    metadata(&definition.metadata, spec, errors);
    check_spec(spec, &Tightened::all(), errors);
    names(&definition.status.accepted_names, &FieldPath::new("status").child("acceptedNames"), errors);
    stored_versions(&definition.status.stored_versions, spec, errors);
    approval(definition, None, errors);
    preserving(definition, None, errors);
}

fn update(
    new: &CustomResourceDefinition,
    old: &CustomResourceDefinition,
    _: &Context,
    errors: &mut FieldErrors,
) {
    common_object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let tightened = Tightened::since(new, old);
    let (spec, before) = (&new.spec, &old.spec);
    check_spec(spec, &tightened, errors);
    let path = FieldPath::new("spec");
    if tightened.names {
        immutable_field(&Named(&spec.scope), &Named(&before.scope), &path.child("scope"), errors);
        immutable_field(&spec.names.kind, &before.names.kind, &path.child("names.kind"), errors);
    }
    immutable_field(&spec.group, &before.group, &path.child("group"), errors);
    immutable_field(&spec.names.plural, &before.names.plural, &path.child("names.plural"), errors);
    names(&new.status.accepted_names, &FieldPath::new("status").child("acceptedNames"), errors);
    // The server notes the storage version as soon as it is one, before anything is checked.
    let mut stored = new.status.stored_versions.clone();
    let mut known: HashSet<String> = stored.iter().cloned().collect();
    for version in spec.versions.iter().filter(|version| version.storage) {
        if known.insert(version.name.clone()) {
            stored.push(version.name.clone());
        }
    }
    stored_versions(&stored, spec, errors);
    approval(new, Some(old), errors);
    preserving(new, Some(old), errors);
}

fn status(
    new: &CustomResourceDefinition,
    old: &CustomResourceDefinition,
    _: &Context,
    errors: &mut FieldErrors,
) {
    common_object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    names(&new.status.accepted_names, &FieldPath::new("status").child("acceptedNames"), errors);
}

/// The metadata of a definition, whose name is made of its plural and group.
fn metadata(metadata: &ObjectMeta, spec: &CustomResourceDefinitionSpec, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    let mut found = FieldErrors::default();
    common_object_meta(metadata, Scope::Cluster, name_is_dns_subdomain, &path, &mut found);
    let name = format!("{}.{}", spec.names.plural, spec.group);
    let mut position = 0;
    for (field, value) in [("generateName", &metadata.generate_name), ("name", &metadata.name)] {
        let path = path.child(field);
        position = found.0.iter().rposition(|error| error.path == path).map_or(position, |last| last + 1);
        if !value.is_empty() && *value != name {
            let detail = "must be spec.names.plural+\".\"+spec.group".to_owned();
            let problem = FieldProblem::Invalid;
            found.0.insert(position, FieldError { problem, path, value: value.shown(), detail });
            position += 1;
        }
    }
    errors.extend(found);
}

fn check_spec(spec: &CustomResourceDefinitionSpec, tightened: &Tightened, errors: &mut FieldErrors) {
    let path = FieldPath::new("spec");
    group(&spec.group, &path.child("group"), errors);
    match spec.scope.as_str() {
        "" => errors.required(&path.child("scope"), ""),
        "Cluster" | "Namespaced" => {}
        other => errors.not_supported(&path.child("scope"), other, &["Cluster", "Namespaced"]),
    }
    let mut tightened = tightened.clone();
    let preserves = spec.preserve_unknown_fields == Some(true);
    let may_preserve = spec.preserve_unknown_fields != Some(false);
    // Only fields of a structural schema can be dropped.
    tightened.structural |= !preserves;
    let at_versions = path.child("versions");
    let is_missing = |it: Option<&rhumb_api::apiextensions::v1::CustomResourceValidation>| {
        it.is_none_or(|it| it.open_api_v3_schema.is_none())
    };
    if is_missing(spec.validation.as_deref()) {
        for (index, version) in spec.versions.iter().enumerate().wanted() {
            let path = at_versions.index(index).child("schema.openAPIV3Schema");
            if !is_missing(version.schema.as_deref()) {
            } else if tightened.schema {
                errors.required(&path, "");
            } else if !preserves && version.served {
                errors.required(&path, "because otherwise all fields are pruned");
            }
        }
    }
    if any_within(spec, |schema| schema.default.is_some()) {
        tightened.structural = true;
        if may_preserve {
            let detail = "must be false in order to use defaults in the schema";
            errors.invalid(&path.child("preserveUnknownFields"), &true, detail);
        }
    }
    tightened.structural |= any_within(spec, |schema| {
        schema.x_kubernetes_embedded_resource
            || schema.x_kubernetes_preserve_unknown_fields.is_some()
            || schema.x_kubernetes_int_or_string
            || !schema.x_kubernetes_list_map_keys.is_empty()
            || schema.x_kubernetes_list_type.is_some()
            || !schema.x_kubernetes_validations.is_empty()
    });
    versions(spec, &tightened, &path, errors);
    required_names(&spec.names, &path, errors);
    names(&spec.names, &path.child("names"), errors);
    let any_status = has_status(spec.subresources.as_deref())
        || spec.versions.iter().any(|version| has_status(version.subresources.as_deref()));
    let at = path.child("validation");
    let is_unchanged = tightened.unchanged.contains(&spec.version);
    validation(spec.validation.as_deref(), any_status, &tightened, is_unchanged, &at, errors);
    subresources(spec.subresources.as_deref(), &path.child("subresources"), errors);
    for (index, it) in spec.additional_printer_columns.iter().enumerate().wanted() {
        column(it, &path.child("additionalPrinterColumns").index(index), errors);
    }
    if !spec.selectable_fields.is_empty() {
        let at = path.child("selectableFields");
        match spec.validation.as_deref() {
            None => errors.invalid(&at, "", "may only be set when validations.schema is included"),
            Some(validation) => {
                let schema = validation.open_api_v3_schema.as_deref();
                let schema = schema.and_then(|schema| readable(schema, &path, errors));
                let many = tightened.many_selectable.contains("");
                selectable_fields(&spec.selectable_fields, schema, &at, many, errors);
            }
        }
    }
    if let Some(it) = spec.conversion.as_deref() {
        let path = path.child("conversion");
        if it.strategy != "None" && may_preserve {
            let detail = "must be None if spec.preserveUnknownFields is true";
            errors.invalid(&path.child("strategy"), &Named(&it.strategy), detail);
        }
        conversion(it, &tightened, &path, errors);
    }
}

fn group(group: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let found = is_dns1123_subdomain(group);
    if group.is_empty() {
        errors.required(path, "");
    } else if !found.is_empty() {
        errors.invalid(path, group, &found.join(","));
    } else if !group.contains('.') {
        errors.invalid(path, group, "should be a domain with at least one dot");
    }
}

fn has_status(subresources: Option<&CustomResourceSubresources>) -> bool {
    subresources.is_some_and(|subresources| subresources.status.is_some())
}

fn versions(
    spec: &CustomResourceDefinitionSpec,
    tightened: &Tightened,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let all = &spec.versions;
    let at = path.child("versions");
    let per_version = all.iter().any(|version| version.subresources.is_some());
    for (index, it) in all.iter().enumerate().wanted() {
        label(&it.name, "", &at.index(index).child("name"), errors);
        let own = if per_version { it.subresources.as_deref() } else { spec.subresources.as_deref() };
        version(it, has_status(own), tightened, &at.index(index), errors);
    }
    for (is_both, name, what) in [
        (spec.validation.is_some() && all.iter().any(|it| it.schema.is_some()), "validation", "schemas"),
        (spec.subresources.is_some() && per_version, "subresources", "subresources"),
        (
            !spec.additional_printer_columns.is_empty()
                && all.iter().any(|it| !it.additional_printer_columns.is_empty()),
            "additionalPrinterColumns",
            "additionalPrinterColumns",
        ),
    ] {
        if is_both {
            let detail = format!("top-level and per-version {what} are mutually exclusive");
            errors.forbidden(&path.child(name), &detail);
        }
    }
    let Some(first) = all.first() else {
        return storage(spec, path, errors);
    };
    for (is_same, what, top) in [
        (all.iter().all(|it| it.schema.is_some() && it.schema == first.schema), "schemas", "validation"),
        (
            all.iter().all(|it| it.subresources.is_some() && it.subresources == first.subresources),
            "subresources",
            "subresources",
        ),
        (
            all.iter().all(|it| {
                !it.additional_printer_columns.is_empty()
                    && it.additional_printer_columns == first.additional_printer_columns
            }),
            "additionalPrinterColumns",
            "additionalPrinterColumns",
        ),
    ] {
        if is_same {
            let detail = format!(
                "per-version {what} may not all be set to identical values (top-level {top} should be used \
                 instead)"
            );
            errors.invalid(&at, &go_form::versions(all), &detail);
        }
    }
    let mut names = HashSet::new();
    if !all.iter().all(|it| names.insert(&it.name)) {
        errors.invalid(&at, &go_form::versions(all), "must contain unique version names");
    }
    storage(spec, path, errors);
}

fn storage(spec: &CustomResourceDefinitionSpec, path: &FieldPath, errors: &mut FieldErrors) {
    if spec.versions.iter().filter(|version| version.storage).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        errors.invalid(&path.child("versions"), &go_form::versions(&spec.versions), detail);
    }
    if !spec.version.is_empty() {
        label(&spec.version, "", &path.child("version"), errors);
        if spec.versions.first().is_some_and(|first| first.name != spec.version) {
            let detail = "must match the first version in spec.versions";
            errors.invalid(&path.child("version"), &spec.version, detail);
        }
    }
}

fn version(
    version: &CustomResourceDefinitionVersion,
    has_status: bool,
    tightened: &Tightened,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for detail in warning_problems(version) {
        errors.invalid(&path.child("deprecationWarning"), &version.deprecation_warning, &detail);
    }
    let is_unchanged = tightened.unchanged.contains(&version.name);
    validation(version.schema.as_deref(), has_status, tightened, is_unchanged, &path.child("schema"), errors);
    subresources(version.subresources.as_deref(), &path.child("subresources"), errors);
    for (index, it) in version.additional_printer_columns.iter().enumerate().wanted() {
        column(it, &path.child("additionalPrinterColumns").index(index), errors);
    }
    if version.selectable_fields.is_empty() {
        return;
    }
    let at = path.child("selectableFields");
    let Some(schema) = version.schema.as_deref().and_then(|it| it.open_api_v3_schema.as_deref()) else {
        let detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
        return errors.invalid(&at, "", detail);
    };
    let schema = readable(schema, path, errors);
    let many = tightened.many_selectable.contains(&version.name);
    selectable_fields(&version.selectable_fields, schema, &at, many, errors);
}

/// Returns a schema, if it has a structural form.
fn readable<'a>(
    schema: &'a JSONSchemaProps,
    path: &FieldPath,
    errors: &mut FieldErrors,
) -> Option<&'a JSONSchemaProps> {
    match structural::read(schema) {
        Ok(_) => Some(schema),
        Err(error) => {
            errors.invalid(&path.child("schema.openAPIV3Schema"), "", &error.to_string());
            None
        }
    }
}

fn warning_problems(version: &CustomResourceDefinitionVersion) -> Vec<String> {
    let Some(warning) = &version.deprecation_warning else { return Vec::new() };
    if !version.deprecated {
        return vec!["can only be set for deprecated versions".to_owned()];
    }
    let mut found = Vec::new();
    if warning.len() > 256 {
        found.push("must be <= 256 characters long".to_owned());
    }
    if warning.is_empty() {
        found.push("must not be an empty string".to_owned());
    }
    // Go's quotes escape what can't be printed.
    let is_printable = |letter: char| {
        letter == ' '
            || (!letter.is_whitespace() && !quoted(letter.to_string()).starts_with("\"\\"))
            || matches!(letter, '"' | '\\')
    };
    if let Some((index, _)) = warning.char_indices().find(|(_, letter)| !is_printable(*letter)) {
        found.push(format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {index}"
        ));
    }
    found
}

fn required_names(names: &CustomResourceDefinitionNames, path: &FieldPath, errors: &mut FieldErrors) {
    for (value, name) in [
        (&names.plural, "names.plural"),
        (&names.singular, "names.singular"),
        (&names.kind, "names.kind"),
        (&names.list_kind, "names.listKind"),
    ] {
        if value.is_empty() {
            errors.required(&path.child(name), "");
        }
    }
}

/// A DNS label; what is wrong with it is told at once, behind some words.
fn label(value: &str, words: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let text = if words.is_empty() { value.to_owned() } else { value.to_lowercase() };
    let found = is_dns1035_label(&text);
    if !found.is_empty() {
        errors.invalid(path, value, &format!("{words}{}", found.join(",")));
    }
}

fn names(names: &CustomResourceDefinitionNames, path: &FieldPath, errors: &mut FieldErrors) {
    let mixed = "may have mixed case, but should otherwise match: ";
    for (value, name, words) in [
        (&names.plural, "plural", ""),
        (&names.singular, "singular", ""),
        (&names.kind, "kind", mixed),
        (&names.list_kind, "listKind", mixed),
    ] {
        if !value.is_empty() {
            label(value, words, &path.child(name), errors);
        }
    }
    for (index, name) in names.short_names.iter().enumerate().wanted() {
        label(name, "", &path.child("shortNames").index(index), errors);
    }
    if !names.kind.is_empty() && names.kind == names.list_kind {
        errors.invalid(&path.child("listKind"), &names.list_kind, "kind and listKind may not be the same");
    }
    for (index, name) in names.categories.iter().enumerate().wanted() {
        label(name, "", &path.child("categories").index(index), errors);
    }
}

/// Versions that objects were stored in must stay until none is.
fn stored_versions(stored: &Vec<String>, spec: &CustomResourceDefinitionSpec, errors: &mut FieldErrors) {
    let path = FieldPath::new("status").child("storedVersions");
    if stored.is_empty() {
        return errors.invalid(&path, stored, "must have at least one stored version");
    }
    let known: HashSet<&String> = stored.iter().collect();
    for version in spec.versions.iter().filter(|version| version.storage) {
        if !known.contains(&version.name) {
            errors.invalid(&path, stored, &format!("must have the storage version {}", version.name));
        }
    }
    let versions: HashSet<&String> = spec.versions.iter().map(|version| &version.name).collect();
    for (index, name) in stored.iter().enumerate().wanted() {
        if !versions.contains(name) {
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in \
                 spec.versions until a storage migration ensures no data remains persisted in {name} and \
                 removes {name} from status.storedVersions"
            );
            errors.invalid(&path.index(index), name, &detail);
        }
    }
}

/// What the annotation on approval says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Approval {
    Missing,
    Bypassed,
    Given,
    Unclear,
}

impl Approval {
    fn of(definition: &CustomResourceDefinition) -> Self {
        let annotation = definition.metadata.annotations.get(APPROVED).map_or("", String::as_str);
        match annotation {
            "" => Approval::Missing,
            text if text.starts_with("unapproved") => Approval::Bypassed,
            text if Url::parse(text).is_ok_and(|url| url.is_absolute()) => Approval::Given,
            _ => Approval::Unclear,
        }
    }
}

/// Groups of the Kubernetes project are for kinds that were approved of.
fn approval(
    new: &CustomResourceDefinition,
    old: Option<&CustomResourceDefinition>,
    errors: &mut FieldErrors,
) {
    let group = &new.spec.group;
    let is_protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
    let approval = Approval::of(new);
    if !is_protected || old.is_some_and(|old| Approval::of(old) == approval) {
        return;
    }
    let path = FieldPath::new("metadata").child("annotations").key(APPROVED);
    let link = "see https://github.com/kubernetes/enhancements/pull/1111";
    match approval {
        Approval::Given | Approval::Bypassed => {}
        Approval::Missing => {
            let detail = format!("protected groups must have approval annotation \"{APPROVED}\", {link}");
            errors.required(&path, &detail);
        }
        Approval::Unclear => {
            let value = new.metadata.annotations.get(APPROVED).map_or("", String::as_str);
            let detail = format!(
                "protected groups must have approval annotation \"{APPROVED}\" with either a URL or a reason \
                 starting with \"unapproved\", {link}"
            );
            errors.invalid(&path, value, &detail);
        }
    }
}

/// Unknown fields are kept by the schema, no longer by the definition.
fn preserving(
    new: &CustomResourceDefinition,
    old: Option<&CustomResourceDefinition>,
    errors: &mut FieldErrors,
) {
    let preserves = |it: &CustomResourceDefinition| it.spec.preserve_unknown_fields == Some(true);
    if preserves(new) && !old.is_some_and(preserves) {
        errors.invalid(
            &FieldPath::new("spec").child("preserveUnknownFields"),
            &true,
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema \
             instead",
        );
    }
}
