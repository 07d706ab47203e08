//! Path items in both document versions.

use std::collections::BTreeMap;

use rhumb_scheme::openapi::{Dialect, Model, Models};
use serde_json::{Map, Value, json};

use crate::operation::{Content, Method, Operation, Route, phrase};
use crate::parameters::{DELETE_BODY, In, PATCH_BODY, Parameter};

/// Builds path items and collects what they refer to.
pub(crate) struct Renderer<'a> {
    pub(crate) models: &'a Models<'a>,
    pub(crate) dialect: Dialect,
    /// The models that operations refer to.
    pub(crate) used: Vec<Model>,
    /// Definitions without a type.
    pub(crate) fixed: Vec<&'static str>,
    /// Shared parameters of version 2 by name.
    pub(crate) shared: BTreeMap<String, Value>,
}

impl<'a> Renderer<'a> {
    pub(crate) fn new(models: &'a Models<'a>, dialect: Dialect) -> Self {
        Renderer { models, dialect, used: Vec::new(), fixed: Vec::new(), shared: BTreeMap::new() }
    }

    /// Hands over the path items of routes, by path.
    pub(crate) fn paths(&mut self, routes: Vec<Route>, mut each: impl FnMut(&str, Value)) {
        let mut by_path: BTreeMap<String, Vec<(Method, Operation)>> = BTreeMap::new();
        for route in routes {
            by_path.entry(route.path).or_default().push((route.method, route.operation));
        }
        for (path, operations) in by_path {
            let item = self.path_item(operations);
            each(&path, item);
        }
    }

    /// Parameters that all operations of a path have stand beside them.
    fn path_item(&mut self, mut operations: Vec<(Method, Operation)>) -> Value {
        for (_, operation) in &mut operations {
            operation.parameters.sort_by_key(Parameter::key);
        }
        let in_all = |parameter: &Parameter| {
            operations
                .iter()
                .all(|(_, operation)| operation.parameters.iter().any(|other| other.key() == parameter.key()))
        };
        let mut common: Vec<Parameter> = Vec::new();
        if let Some((_, first)) = operations.first() {
            common.extend(first.parameters.iter().filter(|parameter| in_all(parameter)).cloned());
        }
        let mut item = Map::new();
        if !common.is_empty() {
            let common: Vec<Value> = common.iter().map(|parameter| self.parameter(parameter)).collect();
            item.insert("parameters".to_owned(), common.into());
        }
        for (method, mut operation) in operations {
            operation
                .parameters
                .retain(|parameter| !common.iter().any(|other| other.key() == parameter.key()));
            item.insert(method.as_str().to_owned(), self.operation(operation));
        }
        Value::Object(item)
    }

    fn operation(&mut self, operation: Operation) -> Value {
        let mut out = Map::new();
        let mut put = |name: &str, value: Value| drop(out.insert(name.to_owned(), value));
        put("operationId", operation.id.into());
        put("description", operation.description.into());
        put("tags", json!([operation.tag]));
        if let Some((action, kind)) = &operation.action {
            put("x-kubernetes-action", (*action).into());
            let kind = json!({ "group": kind.group, "kind": kind.kind, "version": kind.version });
            put("x-kubernetes-group-version-kind", kind);
        }
        let mut answers = Map::new();
        for (code, content) in &operation.answers {
            answers.insert(code.to_string(), self.answer(*code, *content, &operation.produces));
        }
        answers.insert("401".to_owned(), json!({ "description": phrase(401) }));
        put("responses", Value::Object(answers));
        let mut parameters: Vec<(&str, Value)> = operation
            .parameters
            .iter()
            .map(|parameter| (parameter.name, self.parameter(parameter)))
            .collect();
        match self.dialect {
            Dialect::V2 => {
                if let Some(body) = &operation.body {
                    let at = parameters.partition_point(|(name, _)| *name < "body");
                    parameters.insert(at, ("body", self.body_parameter(body.content, body.required)));
                }
                put("schemes", json!(["https"]));
                for (name, formats) in [("consumes", operation.consumes), ("produces", operation.produces)] {
                    if !formats.is_empty() {
                        put(name, formats.into());
                    }
                }
            }
            Dialect::V3 => {
                if let Some(body) = &operation.body {
                    let mut request = json!({ "content": self.by_format(body.content, &operation.consumes) });
                    if body.required {
                        request["required"] = true.into();
                    }
                    put("requestBody", request);
                }
            }
        }
        if !parameters.is_empty() {
            put("parameters", parameters.into_iter().map(|(_, parameter)| parameter).collect());
        }
        Value::Object(out)
    }

    fn answer(&mut self, code: u16, content: Content, formats: &[&str]) -> Value {
        match self.dialect {
            Dialect::V2 => json!({ "description": phrase(code), "schema": self.schema(content) }),
            Dialect::V3 => {
                json!({ "description": phrase(code), "content": self.by_format(content, formats) })
            }
        }
    }

    fn by_format(&mut self, content: Content, formats: &[&str]) -> Value {
        let schema = json!({ "schema": self.schema(content) });
        formats.iter().map(|format| ((*format).to_owned(), schema.clone())).collect::<Map<_, _>>().into()
    }

    fn schema(&mut self, content: Content) -> Value {
        match content {
            Content::Text => json!({ "type": "string" }),
            Content::Model(model) => {
                self.used.push(model);
                json!({ "$ref": self.models.reference(model) })
            }
            Content::Fixed(name) => {
                self.fixed.push(name);
                let folder = match self.dialect {
                    Dialect::V2 => "#/definitions/",
                    Dialect::V3 => "#/components/schemas/",
                };
                json!({ "$ref": format!("{folder}{name}") })
            }
        }
    }

    /// A body is a parameter in version 2. Those that are the same for all kinds are shared.
    fn body_parameter(&mut self, content: Content, required: bool) -> Value {
        let mut parameter = json!({ "in": "body", "name": "body", "schema": self.schema(content) });
        let shared = match content {
            Content::Fixed(_) => Some(PATCH_BODY),
            _ if !required => Some(DELETE_BODY),
            _ => None,
        };
        if required {
            parameter["required"] = true.into();
        }
        match shared {
            Some(name) => self.share(name.to_owned(), || parameter),
            None => parameter,
        }
    }

    fn parameter(&mut self, parameter: &Parameter) -> Value {
        let shared = if self.dialect == Dialect::V2 { parameter.shared_name() } else { None };
        let dialect = self.dialect;
        let make = || {
            let mut out = json!({ "name": parameter.name });
            out["in"] = if parameter.place == In::Path { "path" } else { "query" }.into();
            if parameter.place == In::Path {
                out["required"] = true.into();
            }
            if !parameter.description.is_empty() {
                out["description"] = parameter.description.into();
            }
            match dialect {
                Dialect::V2 => {
                    out["type"] = parameter.type_name.into();
                    out["uniqueItems"] = true.into();
                }
                Dialect::V3 => {
                    out["schema"] = json!({ "type": parameter.type_name, "uniqueItems": true });
                }
            }
            out
        };
        match shared {
            Some(name) => self.share(name, make),
            None => make(),
        }
    }

    fn share(&mut self, name: String, make: impl FnOnce() -> Value) -> Value {
        let reference = json!({ "$ref": format!("#/parameters/{name}") });
        self.shared.entry(name).or_insert_with(make);
        reference
    }
}
