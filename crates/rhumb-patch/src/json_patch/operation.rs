//! Operation of a JSON patch. Fields are read when needed, so unused ones may have any type.

use serde_json::{Map, Value};

/// Fields of an operation.
#[derive(Default)]
pub(super) struct Operation(pub(super) Map<String, Value>);

impl Operation {
    /// Returns the operation's name.
    pub(super) fn kind(&self) -> &str {
        match self.0.get("op") {
            Some(Value::String(kind)) => kind,
            _ => "unknown",
        }
    }

    /// Returns the path.
    pub(super) fn path(&self) -> Result<String, String> {
        self.text("path").unwrap_or_else(|| Err("operation missing path field: missing value".to_owned()))
    }

    /// Returns the source path of a move or copy.
    pub(super) fn from(&self) -> Result<String, String> {
        self.text("from").unwrap_or_else(|| Err("operation, missing from field: missing value".to_owned()))
    }

    fn text(&self, field: &str) -> Option<Result<String, String>> {
        match self.0.get(field)? {
            Value::Null => None,
            Value::String(text) => Some(Ok(text.clone())),
            other => Some(Err(format!(
                "json: cannot unmarshal {} into Go value of type string",
                crate::json_kind(other)
            ))),
        }
    }

    /// Returns the value, if there is one.
    pub(super) fn value(&self) -> Option<&Value> {
        self.0.get("value")
    }

    /// Returns the value out of the operation.
    pub(super) fn take_value(&mut self) -> Option<Value> {
        self.0.remove("value")
    }
}
