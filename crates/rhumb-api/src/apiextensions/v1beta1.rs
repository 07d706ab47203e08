//! `apiextensions.k8s.io/v1beta1`: custom resource definitions, what all versions have in common once at the top.
//!
//! These types are the hub too. A definition in which something is said both at the top and in a version is invalid;
//! on the way to `v1` the top wins.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

pub use super::v1::{
    ConversionRequest, ConversionResponse, ConversionReview, CustomResourceDefinitionCondition,
    CustomResourceDefinitionNames, CustomResourceDefinitionStatus, CustomResourceSubresourceScale,
    CustomResourceSubresourceStatus, CustomResourceSubresources, CustomResourceValidation,
    ExternalDocumentation, JSON, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
    JSONSchemaPropsOrStringArray, SelectableField, ServiceReference, ValidationRule, WebhookClientConfig,
};

/// A kind of objects that the API server serves although it was not built with it.
#[derive(Clone, Default, Schema, Object)]
pub struct CustomResourceDefinition {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// Standard metadata. The name must be the plural name and the group: `crontabs.stable.example.com`.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// How the kind is called, where it is served and what its objects look like.
    #[field(2, required)]
    pub spec: CustomResourceDefinitionSpec,
    /// What the API server has made of it: whether names were accepted and the kind is served.
    #[field(3)]
    pub status: CustomResourceDefinitionStatus,
}

/// Several custom resource definitions.
#[derive(Clone, Default, Schema, Object)]
pub struct CustomResourceDefinitionList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// Standard metadata of a list.
    #[field(1)]
    pub metadata: ListMeta,
    /// The definitions.
    #[field(2, required, not_null)]
    pub items: Vec<CustomResourceDefinition>,
}

/// How a custom kind is called, where it is served and what its objects look like.
#[derive(Clone, Default, Schema)]
pub struct CustomResourceDefinitionSpec {
    /// The API group, a domain name; the kind is served at `/apis/GROUP/…`.
    #[field(1, required)]
    pub group: String,
    /// The only version, where `versions` is not given; else the name of the first one.
    #[field(2)]
    pub version: String,
    /// The names of the kind.
    #[field(3, required)]
    pub names: CustomResourceDefinitionNames,
    /// Whether objects live in namespaces (`Namespaced`, which is the default) or not (`Cluster`).
    #[field(4, required)]
    pub scope: String,
    /// What objects of every version look like. Not beside a schema in a version.
    #[field(5)]
    pub validation: Option<Box<CustomResourceValidation>>,
    /// The subresources that objects of every version have. Not beside those of a version.
    #[field(6)]
    pub subresources: Option<Box<CustomResourceSubresources>>,
    /// The versions the kind has. Exactly one is the one that objects are stored in.
    #[field(7, list = "atomic")]
    pub versions: Vec<CustomResourceDefinitionVersion>,
    /// The columns that `kubectl get` shows beside the name, for every version. Not beside those of a version.
    #[field(8, list = "atomic")]
    pub additional_printer_columns: Vec<CustomResourceColumnDefinition>,
    /// Fields that objects of every version can be selected by. Not beside those of a version.
    #[field(11, list = "atomic")]
    pub selectable_fields: Vec<SelectableField>,
    /// How objects get from one version to another.
    #[field(9)]
    pub conversion: Option<Box<CustomResourceConversion>>,
    /// Whether fields that no schema knows are kept, which is the default here.
    #[field(10)]
    pub preserve_unknown_fields: Option<bool>,
}

/// One version of a custom kind.
#[derive(Clone, Default, Schema)]
pub struct CustomResourceDefinitionVersion {
    /// The name of the version, such as `v1` or `v2beta1`.
    #[field(1, required)]
    pub name: String,
    /// Whether the API server offers this version.
    #[field(2, required)]
    pub served: bool,
    /// Whether objects are stored in this version; true for exactly one.
    #[field(3, required)]
    pub storage: bool,
    /// Whether clients that use this version get a warning.
    #[field(7)]
    pub deprecated: bool,
    /// The text of that warning, in place of the usual one. Only for deprecated versions.
    #[field(8)]
    pub deprecation_warning: Option<String>,
    /// What objects of this version look like, where versions differ in that.
    #[field(4)]
    pub schema: Option<Box<CustomResourceValidation>>,
    /// The subresources of this version, where versions differ in that.
    #[field(5)]
    pub subresources: Option<Box<CustomResourceSubresources>>,
    /// The columns of this version, where versions differ in that.
    #[field(6, list = "atomic")]
    pub additional_printer_columns: Vec<CustomResourceColumnDefinition>,
    /// Fields that objects of this version can be selected by, where versions differ in that.
    #[field(9, list = "atomic")]
    pub selectable_fields: Vec<SelectableField>,
}

/// A column that `kubectl get` shows.
#[derive(Clone, Default, Schema)]
pub struct CustomResourceColumnDefinition {
    /// The heading.
    #[field(1, required)]
    pub name: String,
    /// The OpenAPI type of the values: `integer`, `number`, `string`, `boolean` or `date`.
    #[field(2, required)]
    pub type_: String,
    /// The OpenAPI format of the values, which tells clients how to show them; `name` marks the main column.
    #[field(3)]
    pub format: String,
    /// What the column tells, for people.
    #[field(4)]
    pub description: String,
    /// How important the column is: columns above 0 are left out where there is little room.
    #[field(5)]
    pub priority: i32,
    /// Where in each object the value stands, as a simple JSON path: `.spec.replicas`.
    #[field(6, json = "JSONPath", required)]
    pub json_path: String,
}

/// How objects of a custom kind get from one version to another.
#[derive(Clone, Default, Schema)]
pub struct CustomResourceConversion {
    /// `None` changes the `apiVersion` only; `Webhook` asks a service.
    #[field(1, required)]
    pub strategy: String,
    /// How to reach the service, if the strategy is `Webhook`.
    #[field(2)]
    pub webhook_client_config: Option<Box<WebhookClientConfig>>,
    /// The versions of `ConversionReview` the service understands, best first; `v1beta1` if nothing is said.
    #[field(3, list = "atomic")]
    pub conversion_review_versions: Vec<String>,
}
