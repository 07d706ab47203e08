//! JSON schemas as a definition has them: OpenAPI 3 with extensions.

use std::collections::BTreeMap;
use std::fmt;

use rhumb_schema::wire::BackWriter;
use rhumb_schema::{Leaf, LeafDesc, LeafError, RawJson, Schema, leaf_value, same};

/// The values that a [`ValidationRule`]'s reason has.
pub const FIELD_VALUE_ERROR_REASONS: &[&str] =
    &["FieldValueRequired", "FieldValueDuplicate", "FieldValueInvalid", "FieldValueForbidden"];

/// What objects of a custom kind look like.
#[derive(Clone, Default, Schema)]
pub struct CustomResourceValidation {
    /// The schema, in the OpenAPI 3 form of JSON schema.
    #[field(1, json = "openAPIV3Schema")]
    pub open_api_v3_schema: Option<Box<JSONSchemaProps>>,
}

/// A JSON schema (OpenAPI 3, with extensions of Kubernetes). Definitions may use a part of it only: a structural
/// schema, in which the type of every field is said outside of `allOf`, `anyOf`, `oneOf` and `not`.
#[derive(Clone, Default, Schema)]
pub struct JSONSchemaProps {
    /// An identifier of the schema. Not supported.
    #[field(1)]
    pub id: String,
    /// The dialect of JSON schema. Not supported.
    #[field(2, json = "$schema")]
    pub schema: String,
    /// A reference to another schema. Not supported: schemas are written out.
    #[field(3, json = "$ref")]
    pub ref_: Option<String>,
    /// What the value is, for people; `kubectl explain` prints it.
    #[field(4)]
    pub description: String,
    /// The type of the value: `object`, `array`, `string`, `integer`, `number` or `boolean`.
    #[field(5)]
    pub type_: String,
    /// A format that a text or number must have, such as `date-time`, `ipv4`, `uuid`, `int32` or `byte`. Unknown ones
    /// are ignored.
    #[field(6)]
    pub format: String,
    /// A heading for people.
    #[field(7)]
    pub title: String,
    /// What is filled in where the field is not given. It must be valid itself, and the schema structural.
    #[field(8)]
    pub default: Option<Box<JSON>>,
    /// The largest number allowed.
    #[field(9)]
    pub maximum: Option<f64>,
    /// Whether the maximum itself is not allowed either.
    #[field(10)]
    pub exclusive_maximum: bool,
    /// The smallest number allowed.
    #[field(11)]
    pub minimum: Option<f64>,
    /// Whether the minimum itself is not allowed either.
    #[field(12)]
    pub exclusive_minimum: bool,
    /// The most characters that a text may have.
    #[field(13)]
    pub max_length: Option<i64>,
    /// The fewest characters that a text may have.
    #[field(14)]
    pub min_length: Option<i64>,
    /// A regular expression that must match somewhere in the text.
    #[field(15)]
    pub pattern: String,
    /// The most elements that a list may have.
    #[field(16)]
    pub max_items: Option<i64>,
    /// The fewest elements that a list may have.
    #[field(17)]
    pub min_items: Option<i64>,
    /// Whether all elements must differ. Not supported: use `x-kubernetes-list-type: set`.
    #[field(18)]
    pub unique_items: bool,
    /// A number that the value must be a multiple of.
    #[field(19)]
    pub multiple_of: Option<f64>,
    /// The values that are allowed, any JSON.
    #[field(20, list = "atomic")]
    pub enum_: Vec<JSON>,
    /// The most fields that an object may have.
    #[field(21)]
    pub max_properties: Option<i64>,
    /// The fewest fields that an object may have.
    #[field(22)]
    pub min_properties: Option<i64>,
    /// Fields that an object must have.
    #[field(23, list = "atomic")]
    pub required: Vec<String>,
    /// The schema of a list's elements.
    #[field(24)]
    pub items: Option<Box<JSONSchemaPropsOrArray>>,
    /// The value must fit all of these. They may restrict values, but not tell of new fields.
    #[field(25, list = "atomic")]
    pub all_of: Vec<JSONSchemaProps>,
    /// The value must fit exactly one of these.
    #[field(26, list = "atomic")]
    pub one_of: Vec<JSONSchemaProps>,
    /// The value must fit at least one of these.
    #[field(27, list = "atomic")]
    pub any_of: Vec<JSONSchemaProps>,
    /// The value must not fit this.
    #[field(28)]
    pub not: Option<Box<JSONSchemaProps>>,
    /// The fields of an object, each with its schema.
    #[field(29)]
    pub properties: BTreeMap<String, JSONSchemaProps>,
    /// The schema of every value of a map. Not beside `properties`.
    #[field(30)]
    pub additional_properties: Option<Box<JSONSchemaPropsOrBool>>,
    /// Schemas for fields whose names match regular expressions. Not supported.
    #[field(31)]
    pub pattern_properties: BTreeMap<String, JSONSchemaProps>,
    /// What must hold if a field is there. Not supported.
    #[field(32)]
    pub dependencies: BTreeMap<String, JSONSchemaPropsOrStringArray>,
    /// What elements beyond those of a list of item schemas look like. Not supported.
    #[field(33)]
    pub additional_items: Option<Box<JSONSchemaPropsOrBool>>,
    /// Schemas to be referred to. Not supported.
    #[field(34)]
    pub definitions: BTreeMap<String, JSONSchemaProps>,
    /// Where more is said about the value.
    #[field(35)]
    pub external_docs: Option<Box<ExternalDocumentation>>,
    /// A value to show to people.
    #[field(36)]
    pub example: Option<Box<JSON>>,
    /// Whether `null` is allowed.
    #[field(37)]
    pub nullable: bool,
    /// Keeps fields that the schema doesn't know, from here on down to where properties are given again. Only `true`
    /// or nothing.
    #[field(38, json = "x-kubernetes-preserve-unknown-fields")]
    pub x_kubernetes_preserve_unknown_fields: Option<bool>,
    /// The value is a whole Kubernetes object: `apiVersion`, `kind` and `metadata` are checked too.
    #[field(39, json = "x-kubernetes-embedded-resource")]
    pub x_kubernetes_embedded_resource: bool,
    /// The value is a number or a text; `type` is left out then.
    #[field(40, json = "x-kubernetes-int-or-string")]
    pub x_kubernetes_int_or_string: bool,
    /// The fields by which the elements of a list of type `map` are told apart.
    #[field(41, json = "x-kubernetes-list-map-keys", list = "atomic")]
    pub x_kubernetes_list_map_keys: Vec<String>,
    /// How a list is merged: `atomic` as a whole, `set` by value, `map` by keys.
    #[field(42, json = "x-kubernetes-list-type")]
    pub x_kubernetes_list_type: Option<String>,
    /// How an object is merged: `granular` field by field, `atomic` as a whole.
    #[field(43, json = "x-kubernetes-map-type")]
    pub x_kubernetes_map_type: Option<String>,
    /// Rules in the expression language CEL that values must follow.
    #[field(44, json = "x-kubernetes-validations", keys("rule"), merge = "merge", merge_key = "rule")]
    pub x_kubernetes_validations: Vec<ValidationRule>,
}

/// A rule in the expression language CEL.
#[derive(Clone, Default, Schema)]
pub struct ValidationRule {
    /// The expression; `self` is the value, `oldSelf` the value before an update.
    #[field(1, required)]
    pub rule: String,
    /// What is said when the rule fails. Needed if the rule has line breaks.
    #[field(2)]
    pub message: String,
    /// An expression that makes the message. It wins over `message`.
    #[field(3)]
    pub message_expression: String,
    /// The reason that an error gives to machines, `FieldValueInvalid` if nothing is said.
    #[field(4, values = FIELD_VALUE_ERROR_REASONS)]
    pub reason: Option<String>,
    /// The field below this value that an error points to, as a simple JSON path: `.spec.test`.
    #[field(5)]
    pub field_path: String,
    /// Whether a rule about changes is also tried on new values, with an optional `oldSelf`.
    #[field(6)]
    pub optional_old_self: Option<bool>,
}

/// Where more is said about something.
#[derive(Clone, Default, Schema)]
pub struct ExternalDocumentation {
    /// What is there.
    #[field(1)]
    pub description: String,
    /// The address.
    #[field(2)]
    pub url: String,
}

/// A schema for all elements of a list, or a list with one for each.
#[derive(Clone, Default, Schema)]
#[schema(union)]
pub struct JSONSchemaPropsOrArray {
    /// The schema of all elements.
    #[field(1)]
    pub schema: Option<Box<JSONSchemaProps>>,
    /// The schemas of the elements by their positions.
    #[field(2, list = "atomic")]
    pub json_schemas: Vec<JSONSchemaProps>,
}

/// A schema, or whether anything is allowed.
#[derive(Clone, Default, Schema)]
#[schema(union = "boolean or JSON schema expected")]
pub struct JSONSchemaPropsOrBool {
    /// Whether there may be something.
    #[field(1)]
    pub allows: bool,
    /// What it looks like.
    #[field(2)]
    pub schema: Option<Box<JSONSchemaProps>>,
}

/// A schema, or names of fields.
#[derive(Clone, Default, Schema)]
#[schema(union)]
pub struct JSONSchemaPropsOrStringArray {
    /// The schema.
    #[field(1)]
    pub schema: Option<Box<JSONSchemaProps>>,
    /// The names.
    #[field(2, list = "atomic")]
    pub property: Vec<String>,
}

/// Any JSON: a text, a number, a truth value, an object, a list. Empty is `null`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct JSON(pub RawJson);

impl JSON {
    /// The JSON text, empty for `null`.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for JSON {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.as_bytes()))
    }
}

static ANY_JSON: LeafDesc = LeafDesc {
    go_type: "v1.JSON",
    model: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON",
    json_type: "",
    format: "",
    one_of: &[],
};

impl Leaf for JSON {
    fn desc(&self) -> &'static LeafDesc {
        &ANY_JSON
    }
    fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
    fn equals(&self, other: &dyn Leaf) -> bool {
        same(self, other)
    }
    fn write_json(&self, out: &mut Vec<u8>) {
        self.0.write_json(out);
    }
    fn read_json(&mut self, json: &[u8]) -> Result<(), LeafError> {
        self.0.read_json(json)
    }
    fn write_proto(&self, out: &mut BackWriter) {
        self.0.write_proto(out);
    }
    fn read_proto(&mut self, body: &[u8]) -> Result<(), LeafError> {
        self.0.read_proto(body)
    }
}

leaf_value!(JSON, ANY_JSON);
