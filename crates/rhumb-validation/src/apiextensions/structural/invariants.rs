//! What makes a schema structural: shape is told once, outside of the logic, and completely.

use rhumb_scheme::validation::{FieldErrors, FieldPath};

use super::{Additional, Extensions, Generic, Nested, Pattern, Structural, ValueRules};

/// Where in an object a schema stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

impl Structural {
    /// Checks that the schema is structural, with the errors in the order of their texts.
    pub fn validate(&self, path: &FieldPath, errors: &mut FieldErrors) {
        let mut found = FieldErrors::default();
        shape(self, Level::Root, path, &mut found);
        complete(&self.values, self, path, path, &mut found);
        found.0.sort_by_cached_key(ToString::to_string);
        errors.extend(found);
    }

    /// Whether the schema is structural.
    pub fn is_valid(&self) -> bool {
        let mut errors = FieldErrors::default();
        self.validate(&FieldPath::root(), &mut errors);
        errors.is_empty()
    }
}

fn shape(schema: &Structural, level: Level, path: &FieldPath, errors: &mut FieldErrors) {
    let type_ = schema.generic.type_.as_str();
    match &schema.items {
        Some(items) => shape(items, Level::Item, &path.child("items"), errors),
        None if type_ == "array" => errors.required(&path.child("items"), "must be specified"),
        None => {}
    }
    for (name, property) in &schema.properties {
        shape(property, Level::Field, &path.child("properties").key(name), errors);
    }
    if let Some(additional) = &schema.additional_properties {
        let path = path.child("additionalProperties");
        if level == Level::Root {
            errors.forbidden(&path, "must not be used at the root");
        }
        if let Additional::Schema(additional) = additional {
            shape(additional, Level::Field, &path, errors);
        }
    }
    let extensions = &schema.extensions;
    contradictions(extensions, path, errors);
    let values = &schema.values;
    let skip_any_of = is_int_or_string(&values.any_of);
    let skip_in_first = values.all_of.first().is_some_and(|first| is_int_or_string(&first.values.any_of));
    logic(values, skip_any_of, skip_in_first, path, errors);

    let at_type = path.child("type");
    if extensions.embedded_resource && type_ != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        if type_.is_empty() {
            errors.required(&at_type, detail);
        } else {
            errors.invalid(&at_type, type_, detail);
        }
    } else if type_.is_empty() && !extensions.int_or_string && !extensions.preserve_unknown_fields {
        errors.required(
            &at_type,
            match level {
                Level::Root => "must not be empty at the root",
                Level::Item => "must not be empty for specified array items",
                Level::Field => "must not be empty for specified object fields",
            },
        );
    }
    if extensions.embedded_resource && schema.additional_properties.is_some() {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        errors.forbidden(&path.child("additionalProperties"), detail);
    }
    if level == Level::Root && !type_.is_empty() && type_ != "object" {
        errors.invalid(&at_type, type_, "must be object at the root");
    }
    meta(schema, level, path, errors);
    if extensions.embedded_resource && !extensions.preserve_unknown_fields && schema.properties.is_empty() {
        errors.required(
            &path.child("properties"),
            "must not be empty if x-kubernetes-embedded-resource is true without \
             x-kubernetes-preserve-unknown-fields",
        );
    }
}

/// What may be said of the fields that every object has.
fn meta(schema: &Structural, level: Level, path: &FieldPath, errors: &mut FieldErrors) {
    let is_object = level == Level::Root || schema.extensions.embedded_resource;
    let properties = path.child("properties");
    for name in ["kind", "apiVersion"] {
        if let Some(property) = schema.properties.get(name)
            && is_object
            && property.generic.type_ != "string"
        {
            let path = properties.key(name).child("type");
            errors.invalid(&path, property.generic.type_.as_str(), "must be string");
        }
    }
    let Some(metadata) = schema.properties.get("metadata") else { return };
    let path = properties.key("metadata");
    if is_object && metadata.generic.type_ != "object" {
        errors.invalid(&path.child("type"), metadata.generic.type_.as_str(), "must be object");
    }
    if level == Level::Root {
        let mut rest = metadata.clone();
        if rest.properties.keys().all(|name| name == "name" || name == "generateName") {
            rest.properties.clear();
        }
        rest.generic.type_.clear();
        rest.generic.default = None;
        if rest != Structural::default() {
            errors.forbidden(
                &path,
                "must not specify anything other than name and generateName, but metadata is implicitly \
                 specified",
            );
        }
    }
}

/// Whether a list of alternatives says "an integer or a string", which is the one type the logic may tell.
fn is_int_or_string(any_of: &[Nested]) -> bool {
    let only = |nested: &Nested, type_: &str| {
        let generic = Generic { type_: type_.to_owned(), ..Generic::default() };
        *nested == Nested { generic, ..Nested::default() }
    };
    matches!(any_of, [integer, string] if only(integer, "integer") && only(string, "string"))
}

fn contradictions(extensions: &Extensions, path: &FieldPath, errors: &mut FieldErrors) {
    let detail = "must be false if x-kubernetes-int-or-string is true";
    if extensions.int_or_string && extensions.preserve_unknown_fields {
        errors.invalid(&path.child("x-kubernetes-preserve-unknown-fields"), &true, detail);
    }
    if extensions.int_or_string && extensions.embedded_resource {
        errors.invalid(&path.child("x-kubernetes-embedded-resource"), &true, detail);
    }
}

fn logic(
    values: &ValueRules,
    skip_any_of: bool,
    skip_in_first: bool,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if !skip_any_of {
        for (index, part) in values.any_of.iter().enumerate() {
            nested(part, false, &path.child("anyOf").index(index), errors);
        }
    }
    for (index, part) in values.all_of.iter().enumerate() {
        nested(part, skip_in_first && index == 0, &path.child("allOf").index(index), errors);
    }
    for (index, part) in values.one_of.iter().enumerate() {
        nested(part, false, &path.child("oneOf").index(index), errors);
    }
    if let Some(part) = &values.not {
        nested(part, false, &path.child("not"), errors);
    }
    if !values.pattern.is_empty()
        && let Err(error) = Pattern::new(&values.pattern)
    {
        let detail = format!("must be a valid regular expression, but isn't: {error}");
        errors.invalid(&path.child("pattern"), values.pattern.as_str(), &detail);
    }
}

/// The logic may restrict values, but not tell of shape.
fn nested(part: &Nested, skip_any_of: bool, path: &FieldPath, errors: &mut FieldErrors) {
    logic(&part.values, skip_any_of, false, path, errors);
    if let Some(items) = &part.items {
        nested(items, false, &path.child("items"), errors);
    }
    for (name, property) in &part.properties {
        nested(property, false, &path.child("properties").key(name), errors);
    }
    let (generic, extensions) = (&part.generic, &part.extensions);
    let (empty, undefined, false_) = ("must be empty", "must be undefined", "must be false");
    for (is_set, name, must) in [
        (!generic.type_.is_empty(), "type", empty),
        (part.additional_properties.is_some(), "additionalProperties", undefined),
        (generic.default.is_some(), "default", undefined),
        (!generic.title.is_empty(), "title", empty),
        (!generic.description.is_empty(), "description", empty),
        (generic.nullable, "nullable", false_),
        (extensions.preserve_unknown_fields, "x-kubernetes-preserve-unknown-fields", false_),
        (extensions.embedded_resource, "x-kubernetes-embedded-resource", false_),
        (extensions.int_or_string, "x-kubernetes-int-or-string", false_),
        (!extensions.list_map_keys.is_empty(), "x-kubernetes-list-map-keys", empty),
        (extensions.list_type.is_some(), "x-kubernetes-list-type", undefined),
        (extensions.map_type.is_some(), "x-kubernetes-map-type", undefined),
        (!part.rules.is_empty(), "x-kubernetes-validations", empty),
    ] {
        if is_set {
            errors.forbidden(&path.child(name), &format!("{must} to be structural"));
        }
    }
    if part.properties.contains_key("metadata") {
        let path = path.child("properties").key("metadata");
        errors.forbidden(&path, "must not be specified in a nested context");
    }
}

/// Every field that the logic speaks of must be told outside of it.
fn complete(
    values: &ValueRules,
    schema: &Structural,
    at: &FieldPath,
    within: &FieldPath,
    errors: &mut FieldErrors,
) {
    if let Some(part) = &values.not {
        complete_nested(part, Some(schema), at, &within.child("not"), errors);
    }
    for (name, parts) in [("allOf", &values.all_of), ("anyOf", &values.any_of), ("oneOf", &values.one_of)] {
        for (index, part) in parts.iter().enumerate() {
            complete_nested(part, Some(schema), at, &within.child(name).index(index), errors);
        }
    }
}

fn complete_nested(
    part: &Nested,
    schema: Option<&Structural>,
    at: &FieldPath,
    within: &FieldPath,
    errors: &mut FieldErrors,
) {
    let Some(schema) = schema else {
        errors.required(at, &format!("because it is defined in {within}"));
        return;
    };
    complete(&part.values, schema, at, within, errors);
    if let Some(items) = &part.items {
        complete_nested(items, schema.items.as_deref(), &at.child("items"), &within.child("items"), errors);
    }
    for (name, property) in &part.properties {
        let at = at.child("properties").key(name);
        let within = within.child("properties").key(name);
        complete_nested(property, schema.properties.get(name), &at, &within, errors);
    }
}
