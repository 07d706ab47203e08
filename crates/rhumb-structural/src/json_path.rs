//! JSON paths in definitions: `.spec.list[0]`.

use rhumb_jsonpath::{EvalError, MissingKeys, ParseError, Template, Value};
use serde_json::Value as Json;

/// A parsed path.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath {
    template: Template,
}

impl JsonPath {
    /// Reads a path such as `.spec.list[0]` or `.status.conditions[?(@.type=="Ready")].status`.
    ///
    /// # Errors
    /// If it is malformed.
    pub fn parse(text: &str) -> Result<JsonPath, ParseError> {
        Ok(JsonPath { template: Template::parse(&format!("{{{text}}}"))? })
    }

    /// Returns all values at the path.
    ///
    /// # Errors
    /// If something on the way doesn't fit the path. A field that isn't there is no error.
    pub fn find<'a>(&'a self, object: &'a Json) -> Result<Vec<Value<'a>>, EvalError> {
        let found = self.template.find(object, MissingKeys::Allow)?;
        Ok(found.into_iter().next().unwrap_or_default())
    }

    /// Returns the text by which a field selector compares the value at this path; empty if there is none.
    pub fn selectable(&self, object: &Json) -> String {
        match self.find(object).unwrap_or_default().first() {
            None | Some(Value::Tree(Json::Null)) => String::new(),
            Some(value) => value.plain(),
        }
    }
}
