//! Views: how expressions look at what is stored elsewhere.
//!
//! A list or map of the caller is given as a reference to a [`ListView`] or [`MapView`] together with a [`Shape`], which
//! the view hands on to what it contains. A tree of JSON whose meaning stands in a schema beside it thus needs neither
//! a conversion nor an allocation: the reference is the node, the shape the schema's.

use std::any::Any;
use std::fmt;

use super::Value;
use crate::eval::Error;

/// What a view knows of its data beside the data: a node of a schema, for instance.
pub struct Shape(Box<dyn Any + Send + Sync>);

impl Shape {
    /// Wraps what the views of one kind agree on.
    pub fn new<T: Any + Send + Sync>(shape: T) -> Self {
        Self(Box::new(shape))
    }

    /// Returns what was wrapped, if it is a `T`.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shape")
    }
}

/// A list that is stored elsewhere.
pub trait ListView: Send + Sync {
    /// The number of elements.
    fn len(&self, shape: Option<&Shape>) -> usize;

    /// Whether there are none.
    fn is_empty(&self, shape: Option<&Shape>) -> bool {
        self.len(shape) == 0
    }

    /// Returns an element, or nothing beyond the end.
    fn get<'s>(&'s self, index: usize, shape: Option<&'s Shape>) -> Option<Value<'s>>;

    /// Compares with another list, if not element by element; sets and lists with keys do so.
    fn equal(&self, _shape: Option<&Shape>, _other: &super::List<'_>) -> Option<bool> {
        None
    }

    /// Adds another list, if not at the end; sets and lists with keys do so.
    fn concat<'s>(&'s self, _shape: Option<&'s Shape>, _other: &super::List<'s>) -> Option<Value<'s>> {
        None
    }
}

/// A map with texts as keys that is stored elsewhere, or an object whose fields are looked up like a map's keys.
pub trait MapView: Send + Sync {
    /// The number of entries.
    fn len(&self, shape: Option<&Shape>) -> usize;

    /// Whether there are none.
    fn is_empty(&self, shape: Option<&Shape>) -> bool {
        self.len(shape) == 0
    }

    /// Returns the value of a key.
    fn get<'s>(&'s self, key: &str, shape: Option<&'s Shape>) -> Option<Value<'s>>;

    /// Returns the value of a key that may have to be computed first.
    fn find<'s>(&'s self, key: &str, shape: Option<&'s Shape>) -> Result<Option<Value<'s>>, Error> {
        Ok(self.get(key, shape))
    }

    /// Whether a key is there.
    fn contains(&self, key: &str, shape: Option<&Shape>) -> bool {
        self.get(key, shape).is_some()
    }

    /// Returns the entries, always in the same order.
    fn entries<'s>(&'s self, shape: Option<&'s Shape>) -> Entries<'s>;
}

/// The entries of a [`MapView`].
pub type Entries<'a> = Box<dyn Iterator<Item = (&'a str, Value<'a>)> + 'a>;

/// A message that is stored elsewhere.
pub trait ObjectView: Send + Sync {
    /// The name of its type.
    fn type_name(&self) -> &str;

    /// Returns a field's value, its default if it is not set, or nothing if there is no such field.
    fn get<'s>(&'s self, field: &str, shape: Option<&'s Shape>) -> Option<Value<'s>>;

    /// Whether a field is set, or nothing if there is no such field.
    fn is_set(&self, field: &str, shape: Option<&Shape>) -> Option<bool>;

    /// Compares with another message.
    fn equal(&self, shape: Option<&Shape>, other: &super::Object<'_>) -> bool;
}
