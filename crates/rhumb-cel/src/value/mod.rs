//! Values: what expressions compute with.
//!
//! A value is cheap to clone: what has a size is borrowed from where it is stored, or shared. Lists, maps and objects
//! are looked at through views, so that typed objects, trees of JSON and others need no conversion; see [`view`].

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::ast::Literal;
use crate::time::{Duration, Timestamp};
use crate::types::Type;

mod compare;
mod list;
mod map;
mod object;
mod print;
pub mod view;

pub(crate) use compare::count_code_points;
pub use list::List;
pub(crate) use map::double_to_int;
pub use map::{Entries, Map};
pub use object::{Object, Record};
pub(crate) use print::{Plain, quote, shortest};

/// A value.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A floating-point number.
    Double(f64),
    /// A text.
    String(Str<'a>),
    /// A sequence of bytes.
    Bytes(Bytes<'a>),
    /// A span of time.
    Duration(Duration),
    /// A point in time.
    Timestamp(Timestamp),
    /// A list.
    List(List<'a>),
    /// A map.
    Map(Map<'a>),
    /// A message.
    Object(Object<'a>),
    /// A type.
    Type(Type),
    /// A value that may not be there.
    Optional(Option<Arc<Value<'a>>>),
    /// A value of a type that a library brings.
    Opaque(Arc<dyn Opaque>),
}

/// A text, borrowed or shared.
#[derive(Clone)]
pub enum Str<'a> {
    /// Stored elsewhere.
    Borrowed(&'a str),
    /// Made by an expression.
    Shared(Arc<str>),
}

/// A sequence of bytes, borrowed or shared.
#[derive(Clone)]
pub enum Bytes<'a> {
    /// Stored elsewhere.
    Borrowed(&'a [u8]),
    /// Made by an expression.
    Shared(Arc<[u8]>),
}

/// A value of a type that a library brings, such as a quantity or an IP address.
pub trait Opaque: Any + fmt::Debug + Send + Sync {
    /// The value's type.
    fn type_(&self) -> Type;

    /// Whether two values are the same.
    fn equal(&self, other: &dyn Opaque) -> bool;

    /// The value itself, to be downcast by the functions of its library.
    fn as_any(&self) -> &dyn Any;

    /// Whether it is the value that a message's field has when it is not set.
    fn is_zero(&self) -> bool {
        false
    }
}

impl std::ops::Deref for Str<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Str::Borrowed(text) => text,
            Str::Shared(text) => text,
        }
    }
}

impl std::ops::Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Borrowed(bytes) => bytes,
            Bytes::Shared(bytes) => bytes,
        }
    }
}

impl fmt::Debug for Str<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Debug for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::String(Str::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::String(Str::Shared(text.into()))
    }
}

impl From<Arc<str>> for Value<'_> {
    fn from(text: Arc<str>) -> Self {
        Value::String(Str::Shared(text))
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Value::Bytes(Bytes::Borrowed(bytes))
    }
}

impl From<Vec<u8>> for Value<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Value::Bytes(Bytes::Shared(bytes.into()))
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Value::Int(value)
    }
}

impl From<u64> for Value<'_> {
    fn from(value: u64) -> Self {
        Value::Uint(value)
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Value::Double(value)
    }
}

impl<'a> From<Vec<Value<'a>>> for Value<'a> {
    fn from(elements: Vec<Value<'a>>) -> Self {
        Value::List(List::from(elements))
    }
}

impl<'a> From<Map<'a>> for Value<'a> {
    fn from(map: Map<'a>) -> Self {
        Value::Map(map)
    }
}

impl From<Literal> for Value<'_> {
    fn from(literal: Literal) -> Self {
        match literal {
            Literal::Null => Value::Null,
            Literal::Bool(value) => Value::Bool(value),
            Literal::Int(value) => Value::Int(value),
            Literal::Uint(value) => Value::Uint(value),
            Literal::Double(value) => Value::Double(value),
            Literal::String(value) => Value::String(Str::Shared(value)),
            Literal::Bytes(value) => Value::Bytes(Bytes::Shared(value)),
        }
    }
}

impl Value<'_> {
    /// Returns the type, without the types of what it contains.
    pub fn type_(&self) -> Type {
        match self {
            Value::Null => Type::Null,
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Uint(_) => Type::Uint,
            Value::Double(_) => Type::Double,
            Value::String(_) => Type::String,
            Value::Bytes(_) => Type::Bytes,
            Value::Duration(_) => Type::Duration,
            Value::Timestamp(_) => Type::Timestamp,
            Value::List(_) => Type::list(Type::Dyn),
            Value::Map(_) => Type::map(Type::Dyn, Type::Dyn),
            Value::Object(object) => Type::Object(object.type_name()),
            Value::Type(_) => Type::Type(None),
            Value::Optional(_) => Type::optional(Type::Dyn),
            Value::Opaque(value) => value.type_(),
        }
    }
}

impl Str<'_> {
    /// Returns the text with shared ownership.
    pub fn to_shared(&self) -> Arc<str> {
        match self {
            Str::Borrowed(text) => (*text).into(),
            Str::Shared(text) => text.clone(),
        }
    }
}
