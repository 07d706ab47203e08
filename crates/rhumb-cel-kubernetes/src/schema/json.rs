//! Schemas as JSON: those of definitions, and others without references.

use serde_json::Value;

use super::Schema;

impl Schema for &Value {
    fn type_(&self) -> &str {
        self.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    fn format(&self) -> &str {
        self.get("format").and_then(Value::as_str).unwrap_or_default()
    }

    fn items(&self) -> Option<Self> {
        self.get("items").filter(|items| items.is_object())
    }

    fn properties(&self) -> Vec<(&str, Self)> {
        let properties = self.get("properties").and_then(Value::as_object);
        properties
            .map(|all| all.iter().map(|(name, schema)| (name.as_str(), schema)).collect())
            .unwrap_or_default()
    }

    fn additional_properties(&self) -> Option<Self> {
        self.get("additionalProperties").filter(|additional| additional.is_object())
    }

    fn is_required(&self, property: &str) -> bool {
        let required = self.get("required").and_then(Value::as_array);
        required.is_some_and(|all| all.iter().any(|name| name == property))
    }

    fn has_default(&self) -> bool {
        self.get("default").is_some_and(|default| !default.is_null())
    }

    fn max_items(&self) -> Option<i64> {
        self.get("maxItems")?.as_i64()
    }

    fn max_properties(&self) -> Option<i64> {
        self.get("maxProperties")?.as_i64()
    }

    fn max_length(&self) -> Option<i64> {
        self.get("maxLength")?.as_i64()
    }

    fn longest_choice(&self) -> Option<u64> {
        let choices = self.get("enum")?.as_array().filter(|choices| !choices.is_empty())?;
        let lengths = choices.iter().filter_map(Value::as_str).map(|choice| choice.len() as u64);
        Some(lengths.max().unwrap_or(0))
    }

    fn is_int_or_string(&self) -> bool {
        self.get("x-kubernetes-int-or-string").and_then(Value::as_bool).unwrap_or(false)
    }

    fn is_embedded_resource(&self) -> bool {
        self.get("x-kubernetes-embedded-resource").and_then(Value::as_bool).unwrap_or(false)
    }
}
