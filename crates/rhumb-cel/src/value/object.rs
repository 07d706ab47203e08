//! Messages: what an expression made, and views of what is stored elsewhere.

use std::fmt;
use std::sync::Arc;

use super::Value;
use super::view::{Data, Shape};

/// A message.
#[derive(Clone)]
pub enum Object<'a> {
    /// Stored elsewhere.
    View(&'a Data, &'a Shape),
    /// Made by an expression.
    Shared(Arc<Record<'a>>),
}

/// A message that an expression made: the fields that it set, by name.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The name of its type.
    pub type_name: Arc<str>,
    /// The fields in the order in which they were written.
    pub fields: Vec<(Arc<str>, Value<'a>)>,
}

impl<'a> Object<'a> {
    /// Returns the name of the type.
    pub fn type_name(&self) -> Arc<str> {
        match self {
            Object::View(_, shape) => shape.view().type_name().into(),
            Object::Shared(record) => record.type_name.clone(),
        }
    }

    /// Returns a field's value, or nothing if there is no such field.
    pub fn get(&self, field: &str) -> Option<Value<'a>> {
        match self {
            Object::View(data, shape) => shape.view().get(*data, field),
            Object::Shared(record) => record.get(field).cloned(),
        }
    }

    /// Returns whether a field is set, or nothing if there is no such field.
    pub fn is_set(&self, field: &str) -> Option<bool> {
        match self {
            Object::View(data, shape) => shape.view().is_set(*data, field),
            Object::Shared(record) => Some(record.get(field).is_some()),
        }
    }

    /// Returns whether no field is set.
    pub fn is_zero(&self) -> bool {
        match self {
            Object::View(..) => false,
            Object::Shared(record) => record.fields.is_empty(),
        }
    }

    /// Returns whether two messages are the same.
    pub fn equal(&self, other: &Object<'_>) -> bool {
        match (self, other) {
            (Object::View(data, shape), _) => shape.view().equal_object(*data, other),
            (_, Object::View(data, shape)) => shape.view().equal_object(*data, self),
            (Object::Shared(one), Object::Shared(two)) => {
                one.type_name == two.type_name
                    && one.fields.len() == two.fields.len()
                    && one
                        .fields
                        .iter()
                        .all(|(name, value)| two.get(name).is_some_and(|other| value.equal(other)))
            }
        }
    }
}

impl<'a> Record<'a> {
    /// Returns the value of a field that is set.
    pub fn get(&self, field: &str) -> Option<&Value<'a>> {
        self.fields.iter().find(|(name, _)| &**name == field).map(|(_, value)| value)
    }
}

impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Object::View(_, shape) => f.debug_struct(shape.view().type_name()).finish_non_exhaustive(),
            Object::Shared(record) => record.fmt(f),
        }
    }
}
