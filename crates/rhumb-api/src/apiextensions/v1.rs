//! `apiextensions.k8s.io/v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, Status, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::{ByteString, RawJson, Schema};

/// The values that a `FieldValueErrorReason` has.
pub const FIELD_VALUE_ERROR_REASONS: &[&str] =
    &["FieldValueRequired", "FieldValueDuplicate", "FieldValueInvalid", "FieldValueForbidden"];

#[derive(Clone, Default, Schema)]
pub struct ConversionRequest {
    #[field(1, required)]
    pub uid: String,
    #[field(2, json = "desiredAPIVersion", required)]
    pub desired_api_version: String,
    #[field(3, required, list = "atomic")]
    pub objects: Vec<RawJson>,
}

#[derive(Clone, Default, Schema)]
pub struct ConversionResponse {
    #[field(1, required)]
    pub uid: String,
    #[field(2, required, list = "atomic")]
    pub converted_objects: Vec<RawJson>,
    #[field(3, required)]
    pub result: Status,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ConversionReview {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub request: Option<Box<ConversionRequest>>,
    #[field(2)]
    pub response: Option<Box<ConversionResponse>>,
}

#[derive(Clone, Default, Schema)]
pub struct CustomResourceColumnDefinition {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub type_: String,
    #[field(3)]
    pub format: String,
    #[field(4)]
    pub description: String,
    #[field(5)]
    pub priority: i32,
    #[field(6, required)]
    pub json_path: String,
}

#[derive(Clone, Default, Schema)]
pub struct CustomResourceConversion {
    #[field(1, required)]
    pub strategy: String,
    #[field(2)]
    pub webhook: Option<Box<WebhookConversion>>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct CustomResourceDefinition {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: CustomResourceDefinitionSpec,
    #[field(3)]
    pub status: CustomResourceDefinitionStatus,
}

#[derive(Clone, Default, Schema)]
pub struct CustomResourceDefinitionCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub status: String,
    #[field(3)]
    pub last_transition_time: Time,
    #[field(4)]
    pub reason: String,
    #[field(5)]
    pub message: String,
    #[field(6)]
    pub observed_generation: i64,
}

#[derive(Clone, Default, Schema, Object)]
pub struct CustomResourceDefinitionList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<CustomResourceDefinition>,
}

#[derive(Clone, Default, Schema)]
pub struct CustomResourceDefinitionNames {
    #[field(1, required)]
    pub plural: String,
    #[field(2)]
    pub singular: String,
    #[field(3, list = "atomic")]
    pub short_names: Vec<String>,
    #[field(4, required)]
    pub kind: String,
    #[field(5)]
    pub list_kind: String,
    #[field(6, list = "atomic")]
    pub categories: Vec<String>,
}

#[derive(Clone, Default, Schema)]
pub struct CustomResourceDefinitionSpec {
    #[field(1, required)]
    pub group: String,
    #[field(3, required)]
    pub names: CustomResourceDefinitionNames,
    #[field(4, required)]
    pub scope: String,
    #[field(7, required, list = "atomic")]
    pub versions: Vec<CustomResourceDefinitionVersion>,
    #[field(9)]
    pub conversion: Option<Box<CustomResourceConversion>>,
    #[field(10)]
    pub preserve_unknown_fields: bool,
}

#[derive(Clone, Default, Schema)]
pub struct CustomResourceDefinitionStatus {
    #[field(1, shown, keys("type"))]
    pub conditions: Vec<CustomResourceDefinitionCondition>,
    #[field(2, shown)]
    pub accepted_names: CustomResourceDefinitionNames,
    #[field(3, shown, list = "atomic")]
    pub stored_versions: Vec<String>,
    #[field(4)]
    pub observed_generation: i64,
}

#[derive(Clone, Default, Schema)]
pub struct CustomResourceDefinitionVersion {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub served: bool,
    #[field(3, required)]
    pub storage: bool,
    #[field(7)]
    pub deprecated: bool,
    #[field(8)]
    pub deprecation_warning: Option<String>,
    #[field(4)]
    pub schema: Option<Box<CustomResourceValidation>>,
    #[field(5)]
    pub subresources: Option<Box<CustomResourceSubresources>>,
    #[field(6, list = "atomic")]
    pub additional_printer_columns: Vec<CustomResourceColumnDefinition>,
    #[field(9, list = "atomic")]
    pub selectable_fields: Vec<SelectableField>,
}

#[derive(Clone, Default, Schema)]
pub struct CustomResourceSubresourceScale {
    #[field(1, required)]
    pub spec_replicas_path: String,
    #[field(2, required)]
    pub status_replicas_path: String,
    #[field(3)]
    pub label_selector_path: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct CustomResourceSubresourceStatus {}

#[derive(Clone, Default, Schema)]
pub struct CustomResourceSubresources {
    #[field(1)]
    pub status: Option<Box<CustomResourceSubresourceStatus>>,
    #[field(2)]
    pub scale: Option<Box<CustomResourceSubresourceScale>>,
}

#[derive(Clone, Default, Schema)]
pub struct CustomResourceValidation {
    #[field(1, json = "openAPIV3Schema")]
    pub open_apiv3_schema: Option<Box<JSONSchemaProps>>,
}

#[derive(Clone, Default, Schema)]
pub struct ExternalDocumentation {
    #[field(1)]
    pub description: String,
    #[field(2)]
    pub url: String,
}

#[derive(Clone, Default, Schema)]
pub struct JSON {}

#[derive(Clone, Default, Schema)]
pub struct JSONSchemaProps {
    #[field(1)]
    pub id: String,
    #[field(2, json = "$schema")]
    pub _schema: String,
    #[field(3, json = "$ref")]
    pub _ref: Option<String>,
    #[field(4)]
    pub description: String,
    #[field(5)]
    pub type_: String,
    #[field(6)]
    pub format: String,
    #[field(7)]
    pub title: String,
    #[field(8)]
    pub default: Option<Box<JSON>>,
    #[field(9)]
    pub maximum: Option<f64>,
    #[field(10)]
    pub exclusive_maximum: bool,
    #[field(11)]
    pub minimum: Option<f64>,
    #[field(12)]
    pub exclusive_minimum: bool,
    #[field(13)]
    pub max_length: Option<i64>,
    #[field(14)]
    pub min_length: Option<i64>,
    #[field(15)]
    pub pattern: String,
    #[field(16)]
    pub max_items: Option<i64>,
    #[field(17)]
    pub min_items: Option<i64>,
    #[field(18)]
    pub unique_items: bool,
    #[field(19)]
    pub multiple_of: Option<f64>,
    #[field(20, list = "atomic")]
    pub enum_: Vec<JSON>,
    #[field(21)]
    pub max_properties: Option<i64>,
    #[field(22)]
    pub min_properties: Option<i64>,
    #[field(23, list = "atomic")]
    pub required: Vec<String>,
    #[field(24)]
    pub items: Option<Box<JSONSchemaPropsOrArray>>,
    #[field(25, list = "atomic")]
    pub all_of: Vec<JSONSchemaProps>,
    #[field(26, list = "atomic")]
    pub one_of: Vec<JSONSchemaProps>,
    #[field(27, list = "atomic")]
    pub any_of: Vec<JSONSchemaProps>,
    #[field(28)]
    pub not: Option<Box<JSONSchemaProps>>,
    #[field(29)]
    pub properties: BTreeMap<String, JSONSchemaProps>,
    #[field(30)]
    pub additional_properties: Option<Box<JSONSchemaPropsOrBool>>,
    #[field(31)]
    pub pattern_properties: BTreeMap<String, JSONSchemaProps>,
    #[field(32)]
    pub dependencies: BTreeMap<String, JSONSchemaPropsOrStringArray>,
    #[field(33)]
    pub additional_items: Option<Box<JSONSchemaPropsOrBool>>,
    #[field(34)]
    pub definitions: BTreeMap<String, JSONSchemaProps>,
    #[field(35)]
    pub external_docs: Option<Box<ExternalDocumentation>>,
    #[field(36)]
    pub example: Option<Box<JSON>>,
    #[field(37)]
    pub nullable: bool,
    #[field(38, json = "x-kubernetes-preserve-unknown-fields")]
    pub x_kubernetes_preserve_unknown_fields: Option<bool>,
    #[field(39, json = "x-kubernetes-embedded-resource")]
    pub x_kubernetes_embedded_resource: bool,
    #[field(40, json = "x-kubernetes-int-or-string")]
    pub x_kubernetes_int_or_string: bool,
    #[field(41, json = "x-kubernetes-list-map-keys", list = "atomic")]
    pub x_kubernetes_list_map_keys: Vec<String>,
    #[field(42, json = "x-kubernetes-list-type")]
    pub x_kubernetes_list_type: Option<String>,
    #[field(43, json = "x-kubernetes-map-type")]
    pub x_kubernetes_map_type: Option<String>,
    #[field(44, json = "x-kubernetes-validations", keys("rule"), merge = "merge", merge_key = "rule")]
    pub x_kubernetes_validations: Vec<ValidationRule>,
}

#[derive(Clone, Default, Schema)]
pub struct JSONSchemaPropsOrArray {
    #[field(1, json = "None", required)]
    pub schema: Option<Box<JSONSchemaProps>>,
    #[field(2, json = "None", required, list = "atomic")]
    pub json_schemas: Vec<JSONSchemaProps>,
}

#[derive(Clone, Default, Schema)]
pub struct JSONSchemaPropsOrBool {
    #[field(1, json = "None", required)]
    pub allows: bool,
    #[field(2, json = "None", required)]
    pub schema: Option<Box<JSONSchemaProps>>,
}

#[derive(Clone, Default, Schema)]
pub struct JSONSchemaPropsOrStringArray {
    #[field(1, json = "None", required)]
    pub schema: Option<Box<JSONSchemaProps>>,
    #[field(2, json = "None", required, list = "atomic")]
    pub property: Vec<String>,
}

#[derive(Clone, Default, Schema)]
pub struct SelectableField {
    #[field(1, required)]
    pub json_path: String,
}

#[derive(Clone, Default, Schema)]
pub struct ServiceReference {
    #[field(1, required)]
    pub namespace: String,
    #[field(2, required)]
    pub name: String,
    #[field(3)]
    pub path: Option<String>,
    #[field(4)]
    pub port: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct ValidationRule {
    #[field(1, required)]
    pub rule: String,
    #[field(2)]
    pub message: String,
    #[field(3)]
    pub message_expression: String,
    #[field(4, values = FIELD_VALUE_ERROR_REASONS)]
    pub reason: Option<String>,
    #[field(5)]
    pub field_path: String,
    #[field(6)]
    pub optional_old_self: Option<bool>,
}

#[derive(Clone, Default, Schema)]
pub struct WebhookClientConfig {
    #[field(3)]
    pub url: Option<String>,
    #[field(1)]
    pub service: Option<Box<ServiceReference>>,
    #[field(2)]
    pub ca_bundle: ByteString,
}

#[derive(Clone, Default, Schema)]
pub struct WebhookConversion {
    #[field(2)]
    pub client_config: Option<Box<WebhookClientConfig>>,
    #[field(3, required, list = "atomic")]
    pub conversion_review_versions: Vec<String>,
}
