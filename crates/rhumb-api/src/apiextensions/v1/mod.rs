//! `apiextensions.k8s.io/v1`: custom resource definitions, each version with its own schema.
//!
//! The hub has the older shape, `v1beta1`'s, because that is what Kubernetes validates: what all versions have in
//! common stands once at the top there, and errors name it by that path.

mod review;
mod schema;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::{ByteString, Schema};
use rhumb_scheme::Convert;

pub use self::review::{ConversionRequest, ConversionResponse, ConversionReview};
pub use self::schema::{
    CustomResourceValidation, ExternalDocumentation, FIELD_VALUE_ERROR_REASONS, JSON, JSONSchemaProps,
    JSONSchemaPropsOrArray, JSONSchemaPropsOrBool, JSONSchemaPropsOrStringArray, ValidationRule,
};
use super::v1beta1;

/// A kind of objects that the API server serves although it was not built with it.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1beta1::CustomResourceDefinition)]
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
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1beta1::CustomResourceDefinitionList)]
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
    /// The names of the kind.
    #[field(3, required)]
    pub names: CustomResourceDefinitionNames,
    /// Whether objects live in namespaces (`Namespaced`) or not (`Cluster`).
    #[field(4, required)]
    pub scope: String,
    /// The versions the kind has. Exactly one is the one that objects are stored in.
    #[field(7, required, list = "atomic")]
    pub versions: Vec<CustomResourceDefinitionVersion>,
    /// How objects get from one version to another.
    #[field(9)]
    pub conversion: Option<Box<CustomResourceConversion>>,
    /// Whether fields that no schema knows are kept. Old definitions may have it; new ones say so in the schema with
    /// `x-kubernetes-preserve-unknown-fields`.
    #[field(10)]
    pub preserve_unknown_fields: bool,
}

/// One version of a custom kind.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1beta1::CustomResourceDefinitionVersion)]
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
    /// What objects of this version look like: fields are checked, defaulted and pruned by it.
    #[field(4)]
    pub schema: Option<Box<CustomResourceValidation>>,
    /// The subresources that objects of this version have.
    #[field(5)]
    pub subresources: Option<Box<CustomResourceSubresources>>,
    /// The columns that `kubectl get` shows beside the name. Without any, it shows the age.
    #[field(6, list = "atomic")]
    pub additional_printer_columns: Vec<CustomResourceColumnDefinition>,
    /// Fields that objects can be selected by with a field selector; at most eight.
    #[field(9, list = "atomic")]
    pub selectable_fields: Vec<SelectableField>,
}

/// A column that `kubectl get` shows.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1beta1::CustomResourceColumnDefinition)]
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
    #[field(6, required)]
    pub json_path: String,
}

/// How objects of a custom kind get from one version to another.
#[derive(Clone, Default, Schema)]
pub struct CustomResourceConversion {
    /// `None` changes the `apiVersion` only; `Webhook` asks a service.
    #[field(1, required)]
    pub strategy: String,
    /// The service that converts, if the strategy is `Webhook`.
    #[field(2)]
    pub webhook: Option<Box<WebhookConversion>>,
}

/// The service that converts objects.
#[derive(Clone, Default, Schema)]
pub struct WebhookConversion {
    /// How to reach it.
    #[field(2)]
    pub client_config: Option<Box<WebhookClientConfig>>,
    /// The versions of `ConversionReview` it understands, best first. The API server uses the first one it knows too.
    #[field(3, required, list = "atomic")]
    pub conversion_review_versions: Vec<String>,
}

/// How to reach a webhook: by URL or as a service in the cluster, one of the two.
#[derive(Clone, Default, Schema)]
pub struct WebhookClientConfig {
    /// The address, `https://host:port/path`, without user, query or fragment.
    #[field(3)]
    pub url: Option<String>,
    /// The service in the cluster.
    #[field(1)]
    pub service: Option<Box<ServiceReference>>,
    /// Certificates, PEM encoded, that the webhook's certificate is checked with. Without any, those of the API
    /// server's system are used.
    #[field(2)]
    pub ca_bundle: ByteString,
}

/// A service in the cluster.
#[derive(Clone, Default, Schema)]
pub struct ServiceReference {
    /// The namespace of the service.
    #[field(1, required)]
    pub namespace: String,
    /// The name of the service.
    #[field(2, required)]
    pub name: String,
    /// The path of the URL that requests go to.
    #[field(3)]
    pub path: Option<String>,
    /// The port of the service, 443 if nothing else is said.
    #[field(4)]
    pub port: Option<i32>,
}

/// The subresources of a custom kind.
#[derive(Clone, Default, Schema)]
pub struct CustomResourceSubresources {
    /// Gives objects a `/status` of their own: the status can then be changed there only, and nothing else can.
    #[field(1)]
    pub status: Option<Box<CustomResourceSubresourceStatus>>,
    /// Gives objects a `/scale`, by which autoscalers change the number of replicas.
    #[field(2)]
    pub scale: Option<Box<CustomResourceSubresourceScale>>,
}

/// Says that there is a status subresource; there is nothing to choose.
#[derive(Clone, Default, Schema)]
pub struct CustomResourceSubresourceStatus {}

/// Where in an object the parts of its scale stand.
#[derive(Clone, Default, Schema)]
pub struct CustomResourceSubresourceScale {
    /// The JSON path of the number of replicas that are wanted, below `.spec`.
    #[field(1, required)]
    pub spec_replicas_path: String,
    /// The JSON path of the number of replicas that there are, below `.status`.
    #[field(2, required)]
    pub status_replicas_path: String,
    /// The JSON path of a label selector as text, below `.spec` or `.status`. Autoscaling by load needs it.
    #[field(3)]
    pub label_selector_path: Option<String>,
}

/// A field that objects can be selected by.
#[derive(Clone, Default, Schema)]
pub struct SelectableField {
    /// The JSON path of the field: a text, number or truth value that stands outside of lists.
    #[field(1, required)]
    pub json_path: String,
}

/// The names of a custom kind.
#[derive(Clone, Default, Schema)]
pub struct CustomResourceDefinitionNames {
    /// The name in URLs, plural and in lower case: `/apis/GROUP/VERSION/…/PLURAL`.
    #[field(1, required)]
    pub plural: String,
    /// The singular in lower case, which command lines take too. Without one it is the kind in lower case.
    #[field(2)]
    pub singular: String,
    /// Short names for command lines, in lower case.
    #[field(3, list = "atomic")]
    pub short_names: Vec<String>,
    /// The kind as it stands in objects, in CamelCase and singular.
    #[field(4, required)]
    pub kind: String,
    /// The kind of lists. Without one it is the kind with `List` behind it.
    #[field(5)]
    pub list_kind: String,
    /// Groups of kinds that this one belongs to, such as `all`: `kubectl get all` shows its objects then.
    #[field(6, list = "atomic")]
    pub categories: Vec<String>,
}

/// What the API server has made of a definition.
#[derive(Clone, Default, Schema)]
pub struct CustomResourceDefinitionStatus {
    /// Whether names are accepted, the kind is established, the schema is structural, the kind is going away.
    #[field(1, shown, keys("type"))]
    pub conditions: Vec<CustomResourceDefinitionCondition>,
    /// The names in use. They may differ from the wanted ones where another kind has those.
    #[field(2, shown)]
    pub accepted_names: CustomResourceDefinitionNames,
    /// Every version that objects were ever stored in. A version that stands here can't be removed from the spec;
    /// take it out after all objects were written in another.
    #[field(3, shown, list = "atomic")]
    pub stored_versions: Vec<String>,
    /// The generation of the definition that the status is about.
    #[field(4)]
    pub observed_generation: i64,
}

/// One statement on a definition's state.
#[derive(Clone, Default, Schema)]
pub struct CustomResourceDefinitionCondition {
    /// What it is about: `Established`, `NamesAccepted`, `NonStructuralSchema`, `Terminating`,
    /// `KubernetesAPIApprovalPolicyConformant`.
    #[field(1, required)]
    pub type_: String,
    /// `True`, `False` or `Unknown`.
    #[field(2, required)]
    pub status: String,
    /// When the status last changed.
    #[field(3)]
    pub last_transition_time: Time,
    /// Why, in one word in CamelCase.
    #[field(4)]
    pub reason: String,
    /// Why, for people.
    #[field(5)]
    pub message: String,
    /// The generation of the definition that the condition is about.
    #[field(6)]
    pub observed_generation: i64,
}
