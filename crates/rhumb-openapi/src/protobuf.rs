//! Protobuf encoding of version 2 documents: gnostic's message `openapi.v2.Document`.
//!
//! Messages are tables of fields in the order of their numbers, which is the order they are written in. A
//! field of JSON that has no place in the message is left out, as are zeros and empty texts.

use rhumb_schema::wire::{put_bytes_field, put_varint, put_varint_field};
use serde_json::Value;

use crate::outline::{self, Outline, Section};
use crate::yaml::to_yaml;

/// Field of a message: JSON name, number, and encoding.
type Field = (&'static str, u32, Form);
/// Encodes the body of a message.
type Write = fn(&Value, &mut Vec<u8>);

#[derive(Clone, Copy)]
enum Form {
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// A truth value.
    Flag,
    /// An integer.
    Integer,
    /// A floating point number.
    Double,
    /// Anything, as YAML.
    Any,
    /// A list of anything.
    Anys,
    /// A message.
    Message(Write),
    /// A list of messages.
    Messages(Write),
}

/// Turns a document of version 2 from a tree into its protobuf form.
pub fn to_protobuf(document: &Value) -> Vec<u8> {
    let part = |name| document.get(name).unwrap_or(&Value::Null);
    let mut outline = Outline::new(outline::Form::Protobuf, part("info"));
    for (section, name) in [(Section::Paths, "paths"), (Section::Definitions, "definitions")] {
        let entries = part(name).as_object().into_iter().flatten();
        entries.for_each(|(name, value)| outline.add(section, name, value));
    }
    let parameters = part("parameters").as_object().into_iter().flatten();
    outline.end(parameters, part("securityDefinitions"), part("security"));
    outline.whole()
}

/// Returns the beginning of a document.
pub(crate) fn head(info: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes_field(1, b"2.0", &mut out);
    nested(2, write_info, info, &mut out);
    out
}

/// Writes an entry of a section.
pub(crate) fn entry(section: Section, name: &str, value: &Value, out: &mut Vec<u8>) {
    match section {
        Section::Paths => named(2, name, write_path_item, value, out),
        Section::Definitions => named(1, name, write_schema, value, out),
    }
}

/// Writes a parameter that operations share.
pub(crate) fn parameter(name: &str, value: &Value, out: &mut Vec<u8>) {
    named(1, name, write_parameter, value, out);
}

/// Writes how clients say who they are.
pub(crate) fn security(definitions: &Value, requirements: &Value, out: &mut Vec<u8>) {
    for requirement in requirements.as_array().into_iter().flatten() {
        nested(12, write_requirement, requirement, out);
    }
    nested(13, write_security_definitions, definitions, out);
}

/// Writes a message by its table; extensions go into the field of that number.
fn message(value: &Value, fields: &[Field], extensions: u32, out: &mut Vec<u8>) {
    let Some(members) = value.as_object() else { return };
    for (name, number, form) in fields {
        if let Some(value) = members.get(*name) {
            field(*number, *form, value, out);
        }
    }
    for (name, value) in members.iter().filter(|(name, _)| name.starts_with("x-")) {
        named(extensions, name, write_any, value, out);
    }
}

fn field(number: u32, form: Form, value: &Value, out: &mut Vec<u8>) {
    let items = || value.as_array().into_iter().flatten();
    match form {
        Form::Text => {
            if let Some(text) = value.as_str().filter(|text| !text.is_empty()) {
                put_bytes_field(number, text.as_bytes(), out);
            }
        }
        Form::Texts => {
            items().filter_map(Value::as_str).for_each(|text| put_bytes_field(number, text.as_bytes(), out))
        }
        Form::Flag => {
            if value.as_bool() == Some(true) {
                put_varint_field(number, 1, out);
            }
        }
        Form::Integer => {
            if let Some(integer) = value.as_i64().filter(|integer| *integer != 0) {
                put_varint_field(number, integer.cast_unsigned(), out);
            }
        }
        Form::Double => {
            if let Some(double) = value.as_f64().filter(|double| *double != 0.0) {
                put_varint(u64::from(number) << 3 | 1, out);
                out.extend_from_slice(&double.to_le_bytes());
            }
        }
        Form::Any => nested(number, write_any, value, out),
        Form::Anys => items().for_each(|item| nested(number, write_any, item, out)),
        Form::Message(write) => nested(number, write, value, out),
        Form::Messages(write) => items().for_each(|item| nested(number, write, item, out)),
    }
}

fn nested(number: u32, write: Write, value: &Value, out: &mut Vec<u8>) {
    let mut body = Vec::new();
    write(value, &mut body);
    put_bytes_field(number, &body, out);
}

/// An entry of a map: a message of a name and a value.
fn named(number: u32, name: &str, write: Write, value: &Value, out: &mut Vec<u8>) {
    let mut body = Vec::new();
    put_bytes_field(1, name.as_bytes(), &mut body);
    nested(2, write, value, &mut body);
    put_bytes_field(number, &body, out);
}

/// A map as a message of entries.
fn map(write: Write, value: &Value, out: &mut Vec<u8>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        named(1, name, write, value, out);
    }
}

fn write_any(value: &Value, out: &mut Vec<u8>) {
    put_bytes_field(2, to_yaml(value).as_bytes(), out);
}

fn write_info(value: &Value, out: &mut Vec<u8>) {
    const FIELDS: &[Field] = &[
        ("title", 1, Form::Text),
        ("version", 2, Form::Text),
        ("description", 3, Form::Text),
        ("termsOfService", 4, Form::Text),
    ];
    message(value, FIELDS, 7, out);
}

fn write_path_item(value: &Value, out: &mut Vec<u8>) {
    const FIELDS: &[Field] = &[
        ("$ref", 1, Form::Text),
        ("get", 2, Form::Message(write_operation)),
        ("put", 3, Form::Message(write_operation)),
        ("post", 4, Form::Message(write_operation)),
        ("delete", 5, Form::Message(write_operation)),
        ("options", 6, Form::Message(write_operation)),
        ("head", 7, Form::Message(write_operation)),
        ("patch", 8, Form::Message(write_operation)),
        ("parameters", 9, Form::Messages(write_parameters_item)),
    ];
    message(value, FIELDS, 10, out);
}

fn write_operation(value: &Value, out: &mut Vec<u8>) {
    const FIELDS: &[Field] = &[
        ("tags", 1, Form::Texts),
        ("summary", 2, Form::Text),
        ("description", 3, Form::Text),
        ("externalDocs", 4, Form::Message(write_external_docs)),
        ("operationId", 5, Form::Text),
        ("produces", 6, Form::Texts),
        ("consumes", 7, Form::Texts),
        ("parameters", 8, Form::Messages(write_parameters_item)),
        ("responses", 9, Form::Message(write_responses)),
        ("schemes", 10, Form::Texts),
        ("deprecated", 11, Form::Flag),
        ("security", 12, Form::Messages(write_requirement)),
    ];
    message(value, FIELDS, 13, out);
}

fn write_external_docs(value: &Value, out: &mut Vec<u8>) {
    message(value, &[("description", 1, Form::Text), ("url", 2, Form::Text)], 3, out);
}

fn write_reference(value: &Value, out: &mut Vec<u8>) {
    const FIELDS: &[Field] = &[("$ref", 1, Form::Text), ("description", 2, Form::Text)];
    // References can't be extended.
    for (name, number, form) in FIELDS {
        if let Some(value) = value.get(name) {
            field(*number, *form, value, out);
        }
    }
}

fn write_parameters_item(value: &Value, out: &mut Vec<u8>) {
    match value.get("$ref") {
        Some(_) => nested(2, write_reference, value, out),
        None => nested(1, write_parameter, value, out),
    }
}

fn write_parameter(value: &Value, out: &mut Vec<u8>) {
    match value.get("in").and_then(Value::as_str) {
        Some("body") => nested(1, write_body_parameter, value, out),
        _ => nested(2, write_other_parameter, value, out),
    }
}

fn write_body_parameter(value: &Value, out: &mut Vec<u8>) {
    const FIELDS: &[Field] = &[
        ("description", 1, Form::Text),
        ("name", 2, Form::Text),
        ("in", 3, Form::Text),
        ("required", 4, Form::Flag),
        ("schema", 5, Form::Message(write_schema)),
    ];
    message(value, FIELDS, 6, out);
}

fn write_other_parameter(value: &Value, out: &mut Vec<u8>) {
    match value.get("in").and_then(Value::as_str) {
        Some("header") => nested(1, write_place_parameter, value, out),
        Some("formData") => nested(2, write_query_parameter, value, out),
        Some("path") => nested(4, write_place_parameter, value, out),
        _ => nested(3, write_query_parameter, value, out),
    }
}

/// Parameters of queries and forms, which may be empty, and so have one field more than others.
fn write_query_parameter(value: &Value, out: &mut Vec<u8>) {
    const FIELDS: &[Field] = &[
        ("required", 1, Form::Flag),
        ("in", 2, Form::Text),
        ("description", 3, Form::Text),
        ("name", 4, Form::Text),
        ("allowEmptyValue", 5, Form::Flag),
        ("type", 6, Form::Text),
        ("format", 7, Form::Text),
        ("collectionFormat", 9, Form::Text),
        ("default", 10, Form::Any),
        ("maximum", 11, Form::Double),
        ("minimum", 13, Form::Double),
        ("pattern", 17, Form::Text),
        ("uniqueItems", 20, Form::Flag),
        ("enum", 21, Form::Anys),
    ];
    message(value, FIELDS, 23, out);
}

/// Parameters of paths and headers.
fn write_place_parameter(value: &Value, out: &mut Vec<u8>) {
    const FIELDS: &[Field] = &[
        ("required", 1, Form::Flag),
        ("in", 2, Form::Text),
        ("description", 3, Form::Text),
        ("name", 4, Form::Text),
        ("type", 5, Form::Text),
        ("format", 6, Form::Text),
        ("collectionFormat", 8, Form::Text),
        ("default", 9, Form::Any),
        ("maximum", 10, Form::Double),
        ("minimum", 12, Form::Double),
        ("pattern", 16, Form::Text),
        ("uniqueItems", 19, Form::Flag),
        ("enum", 20, Form::Anys),
    ];
    message(value, FIELDS, 22, out);
}

fn write_responses(value: &Value, out: &mut Vec<u8>) {
    for (code, response) in value.as_object().into_iter().flatten() {
        match code.starts_with("x-") {
            true => named(2, code, write_any, response, out),
            false => named(1, code, write_response_value, response, out),
        }
    }
}

fn write_response_value(value: &Value, out: &mut Vec<u8>) {
    match value.get("$ref") {
        Some(_) => nested(2, write_reference, value, out),
        None => nested(1, write_response, value, out),
    }
}

fn write_response(value: &Value, out: &mut Vec<u8>) {
    let fields: &[Field] = &[("description", 1, Form::Text), ("schema", 2, Form::Message(write_schema_item))];
    message(value, fields, 5, out);
}

fn write_schema_item(value: &Value, out: &mut Vec<u8>) {
    nested(1, write_schema, value, out);
}

fn write_schema(value: &Value, out: &mut Vec<u8>) {
    const FIELDS: &[Field] = &[
        ("$ref", 1, Form::Text),
        ("format", 2, Form::Text),
        ("title", 3, Form::Text),
        ("description", 4, Form::Text),
        ("default", 5, Form::Any),
        ("multipleOf", 6, Form::Double),
        ("maximum", 7, Form::Double),
        ("exclusiveMaximum", 8, Form::Flag),
        ("minimum", 9, Form::Double),
        ("exclusiveMinimum", 10, Form::Flag),
        ("maxLength", 11, Form::Integer),
        ("minLength", 12, Form::Integer),
        ("pattern", 13, Form::Text),
        ("maxItems", 14, Form::Integer),
        ("minItems", 15, Form::Integer),
        ("uniqueItems", 16, Form::Flag),
        ("maxProperties", 17, Form::Integer),
        ("minProperties", 18, Form::Integer),
        ("required", 19, Form::Texts),
        ("enum", 20, Form::Anys),
        ("additionalProperties", 21, Form::Message(write_additional)),
        ("type", 22, Form::Message(write_type)),
        ("items", 23, Form::Message(write_items)),
        ("allOf", 24, Form::Messages(write_schema)),
        ("properties", 25, Form::Message(write_properties)),
        ("discriminator", 26, Form::Text),
        ("readOnly", 27, Form::Flag),
        ("externalDocs", 29, Form::Message(write_external_docs)),
        ("example", 30, Form::Any),
    ];
    message(value, FIELDS, 31, out);
}

fn write_additional(value: &Value, out: &mut Vec<u8>) {
    match value {
        // The choice itself says something, so that "no" is written too.
        Value::Bool(allowed) => put_varint_field(2, u64::from(*allowed), out),
        schema => nested(1, write_schema, schema, out),
    }
}

fn write_type(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::String(name) => put_bytes_field(1, name.as_bytes(), out),
        names => field(1, Form::Texts, names, out),
    }
}

fn write_items(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Array(schemas) => schemas.iter().for_each(|schema| nested(1, write_schema, schema, out)),
        schema => nested(1, write_schema, schema, out),
    }
}

fn write_properties(value: &Value, out: &mut Vec<u8>) {
    map(write_schema, value, out);
}

fn write_requirement(value: &Value, out: &mut Vec<u8>) {
    map(|scopes, out| field(1, Form::Texts, scopes, out), value, out);
}

fn write_security_definitions(value: &Value, out: &mut Vec<u8>) {
    map(|definition, out| nested(2, write_api_key, definition, out), value, out);
}

fn write_api_key(value: &Value, out: &mut Vec<u8>) {
    const FIELDS: &[Field] = &[
        ("type", 1, Form::Text),
        ("name", 2, Form::Text),
        ("in", 3, Form::Text),
        ("description", 4, Form::Text),
    ];
    message(value, FIELDS, 5, out);
}
