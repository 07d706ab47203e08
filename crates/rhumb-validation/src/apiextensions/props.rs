//! Schemas of definitions, as types of expressions and paths to fields are read from them.

use rhumb_api::apiextensions::v1beta1::JSONSchemaProps;
use rhumb_cel_kubernetes::schema::Schema;
use rhumb_schema::text::parse_tree;
use rhumb_structural::field_path::{Fields, Step};
use serde_json::Value as Json;

/// A schema of a definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Props<'a>(pub(super) &'a JSONSchemaProps);

impl Fields for Props<'_> {
    fn step(self, name: &str) -> Step<Self> {
        if !self.0.properties.is_empty() {
            return self.0.properties.get(name).map_or(Step::Unknown, |schema| Step::Property(Props(schema)));
        }
        match &self.0.additional_properties {
            Some(additional) => Step::Value(additional.schema.as_deref().map(Props)),
            None => Step::Unknown,
        }
    }
}

impl Schema for Props<'_> {
    fn type_(&self) -> &str {
        &self.0.type_
    }

    fn format(&self) -> &str {
        &self.0.format
    }

    fn items(&self) -> Option<Self> {
        self.0.items.as_ref()?.schema.as_deref().map(Props)
    }

    fn properties(&self) -> Vec<(&str, Self)> {
        self.0.properties.iter().map(|(name, schema)| (name.as_str(), Props(schema))).collect()
    }

    fn additional_properties(&self) -> Option<Self> {
        self.0.additional_properties.as_ref()?.schema.as_deref().map(Props)
    }

    fn is_required(&self, property: &str) -> bool {
        self.0.required.iter().any(|name| name == property)
    }

    fn has_default(&self) -> bool {
        self.0.default.is_some()
    }

    fn max_items(&self) -> Option<i64> {
        self.0.max_items
    }

    fn max_properties(&self) -> Option<i64> {
        self.0.max_properties
    }

    fn max_length(&self) -> Option<i64> {
        self.0.max_length
    }

    fn longest_choice(&self) -> Option<u64> {
        let text = |choice: &[u8]| match parse_tree(choice) {
            Ok(Json::String(text)) => Some(text.len() as u64),
            _ => None,
        };
        let lengths = self.0.enum_.iter().filter_map(|choice| text(choice.as_bytes()));
        (!self.0.enum_.is_empty()).then(|| lengths.max().unwrap_or(0))
    }

    fn is_int_or_string(&self) -> bool {
        self.0.x_kubernetes_int_or_string
    }

    fn is_embedded_resource(&self) -> bool {
        self.0.x_kubernetes_embedded_resource
    }
}
