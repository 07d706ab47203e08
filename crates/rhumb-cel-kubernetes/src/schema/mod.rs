//! Types from schemas: what an expression may look into, and how large it can be.
//!
//! A schema is read through [`Schema`], so that OpenAPI models of built-in kinds and schemas of definitions need no
//! form in common. What a schema leaves open is not seen by expressions: unknown fields that are preserved, and
//! properties whose names have no escape.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_cel::types::Type;

use crate::limits;

mod json;
mod provider;
mod read;
mod sizes;

pub use provider::Objects;
pub use read::{Schema, declare};
pub use sizes::Sizes;

/// A type with what estimates need to know of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// What it is.
    pub kind: Kind,
    /// The most elements, characters or bytes that a value has; 0 if values have no size.
    pub most: u64,
    /// The length of the shortest value in JSON.
    pub shortest: u64,
}

/// What a declared type is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A type without parts.
    Plain(Type),
    /// A list of this.
    List(Box<Declared>),
    /// A map from texts to this.
    Map(Box<Declared>),
    /// An object.
    Object(Object),
}

/// An object type.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Its name, `object` until it is [named](Declared::named).
    pub name: Arc<str>,
    /// Its fields by their names in expressions.
    pub fields: BTreeMap<Arc<str>, Declared>,
}

impl Object {
    /// The name of an object type that was not given one.
    pub const UNNAMED: &'static str = "object";
}

impl Declared {
    /// Returns a type without parts.
    pub(crate) const fn plain(type_: Type, shortest: u64) -> Self {
        Self { kind: Kind::Plain(type_), most: 0, shortest }
    }

    /// Returns a list type.
    pub(crate) fn list(element: Self, most: u64) -> Self {
        Self { kind: Kind::List(Box::new(element)), most, shortest: 2 }
    }

    /// Returns a map type.
    pub(crate) fn map(value: Self, most: u64) -> Self {
        Self { kind: Kind::Map(Box::new(value)), most, shortest: 2 }
    }

    /// Returns the type of the keys of maps.
    pub(crate) const fn key() -> Self {
        Self::plain(Type::String, limits::SHORTEST_STRING)
    }

    /// Returns the type that the checker sees.
    pub fn type_(&self) -> Type {
        match &self.kind {
            Kind::Plain(type_) => type_.clone(),
            Kind::List(element) => Type::list(element.type_()),
            Kind::Map(value) => Type::map(Type::String, value.type_()),
            Kind::Object(object) => Type::Object(Arc::clone(&object.name)),
        }
    }

    /// Returns the type with a name for each object in it: this one for the outermost, and for others where they are
    /// found, such as `name.spec.containers.@idx`.
    pub fn named(&self, name: &str) -> Self {
        let kind = match &self.kind {
            Kind::Plain(type_) => Kind::Plain(type_.clone()),
            Kind::List(element) => Kind::List(Box::new(element.named(&format!("{name}.@idx")))),
            Kind::Map(value) => Kind::Map(Box::new(value.named(&format!("{name}.@elem")))),
            Kind::Object(object) => {
                let own: Arc<str> =
                    if &*object.name == Object::UNNAMED { name.into() } else { Arc::clone(&object.name) };
                let fields = object.fields.iter();
                let fields =
                    fields.map(|(field, type_)| (Arc::clone(field), type_.named(&format!("{own}.{field}"))));
                Kind::Object(Object { name: Arc::clone(&own), fields: fields.collect() })
            }
        };
        Self { kind, most: self.most, shortest: self.shortest }
    }

    /// Returns the number of times that such a value can be in a request.
    pub const fn most_in_a_request(&self) -> u64 {
        limits::REQUEST_BYTES / (self.shortest + 1)
    }
}
