//! Additional printer columns of a definition.

use rhumb_jsonpath::{ParseError, Value};
use rhumb_meta::Time;
use serde_json::Value as Json;

use crate::json_path::JsonPath;

/// A column with its JSON path and type.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    path: JsonPath,
    kind: ColumnType,
}

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// A whole number; fractions are cut off.
    Integer,
    /// Any number.
    Number,
    /// Anything, as text.
    String,
    /// A truth value.
    Boolean,
    /// A time, shown as an age.
    Date,
}

impl ColumnType {
    /// Reads the name of a type, as a definition writes it.
    pub fn read(name: &str) -> Option<ColumnType> {
        Some(match name {
            "integer" => ColumnType::Integer,
            "number" => ColumnType::Number,
            "string" => ColumnType::String,
            "boolean" => ColumnType::Boolean,
            "date" => ColumnType::Date,
            _ => return None,
        })
    }
}

/// Returns the description of a column without one.
pub fn default_description(path: &str) -> String {
    format!("Custom resource definition column (in JSONPath format): {path}")
}

impl Column {
    /// Creates a column for what stands at a path.
    ///
    /// # Errors
    /// If the path is malformed.
    pub fn new(path: &str, kind: ColumnType) -> Result<Column, ParseError> {
        Ok(Column { path: JsonPath::parse(path)?, kind })
    }

    /// Returns the cell of an object; null if there is nothing of the column's type. An age is asked for how long ago
    /// a time was, in words for people; of no time it is asked for none.
    pub fn cell(&self, object: &Json, age: &dyn Fn(Option<&Time>) -> String) -> Json {
        let found = self.path.find(object).unwrap_or_default();
        let Some(value) = found.first() else { return Json::Null };
        if self.kind == ColumnType::String {
            return match value {
                Value::Tree(Json::Null) => Json::from("<no value>"),
                value => Json::from(value.printed()),
            };
        }
        match (self.kind, &value.to_tree()) {
            (ColumnType::Integer, Json::Number(number)) => match number.as_i64() {
                Some(integer) => Json::from(integer),
                None => Json::from(cut_off(number.as_f64().unwrap_or_default())),
            },
            (ColumnType::Number, Json::Number(number)) => Json::from(number.as_f64().unwrap_or_default()),
            (ColumnType::Boolean, Json::Bool(truth)) => Json::from(*truth),
            (ColumnType::Date, Json::String(text)) if matches!(text.as_str(), "" | "null") => {
                Json::from(age(None))
            }
            (ColumnType::Date, Json::String(text)) => match Time::parse(text) {
                Ok(time) => Json::from(age(Some(&time).filter(|time| !time.is_zero()))),
                Err(_) => Json::from("<invalid>"),
            },
            _ => Json::Null,
        }
    }
}

/// Returns a float without its fraction. What 64 bits can't hold becomes the smallest number, as on the processors
/// that Kubernetes mostly runs on.
fn cut_off(number: f64) -> i64 {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if (-BEYOND..BEYOND).contains(&number) { number as i64 } else { i64::MIN }
}
