//! Validation of a definition's OpenAPI schemas.

use std::collections::HashSet;

use rhumb_api::apiextensions::v1beta1::{CustomResourceValidation, JSONSchemaProps};
use rhumb_schema::{Struct, budget};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};

use super::tightened::Tightened;
use super::{embedded_metadata, expressions, go_form, structural};

/// The types that OpenAPI 3 knows.
pub(super) const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// The fields of a schema that are allowed at the root beside a status subresource, by their names in Go.
const ALLOWED_AT_ROOT: &str = "[Description Type Format Title Maximum ExclusiveMaximum Minimum \
    ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items \
    Properties ExternalDocs Example XPreserveUnknownFields XValidations]";

/// Those that are not, by their names in JSON, in the order in which Go has them.
const NOT_ALLOWED_AT_ROOT: [&str; 23] = [
    "id",
    "$schema",
    "$ref",
    "nullable",
    "default",
    "enum",
    "maxProperties",
    "minProperties",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "additionalProperties",
    "patternProperties",
    "dependencies",
    "additionalItems",
    "definitions",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "",
];

/// Those of them that stand before `type` in Go: they are met first.
const BEFORE_TYPE: [&str; 3] = ["id", "$schema", "$ref"];

/// The schema at the top of a definition, or that of a version.
pub(super) fn validation(
    validation: Option<&CustomResourceValidation>,
    has_status: bool,
    tightened: &Tightened,
    is_unchanged: bool,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let Some(schema) = validation.and_then(|it| it.open_api_v3_schema.as_deref()) else { return };
    let path = path.child("openAPIV3Schema");
    let mut found = FieldErrors::default();
    if has_status {
        root_beside_status(schema, &path, &mut found);
    }
    if schema.nullable {
        found.forbidden(&path.child("nullable"), "nullable cannot be true at the root");
    }
    let mut not_structural = None;
    let mut is_structural = false;
    if tightened.structural {
        let read = match structural::has_evident_defaults(schema) {
            true => structural::form(schema).map(|()| None),
            false => structural::read(schema).map(Some),
        };
        match read {
            Err(error) => not_structural = Some(error.to_string()),
            Ok(defaults) => {
                let before = found.len();
                structural::check(schema, &path, &mut found);
                if found.len() == before
                    && let Some(defaults) = defaults
                {
                    found.extend(defaults.check(&path, tightened.defaults, embedded_metadata));
                }
                is_structural = found.len() == before;
            }
        }
    }
    let walk = Walk {
        tightened,
        no_defaults: None,
        inside_meta: false,
        uncorrelated: None,
        cardinality: Some(1),
        is_structural,
        is_unchanged,
    };
    let mut schema_errors = FieldErrors::default();
    let mut rules = expressions::Findings::default();
    walk.schema(schema, Place::Root, &path, &mut schema_errors, &mut rules);
    let (rule_errors, cost_errors) = rules.into_errors(&path);
    found.extend(schema_errors);
    found.extend(rule_errors);
    if let Some(error) = not_structural
        && found.is_empty()
    {
        // What has no structural form was mostly told of already.
        found.invalid(&path, "", &error);
    }
    found.extend(cost_errors);
    errors.extend(found);
}

/// Status is taken out of a schema as a property, so what is said elsewhere would be lost.
fn root_beside_status(schema: &JSONSchemaProps, path: &FieldPath, errors: &mut FieldErrors) {
    let is_set = |name: &str| {
        schema
            .desc()
            .fields
            .iter()
            .position(|field| field.json == name)
            .is_some_and(|position| !schema.field(position).view().is_empty())
    };
    let first = NOT_ALLOWED_AT_ROOT.iter().find(|name| is_set(name));
    let type_is_wrong = !schema.type_.is_empty() && schema.type_ != "object";
    match first {
        Some(name) if !type_is_wrong || BEFORE_TYPE.contains(name) => {
            let detail = format!(
                "only {ALLOWED_AT_ROOT} fields are allowed at the root of the schema if the status \
                 subresource is enabled"
            );
            errors.invalid(path, &go_form::schema(schema), &detail);
        }
        _ if type_is_wrong => errors.invalid(
            &path.child("type"),
            &schema.type_,
            "only \"object\" is allowed as the type at the root of the schema if the status subresource is \
             enabled",
        ),
        _ => {}
    }
}

/// Where a schema stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Root,
    Field,
    /// Within the logic, where rules in CEL are not looked at.
    Logic,
}

/// What is known on the way down.
#[derive(Clone)]
struct Walk<'a> {
    tightened: &'a Tightened,
    /// Why there may be no defaults here.
    no_defaults: Option<String>,
    /// Within the fields that every object has.
    inside_meta: bool,
    /// The outermost schema whose values can't be found again in an older form of the object.
    uncorrelated: Option<FieldPath>,
    /// The most values that there can be; none if there is no bound but the size of a request.
    cardinality: Option<u64>,
    /// Whether the whole is structural, which rules in CEL need.
    is_structural: bool,
    /// Whether the whole is as it was before.
    is_unchanged: bool,
}

impl Walk<'_> {
    /// Returns what is known of the values below those of a schema.
    fn below(&self, schema: &JSONSchemaProps) -> Self {
        Walk { cardinality: expressions::cardinality_below(schema, self.cardinality), ..self.clone() }
    }

    fn schema(
        &self,
        schema: &JSONSchemaProps,
        place: Place,
        path: &FieldPath,
        errors: &mut FieldErrors,
        rules: &mut expressions::Findings,
    ) {
        if budget::is_stopped() {
            return;
        }
        let before = errors.len();
        self.supported(schema, path, errors);
        if schema.unique_items {
            errors.forbidden(
                &path.child("uniqueItems"),
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
            );
        }
        self.fields(schema, place, path, errors, rules);
        let mut logic = |schema: &JSONSchemaProps, path: FieldPath, errors: &mut FieldErrors| {
            self.schema(schema, Place::Logic, &path, errors, rules);
        };
        if let Some(not) = &schema.not {
            logic(not, path.child("not"), errors);
        }
        for (name, parts) in [("allOf", &schema.all_of), ("oneOf", &schema.one_of), ("anyOf", &schema.any_of)]
        {
            for (index, part) in parts.iter().enumerate().wanted() {
                logic(part, path.child(name).index(index), errors);
            }
        }
        for (name, definition) in &schema.definitions {
            logic(definition, path.child("definitions").key(name), errors);
        }
        if let Some(items) = &schema.items {
            let mut walk = self.below(schema);
            if schema.x_kubernetes_list_type.as_deref() != Some("map") {
                walk.uncorrelated.get_or_insert_with(|| path.clone());
            }
            let below = if place == Place::Logic { Place::Logic } else { Place::Field };
            if let Some(schema) = &items.schema {
                walk.schema(schema, below, &path.child("items"), errors, rules);
            }
            for (index, schema) in items.json_schemas.iter().enumerate().wanted() {
                walk.schema(schema, below, &path.child("items").index(index), errors, rules);
            }
        }
        for (name, dependency) in &schema.dependencies {
            if let Some(schema) = &dependency.schema {
                let path = path.child("dependencies").key(name);
                self.schema(schema, Place::Logic, &path, errors, rules);
            }
        }
        self.extensions(schema, path, errors);
        super::rules::forms(schema, path, errors);
        // Rules are read only where all that they speak of is sound.
        if errors.len() == before && self.is_structural && place != Place::Logic {
            let scope = expressions::Scope {
                is_root: place == Place::Root,
                uncorrelated: self.uncorrelated.as_ref(),
                cardinality: self.cardinality,
                is_unchanged: self.is_unchanged,
                stored: &self.tightened.stored,
            };
            expressions::check(schema, &scope, path, rules);
        }
    }

    /// What OpenAPI has and Kubernetes doesn't.
    fn supported(&self, schema: &JSONSchemaProps, path: &FieldPath, errors: &mut FieldErrors) {
        if self.tightened.types && !schema.type_.is_empty() && !TYPES.contains(&schema.type_.as_str()) {
            errors.not_supported(&path.child("type"), &schema.type_, &TYPES);
        }
        if schema.default.is_some()
            && let Some(reason) = &self.no_defaults
        {
            errors.forbidden(&path.child("default"), &format!("must not be set {reason}"));
        }
        for (is_set, name) in [
            (!schema.id.is_empty(), "id"),
            (schema.additional_items.is_some(), "additionalItems"),
            (!schema.pattern_properties.is_empty(), "patternProperties"),
            (!schema.definitions.is_empty(), "definitions"),
            (!schema.dependencies.is_empty(), "dependencies"),
            (schema.ref_.is_some(), "$ref"),
        ] {
            if is_set {
                errors.forbidden(&path.child(name), &format!("{name} is not supported"));
            }
        }
        if schema.type_ == "null" {
            let detail = "type cannot be set to null, use nullable as an alternative";
            errors.forbidden(&path.child("type"), detail);
        }
        if schema.items.as_ref().is_some_and(|items| !items.json_schemas.is_empty()) {
            errors.forbidden(&path.child("items"), "items must be a schema object and not an array");
        }
        if self.inside_meta && schema.x_kubernetes_embedded_resource {
            let path = path.child("x-kubernetes-embedded-resource");
            errors.forbidden(&path, "must not be used inside of resource meta");
        }
    }

    fn fields(
        &self,
        schema: &JSONSchemaProps,
        place: Place,
        path: &FieldPath,
        errors: &mut FieldErrors,
        rules: &mut expressions::Findings,
    ) {
        let below = if place == Place::Logic { Place::Logic } else { Place::Field };
        if let Some(additional) = schema.additional_properties.as_deref() {
            let path = path.child("additionalProperties");
            if !schema.properties.is_empty() && (!additional.allows || additional.schema.is_some()) {
                errors.forbidden(&path, "additionalProperties and properties are mutual exclusive");
            }
            if let Some(values) = &additional.schema {
                let mut walk = self.below(schema);
                if self.inside_meta {
                    let reason = "inside additionalProperties applying to object metadata";
                    walk.no_defaults = Some(reason.to_owned());
                }
                walk.schema(values, below, &path, errors, rules);
            }
        }
        for (name, property) in &schema.properties {
            let mut walk = self.below(schema);
            let is_object = place == Place::Root || schema.x_kubernetes_embedded_resource;
            if is_object && matches!(name.as_str(), "metadata" | "kind" | "apiVersion") {
                walk.inside_meta = true;
                if place == Place::Root {
                    walk.no_defaults = Some(format!("in top-level {name}"));
                }
            }
            walk.schema(property, below, &path.child("properties").key(name), errors, rules);
        }
    }

    /// How objects and lists are merged.
    fn extensions(&self, schema: &JSONSchemaProps, path: &FieldPath, errors: &mut FieldErrors) {
        if schema.x_kubernetes_preserve_unknown_fields == Some(false) {
            let path = path.child("x-kubernetes-preserve-unknown-fields");
            errors.invalid(&path, &false, "must be true or undefined");
        }
        if let Some(type_) = &schema.x_kubernetes_map_type {
            let detail = "must be object if x-kubernetes-map-type is specified";
            must_have_type(schema, "object", detail, path, errors);
            if type_ != "atomic" && type_ != "granular" {
                let path = path.child("x-kubernetes-map-type");
                errors.not_supported(&path, type_, &["atomic", "granular"]);
            }
        }
        let list_type = schema.x_kubernetes_list_type.as_ref();
        let at = path.child("x-kubernetes-list-type");
        if let Some(type_) = list_type {
            let detail = "must be array if x-kubernetes-list-type is specified";
            if must_have_type(schema, "array", detail, path, errors)
                && self.tightened.atomic_sets
                && type_ == "set"
            {
                set_items(schema, path, errors);
            }
            if !matches!(type_.as_str(), "atomic" | "set" | "map") {
                errors.not_supported(&at, type_, &["atomic", "set", "map"]);
            }
        }
        if !schema.x_kubernetes_list_map_keys.is_empty() {
            let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
            match list_type {
                None => errors.required(&at, detail),
                Some(type_) if type_ != "map" => errors.invalid(&at, type_, detail),
                Some(_) => {}
            }
        }
        if list_type.is_some_and(|type_| type_ == "map") {
            list_map(schema, path, errors);
        }
        if self.tightened.list_items {
            errors.extend(list_items_problems(schema, path));
        }
    }
}

fn must_have_type(
    schema: &JSONSchemaProps,
    type_: &str,
    detail: &str,
    path: &FieldPath,
    errors: &mut FieldErrors,
) -> bool {
    let path = path.child("type");
    if schema.type_.is_empty() {
        errors.required(&path, detail);
    } else if schema.type_ != type_ {
        errors.invalid(&path, &schema.type_, detail);
    }
    schema.type_ == type_
}

/// The elements of a set are compared as a whole, so they must be merged as a whole too.
fn set_items(schema: &JSONSchemaProps, path: &FieldPath, errors: &mut FieldErrors) {
    let Some(items) = schema.items.as_ref().and_then(|items| items.schema.as_deref()) else { return };
    let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let (list_type, map_type) = (&items.x_kubernetes_list_type, &items.x_kubernetes_map_type);
    let path = path.child("items");
    match items.type_.as_str() {
        "array" if list_type.as_ref().is_some_and(|type_| type_ != "atomic") => {
            errors.invalid(&path.child("x-kubernetes-list-type"), list_type, detail);
        }
        // Kubernetes shows the list type here too.
        "object" if map_type.as_deref() != Some("atomic") => {
            errors.invalid(&path.child("x-kubernetes-map-type"), list_type, detail);
        }
        _ => {}
    }
}

fn list_map(schema: &JSONSchemaProps, path: &FieldPath, errors: &mut FieldErrors) {
    let keys = &schema.x_kubernetes_list_map_keys;
    let (at_keys, at_items) = (path.child("x-kubernetes-list-map-keys"), path.child("items"));
    if keys.is_empty() {
        errors.required(&at_keys, "must not be empty if x-kubernetes-list-type is map");
    }
    let Some(items) = schema.items.as_deref() else {
        return errors.required(&at_items, "must have a schema if x-kubernetes-list-type is map");
    };
    let Some(item) = items.schema.as_deref() else {
        let detail = "must only have a single schema if x-kubernetes-list-type is map";
        return errors.invalid(&at_items, &go_form::items(items), detail);
    };
    if item.type_ != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        return errors.invalid(&at_items.child("type"), &item.type_, detail);
    }
    let mut seen = HashSet::new();
    for key in keys {
        match item.properties.get(key) {
            Some(property) if property.type_ == "array" || property.type_ == "object" => {
                let path = at_items.child("properties").key(key).child("type");
                let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                errors.invalid(&path, &item.type_, detail);
            }
            Some(_) => {}
            None => errors.invalid(&at_keys, keys, "entries must all be names of item properties"),
        }
        if !seen.insert(key) {
            errors.invalid(&at_keys, keys, "must not contain duplicate entries");
        }
    }
}

/// Elements of sets and maps, and the keys of maps, must be there.
pub(super) fn list_items_problems(schema: &JSONSchemaProps, path: &FieldPath) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let Some(list_type @ ("set" | "map")) = schema.x_kubernetes_list_type.as_deref() else { return errors };
    let Some(item) = schema.items.as_ref().and_then(|items| items.schema.as_deref()) else { return errors };
    let path = path.child("items");
    if item.nullable {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        errors.forbidden(&path.child("nullable"), &detail);
    }
    if list_type == "set" {
        return errors;
    }
    let required: HashSet<&String> = item.required.iter().collect();
    for key in &schema.x_kubernetes_list_map_keys {
        let Some(property) = item.properties.get(key) else { continue };
        let path = path.child("properties").key(key);
        if !required.contains(key) && property.default.is_none() {
            errors.required(
                &path.child("default"),
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required \
                 property",
            );
        }
        if property.nullable {
            let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            errors.forbidden(&path.child("nullable"), detail);
        }
    }
    errors
}
