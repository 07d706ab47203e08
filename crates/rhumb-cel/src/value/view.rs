//! Views: how expressions look at what is stored elsewhere.
//!
//! A list, map or message of the caller is given as a reference to the data, of whatever type that is, together with a
//! [`Shape`] that knows how to look at it and which shapes its parts have. A tree of JSON whose meaning stands in a
//! schema beside it thus needs neither a conversion nor an allocation: the reference is the node, the shape the
//! schema's.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::{List, Map, Object, Value};
use crate::eval::Error;

/// Data of the caller, which its [`View`] knows the type of.
pub type Data = dyn Any + Send + Sync;

/// How to look at some data: a view that is stored beside it.
pub struct Shape(Kept);

enum Kept {
    Static(&'static dyn View),
    Boxed(Box<dyn View>),
}

impl Shape {
    /// Keeps a view.
    pub fn new(view: impl View + 'static) -> Self {
        Self(Kept::Boxed(Box::new(view)))
    }

    /// Keeps a view that needs no schema.
    pub const fn fixed(view: &'static dyn View) -> Self {
        Self(Kept::Static(view))
    }

    /// Returns the view.
    pub fn view(&self) -> &dyn View {
        match &self.0 {
            Kept::Static(view) => *view,
            Kept::Boxed(view) => &**view,
        }
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shape")
    }
}

/// The entries of a map.
pub type Pairs<'a> = Box<dyn Iterator<Item = (&'a str, Value<'a>)> + 'a>;

/// A way to look at data as a list, as a map with texts as keys, or as a message. Only what the data is said to be is
/// asked of it.
pub trait View: Send + Sync {
    /// The number of a list's elements or a map's entries.
    fn len(&self, data: &Data) -> usize;

    /// Whether a list or map is empty.
    fn is_empty(&self, data: &Data) -> bool {
        self.len(data) == 0
    }

    /// Returns an element of a list, or nothing beyond the end.
    fn element<'s>(&'s self, data: &'s Data, index: usize) -> Option<Value<'s>> {
        _ = (data, index);
        None
    }

    /// Returns the value of a map's key or of a message's field: its default if it is not set.
    fn get<'s>(&'s self, data: &'s Data, key: &str) -> Option<Value<'s>> {
        _ = (data, key);
        None
    }

    /// Returns the value of a map's key, which may have to be computed first.
    fn find<'s>(&'s self, data: &'s Data, key: &str) -> Result<Option<Value<'s>>, Error> {
        Ok(self.get(data, key))
    }

    /// Whether a map has a key.
    fn contains(&self, data: &Data, key: &str) -> bool {
        self.get(data, key).is_some()
    }

    /// Returns a map's entries, always in the same order.
    fn pairs<'s>(&'s self, data: &'s Data) -> Pairs<'s> {
        _ = data;
        Box::new(std::iter::empty())
    }

    /// The name of a message's type.
    fn type_name(&self) -> &str {
        ""
    }

    /// Whether a message's field is set, or nothing if it has no such field.
    fn is_set(&self, data: &Data, field: &str) -> Option<bool> {
        _ = (data, field);
        None
    }

    /// Compares a list with another, if not element by element; sets and lists with keys do so.
    fn equal_list(&self, data: &Data, other: &List<'_>) -> Option<bool> {
        _ = (data, other);
        None
    }

    /// Compares a map with another, if not entry by entry; objects of which only some fields are seen do so.
    fn equal_map(&self, data: &Data, other: &Map<'_>) -> Option<bool> {
        _ = (data, other);
        None
    }

    /// Compares a message with another.
    fn equal_object(&self, data: &Data, other: &Object<'_>) -> bool {
        _ = (data, other);
        false
    }

    /// Adds a list to another, if not at the end; sets and lists with keys do so.
    fn concat<'s>(&'s self, data: &'s Data, other: &List<'s>) -> Option<Value<'s>> {
        _ = (data, other);
        None
    }
}

/// A map whose values the caller computes when they are first asked for, such as the variables of a policy.
pub trait Computed: Send + Sync {
    /// The keys, always in the same order.
    fn keys(&self) -> &[Arc<str>];

    /// Returns the value of a key, an error if it can't be computed, or nothing if there is no such key.
    fn find(&self, key: &str) -> Result<Option<Value<'_>>, Error>;
}
