//! Types of expressions.

use std::fmt;
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
    /// A type that the checker has not found yet, by its number. No checked expression has one.
    Var(u32),
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

/// The name of the opaque type of optional values.
const OPTIONAL: &str = "optional_type";

impl Type {
    /// Returns `list(element)`.
    pub fn list(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    /// Returns `map(key, value)`.
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// Returns the type that has `primitive`'s values and null.
    pub fn wrapper(primitive: Self) -> Self {
        Self::Wrapper(Arc::new(primitive))
    }

    /// Returns `type(of)`.
    pub fn type_of(of: Self) -> Self {
        Self::Type(Some(Arc::new(of)))
    }

    /// Returns the parameter of an overload called `name`.
    pub fn param(name: &str) -> Self {
        Self::Param(name.into())
    }

    /// Returns the type of a library that is called `name` and has parameters.
    pub fn opaque(name: &str, params: Vec<Self>) -> Self {
        Self::Opaque(Arc::new(Opaque { name: name.into(), params }))
    }

    /// Returns `optional_type(of)`.
    pub fn optional(of: Self) -> Self {
        Self::opaque(OPTIONAL, vec![of])
    }

    /// Returns the type called `name`: an object's, or what a well-known message stands for, such as
    /// [`Type::Timestamp`] for `google.protobuf.Timestamp`.
    pub fn object(name: &str) -> Self {
        well_known(name).unwrap_or_else(|| Self::Object(name.into()))
    }

    /// Returns what an optional type is optional of.
    pub fn optional_of(&self) -> Option<&Self> {
        match self {
            Self::Opaque(opaque) if &*opaque.name == OPTIONAL => opaque.params.first(),
            _ => None,
        }
    }

    /// Returns the type without the permission to be null.
    pub fn unwrapped(&self) -> &Self {
        match self {
            Self::Wrapper(inner) => inner,
            other => other,
        }
    }

    /// Reports whether everything goes with it at check time: `dyn` and `google.protobuf.Any`.
    pub fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any)
    }

    /// Returns the name that values of this type have at run time, without parameters.
    pub fn name(&self) -> &str {
        match self {
            Self::Dyn => "dyn",
            Self::Any => "google.protobuf.Any",
            Self::Error => "error",
            Self::Null => "null_type",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Duration => "google.protobuf.Duration",
            Self::Timestamp => "google.protobuf.Timestamp",
            Self::Wrapper(inner) => inner.name(),
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Object(name) | Self::Param(name) => name,
            Self::Opaque(opaque) => &opaque.name,
            Self::Var(_) => "_var",
            Self::Type(_) => "type",
        }
    }

    /// Visits the type's parameters.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &Self> {
        let (first, second, rest): (Option<&Self>, Option<&Self>, &[Self]) = match self {
            Self::List(element) => (Some(element), None, &[]),
            Self::Map(entry) => (Some(&entry.0), Some(&entry.1), &[]),
            Self::Type(of) => (of.as_deref(), None, &[]),
            Self::Opaque(opaque) => (None, None, &opaque.params),
            _ => (None, None, &[]),
        };
        first.into_iter().chain(second).chain(rest)
    }
}

/// Returns the type that values of a well-known message have in expressions.
fn well_known(name: &str) -> Option<Type> {
    let name = name.strip_prefix("google.protobuf.")?;
    Some(match name {
        "Any" => Type::Any,
        "BoolValue" => Type::wrapper(Type::Bool),
        "BytesValue" => Type::wrapper(Type::Bytes),
        "DoubleValue" | "FloatValue" => Type::wrapper(Type::Double),
        "Duration" => Type::Duration,
        "Int32Value" | "Int64Value" => Type::wrapper(Type::Int),
        "ListValue" => Type::list(Type::Dyn),
        "NullValue" => Type::Null,
        "StringValue" => Type::wrapper(Type::String),
        "Struct" => Type::map(Type::String, Type::Dyn),
        "Timestamp" => Type::Timestamp,
        "UInt32Value" | "UInt64Value" => Type::wrapper(Type::Uint),
        "Value" => Type::Dyn,
        _ => return None,
    })
}

impl fmt::Display for Type {
    /// Writes the type as messages of the checker have it, such as `map(string, wrapper(int))`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Duration => f.write_str("duration"),
            Self::Error => f.write_str("!error!"),
            Self::Null => f.write_str("null"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Wrapper(inner) => write!(f, "wrapper({})", inner.name()),
            Self::Var(number) => write!(f, "_var{number}"),
            other => {
                f.write_str(other.name())?;
                let mut separator = "(";
                for param in other.parameters() {
                    write!(f, "{separator}{param}")?;
                    separator = ", ";
                }
                if separator == ", " { f.write_str(")") } else { Ok(()) }
            }
        }
    }
}
