//! Validation that a schema is structural: types are declared once, outside logical operators, and completely.
//!
//! A JSON schema can say where a field is in many ways. A structural one says it in one: the type of every field
//! stands outside of `allOf`, `anyOf`, `oneOf` and `not`, which only restrict values. With that a server knows which
//! fields to drop, what to fill in and what to refuse; [`rhumb_structural`] does that.

use rhumb_api::apiextensions::v1beta1::{JSON, JSONSchemaProps, JSONSchemaPropsOrBool};
use rhumb_schema::{budget, to_tree};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};
use rhumb_structural::{CompileError, Defaults, pattern};

use super::tightened::has;

/// A path that is written out only if something is wrong at its end: a large schema has thousands of places.
#[derive(Clone, Copy)]
enum Trail<'a> {
    Start(&'a FieldPath),
    Child(&'a Trail<'a>, &'a str),
    Key(&'a Trail<'a>, &'a str),
    Index(&'a Trail<'a>, usize),
}

impl<'a> Trail<'a> {
    fn child(&'a self, name: &'a str) -> Trail<'a> {
        Trail::Child(self, name)
    }

    fn key(&'a self, name: &'a str) -> Trail<'a> {
        Trail::Key(self, name)
    }

    fn index(&'a self, index: usize) -> Trail<'a> {
        Trail::Index(self, index)
    }

    fn path(&self) -> FieldPath {
        match self {
            Trail::Start(path) => (*path).clone(),
            Trail::Child(above, name) => above.path().child(name),
            Trail::Key(above, name) => above.path().key(name),
            Trail::Index(above, index) => above.path().index(*index),
        }
    }
}

/// Where in an object a schema stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Reads a schema whose defaults are to be checked, which is also the way to know whether it has a structural form.
///
/// # Errors
/// If the schema uses what a structural one can't say, such as references.
pub(super) fn read(schema: &JSONSchemaProps) -> Result<Defaults, CompileError> {
    Defaults::compile(&to_tree(schema))
}

/// Checks that a schema has a structural form at all. Reading it is the way to know that, which is saved where no
/// keyword speaks against it.
///
/// # Errors
/// As [`read`].
pub(super) fn form(schema: &JSONSchemaProps) -> Result<(), CompileError> {
    let is_doubtful = |schema: &JSONSchemaProps| {
        !schema.id.is_empty()
            || !schema.schema.is_empty()
            || schema.ref_.is_some()
            || !schema.pattern_properties.is_empty()
            || !schema.dependencies.is_empty()
            || schema.additional_items.is_some()
            || !schema.definitions.is_empty()
            || schema.items.as_ref().is_some_and(|items| !items.json_schemas.is_empty())
            || schema.x_kubernetes_preserve_unknown_fields == Some(false)
    };
    if has(schema, &is_doubtful) { read(schema).map(|_| ()) } else { Ok(()) }
}

/// Reports whether all defaults in a schema are right at first sight, or there are none: a schema need not be read for
/// them then, which takes longer than all other checks of a large one.
pub(super) fn has_evident_defaults(schema: &JSONSchemaProps) -> bool {
    let is_doubtful = |schema: &JSONSchemaProps| {
        schema.x_kubernetes_embedded_resource
            || !schema.x_kubernetes_validations.is_empty()
            || !is_evident(schema)
    };
    let of_every_object = ["metadata", "kind", "apiVersion"];
    let has_default = |schema: &JSONSchemaProps| has(schema, &|schema| schema.default.is_some());
    !has(schema, &is_doubtful)
        && !of_every_object.iter().filter_map(|name| schema.properties.get(*name)).any(has_default)
}

/// Reports whether a schema has no default, or a plain one of its type that nothing else is said of than which values
/// it has.
fn is_evident(schema: &JSONSchemaProps) -> bool {
    let Some(default) = schema.default.as_deref() else { return true };
    let default = default.as_bytes();
    let integer = || std::str::from_utf8(default).ok()?.parse::<i64>().ok();
    let is_of_type = match (schema.type_.as_str(), schema.format.as_str()) {
        ("boolean", "") => matches!(default, b"true" | b"false"),
        ("integer", "" | "int64") => integer().is_some(),
        ("integer", "int32") => integer().is_some_and(|integer| i32::try_from(integer).is_ok()),
        ("string", "") => default.starts_with(b"\""),
        _ => false,
    };
    let is_choice = schema.enum_.is_empty() || schema.enum_.iter().any(|choice| choice.as_bytes() == default);
    let bounds = [schema.maximum, schema.minimum, schema.multiple_of];
    let lengths = [schema.max_length, schema.min_length];
    let is_restricted = bounds.iter().any(Option::is_some)
        || lengths.iter().any(Option::is_some)
        || !schema.pattern.is_empty()
        || schema.x_kubernetes_int_or_string
        || schema.not.is_some()
        || [&schema.all_of, &schema.any_of, &schema.one_of].iter().any(|parts| !parts.is_empty());
    is_of_type && is_choice && !is_restricted
}

/// Checks that a schema that has a structural form is structural, with the errors in the order of their texts.
pub(super) fn check(schema: &JSONSchemaProps, path: &FieldPath, errors: &mut FieldErrors) {
    let mut found = FieldErrors::default();
    let start = Trail::Start(path);
    shape(schema, Level::Root, &start, &mut found);
    complete(schema, schema, &start, &start, &mut found);
    found.0.sort_by_cached_key(ToString::to_string);
    errors.extend(found);
}

/// Returns the defaults of a schema that is structural.
pub(super) fn structural(schema: &JSONSchemaProps) -> Option<Defaults> {
    let defaults = read(schema).ok()?;
    let mut errors = FieldErrors::default();
    check(schema, &FieldPath::root(), &mut errors);
    errors.is_empty().then_some(defaults)
}

/// Returns the schema of all elements of a list.
fn items(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    schema.items.as_ref()?.schema.as_deref()
}

fn preserves_unknown(schema: &JSONSchemaProps) -> bool {
    schema.x_kubernetes_preserve_unknown_fields.is_some()
}

fn shape(schema: &JSONSchemaProps, level: Level, path: &Trail<'_>, errors: &mut FieldErrors) {
    if budget::is_stopped() {
        return;
    }
    let type_ = schema.type_.as_str();
    match items(schema) {
        Some(items) => shape(items, Level::Item, &path.child("items"), errors),
        None if type_ == "array" => errors.required(&path.child("items").path(), "must be specified"),
        None => {}
    }
    let properties = path.child("properties");
    for (name, property) in &schema.properties {
        shape(property, Level::Field, &properties.key(name), errors);
    }
    if let Some(additional) = &schema.additional_properties {
        let path = path.child("additionalProperties");
        if level == Level::Root {
            errors.forbidden(&path.path(), "must not be used at the root");
        }
        if let Some(additional) = &additional.schema {
            shape(additional, Level::Field, &path, errors);
        }
    }
    contradictions(schema, path, errors);
    let skip_any_of = is_int_or_string(&schema.any_of);
    let skip_in_first = schema.all_of.first().is_some_and(|first| is_int_or_string(&first.any_of));
    logic(schema, skip_any_of, skip_in_first, path, errors);

    let at_type = path.child("type");
    if schema.x_kubernetes_embedded_resource && type_ != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        if type_.is_empty() {
            errors.required(&at_type.path(), detail);
        } else {
            errors.invalid(&at_type.path(), type_, detail);
        }
    } else if type_.is_empty() && !schema.x_kubernetes_int_or_string && !preserves_unknown(schema) {
        errors.required(
            &at_type.path(),
            match level {
                Level::Root => "must not be empty at the root",
                Level::Item => "must not be empty for specified array items",
                Level::Field => "must not be empty for specified object fields",
            },
        );
    }
    if schema.x_kubernetes_embedded_resource && schema.additional_properties.is_some() {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        errors.forbidden(&path.child("additionalProperties").path(), detail);
    }
    if level == Level::Root && !type_.is_empty() && type_ != "object" {
        errors.invalid(&at_type.path(), type_, "must be object at the root");
    }
    meta(schema, level, path, errors);
    if schema.x_kubernetes_embedded_resource && !preserves_unknown(schema) && schema.properties.is_empty() {
        errors.required(
            &properties.path(),
            "must not be empty if x-kubernetes-embedded-resource is true without \
             x-kubernetes-preserve-unknown-fields",
        );
    }
}

/// What may be said of the fields that every object has.
fn meta(schema: &JSONSchemaProps, level: Level, path: &Trail<'_>, errors: &mut FieldErrors) {
    let is_object = level == Level::Root || schema.x_kubernetes_embedded_resource;
    let properties = path.child("properties");
    for name in ["kind", "apiVersion"] {
        if let Some(property) = schema.properties.get(name)
            && is_object
            && property.type_ != "string"
        {
            let path = properties.key(name);
            errors.invalid(&path.child("type").path(), property.type_.as_str(), "must be string");
        }
    }
    let Some(metadata) = schema.properties.get("metadata") else { return };
    let path = properties.key("metadata");
    if is_object && metadata.type_ != "object" {
        errors.invalid(&path.child("type").path(), metadata.type_.as_str(), "must be object");
    }
    if level == Level::Root {
        let mut rest = metadata.clone();
        if rest.properties.keys().all(|name| name == "name" || name == "generateName") {
            rest.properties.clear();
        }
        rest.type_.clear();
        rest.default = None;
        if rest != JSONSchemaProps::default() {
            errors.forbidden(
                &path.path(),
                "must not specify anything other than name and generateName, but metadata is implicitly \
                 specified",
            );
        }
    }
}

/// Reports whether a list of alternatives says "an integer or a string", which is the one type the logic may tell.
fn is_int_or_string(any_of: &[JSONSchemaProps]) -> bool {
    let only = |part: &JSONSchemaProps, type_: &str| {
        *part == JSONSchemaProps { type_: type_.to_owned(), ..JSONSchemaProps::default() }
    };
    matches!(any_of, [integer, string] if only(integer, "integer") && only(string, "string"))
}

fn contradictions(schema: &JSONSchemaProps, path: &Trail<'_>, errors: &mut FieldErrors) {
    let detail = "must be false if x-kubernetes-int-or-string is true";
    if schema.x_kubernetes_int_or_string && preserves_unknown(schema) {
        errors.invalid(&path.child("x-kubernetes-preserve-unknown-fields").path(), &true, detail);
    }
    if schema.x_kubernetes_int_or_string && schema.x_kubernetes_embedded_resource {
        errors.invalid(&path.child("x-kubernetes-embedded-resource").path(), &true, detail);
    }
}

fn logic(
    schema: &JSONSchemaProps,
    skip_any_of: bool,
    skip_in_first: bool,
    path: &Trail<'_>,
    errors: &mut FieldErrors,
) {
    for (name, parts) in [("anyOf", &schema.any_of), ("allOf", &schema.all_of), ("oneOf", &schema.one_of)] {
        if name == "anyOf" && skip_any_of {
            continue;
        }
        let path = path.child(name);
        for (index, part) in parts.iter().enumerate().wanted() {
            nested(part, skip_in_first && name == "allOf" && index == 0, &path.index(index), errors);
        }
    }
    if let Some(part) = &schema.not {
        nested(part, false, &path.child("not"), errors);
    }
    if !schema.pattern.is_empty()
        && let Err(error) = pattern::check(&schema.pattern)
    {
        let detail = format!("must be a valid regular expression, but isn't: {error}");
        errors.invalid(&path.child("pattern").path(), schema.pattern.as_str(), &detail);
    }
}

/// The logic may restrict values, but not tell of shape.
fn nested(part: &JSONSchemaProps, skip_any_of: bool, path: &Trail<'_>, errors: &mut FieldErrors) {
    if budget::is_stopped() {
        return;
    }
    logic(part, skip_any_of, false, path, errors);
    if let Some(items) = items(part) {
        nested(items, false, &path.child("items"), errors);
    }
    let properties = path.child("properties");
    for (name, property) in &part.properties {
        nested(property, false, &properties.key(name), errors);
    }
    let (empty, undefined, false_) = ("must be empty", "must be undefined", "must be false");
    let speaks_of_others =
        |additional: &JSONSchemaPropsOrBool| additional.schema.is_some() || additional.allows;
    let is_value = |json: &JSON| !json.as_bytes().is_empty();
    for (is_set, name, must) in [
        (!part.type_.is_empty(), "type", empty),
        (
            part.additional_properties.as_deref().is_some_and(speaks_of_others),
            "additionalProperties",
            undefined,
        ),
        (part.default.as_deref().is_some_and(is_value), "default", undefined),
        (!part.title.is_empty(), "title", empty),
        (!part.description.is_empty(), "description", empty),
        (part.nullable, "nullable", false_),
        (preserves_unknown(part), "x-kubernetes-preserve-unknown-fields", false_),
        (part.x_kubernetes_embedded_resource, "x-kubernetes-embedded-resource", false_),
        (part.x_kubernetes_int_or_string, "x-kubernetes-int-or-string", false_),
        (!part.x_kubernetes_list_map_keys.is_empty(), "x-kubernetes-list-map-keys", empty),
        (part.x_kubernetes_list_type.is_some(), "x-kubernetes-list-type", undefined),
        (part.x_kubernetes_map_type.is_some(), "x-kubernetes-map-type", undefined),
        (!part.x_kubernetes_validations.is_empty(), "x-kubernetes-validations", empty),
    ] {
        if is_set {
            errors.forbidden(&path.child(name).path(), &format!("{must} to be structural"));
        }
    }
    if part.properties.contains_key("metadata") {
        errors.forbidden(&properties.key("metadata").path(), "must not be specified in a nested context");
    }
}

/// Every field that the logic speaks of must be told outside of it.
fn complete(
    logic: &JSONSchemaProps,
    schema: &JSONSchemaProps,
    at: &Trail<'_>,
    within: &Trail<'_>,
    errors: &mut FieldErrors,
) {
    if let Some(part) = &logic.not {
        complete_nested(part, Some(schema), at, &within.child("not"), errors);
    }
    for (name, parts) in [("allOf", &logic.all_of), ("anyOf", &logic.any_of), ("oneOf", &logic.one_of)] {
        let within = within.child(name);
        for (index, part) in parts.iter().enumerate().wanted() {
            complete_nested(part, Some(schema), at, &within.index(index), errors);
        }
    }
}

fn complete_nested(
    part: &JSONSchemaProps,
    schema: Option<&JSONSchemaProps>,
    at: &Trail<'_>,
    within: &Trail<'_>,
    errors: &mut FieldErrors,
) {
    let Some(schema) = schema else {
        errors.required(&at.path(), &format!("because it is defined in {}", within.path()));
        return;
    };
    complete(part, schema, at, within, errors);
    if let Some(inner) = items(part) {
        complete_nested(inner, items(schema), &at.child("items"), &within.child("items"), errors);
    }
    let (at, within) = (at.child("properties"), within.child("properties"));
    for (name, property) in &part.properties {
        let known = schema.properties.get(name);
        complete_nested(property, known, &at.key(name), &within.key(name), errors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(text: &str) -> JSONSchemaProps {
        let mut schema = JSONSchemaProps::default();
        let strictness = rhumb_codec::Strictness::Strict;
        rhumb_codec::json::decode_into(text.as_bytes(), &mut schema, strictness).expect("a schema");
        schema
    }

    #[test]
    fn defaults_that_count_as_right_at_first_sight_are_right() {
        for (property, is_evident) in [
            (r#"{"type":"string"}"#, true),
            (r#"{"type":"string","default":"a"}"#, true),
            (r#"{"type":"string","default":"a","enum":["b","a"]}"#, true),
            (r#"{"type":"string","default":"c","enum":["b","a"]}"#, false),
            (r#"{"type":"string","default":"a","maxLength":0}"#, false),
            (r#"{"type":"string","default":"a","pattern":"b"}"#, false),
            (r#"{"type":"string","default":1}"#, false),
            (r#"{"type":"boolean","default":true}"#, true),
            (r#"{"type":"boolean","default":"true"}"#, false),
            (r#"{"type":"integer","format":"int32","default":7}"#, true),
            (r#"{"type":"integer","format":"int32","default":3000000000}"#, false),
            (r#"{"type":"integer","default":7,"maximum":5}"#, false),
            (r#"{"type":"integer","default":1.5}"#, false),
            (r#"{"type":"object","default":{"a":1}}"#, false),
            (r#"{"type":"array","items":{"type":"boolean","default":1}}"#, false),
        ] {
            let schema = schema(&format!(r#"{{"type":"object","properties":{{"a":{property}}}}}"#));
            assert_eq!(has_evident_defaults(&schema), is_evident, "{property}");
            if is_evident {
                let rule = super::super::embedded_metadata;
                let found = read(&schema).expect("structural").check(
                    &FieldPath::root(),
                    rhumb_structural::UnknownFields::Refused,
                    rule,
                );
                assert!(found.is_empty(), "{property}: {found:?}");
            }
        }
        for (name, is_evident) in [("metadata", false), ("kind", false), ("spec", true)] {
            let text =
                format!(r#"{{"type":"object","properties":{{"{name}":{{"type":"string","default":"a"}}}}}}"#);
            assert_eq!(has_evident_defaults(&schema(&text)), is_evident, "{name}");
        }
    }
}
