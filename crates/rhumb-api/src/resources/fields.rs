//! The values of the fields that objects can be selected by.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_schema::{Value, View};
use rhumb_scheme::mapper::Scope;
use serde_json::Value as Json;

use super::Served;

impl Served {
    /// What a field selector is matched with: name, namespace and the resource's own fields, under the
    /// names they have inside, of an object in its hub form.
    pub fn selectable_fields(&self, object: &dyn Object) -> BTreeMap<String, String> {
        let mut fields: BTreeMap<String, String> = self
            .resource
            .fields
            .iter()
            .map(|name| {
                let values = paths(name).iter().map(|path| read(object, path));
                let value = values.into_iter().find(|value| !value.is_empty()).unwrap_or_default();
                ((*name).to_owned(), value)
            })
            .collect();
        if let Some(meta) = object.metadata() {
            fields.insert("metadata.name".to_owned(), meta.name.clone());
            if self.resource.scope == Scope::Namespaced {
                fields.insert("metadata.namespace".to_owned(), meta.namespace.clone());
            }
        }
        fields
    }
}

/// Where the value of a field is found; the first place that has one counts. Most names are the place itself.
fn paths<'a>(name: &'a &'static str) -> &'a [&'static str] {
    match *name {
        "status.successful" => &["status.succeeded"],
        "source" => &["source.component", "reportingComponent"],
        _ => std::slice::from_ref(name),
    }
}

/// The text of the scalar at a path; empty if there is none.
fn read(value: &dyn Value, path: &str) -> String {
    let (first, rest) = match path.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    match value.view() {
        View::Struct(holder) => {
            let Some(position) = holder.desc().position(first.as_bytes(), 0) else { return String::new() };
            let field = holder.field(position);
            rest.map_or_else(|| text(field), |rest| read(field, rest))
        }
        View::Json(tree) => match tree.pointer(&format!("/{}", path.replace('.', "/"))) {
            Some(Json::String(text)) => text.clone(),
            Some(number @ (Json::Number(_) | Json::Bool(_))) => number.to_string(),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

fn text(value: &dyn Value) -> String {
    match value.view() {
        View::Str(text) => text.to_owned(),
        View::Bool(value) => value.to_string(),
        View::Int32(number) => number.to_string(),
        View::Int64(number) => number.to_string(),
        _ => String::new(),
    }
}
