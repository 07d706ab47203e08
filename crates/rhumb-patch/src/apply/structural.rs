//! Apply schema of a custom resource, compiled once from its `openAPIV3Schema`.
//!
//! What apply needs to know of it is little: which fields there are, how lists and maps are owned, and the
//! defaults of key fields. Rules for values are not its business.

use std::fmt;

use rhumb_meta::v1::ObjectMeta;
use rhumb_schema::{Described, Shape, StructDesc};
use serde_json::Value;

use super::schema::{ScalarKind, Type};

/// A compiled schema.
pub struct CompiledSchema {
    root: CompiledType,
}

pub(super) enum CompiledType {
    Inline(Box<CompiledAtom>),
    Table(&'static StructDesc),
    Untyped,
    Deduced,
}

impl CompiledType {
    pub(super) fn as_type(&self) -> Type<'_> {
        match self {
            CompiledType::Deduced => Type::deduced(),
            CompiledType::Untyped => Type::untyped(),
            other => Type::compiled(other),
        }
    }
}

#[derive(Default)]
pub(super) struct CompiledAtom {
    pub(super) scalar: Option<ScalarKind>,
    pub(super) list: Option<Box<CompiledList>>,
    pub(super) map: Option<Box<CompiledMap>>,
}

pub(super) struct CompiledList {
    pub(super) relation: Relation,
    pub(super) element: CompiledType,
}

pub(super) enum Relation {
    Atomic,
    Set,
    Keys(Vec<Box<str>>),
}

pub(super) struct CompiledMap {
    pub(super) atomic: bool,
    /// Fields by name, in order.
    pub(super) fields: Vec<(Box<str>, CompiledField)>,
    pub(super) element: Option<CompiledType>,
}

pub(super) struct CompiledField {
    pub(super) ty: CompiledType,
    pub(super) default: Option<Value>,
}

impl CompiledMap {
    pub(super) fn field(&self, name: &str) -> Option<&CompiledField> {
        let place = self.fields.binary_search_by(|(field, _)| field.as_ref().cmp(name)).ok()?;
        self.fields.get(place).map(|(_, field)| field)
    }

    fn set(&mut self, name: &str, ty: CompiledType) {
        let field = CompiledField { ty, default: None };
        match self.fields.binary_search_by(|(known, _)| known.as_ref().cmp(name)) {
            Ok(place) => {
                if let Some((_, known)) = self.fields.get_mut(place) {
                    *known = field;
                }
            }
            Err(place) => self.fields.insert(place, (name.into(), field)),
        }
    }

    /// Adds the fields that every object has.
    fn set_object_fields(&mut self) {
        for name in ["apiVersion", "kind"] {
            let text = CompiledAtom { scalar: Some(ScalarKind::String), ..CompiledAtom::default() };
            self.set(name, CompiledType::Inline(Box::new(text)));
        }
        if let Shape::Struct(desc) = ObjectMeta::SHAPE {
            self.set("metadata", CompiledType::Table(desc()));
        }
    }
}

impl CompiledSchema {
    /// Compiles the schema of a version, as it stands in the definition's `openAPIV3Schema`.
    /// `preserve_unknown` is the definition's own `preserveUnknownFields`.
    pub fn new(schema: &Value, preserve_unknown: bool) -> Self {
        let mut root = atom(schema, preserve_unknown);
        if let Some(map) = &mut root.map {
            map.set_object_fields();
        }
        CompiledSchema { root: CompiledType::Inline(Box::new(root)) }
    }

    /// Returns the type of the kind's objects.
    pub fn root(&self) -> Type<'_> {
        self.root.as_type()
    }
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CompiledSchema")
    }
}

fn is_set(schema: &Value, extension: &str) -> bool {
    schema.get(extension).and_then(Value::as_bool).unwrap_or_default()
}

fn atom(schema: &Value, preserve: bool) -> CompiledAtom {
    let preserve = preserve || is_set(schema, "x-kubernetes-preserve-unknown-fields");
    let kind = |scalar| CompiledAtom { scalar: Some(scalar), ..CompiledAtom::default() };
    let text = |name: &str| schema.get(name).and_then(Value::as_str).unwrap_or_default();
    match (text("type"), text("format")) {
        ("object", _) => {
            CompiledAtom { map: Some(Box::new(map(schema, preserve))), ..CompiledAtom::default() }
        }
        ("array", _) => {
            CompiledAtom { list: Some(Box::new(list(schema, preserve))), ..CompiledAtom::default() }
        }
        ("integer" | "number", _) => kind(ScalarKind::Numeric),
        ("boolean", _) => kind(ScalarKind::Boolean),
        ("string", "" | "byte") => kind(ScalarKind::String),
        ("string", _) => kind(ScalarKind::Any),
        _ => CompiledAtom {
            scalar: Some(ScalarKind::Any),
            list: Some(Box::new(list(schema, preserve))),
            map: Some(Box::new(map(schema, preserve))),
        },
    }
}

fn inline(schema: &Value, preserve: bool) -> CompiledType {
    CompiledType::Inline(Box::new(atom(schema, preserve)))
}

fn map(schema: &Value, preserve: bool) -> CompiledMap {
    let properties = schema.get("properties").and_then(Value::as_object);
    let element = match schema.get("additionalProperties") {
        Some(Value::Bool(false)) => None,
        Some(Value::Bool(true)) => Some(CompiledType::Deduced),
        Some(schema @ Value::Object(_)) => Some(inline(schema, preserve)),
        _ if preserve || properties.is_none_or(|properties| properties.is_empty()) => {
            Some(CompiledType::Deduced)
        }
        _ => None,
    };
    let fields = properties.into_iter().flatten().map(|(name, schema)| {
        let default = schema.get("default").filter(|default| !default.is_null()).cloned();
        (name.as_str().into(), CompiledField { ty: inline(schema, preserve), default })
    });
    let atomic = schema.get("x-kubernetes-map-type").and_then(Value::as_str) == Some("atomic");
    let mut map = CompiledMap { atomic, fields: fields.collect(), element };
    map.fields.sort_by(|(a, _), (b, _)| a.cmp(b));
    if is_set(schema, "x-kubernetes-embedded-resource") {
        // The element type was decided before the object's own fields came in, as in Kubernetes where a
        // schema without any properties says that it keeps unknown ones.
        map.set_object_fields();
    }
    map
}

fn list(schema: &Value, preserve: bool) -> CompiledList {
    let names = |keys: &Value| -> Vec<Box<str>> {
        keys.as_array().into_iter().flatten().filter_map(Value::as_str).map(Box::from).collect()
    };
    let relation = match schema.get("x-kubernetes-list-type").and_then(Value::as_str) {
        Some("set") => Relation::Set,
        Some("map") => {
            Relation::Keys(schema.get("x-kubernetes-list-map-keys").map(names).unwrap_or_default())
        }
        _ => Relation::Atomic,
    };
    let element = match schema.get("items") {
        Some(items @ Value::Object(_)) => inline(items, preserve),
        _ => CompiledType::Untyped,
    };
    CompiledList { relation, element }
}
