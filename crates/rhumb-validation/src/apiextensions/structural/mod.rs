//! Structural schemas: what a custom object looks like, with the rules on its values apart from its shape.
//!
//! A JSON schema can say where a field is in many ways. A structural one says it in one: the type of every field
//! stands outside of `allOf`, `anyOf`, `oneOf` and `not`, which only restrict values. With that a server knows which
//! fields to drop ([`Structural::prune`]), what to fill in ([`Structural::fill_defaults`]) and what to refuse
//! ([`Structural::check_value`]). [`Structural::new`] makes one; [`Structural::validate`] tells whether it keeps its
//! promises. Rules in CEL are kept, but not run here.

mod defaults;
mod embedded;
mod field_path;
mod formats;
mod invariants;
mod pattern;
mod prune;
mod values;

use std::collections::BTreeMap;
use std::fmt;

use rhumb_api::apiextensions::v1::{
    ExternalDocumentation, JSON, JSONSchemaProps, JSONSchemaPropsOrArray, ValidationRule,
};
use rhumb_schema::text;
use serde_json::Value as Json;

pub use defaults::Unknown;
pub use field_path::{FieldPathError, Found, Notation};
pub use pattern::{Pattern, PatternError};
pub use prune::Root;
pub use values::Purpose;

/// What a value looks like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structural {
    /// Its type, and what people read of it.
    pub generic: Generic,
    /// What the extensions of Kubernetes say.
    pub extensions: Extensions,
    /// Rules in CEL.
    pub rules: Vec<ValidationRule>,
    /// Rules on its values.
    pub values: ValueRules,
    /// The elements of a list.
    pub items: Option<Box<Structural>>,
    /// The fields of an object.
    pub properties: BTreeMap<String, Structural>,
    /// The values of a map.
    pub additional_properties: Option<Additional>,
}

/// What a map may hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Additional {
    /// Anything, or nothing.
    Any(bool),
    /// Values that look like this.
    Schema(Box<Structural>),
}

impl Additional {
    /// The schema of the values, if there is one.
    pub fn schema(&self) -> Option<&Structural> {
        match self {
            Additional::Any(_) => None,
            Additional::Schema(schema) => Some(schema),
        }
    }
}

/// The type of a value, and what people read of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Generic {
    /// The JSON type; empty if any is allowed.
    pub type_: String,
    /// What it is, for people.
    pub description: String,
    /// A heading, for people.
    pub title: String,
    /// What is filled in where nothing is given.
    pub default: Option<Json>,
    /// Whether `null` is allowed.
    pub nullable: bool,
    /// Where more is said.
    pub external_docs: Option<ExternalDocumentation>,
    /// A value to show.
    pub example: Option<Json>,
}

/// The extensions of Kubernetes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// Unknown fields are kept.
    pub preserve_unknown_fields: bool,
    /// The value is a whole Kubernetes object.
    pub embedded_resource: bool,
    /// The value is a number or a text.
    pub int_or_string: bool,
    /// The keys of a list of type `map`.
    pub list_map_keys: Vec<String>,
    /// How a list is merged.
    pub list_type: Option<String>,
    /// How an object is merged.
    pub map_type: Option<String>,
}

/// Rules on values, whatever their type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueRules {
    /// What a text must look like, by a name such as `date`.
    pub format: String,
    /// The greatest number.
    pub maximum: Option<f64>,
    /// The greatest number itself is not allowed.
    pub exclusive_maximum: bool,
    /// The least number.
    pub minimum: Option<f64>,
    /// The least number itself is not allowed.
    pub exclusive_minimum: bool,
    /// The most characters of a text.
    pub max_length: Option<i64>,
    /// The fewest characters of a text.
    pub min_length: Option<i64>,
    /// What a text must match.
    pub pattern: String,
    /// The most elements of a list.
    pub max_items: Option<i64>,
    /// The fewest elements of a list.
    pub min_items: Option<i64>,
    /// No element of a list may be there twice.
    pub unique_items: bool,
    /// What a number must be a multiple of.
    pub multiple_of: Option<f64>,
    /// The only values that are allowed, if there are some.
    pub enum_: Vec<Json>,
    /// The most fields of an object.
    pub max_properties: Option<i64>,
    /// The fewest fields of an object.
    pub min_properties: Option<i64>,
    /// The fields that an object must have.
    pub required: Vec<String>,
    /// Rules that must all be kept.
    pub all_of: Vec<Nested>,
    /// Rules of which exactly one must be kept.
    pub one_of: Vec<Nested>,
    /// Rules of which at least one must be kept.
    pub any_of: Vec<Nested>,
    /// Rules that must not be kept.
    pub not: Option<Box<Nested>>,
}

/// Rules on values within the logic. What tells of shape there is kept only to be refused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nested {
    /// Rules on its values.
    pub values: ValueRules,
    /// Rules in CEL.
    pub rules: Vec<ValidationRule>,
    /// Its type, and what people read of it.
    pub generic: Generic,
    /// What the extensions of Kubernetes say.
    pub extensions: Extensions,
    /// The elements of a list.
    pub items: Option<Box<Nested>>,
    /// The fields of an object.
    pub properties: BTreeMap<String, Nested>,
    /// The values of a map.
    pub additional_properties: Option<Box<Nested>>,
}

/// Why a schema has no structural form, in the words of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotStructural(String);

impl fmt::Display for NotStructural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotStructural {}

impl Structural {
    /// The structural form of a schema.
    ///
    /// # Errors
    /// If the schema uses what a structural one can't say, such as references.
    pub fn new(schema: &JSONSchemaProps) -> Result<Self, NotStructural> {
        refuse_unsupported(schema)?;
        let additional_properties = match schema.additional_properties.as_deref() {
            None => None,
            Some(additional) => Some(match &additional.schema {
                Some(schema) => Additional::Schema(Box::new(Structural::new(schema)?)),
                None => Additional::Any(additional.allows),
            }),
        };
        Ok(Structural {
            generic: generic(schema)?,
            extensions: extensions(schema)?,
            rules: schema.x_kubernetes_validations.clone(),
            values: value_rules(schema)?,
            items: item(schema.items.as_deref(), Structural::new)?,
            properties: each(&schema.properties, Structural::new)?,
            additional_properties,
        })
    }
}

impl Nested {
    fn new(schema: &JSONSchemaProps) -> Result<Self, NotStructural> {
        refuse_unsupported(schema)?;
        let additional_properties = match schema.additional_properties.as_deref() {
            Some(additional) => match &additional.schema {
                Some(schema) => Some(Box::new(Nested::new(schema)?)),
                None => additional.allows.then(Box::default),
            },
            None => None,
        };
        Ok(Nested {
            values: value_rules(schema)?,
            rules: schema.x_kubernetes_validations.clone(),
            generic: generic(schema)?,
            extensions: extensions(schema)?,
            items: item(schema.items.as_deref(), Nested::new)?,
            properties: each(&schema.properties, Nested::new)?,
            additional_properties,
        })
    }
}

type Made<T> = Result<T, NotStructural>;

fn item<T>(
    items: Option<&JSONSchemaPropsOrArray>,
    make: fn(&JSONSchemaProps) -> Made<T>,
) -> Made<Option<Box<T>>> {
    let Some(items) = items else { return Ok(None) };
    if !items.json_schemas.is_empty() {
        return Err(NotStructural("OpenAPIV3Schema 'items' must be a schema, but is an array".to_owned()));
    }
    items.schema.as_deref().map(|schema| make(schema).map(Box::new)).transpose()
}

fn each<T>(
    schemas: &BTreeMap<String, JSONSchemaProps>,
    make: fn(&JSONSchemaProps) -> Made<T>,
) -> Made<BTreeMap<String, T>> {
    schemas.iter().map(|(name, schema)| Ok((name.clone(), make(schema)?))).collect()
}

fn refuse_unsupported(schema: &JSONSchemaProps) -> Result<(), NotStructural> {
    let found = [
        (!schema.id.is_empty(), "id"),
        (!schema.schema.is_empty(), "schema"),
        (schema.ref_.as_ref().is_some_and(|reference| !reference.is_empty()), "$ref"),
        (!schema.pattern_properties.is_empty(), "patternProperties"),
        (!schema.dependencies.is_empty(), "dependencies"),
        (schema.additional_items.is_some(), "additionalItems"),
        (!schema.definitions.is_empty(), "definitions"),
    ];
    match found.iter().find(|(is_set, _)| *is_set) {
        Some((_, name)) => Err(NotStructural(format!("OpenAPIV3Schema '{name}' is not supported"))),
        None => Ok(()),
    }
}

/// The tree of a JSON value; nothing is `null`.
pub(crate) fn tree(json: &JSON) -> Result<Json, NotStructural> {
    if json.as_bytes().is_empty() {
        return Ok(Json::Null);
    }
    text::parse_tree(json.as_bytes()).map_err(|error| NotStructural(error.to_string()))
}

fn optional_tree(json: Option<&JSON>) -> Result<Option<Json>, NotStructural> {
    Ok(json.map(tree).transpose()?.filter(|tree| !tree.is_null()))
}

fn generic(schema: &JSONSchemaProps) -> Result<Generic, NotStructural> {
    Ok(Generic {
        type_: schema.type_.clone(),
        description: schema.description.clone(),
        title: schema.title.clone(),
        default: optional_tree(schema.default.as_deref())?,
        nullable: schema.nullable,
        external_docs: schema.external_docs.as_deref().cloned(),
        example: optional_tree(schema.example.as_deref())?,
    })
}

fn extensions(schema: &JSONSchemaProps) -> Result<Extensions, NotStructural> {
    if schema.x_kubernetes_preserve_unknown_fields == Some(false) {
        return Err(NotStructural(
            "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined".to_owned(),
        ));
    }
    Ok(Extensions {
        preserve_unknown_fields: schema.x_kubernetes_preserve_unknown_fields.is_some(),
        embedded_resource: schema.x_kubernetes_embedded_resource,
        int_or_string: schema.x_kubernetes_int_or_string,
        list_map_keys: schema.x_kubernetes_list_map_keys.clone(),
        list_type: schema.x_kubernetes_list_type.clone(),
        map_type: schema.x_kubernetes_map_type.clone(),
    })
}

fn value_rules(schema: &JSONSchemaProps) -> Result<ValueRules, NotStructural> {
    let all = |schemas: &[JSONSchemaProps]| schemas.iter().map(Nested::new).collect::<Result<Vec<_>, _>>();
    Ok(ValueRules {
        format: schema.format.clone(),
        maximum: schema.maximum,
        exclusive_maximum: schema.exclusive_maximum,
        minimum: schema.minimum,
        exclusive_minimum: schema.exclusive_minimum,
        max_length: schema.max_length,
        min_length: schema.min_length,
        pattern: schema.pattern.clone(),
        max_items: schema.max_items,
        min_items: schema.min_items,
        unique_items: schema.unique_items,
        multiple_of: schema.multiple_of,
        enum_: schema.enum_.iter().map(tree).collect::<Result<_, _>>()?,
        max_properties: schema.max_properties,
        min_properties: schema.min_properties,
        required: schema.required.clone(),
        not: schema.not.as_deref().map(|schema| Nested::new(schema).map(Box::new)).transpose()?,
        all_of: all(&schema.all_of)?,
        one_of: all(&schema.one_of)?,
        any_of: all(&schema.any_of)?,
    })
}
