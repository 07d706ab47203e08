//! Definitions in errors as Kubernetes' internal types print: every field in Go's order with Go's name.

use std::collections::BTreeMap;

use rhumb_api::apiextensions::v1beta1::{
    CustomResourceColumnDefinition, CustomResourceDefinitionVersion, CustomResourceSubresources, JSON,
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool, JSONSchemaPropsOrStringArray,
    ValidationRule,
};
use rhumb_schema::{Value, text};
use rhumb_scheme::validation::Shown;

/// Returns the versions of a definition.
pub(super) fn versions(versions: &[CustomResourceDefinitionVersion]) -> Shown {
    Shown(list(versions, version))
}

/// Returns a schema.
pub(super) fn schema(schema: &JSONSchemaProps) -> Shown {
    Shown(props(schema))
}

/// Returns the items of a schema.
pub(super) fn items(items: &JSONSchemaPropsOrArray) -> Shown {
    Shown(or_array(items))
}

/// Returns a rule in CEL.
pub(super) fn validation_rule(it: &ValidationRule) -> Shown {
    Shown(rule(it))
}

/// Fields one after the other.
struct Fields(String);

impl Fields {
    fn new() -> Self {
        Fields(String::from("{"))
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push('"');
        self.0.push_str(name);
        self.0.push_str("\":");
        self.0.push_str(value);
        self
    }

    /// Sets a field that prints in Go as it does here; an absent one is `null`.
    fn plain(self, name: &str, value: &dyn Value) -> Self {
        let view = value.view();
        let json = if view.is_nil() { "null".to_owned() } else { json(value) };
        self.with(name, &json)
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn json(value: &dyn Value) -> String {
    let mut out = Vec::new();
    text::encode(value, &mut out);
    if out.is_empty() { "null".to_owned() } else { String::from_utf8_lossy(&out).into_owned() }
}

fn optional<T>(value: Option<&T>, show: impl Fn(&T) -> String) -> String {
    value.map_or_else(|| "null".to_owned(), show)
}

fn list<T>(values: &[T], show: impl Fn(&T) -> String) -> String {
    if values.is_empty() {
        return "null".to_owned();
    }
    format!("[{}]", values.iter().map(show).collect::<Vec<_>>().join(","))
}

fn map<T>(values: &BTreeMap<String, T>, show: impl Fn(&T) -> String) -> String {
    if values.is_empty() {
        return "null".to_owned();
    }
    let entries = values.iter().map(|(key, value)| format!("{}:{}", json(key), show(value)));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
}

fn version(version: &CustomResourceDefinitionVersion) -> String {
    let validation = version.schema.as_deref();
    Fields::new()
        .plain("Name", &version.name)
        .plain("Served", &version.served)
        .plain("Storage", &version.storage)
        .plain("Deprecated", &version.deprecated)
        .plain("DeprecationWarning", &version.deprecation_warning)
        .with(
            "Schema",
            &optional(validation, |validation| {
                let schema = optional(validation.open_api_v3_schema.as_deref(), props);
                Fields::new().with("OpenAPIV3Schema", &schema).end()
            }),
        )
        .with("Subresources", &optional(version.subresources.as_deref(), subresources))
        .with("AdditionalPrinterColumns", &list(&version.additional_printer_columns, column))
        .with(
            "SelectableFields",
            &list(&version.selectable_fields, |field| {
                Fields::new().plain("JSONPath", &field.json_path).end()
            }),
        )
        .end()
}

fn subresources(subresources: &CustomResourceSubresources) -> String {
    Fields::new()
        .with("Status", if subresources.status.is_some() { "{}" } else { "null" })
        .with(
            "Scale",
            &optional(subresources.scale.as_deref(), |scale| {
                Fields::new()
                    .plain("SpecReplicasPath", &scale.spec_replicas_path)
                    .plain("StatusReplicasPath", &scale.status_replicas_path)
                    .plain("LabelSelectorPath", &scale.label_selector_path)
                    .end()
            }),
        )
        .end()
}

fn column(column: &CustomResourceColumnDefinition) -> String {
    Fields::new()
        .plain("Name", &column.name)
        .plain("Type", &column.type_)
        .plain("Format", &column.format)
        .plain("Description", &column.description)
        .plain("Priority", &column.priority)
        .plain("JSONPath", &column.json_path)
        .end()
}

fn any(value: &JSON) -> String {
    json(value)
}

fn or_array(items: &JSONSchemaPropsOrArray) -> String {
    Fields::new()
        .with("Schema", &optional(items.schema.as_deref(), props))
        .with("JSONSchemas", &list(&items.json_schemas, props))
        .end()
}

fn or_bool(value: &JSONSchemaPropsOrBool) -> String {
    Fields::new()
        .plain("Allows", &value.allows)
        .with("Schema", &optional(value.schema.as_deref(), props))
        .end()
}

fn or_strings(value: &JSONSchemaPropsOrStringArray) -> String {
    Fields::new()
        .with("Schema", &optional(value.schema.as_deref(), props))
        .plain("Property", &value.property)
        .end()
}

fn rule(rule: &ValidationRule) -> String {
    Fields::new()
        .plain("Rule", &rule.rule)
        .plain("Message", &rule.message)
        .plain("MessageExpression", &rule.message_expression)
        .plain("Reason", &rule.reason)
        .plain("FieldPath", &rule.field_path)
        .plain("OptionalOldSelf", &rule.optional_old_self)
        .end()
}

fn props(schema: &JSONSchemaProps) -> String {
    Fields::new()
        .plain("ID", &schema.id)
        .plain("Schema", &schema.schema)
        .plain("Ref", &schema.ref_)
        .plain("Description", &schema.description)
        .plain("Type", &schema.type_)
        .plain("Nullable", &schema.nullable)
        .plain("Format", &schema.format)
        .plain("Title", &schema.title)
        .with("Default", &optional(schema.default.as_deref(), any))
        .plain("Maximum", &schema.maximum)
        .plain("ExclusiveMaximum", &schema.exclusive_maximum)
        .plain("Minimum", &schema.minimum)
        .plain("ExclusiveMinimum", &schema.exclusive_minimum)
        .plain("MaxLength", &schema.max_length)
        .plain("MinLength", &schema.min_length)
        .plain("Pattern", &schema.pattern)
        .plain("MaxItems", &schema.max_items)
        .plain("MinItems", &schema.min_items)
        .plain("UniqueItems", &schema.unique_items)
        .plain("MultipleOf", &schema.multiple_of)
        .with("Enum", &list(&schema.enum_, any))
        .plain("MaxProperties", &schema.max_properties)
        .plain("MinProperties", &schema.min_properties)
        .plain("Required", &schema.required)
        .with("Items", &optional(schema.items.as_deref(), or_array))
        .with("AllOf", &list(&schema.all_of, props))
        .with("OneOf", &list(&schema.one_of, props))
        .with("AnyOf", &list(&schema.any_of, props))
        .with("Not", &optional(schema.not.as_deref(), props))
        .with("Properties", &map(&schema.properties, props))
        .with("AdditionalProperties", &optional(schema.additional_properties.as_deref(), or_bool))
        .with("PatternProperties", &map(&schema.pattern_properties, props))
        .with("Dependencies", &map(&schema.dependencies, or_strings))
        .with("AdditionalItems", &optional(schema.additional_items.as_deref(), or_bool))
        .with("Definitions", &map(&schema.definitions, props))
        .with(
            "ExternalDocs",
            &optional(schema.external_docs.as_deref(), |docs| {
                Fields::new().plain("Description", &docs.description).plain("URL", &docs.url).end()
            }),
        )
        .with("Example", &optional(schema.example.as_deref(), any))
        .plain("XPreserveUnknownFields", &schema.x_kubernetes_preserve_unknown_fields)
        .plain("XEmbeddedResource", &schema.x_kubernetes_embedded_resource)
        .plain("XIntOrString", &schema.x_kubernetes_int_or_string)
        .plain("XListMapKeys", &schema.x_kubernetes_list_map_keys)
        .plain("XListType", &schema.x_kubernetes_list_type)
        .plain("XMapType", &schema.x_kubernetes_map_type)
        .with("XValidations", &list(&schema.x_kubernetes_validations, rule))
        .end()
}
