//! Types and fields in an OpenAPI v2 document, in kubectl's older format.

use std::collections::BTreeSet;
use std::fmt::Write;

use rhumb_meta::GroupVersionKind;
use serde_json::Value;

use super::wrap::fill;

/// Indentation of fields and descriptions.
const FIELD_INDENT: usize = 3;
const DESCRIPTION_INDENT: usize = 5;
/// Maximum line width.
const WIDTH: usize = 80;

/// Type of a schema.
enum Model<'a> {
    Reference(&'a str, &'a Value),
    Array(Option<&'a Value>),
    Kind,
    Map(Option<&'a Value>),
    Primitive(&'a str),
    Arbitrary,
}

struct Models<'a> {
    definitions: &'a Value,
}

/// Describes a kind or one of its fields.
pub(super) fn explain(
    document: &Value,
    kind: &GroupVersionKind,
    fields: &[String],
    recursive: bool,
) -> Result<String, String> {
    let definitions = document.get("definitions").unwrap_or(&Value::Null);
    let models = Models { definitions };
    let is_it = |one: &Value| {
        let text = |name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default();
        text("group") == &*kind.group && text("version") == &*kind.version && text("kind") == &*kind.kind
    };
    let schema = definitions.as_object().into_iter().flatten().map(|(_, schema)| schema).find(|schema| {
        let kinds = schema.get("x-kubernetes-group-version-kind").and_then(Value::as_array);
        kinds.is_some_and(|kinds| kinds.iter().any(is_it))
    });
    let Some(schema) = schema else {
        return Err(format!(
            "couldn't find resource for \"{}/{}, Kind={}\"",
            kind.group, kind.version, kind.kind
        ));
    };
    let schema = models.find(schema, fields)?;
    let version = match &*kind.group {
        "" => kind.version.to_string(),
        group => format!("{group}/{}", kind.version),
    };
    let mut out = format!("KIND:     {}\nVERSION:  {version}\n\n", kind.kind);
    models.whole(schema, fields.last().map_or("", String::as_str), recursive, &mut out);
    Ok(out)
}

impl<'a> Models<'a> {
    fn model(&self, schema: &'a Value) -> Model<'a> {
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let target = name.strip_prefix("#/definitions/").and_then(|name| self.definitions.get(name));
            return target.map_or(Model::Arbitrary, |target| Model::Reference(name, target));
        }
        let has_properties =
            schema.get("properties").and_then(Value::as_object).is_some_and(|fields| !fields.is_empty());
        match schema.get("type").and_then(Value::as_str) {
            None | Some("object") if has_properties => Model::Kind,
            None => Model::Arbitrary,
            Some("object") => Model::Map(schema.get("additionalProperties").filter(|part| part.is_object())),
            Some("array") => Model::Array(schema.get("items")),
            Some(other) => Model::Primitive(other),
        }
    }

    /// Follows fields. One that holds a plain value ends the way, whatever follows.
    fn find(&self, schema: &'a Value, fields: &[String]) -> Result<&'a Value, String> {
        let Some((field, rest)) = fields.split_first() else { return Ok(schema) };
        match self.model(schema) {
            Model::Primitive(_) | Model::Arbitrary | Model::Array(None) | Model::Map(None) => Ok(schema),
            Model::Reference(_, inner) | Model::Array(Some(inner)) | Model::Map(Some(inner)) => {
                self.find(inner, fields)
            }
            Model::Kind => match schema.get("properties").and_then(|fields| fields.get(field)) {
                Some(inner) => self.find(inner, rest),
                None => Err(format!("field {field:?} does not exist")),
            },
        }
    }

    fn type_of(&self, schema: &'a Value) -> String {
        match self.model(schema) {
            Model::Reference(_, inner) => self.type_of(inner),
            Model::Array(inner) => {
                format!("[]{}", inner.map(|inner| self.type_of(inner)).unwrap_or_default())
            }
            Model::Map(inner) => {
                format!("map[string]{}", inner.map(|inner| self.type_of(inner)).unwrap_or_default())
            }
            Model::Kind => "Object".to_owned(),
            Model::Primitive(name) => name.to_owned(),
            Model::Arbitrary => String::new(),
        }
    }

    fn whole(&self, schema: &'a Value, name: &str, recursive: bool, out: &mut String) {
        let mut descriptions = Vec::new();
        let mut type_name = None;
        let mut schema = schema;
        // The descriptions on the way to the type itself are told, too; the first list or map names the type.
        loop {
            let inner = match self.model(schema) {
                Model::Reference(_, inner) => Some(inner),
                Model::Array(inner) | Model::Map(inner) => {
                    type_name.get_or_insert_with(|| self.type_of(schema));
                    inner
                }
                _ => None,
            };
            descriptions.push(schema.get("description").and_then(Value::as_str).unwrap_or_default());
            match inner {
                Some(inner) => schema = inner,
                None => break,
            }
        }
        let type_name = type_name.unwrap_or_else(|| self.type_of(schema));
        match self.model(schema) {
            Model::Kind if name.is_empty() => {}
            Model::Kind => drop(writeln!(out, "RESOURCE: {name} <{type_name}>\n")),
            Model::Primitive(_) => drop(writeln!(out, "FIELD:    {name} <{type_name}>\n")),
            _ => {}
        }
        description(&descriptions, out);
        if matches!(self.model(schema), Model::Kind) {
            out.push_str("\nFIELDS:\n");
            match recursive {
                true => self.names(schema, FIELD_INDENT, &mut BTreeSet::new(), out),
                false => self.fields(schema, out),
            }
        }
    }

    fn fields(&self, schema: &'a Value, out: &mut String) {
        let required = schema.get("required").and_then(Value::as_array);
        for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let is_required = required.is_some_and(|names| names.iter().any(|required| required == name));
            let mark = if is_required { " -required-" } else { "" };
            let _ = writeln!(out, "   {name}\t<{}>{mark}", self.type_of(field));
            let text = field.get("description").and_then(Value::as_str).unwrap_or_default();
            paragraph(text, DESCRIPTION_INDENT, out);
            out.push('\n');
        }
    }

    fn names(&self, schema: &'a Value, amount: usize, seen: &mut BTreeSet<&'a str>, out: &mut String) {
        match self.model(schema) {
            Model::Reference(name, inner) if seen.insert(name) => {
                self.names(inner, amount, seen, out);
                seen.remove(name);
            }
            Model::Array(Some(inner)) | Model::Map(Some(inner)) => self.names(inner, amount, seen, out),
            Model::Kind => {
                for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten()
                {
                    let _ = writeln!(out, "{}{name}\t<{}>", " ".repeat(amount), self.type_of(field));
                    self.names(field, amount + FIELD_INDENT, seen, out);
                }
            }
            _ => {}
        }
    }
}

fn description(descriptions: &[&str], out: &mut String) {
    out.push_str("DESCRIPTION:\n");
    let mut empty = true;
    for (position, text) in descriptions.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
        empty = false;
        if position > 0 {
            out.push('\n');
        }
        paragraph(text, DESCRIPTION_INDENT, out);
    }
    if empty {
        paragraph("<empty>", DESCRIPTION_INDENT, out);
    }
}

fn paragraph(text: &str, amount: usize, out: &mut String) {
    for line in fill(text, WIDTH - amount) {
        if !line.is_empty() {
            out.push_str(&" ".repeat(amount));
            out.push_str(&line);
        }
        out.push('\n');
    }
}
