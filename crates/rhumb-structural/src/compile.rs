//! Compilation of a definition's schema.
//!
//! What people write into a definition repeats itself: a template of a pod has three lists of nearly the same
//! containers, and most leaves are a plain text. So equal parts are made once and shared, and words for
//! people are left out; they are read from the definition when a document is made.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::choices::Choices;
use crate::formats::Format;
use crate::pattern::Pattern;

/// Maximum nesting depth of a schema.
const MAX_DEPTH: usize = 500;

/// Compiled schema; cheap to clone.
#[derive(Clone)]
pub struct Structural {
    pub(crate) root: Arc<Node>,
    /// Whether fields that nobody knows, and nulls, stay in objects.
    pub(crate) keeps_all: bool,
    /// Whether there are rules in CEL somewhere.
    has_rules: bool,
}

impl fmt::Debug for Structural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Structural").finish_non_exhaustive()
    }
}

/// Error of compiling a schema. Validation refuses such schemas earlier, so it occurs only with definitions stored by
/// older releases.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompileError {
    /// A schema, or a part of it, is no JSON object.
    NotAnObject,
    /// A keyword of JSON Schema that Kubernetes doesn't support.
    Unsupported(&'static str),
    /// The elements of a list have each their own schema.
    ItemsArray,
    /// Unknown fields can't be dropped on demand.
    PreserveFalse,
    /// Schemas nest too deeply.
    Depth,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::NotAnObject => f.write_str("OpenAPIV3Schema must be an object"),
            CompileError::Unsupported(key) => write!(f, "OpenAPIV3Schema '{key}' is not supported"),
            CompileError::ItemsArray => {
                f.write_str("OpenAPIV3Schema 'items' must be a schema, but is an array")
            }
            CompileError::PreserveFalse => f.write_str(
                "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
            ),
            CompileError::Depth => f.write_str("OpenAPIV3Schema nests too deeply"),
        }
    }
}

impl std::error::Error for CompileError {}

/// A schema: of an object, a field, or a branch of `anyOf` and the like.
#[derive(Default)]
pub(crate) struct Node {
    pub(crate) types: Types,
    pub(crate) nullable: bool,
    pub(crate) preserve: bool,
    pub(crate) embedded: bool,
    pub(crate) list: ListType,
    pub(crate) items: Option<Arc<Node>>,
    pub(crate) additional: Additional,
    /// Sorted by name.
    properties: Box<[(Arc<str>, Arc<Node>)]>,
    pub(crate) default: Option<Box<DefaultValue>>,
    pub(crate) rules: Option<Box<Rules>>,
}

impl Node {
    pub(crate) fn property(&self, name: &str) -> Option<&Arc<Node>> {
        let at = self.properties.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        self.properties.get(at).map(|(_, node)| node)
    }

    pub(crate) fn properties(&self) -> impl Iterator<Item = (&str, &Arc<Node>)> {
        self.properties.iter().map(|(name, node)| (&**name, node))
    }

    /// Returns the schema of a field, be it known by its name or not.
    pub(crate) fn field(&self, name: &str) -> Option<&Node> {
        self.property(name).or_else(|| self.additional.schema()).map(|node| &**node)
    }
}

/// Default value.
pub(crate) struct DefaultValue {
    pub(crate) value: Json,
    /// Size as JSON in bytes.
    pub(crate) size: usize,
}

impl DefaultValue {
    fn new(value: &Json) -> Self {
        DefaultValue { value: value.clone(), size: value.to_string().len() }
    }
}

/// Allowed types of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Types {
    #[default]
    Any,
    One(Type),
    IntOrString,
}

/// An OpenAPI type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
    Null,
}

impl Type {
    fn read(name: &str) -> Option<Type> {
        Some(match name {
            "object" => Type::Object,
            "array" => Type::Array,
            "string" => Type::String,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "boolean" => Type::Boolean,
            "null" => Type::Null,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Type::Object => "object",
            Type::Array => "array",
            Type::String => "string",
            Type::Integer => "integer",
            Type::Number => "number",
            Type::Boolean => "boolean",
            Type::Null => "null",
        }
    }
}

/// List type for merging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ListType {
    #[default]
    Atomic,
    Set,
    Map,
}

/// Additional properties.
#[derive(Default)]
pub(crate) enum Additional {
    #[default]
    Unsaid,
    Any(bool),
    Schema(Arc<Node>),
}

impl Additional {
    pub(crate) fn is_said(&self) -> bool {
        !matches!(self, Additional::Unsaid)
    }

    pub(crate) fn schema(&self) -> Option<&Arc<Node>> {
        match self {
            Additional::Schema(node) => Some(node),
            _ => None,
        }
    }
}

/// Validation rules beyond the type.
#[derive(Default)]
pub(crate) struct Rules {
    pub(crate) format: Format,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_maximum: bool,
    pub(crate) minimum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) min_length: Option<i64>,
    pub(crate) max_items: Option<i64>,
    pub(crate) min_items: Option<i64>,
    pub(crate) max_properties: Option<i64>,
    pub(crate) min_properties: Option<i64>,
    pub(crate) unique_items: bool,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) choices: Choices,
    pub(crate) required: Box<[Arc<str>]>,
    pub(crate) all_of: Box<[Arc<Node>]>,
    pub(crate) any_of: Box<[Arc<Node>]>,
    pub(crate) one_of: Box<[Arc<Node>]>,
    pub(crate) not: Option<Arc<Node>>,
    /// The fields by which elements of the list are told apart.
    pub(crate) map_keys: Box<[Arc<str>]>,
}

impl Structural {
    /// Compiles the `openAPIV3Schema` of a version.
    ///
    /// # Errors
    /// If it is no structural schema in the first place.
    pub fn compile(schema: &Json) -> Result<Structural, CompileError> {
        let mut compiler = Compiler::default();
        let (root, _) = compiler.node(schema, 0)?;
        Ok(Structural { root, keeps_all: false, has_rules: compiler.has_rules })
    }

    /// Reports whether the schema has [rules in CEL](crate::rules).
    pub fn has_rules(&self) -> bool {
        self.has_rules
    }

    /// Returns the schema for a definition with `preserveUnknownFields`: nothing is pruned.
    #[must_use]
    pub fn keeping_all(self) -> Structural {
        Structural { keeps_all: true, ..self }
    }

    /// Returns the schema of a field of the object, such as `status`; none if the schema doesn't speak of it.
    pub fn property(&self, name: &str) -> Option<Structural> {
        self.root.property(name).map(|node| Structural { root: Arc::clone(node), ..self.clone() })
    }
}

/// What a schema is compiled for. Kubernetes validates objects and defaults differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Objects of a custom kind: a number or text must really be one, and formats that nobody knows are nothing.
    #[default]
    Objects,
    /// Defaults in the schema itself.
    Defaults,
}

pub(crate) fn compile(schema: &Json, purpose: Purpose) -> Result<Arc<Node>, CompileError> {
    let mut compiler = Compiler { purpose, ..Compiler::default() };
    compiler.node(schema, 0).map(|(root, _)| root)
}

#[derive(Default)]
struct Compiler {
    purpose: Purpose,
    names: HashMap<String, Arc<str>>,
    /// The nodes that exist, by a text that says all of a schema, with its children by their number.
    nodes: HashMap<String, (Arc<Node>, usize)>,
    has_rules: bool,
}

/// Keywords that Kubernetes doesn't support, with its names; empty ones are allowed.
const UNSUPPORTED: [(&str, &str); 7] = [
    ("id", "id"),
    ("$schema", "schema"),
    ("$ref", "$ref"),
    ("patternProperties", "patternProperties"),
    ("dependencies", "dependencies"),
    ("additionalItems", "additionalItems"),
    ("definitions", "definitions"),
];

impl Compiler {
    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let made: Arc<str> = Arc::from(name);
        self.names.insert(name.to_owned(), Arc::clone(&made));
        made
    }

    fn names(&mut self, value: Option<&Json>) -> Box<[Arc<str>]> {
        let texts = value.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
        texts.map(|text| self.name(text)).collect()
    }

    /// Returns the node of a schema, and its number.
    fn node(&mut self, schema: &Json, depth: usize) -> Result<(Arc<Node>, usize), CompileError> {
        let Json::Object(map) = schema else { return Err(CompileError::NotAnObject) };
        if depth > MAX_DEPTH {
            return Err(CompileError::Depth);
        }
        let is_empty = |value: &Json| match value {
            Json::Null => true,
            Json::String(text) => text.is_empty(),
            Json::Object(map) => map.is_empty(),
            _ => false,
        };
        let is_said = |key: &str| map.get(key).is_some_and(|value| !is_empty(value));
        if let Some((_, name)) = UNSUPPORTED.iter().find(|(key, _)| is_said(key)) {
            return Err(CompileError::Unsupported(name));
        }
        let mut key = String::new();
        let mut node = self.plain(map)?;
        self.children(map, &mut node, &mut key, depth)?;
        let rules = map.get("x-kubernetes-validations").and_then(Json::as_array);
        self.has_rules |= rules.is_some_and(|rules| !rules.is_empty());
        for (name, value) in map {
            let is_told = !matches!(
                name.as_str(),
                "description"
                    | "title"
                    | "example"
                    | "externalDocs"
                    | "properties"
                    | "items"
                    | "allOf"
                    | "anyOf"
                    | "oneOf"
                    | "not"
                    | "additionalProperties"
                    | "x-kubernetes-validations"
            );
            if is_told {
                key.push_str(&format!("{name}={value};"));
            }
        }
        let number = self.nodes.len();
        let made = self.nodes.entry(key).or_insert_with(|| (Arc::new(node), number));
        Ok((Arc::clone(&made.0), made.1))
    }

    /// Compiles a schema without its children.
    fn plain(&mut self, map: &Map<String, Json>) -> Result<Node, CompileError> {
        let flag = |key: &str| map.get(key) == Some(&Json::Bool(true));
        if map.get("x-kubernetes-preserve-unknown-fields") == Some(&Json::Bool(false)) {
            return Err(CompileError::PreserveFalse);
        }
        let text = |key: &str| map.get(key).and_then(Json::as_str).unwrap_or_default();
        let types = match Type::read(text("type")) {
            _ if flag("x-kubernetes-int-or-string") && self.purpose == Purpose::Objects => Types::IntOrString,
            Some(type_) => Types::One(type_),
            None => Types::Any,
        };
        let list = match text("x-kubernetes-list-type") {
            "set" => ListType::Set,
            "map" => ListType::Map,
            _ => ListType::Atomic,
        };
        Ok(Node {
            types,
            nullable: flag("nullable"),
            preserve: flag("x-kubernetes-preserve-unknown-fields"),
            embedded: flag("x-kubernetes-embedded-resource"),
            list,
            default: map.get("default").filter(|value| !value.is_null()).map(DefaultValue::new).map(Box::new),
            rules: self.rules(map, types).map(Box::new),
            ..Node::default()
        })
    }

    fn rules(&mut self, map: &Map<String, Json>, types: Types) -> Option<Rules> {
        let number = |key: &str| map.get(key).and_then(Json::as_f64);
        let count = |key: &str| map.get(key).and_then(Json::as_i64);
        let flag = |key: &str| map.get(key) == Some(&Json::Bool(true));
        let rules = Rules {
            format: Format::read(
                map.get("format").and_then(Json::as_str).unwrap_or_default(),
                types,
                self.purpose,
            ),
            maximum: number("maximum"),
            exclusive_maximum: flag("exclusiveMaximum"),
            minimum: number("minimum"),
            exclusive_minimum: flag("exclusiveMinimum"),
            multiple_of: number("multipleOf"),
            max_length: count("maxLength"),
            min_length: count("minLength"),
            max_items: count("maxItems"),
            min_items: count("minItems"),
            max_properties: count("maxProperties"),
            min_properties: count("minProperties"),
            unique_items: flag("uniqueItems"),
            pattern: map
                .get("pattern")
                .and_then(Json::as_str)
                .filter(|pattern| !pattern.is_empty())
                .map(Pattern::new),
            choices: Choices::new(map.get("enum").and_then(Json::as_array).cloned().unwrap_or_default()),
            required: self.names(map.get("required")),
            map_keys: self.names(map.get("x-kubernetes-list-map-keys")),
            ..Rules::default()
        };
        let says_nothing = rules.format.is_none()
            && [rules.maximum, rules.minimum, rules.multiple_of].iter().all(Option::is_none)
            && [rules.max_length, rules.min_length, rules.max_items, rules.min_items]
                .iter()
                .all(Option::is_none)
            && rules.max_properties.is_none()
            && rules.min_properties.is_none()
            && !rules.unique_items
            && rules.pattern.is_none()
            && rules.choices.is_empty()
            && rules.required.is_empty()
            && rules.map_keys.is_empty();
        (!says_nothing).then_some(rules)
    }

    fn children(
        &mut self,
        map: &Map<String, Json>,
        node: &mut Node,
        key: &mut String,
        depth: usize,
    ) -> Result<(), CompileError> {
        let depth = depth + 1;
        match map.get("items") {
            None | Some(Json::Null) => {}
            Some(Json::Array(_)) => return Err(CompileError::ItemsArray),
            Some(schema) => {
                let (child, number) = self.node(schema, depth)?;
                key.push_str(&format!("items {number};"));
                node.items = Some(child);
            }
        }
        match map.get("additionalProperties") {
            None | Some(Json::Null) => {}
            Some(Json::Bool(any)) => {
                key.push_str(&format!("more {any};"));
                node.additional = Additional::Any(*any);
            }
            Some(schema) => {
                let (child, number) = self.node(schema, depth)?;
                key.push_str(&format!("additional {number};"));
                node.additional = Additional::Schema(child);
            }
        }
        if let Some(Json::Object(properties)) = map.get("properties") {
            let mut made = Vec::with_capacity(properties.len());
            for (name, schema) in properties {
                let (child, number) = self.node(schema, depth)?;
                key.push_str(&format!("{name:?} {number};"));
                made.push((self.name(name), child));
            }
            made.sort_by(|(one, _), (other, _)| one.cmp(other));
            node.properties = made.into();
        }
        for name in ["allOf", "anyOf", "oneOf"] {
            let schemas = map.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
            let mut made = Vec::with_capacity(schemas.len());
            for schema in schemas {
                let (child, number) = self.node(schema, depth)?;
                key.push_str(&format!("{name} {number};"));
                made.push(child);
            }
            if made.is_empty() {
                continue;
            }
            let rules = node.rules.get_or_insert_default();
            match name {
                "allOf" => rules.all_of = made.into(),
                "anyOf" => rules.any_of = made.into(),
                _ => rules.one_of = made.into(),
            }
        }
        if let Some(schema) = map.get("not").filter(|schema| !schema.is_null()) {
            let (child, number) = self.node(schema, depth)?;
            key.push_str(&format!("not {number};"));
            node.rules.get_or_insert_default().not = Some(child);
        }
        Ok(())
    }
}
