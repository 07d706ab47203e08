//! Values of a schema as expressions see them: trees of JSON that are looked at, not converted.
//!
//! A schema gives a tree its meaning: which texts are times, which lists are sets, which fields there are. Fields that
//! the schema doesn't know can't be seen, but make objects different.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rhumb_cel::time::{Duration, Timestamp};
use rhumb_cel::value::view::{Data, Pairs, Shape, View};
use rhumb_cel::value::{List, Map, Value};
use rhumb_cel_kubernetes::{json, names};
use serde_json::Value as Json;

use crate::compile::{ListType, Node, Type, Types};
use crate::formats;

/// How values of a schema look.
pub(super) enum Look {
    /// As what they are in JSON.
    Plain,
    /// As numbers that may have fractions.
    Number,
    Bytes,
    Duration,
    Date,
    DateTime,
    List(Shape),
    Map(Shape),
}

/// Looks of schemas; equal schemas share one.
#[derive(Default)]
pub(super) struct Looks {
    made: HashMap<(usize, bool), Arc<Look>>,
}

impl Looks {
    /// Returns the look of a schema; the root of a resource has metadata and a kind whatever its schema says.
    pub(super) fn of(&mut self, node: &Arc<Node>, is_root: bool) -> Arc<Look> {
        let is_root = is_root || node.embedded;
        let key = (Arc::as_ptr(node) as usize, is_root);
        if let Some(made) = self.made.get(&key) {
            return Arc::clone(made);
        }
        let made = Arc::new(self.make(node, is_root));
        self.made.insert(key, Arc::clone(&made));
        made
    }

    fn make(&mut self, node: &Node, is_root: bool) -> Look {
        match node.types {
            Types::One(Type::Number) => Look::Number,
            Types::One(Type::String) => match node.rules.as_ref().map_or("", |rules| rules.format.name()) {
                "byte" => Look::Bytes,
                "duration" => Look::Duration,
                "date" => Look::Date,
                "date-time" => Look::DateTime,
                _ => Look::Plain,
            },
            Types::One(Type::Array) => match &node.items {
                Some(items) => Look::List(self.list(node, items)),
                None => Look::Plain,
            },
            Types::One(Type::Object) => Look::Map(Shape::new(self.object(node, is_root))),
            _ => Look::Plain,
        }
    }

    fn list(&mut self, node: &Node, items: &Arc<Node>) -> Shape {
        let items = self.of(items, false);
        let keys = || node.rules.as_ref().map(|rules| rules.map_keys.to_vec()).unwrap_or_default();
        Shape::new(match node.list {
            ListType::Atomic => ListView { items, kind: Kind::Atomic },
            ListType::Set => ListView { items, kind: Kind::Set },
            ListType::Map => ListView { items, kind: Kind::Map(keys()) },
        })
    }

    fn object(&mut self, node: &Node, is_root: bool) -> ObjectView {
        if let Some(values) = node.additional.schema()
            && node.properties().next().is_none()
            && !is_root
        {
            return ObjectView { fields: Fields::All(self.of(values, false)) };
        }
        let mut fields: BTreeMap<Box<str>, Field> = BTreeMap::new();
        let field = |name: &str, look: Arc<Look>| {
            let escaped = names::escape(name).unwrap_or_else(|| name.to_owned()).into();
            (name.into(), Field { escaped, look })
        };
        fields.extend(node.properties().map(|(name, property)| field(name, self.of(property, false))));
        if is_root && !has_metadata(node) {
            let plain = Arc::new(Look::Plain);
            let names = ["name", "generateName"].map(|name| field(name, Arc::clone(&plain)));
            let metadata = ObjectView { fields: Fields::Named(names.into()) };
            fields.extend(["kind", "apiVersion"].map(|name| field(name, Arc::clone(&plain))));
            fields.extend([field("metadata", Arc::new(Look::Map(Shape::new(metadata))))]);
        }
        ObjectView { fields: Fields::Named(fields) }
    }
}

/// Reports whether a schema has all that the root of a resource must have.
fn has_metadata(node: &Node) -> bool {
    let is_text = |node: &Node, name: &str| {
        node.property(name).is_some_and(|property| property.types == Types::One(Type::String))
    };
    let metadata = node.property("metadata");
    is_text(node, "kind")
        && is_text(node, "apiVersion")
        && metadata.is_some_and(|metadata| is_text(metadata, "name") && is_text(metadata, "generateName"))
}

impl Look {
    /// Returns a tree as expressions see it. What is none of its schema's, as an object from before the schema may
    /// have it, is seen as what it is in JSON.
    pub(super) fn value<'s>(&'s self, tree: &'s Json) -> Value<'s> {
        let special = match (self, tree) {
            (Look::Number, Json::Number(number)) => number.as_f64().map(Value::Double),
            (Look::Bytes, Json::String(text)) => STANDARD.decode(text).ok().map(Value::from),
            (Look::Duration, Json::String(text)) => {
                formats::duration(text).map(|nanos| Value::Duration(Duration::from_nanos(nanos)))
            }
            (Look::Date, Json::String(text)) => timestamp(&format!("{text}T00:00:00Z")),
            (Look::DateTime, Json::String(text)) => {
                let text = text.to_ascii_uppercase();
                timestamp(&text).or_else(|| timestamp(&format!("{text}Z")))
            }
            (Look::List(shape), Json::Array(_)) => Some(Value::List(List::View(tree, shape))),
            (Look::Map(shape), Json::Object(_)) => Some(Value::Map(Map::View(tree, shape))),
            _ => None,
        };
        special.unwrap_or_else(|| json::value(tree))
    }
}

fn timestamp<'a>(text: &str) -> Option<Value<'a>> {
    Timestamp::parse(text).ok().map(Value::Timestamp)
}

/// Returns the data as the tree that a [`Look`] made a reference to.
fn tree(data: &Data) -> &Json {
    data.downcast_ref().unwrap_or(&Json::Null)
}

/// A list as expressions see it.
struct ListView {
    items: Arc<Look>,
    kind: Kind,
}

/// How the elements of a list are told apart.
enum Kind {
    /// By their place.
    Atomic,
    /// By their value.
    Set,
    /// By some of their fields.
    Map(Vec<Arc<str>>),
}

/// A scalar, to find equal ones by.
#[derive(PartialEq, Eq, Hash)]
enum Scalar {
    Null,
    Bool(bool),
    Number(u64),
    Text(Box<str>),
}

impl Scalar {
    /// Returns a scalar; none for anything else.
    fn of(value: &Value<'_>) -> Option<Self> {
        Some(match value {
            Value::Null => Scalar::Null,
            Value::Bool(value) => Scalar::Bool(*value),
            Value::Int(value) => Scalar::Number((*value as f64).to_bits()),
            Value::Double(value) => Scalar::Number(value.to_bits()),
            Value::String(text) => Scalar::Text((**text).into()),
            Value::Bytes(bytes) => Scalar::Text(STANDARD.encode(&**bytes).into()),
            Value::Duration(value) => Scalar::Text(value.to_string().into()),
            Value::Timestamp(value) => Scalar::Text(format!("{} {}", value.seconds(), value.nanos()).into()),
            _ => return None,
        })
    }
}

impl ListView {
    fn elements<'s>(&'s self, data: &'s Data) -> impl Iterator<Item = Value<'s>> {
        tree(data).as_array().into_iter().flatten().map(|element| self.items.value(element))
    }

    /// Returns what an element is told apart by; none if it stands for itself alone.
    fn key(&self, element: &Value<'_>) -> Option<Vec<Scalar>> {
        match (&self.kind, element) {
            (Kind::Atomic, _) => None,
            (Kind::Set, element) => Scalar::of(element).map(|key| vec![key]),
            (Kind::Map(keys), Value::Map(element)) => {
                let of = |key: &Arc<str>| {
                    let name = names::escape(key).unwrap_or_else(|| (**key).to_owned());
                    let value = element.get(&Value::from(name));
                    value.map_or(Some(Scalar::Null), |value| Scalar::of(&value))
                };
                keys.iter().map(of).collect()
            }
            (Kind::Map(_), _) => None,
        }
    }
}

impl View for ListView {
    fn len(&self, data: &Data) -> usize {
        tree(data).as_array().map_or(0, Vec::len)
    }

    fn element<'s>(&'s self, data: &'s Data, index: usize) -> Option<Value<'s>> {
        tree(data).as_array()?.get(index).map(|element| self.items.value(element))
    }

    fn equal_list(&self, data: &Data, other: &List<'_>) -> Option<bool> {
        if self.len(data) != other.len() {
            return Some(false);
        }
        match &self.kind {
            Kind::Atomic => None,
            Kind::Set => {
                let own: HashSet<_> = self.elements(data).map(|element| self.key(&element)).collect();
                Some(other.iter().all(|element| own.contains(&self.key(&element))))
            }
            Kind::Map(_) => {
                let own = self.elements(data).map(|element| (self.key(&element), element));
                let own: HashMap<_, Value<'_>> = own.collect();
                let is_there = |element: Value<'_>| {
                    own.get(&self.key(&element)).is_some_and(|same| same.equal(&element))
                };
                Some(other.iter().all(is_there))
            }
        }
    }

    fn concat<'s>(&'s self, data: &'s Data, other: &List<'s>) -> Option<Value<'s>> {
        if matches!(self.kind, Kind::Atomic) {
            return None;
        }
        let mut elements: Vec<Value<'s>> = self.elements(data).collect();
        let keys = elements.iter().enumerate();
        let mut places: HashMap<Option<Vec<Scalar>>, usize> =
            keys.map(|(place, element)| (self.key(element), place)).collect();
        for element in other.iter() {
            let key = self.key(&element);
            let known = places.get(&key).and_then(|place| elements.get_mut(*place));
            match known {
                // Of two that are told apart by fields the later one counts.
                Some(known) if matches!(self.kind, Kind::Map(_)) => *known = element,
                Some(_) => {}
                None => {
                    places.insert(key, elements.len());
                    elements.push(element);
                }
            }
        }
        Some(Value::from(elements))
    }
}

/// An object as expressions see it.
struct ObjectView {
    fields: Fields,
}

/// The fields that are seen of an object.
enum Fields {
    /// Those with a schema, by their names in JSON.
    Named(BTreeMap<Box<str>, Field>),
    /// All, each with the same schema.
    All(Arc<Look>),
}

/// A field of an object.
struct Field {
    /// Its name in expressions.
    escaped: Box<str>,
    look: Arc<Look>,
}

impl ObjectView {
    /// Returns the look of a field by its name in JSON.
    fn look(&self, name: &str) -> Option<&Look> {
        match &self.fields {
            Fields::Named(fields) => fields.get(name).map(|field| &*field.look),
            Fields::All(look) => Some(look),
        }
    }

    fn is_map(&self) -> bool {
        matches!(self.fields, Fields::All(_))
    }
}

impl View for ObjectView {
    fn len(&self, data: &Data) -> usize {
        tree(data).as_object().map_or(0, serde_json::Map::len)
    }

    fn get<'s>(&'s self, data: &'s Data, key: &str) -> Option<Value<'s>> {
        let object = tree(data).as_object()?;
        let unescaped;
        let name = if self.is_map() || !key.contains("__") {
            key
        } else {
            unescaped = names::unescape(key)?;
            &unescaped
        };
        let value = object.get(name)?;
        // A field that is null is absent.
        if value.is_null() && !self.is_map() {
            return None;
        }
        self.look(name).map(|look| look.value(value))
    }

    fn pairs<'s>(&'s self, data: &'s Data) -> Pairs<'s> {
        let entries = tree(data).as_object().into_iter().flatten();
        Box::new(entries.filter_map(|(name, value)| match &self.fields {
            Fields::Named(fields) => {
                let field = fields.get(name.as_str())?;
                Some((&*field.escaped, field.look.value(value)))
            }
            Fields::All(look) => Some((name.as_str(), look.value(value))),
        }))
    }

    fn equal_map(&self, data: &Data, other: &Map<'_>) -> Option<bool> {
        let object = tree(data).as_object()?;
        if object.len() != other.len() {
            return Some(false);
        }
        let raw = match other {
            Map::View(data, _) => data.downcast_ref::<Json>().and_then(Json::as_object),
            _ => None,
        };
        Some(object.iter().all(|(name, value)| {
            if self.look(name).is_none() {
                // Unknown fields are compared as JSON where both have them.
                return raw.is_some_and(|raw| raw.get(name).is_none_or(|same| same == value));
            }
            match (self.get(data, name), other.get(&Value::from(name.as_str()))) {
                (Some(own), Some(other)) => own.equal(&other),
                (own, other) => own.is_none() && other.is_none(),
            }
        }))
    }
}
