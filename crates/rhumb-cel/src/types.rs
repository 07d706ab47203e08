//! Types of expressions.

use std::sync::Arc;

/// The type of an expression, a variable or a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Decided at run time; goes with everything.
    Dyn,
    /// A `google.protobuf.Any`.
    Any,
    /// Of an expression in which an error was found, so that it is told once.
    Error,
    /// `null_type`
    Null,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `double`
    Double,
    /// `string`
    String,
    /// `bytes`
    Bytes,
    /// `google.protobuf.Duration`
    Duration,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// A primitive type or null.
    Wrapper(Arc<Type>),
    /// `list(T)`
    List(Arc<Type>),
    /// `map(K, V)`
    Map(Arc<(Type, Type)>),
    /// A message or object whose fields a [`crate::provider::TypeProvider`] knows.
    Object(Arc<str>),
    /// A type that a library brings, with its parameters. `optional_type(T)` is one.
    Opaque(Arc<Opaque>),
    /// A parameter of an overload, which stands for one type at each call.
    Param(Arc<str>),
    /// The type of a type.
    Type(Option<Arc<Type>>),
}

/// A named type with parameters and no structure that expressions see.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Opaque {
    /// Its name.
    pub name: Arc<str>,
    /// Its parameters.
    pub params: Vec<Type>,
}
