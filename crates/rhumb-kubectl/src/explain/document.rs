//! Types and fields in an OpenAPI v3 document.

use std::collections::BTreeSet;

use rhumb_meta::GroupVersionResource;
use serde_json::{Map, Value};

use super::wrap::{indent, wrap};

/// Methods by which a resource is found among paths.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Extension with the kind.
const KIND: &str = "x-kubernetes-group-version-kind";

/// An OpenAPI document.
pub(super) struct Document<'a> {
    tree: &'a Value,
}

/// References followed so far, to end cycles.
type History = BTreeSet<String>;

impl<'a> Document<'a> {
    pub(super) fn new(tree: &'a Value) -> Self {
        Document { tree }
    }

    /// Writes what there is to say about a resource, or a field of it.
    pub(super) fn explain(
        &self,
        resource: &GroupVersionResource,
        fields: &[String],
        recursive: bool,
        out: &mut String,
    ) -> Result<(), String> {
        let Some(kind) = self.kind_of(resource) else {
            return Err(format!("error: GVR ({}) not found in OpenAPI schema", super::shown(resource)));
        };
        let text = |name: &str| kind.get(name).and_then(Value::as_str).unwrap_or_default();
        if !text("group").is_empty() {
            out.push_str(&format!("GROUP:      {}\n", text("group")));
        }
        out.push_str(&format!("KIND:       {}\nVERSION:    {}\n\n", text("kind"), text("version")));
        let schemas = self.tree.pointer("/components/schemas").and_then(Value::as_object);
        let schema = schemas.into_iter().flat_map(Map::values).find(|schema| {
            schema.get(KIND).and_then(Value::as_array).is_some_and(|kinds| kinds.contains(kind))
        });
        let Some(schema) = schema else {
            return Err(format!(
                "error: GVK map[group:{} kind:{} version:{}] not found in OpenAPI schema",
                text("group"),
                text("kind"),
                text("version")
            ));
        };
        let found = self.output(schema, fields, recursive, &History::new());
        match (found.is_empty(), fields.last()) {
            (true, Some(field)) => Err(format!("error: field \"{field}\" does not exist")),
            _ => {
                out.push_str(&found);
                out.push('\n');
                Ok(())
            }
        }
    }

    /// Returns the kind that a resource holds, from one of the operations on it.
    fn kind_of(&self, resource: &GroupVersionResource) -> Option<&'a Value> {
        let prefix = match &*resource.group {
            "" => format!("/api/{}", resource.version),
            group => format!("/apis/{group}/{}", resource.version),
        };
        let name = &resource.resource;
        let mut found = None;
        for path in [
            format!("{prefix}/{name}"),
            format!("{prefix}/{name}/{{name}}"),
            format!("{prefix}/namespaces/{{namespace}}/{name}"),
            format!("{prefix}/namespaces/{{namespace}}/{name}/{{name}}"),
        ] {
            let Some(operations) = self.tree.get("paths").and_then(|paths| paths.get(&path)) else {
                continue;
            };
            let kind = METHODS.iter().filter_map(|method| operations.get(method)?.get(KIND)).next();
            found = kind.or(found);
        }
        found
    }

    /// Resolves a reference; other schemas are returned unchanged.
    fn resolve(&self, schema: &'a Value) -> &'a Value {
        reference(schema).and_then(|name| self.referred(name)).unwrap_or(schema)
    }

    fn referred(&self, name: &str) -> Option<&'a Value> {
        self.tree
            .pointer(name.strip_prefix('#')?)
            .filter(|schema| schema.as_object().is_some_and(|s| !s.is_empty()))
    }

    /// Follows the fields to the last, and says what is there; nothing if a field is not.
    fn output(&self, schema: &'a Value, fields: &[String], recursive: bool, history: &History) -> String {
        let resolved = self.resolve(schema);
        let Some((field, rest)) = fields.split_first() else { return self.whole(resolved, recursive) };
        let mut history = history.clone();
        if let Some(name) = reference(schema)
            && !history.insert(name.to_owned())
        {
            return String::new();
        }
        let property = filled(resolved, "properties").and_then(|properties| filled(properties, field));
        if let Some(property) = property {
            let mut out = String::new();
            if rest.is_empty() {
                out.push_str(&format!("FIELD: {field} <{}>\n", self.type_of(property)));
                out.push_str(&long_enum(property));
                out.push_str("\n\n");
            }
            out.push_str(&self.output(property, rest, recursive, &History::new()));
            return out;
        }
        if let Some(inner) = filled(resolved, "items").or_else(|| filled(resolved, "additionalProperties")) {
            return self.output(inner, fields, recursive, &history);
        }
        all_of(resolved)
            .map(|inner| self.output(inner, fields, recursive, &history))
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    }

    fn whole(&self, schema: &'a Value, recursive: bool) -> String {
        let mut description = String::new();
        self.description(schema, &mut description);
        if description.is_empty() {
            description.push_str("<empty>");
        }
        let mut out = format!("DESCRIPTION:\n{}\n", indent(&wrap(&description, 76), 4));
        if let Some(docs) = external_docs(schema, 0) {
            out.push('\n');
            out.push_str(&docs);
        }
        let mut fields = String::new();
        self.fields(schema, 1, recursive, &History::new(), &mut fields);
        if !fields.is_empty() {
            out.push_str("FIELDS:\n");
            out.push_str(&fields);
        }
        out
    }

    fn description(&self, schema: &'a Value, out: &mut String) {
        let schema = self.resolve(schema);
        if let Some(text) = text(schema, "description") {
            out.push_str(text);
            out.push('\n');
        }
        for inner in all_of(schema) {
            self.description(inner, out);
        }
        for inner in ["items", "additionalProperties"].into_iter().filter_map(|name| filled(schema, name)) {
            self.description(inner, out);
        }
    }

    fn fields(&self, schema: &'a Value, level: usize, recursive: bool, history: &History, out: &mut String) {
        let mut history = history.clone();
        if let Some(name) = reference(schema)
            && !history.insert(name.to_owned())
        {
            return;
        }
        let resolved = self.resolve(schema);
        let properties = resolved.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            self.field(resolved, name, property, level, recursive, out);
            if recursive {
                self.fields(property, level + 1, recursive, &history, out);
            }
        }
        for inner in all_of(resolved) {
            self.fields(inner, level, recursive, &history, out);
        }
        for inner in ["items", "additionalProperties"].into_iter().filter_map(|name| filled(resolved, name)) {
            self.fields(inner, level, recursive, &history, out);
        }
    }

    fn field(
        &self,
        owner: &'a Value,
        name: &str,
        schema: &'a Value,
        level: usize,
        short: bool,
        out: &mut String,
    ) {
        let amount = level * 2;
        let required = owner.get("required").and_then(Value::as_array);
        let required = required.is_some_and(|names| names.iter().any(|required| required == name));
        let mark = if required { " -required-" } else { "" };
        out.push_str(&format!("{}\t<{}>{mark}", indent(name, amount), self.type_of(schema)));
        out.push_str(&short_enum(schema, amount));
        out.push('\n');
        if short {
            return;
        }
        let description = text(schema, "description").unwrap_or("<no description>");
        out.push_str(&indent(&wrap(description, 78_usize.saturating_sub(amount)), amount + 2));
        out.push('\n');
        if let Some(docs) = external_docs(schema, amount + 2) {
            out.push('\n');
            out.push_str(&docs);
        }
        out.push('\n');
    }

    /// Formats a type: `string`, `[]Container`, `map[string]string`.
    fn type_of(&self, schema: &'a Value) -> String {
        if let Some(items) = filled(schema, "items") {
            return format!("[]{}", self.type_of(items));
        }
        if let Some(values) = filled(schema, "additionalProperties") {
            return format!("map[string]{}", self.type_of(values));
        }
        if filled(schema, "properties").is_none()
            && let Some([only]) = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice)
        {
            return self.type_of(only);
        }
        if let Some(name) = reference(schema) {
            return match self.referred(name).and_then(|schema| text(schema, "type")) {
                None | Some("object") => {
                    let last = name.rsplit(['/', '.']).next().filter(|last| !last.is_empty());
                    last.unwrap_or("Object").to_owned()
                }
                Some(other) => other.to_owned(),
            };
        }
        match text(schema, "type") {
            None | Some("object") => "Object".to_owned(),
            Some(other) => other.to_owned(),
        }
    }
}

fn reference(schema: &Value) -> Option<&str> {
    text(schema, "$ref")
}

fn text<'a>(schema: &'a Value, name: &str) -> Option<&'a str> {
    schema.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Returns a part that is an object with something in it.
fn filled<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get(name).filter(|part| part.as_object().is_some_and(|part| !part.is_empty()))
}

fn all_of(schema: &Value) -> impl Iterator<Item = &Value> {
    schema.get("allOf").and_then(Value::as_array).into_iter().flatten()
}

/// Formats the link to external documentation.
fn external_docs(schema: &Value, amount: usize) -> Option<String> {
    let docs = filled(schema, "externalDocs")?;
    let mut out = indent("EXTERNAL DOCS:\n", amount).trim_end_matches(' ').to_owned();
    if let Some(description) = text(docs, "description") {
        // The width of descriptions, less where this one begins.
        let width = if amount == 0 { 76 } else { 78_usize.saturating_sub(amount) };
        out.push_str(&indent(&wrap(description, width), amount + if amount == 0 { 4 } else { 2 }));
        out.push('\n');
    }
    if let Some(url) = text(docs, "url") {
        let amount = amount + if amount == 0 { 4 } else { 2 };
        out.push_str(&indent(&format!("URL: {url}"), amount));
        out.push('\n');
    }
    Some(out)
}

fn enum_values(schema: &Value) -> Vec<String> {
    let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    values
        .map(|value| match value {
            Value::String(text) if text.is_empty() => "\"\"".to_owned(),
            Value::String(text) => text.clone(),
            Value::Null => "<no value>".to_owned(),
            other => other.to_string(),
        })
        .collect()
}

/// Formats all enum values, one per line.
fn long_enum(schema: &Value) -> String {
    match enum_values(schema).as_slice() {
        [] => String::new(),
        values => format!("ENUM:\n    {}", values.join("\n    ")),
    }
}

/// Returns the first four values, on one line.
fn short_enum(schema: &Value, amount: usize) -> String {
    let values = enum_values(schema);
    if values.is_empty() {
        return String::new();
    }
    let shown: Vec<&str> = values.iter().take(4).map(String::as_str).collect();
    let more = if values.len() > 4 { ", ...." } else { "" };
    format!("\n{}enum: {}{more}", " ".repeat(amount), shown.join(", "))
}
