//! Kubernetes' function libraries: each a table of overloads with their code, and what calls of them cost.

use std::sync::Arc;

use rhumb_cel::decls::VariableDecl;
use rhumb_cel::eval::Error;
use rhumb_cel::types::Type;
use rhumb_cel::value::{Opaque, Value};

mod addresses;
mod authorizer;
mod cidr;
mod formats;
mod ip;
mod json_patch;
mod lists;
mod quantity;
mod regex;
mod semver;
mod urls;

pub use authorizer::{
    Attributes, Authorizer, AuthorizerLibrary, AuthorizerSelectors, Check, Decision, User, authorizer,
    resource_authorizer,
};
pub(crate) use cidr::Cidr;
pub use cidr::Cidrs;
pub(crate) use formats::Format;
pub use formats::Formats;
pub use ip::Ips;
pub use json_patch::JsonPatch;
pub use lists::Lists;
pub use quantity::{Quantities, QuantityValue};
pub use regex::Regexes;
pub use semver::Semvers;
pub use urls::Urls;

/// Returns a text that a function was called with.
fn text<'v>(args: &'v [Value<'_>], index: usize) -> Result<&'v str, Error> {
    match args.get(index) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(Error::no_such_overload()),
    }
}

/// Returns a value of a library's type that a function was called with.
fn opaque<'v, T: 'static>(args: &'v [Value<'_>], index: usize) -> Result<&'v T, Error> {
    match args.get(index) {
        Some(Value::Opaque(value)) => value.as_any().downcast_ref().ok_or_else(Error::no_such_overload),
        _ => Err(Error::no_such_overload()),
    }
}

/// Returns a value of a library's type.
fn wrap<'a>(value: impl Opaque) -> Value<'a> {
    Value::Opaque(Arc::new(value))
}

/// Declares the names of types.
fn types(types: impl IntoIterator<Item = Type>) -> Vec<VariableDecl> {
    let declare =
        |type_: Type| VariableDecl { name: type_.name().into(), type_: Type::type_of(type_), value: None };
    types.into_iter().map(declare).collect()
}
