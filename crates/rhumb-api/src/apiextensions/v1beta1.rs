//! `apiextensions.k8s.io/v1beta1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

pub use super::v1::{
    ConversionRequest, ConversionResponse, ConversionReview, CustomResourceDefinitionCondition,
    CustomResourceDefinitionNames, CustomResourceDefinitionStatus, CustomResourceSubresourceScale,
    CustomResourceSubresourceStatus, CustomResourceSubresources, CustomResourceValidation,
    ExternalDocumentation, JSON, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
    JSONSchemaPropsOrStringArray, SelectableField, ServiceReference, ValidationRule, WebhookClientConfig,
};

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CustomResourceColumnDefinition)]
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
    #[field(6, json = "JSONPath", required)]
    pub json_path: String,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CustomResourceConversion)]
pub struct CustomResourceConversion {
    #[field(1, required)]
    pub strategy: String,
    #[field(2)]
    pub webhook_client_config: Option<Box<WebhookClientConfig>>,
    #[field(3, list = "atomic")]
    pub conversion_review_versions: Vec<String>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::CustomResourceDefinition)]
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

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::CustomResourceDefinitionList)]
pub struct CustomResourceDefinitionList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<CustomResourceDefinition>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CustomResourceDefinitionSpec)]
pub struct CustomResourceDefinitionSpec {
    #[field(1, required)]
    pub group: String,
    #[field(2)]
    pub version: String,
    #[field(3, required)]
    pub names: CustomResourceDefinitionNames,
    #[field(4, required)]
    pub scope: String,
    #[field(5)]
    pub validation: Option<Box<CustomResourceValidation>>,
    #[field(6)]
    pub subresources: Option<Box<CustomResourceSubresources>>,
    #[field(7, list = "atomic")]
    pub versions: Vec<CustomResourceDefinitionVersion>,
    #[field(8, list = "atomic")]
    pub additional_printer_columns: Vec<CustomResourceColumnDefinition>,
    #[field(11, list = "atomic")]
    pub selectable_fields: Vec<SelectableField>,
    #[field(9)]
    pub conversion: Option<Box<CustomResourceConversion>>,
    #[field(10)]
    pub preserve_unknown_fields: Option<bool>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CustomResourceDefinitionVersion)]
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
