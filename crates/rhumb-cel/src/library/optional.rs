//! The library of optional values.

use std::sync::Arc;

use super::Library;
use crate::decls::VariableDecl;
use crate::env::Options;
use crate::eval::{Context, Error};
use crate::functions::Function;
use crate::macros::{self, Macro};
use crate::operators as op;
use crate::types::Type;
use crate::value::{List, Plain, Value};

/// The library of optional values. An environment that has it also has its syntax, `a.?b` and `[?a]`.
#[derive(Clone, Copy, Debug)]
pub struct Optional {
    /// The version of the library: 1 adds `optFlatMap`, 2 `first`, `last` and `unwrap`.
    pub version: u32,
}

impl Optional {
    /// Returns the library as it was in a version.
    #[must_use]
    pub const fn version(version: u32) -> Self {
        Self { version }
    }
}

impl Default for Optional {
    /// Returns the newest version.
    fn default() -> Self {
        Self::version(2)
    }
}

impl Library for Optional {
    fn name(&self) -> &str {
        "cel.lib.optional"
    }

    fn functions(&self) -> Vec<Function> {
        let mut functions = values();
        functions.extend(lookups());
        if self.version >= 2 {
            functions.extend(lists());
        }
        functions
    }

    fn variables(&self) -> Vec<VariableDecl> {
        let type_ = Type::opaque("optional_type", Vec::new());
        vec![VariableDecl { name: type_.name().into(), type_: Type::type_of(type_), value: None }]
    }

    fn macros(&self) -> Vec<Macro> {
        let mut macros = macros::optional();
        macros.retain(|found| self.version >= 1 || found.name != "optFlatMap");
        macros
    }

    fn configure(&self, options: &mut Options) {
        options.parser.optional_syntax = true;
    }
}

fn v() -> Type {
    Type::param("V")
}

fn optional() -> Type {
    Type::optional(v())
}

/// Functions that make optional values and look into them.
fn values() -> Vec<Function> {
    vec![
        Function::global("optional.of", "optional_of", vec![v()], optional()).with(|_, args| match args {
            [value] => Ok(some(value.clone())),
            _ => Err(Error::no_such_overload()),
        }),
        Function::global("optional.ofNonZeroValue", "optional_ofNonZeroValue", vec![v()], optional()).with(
            |_, args| match args {
                [value] if value.is_zero() => Ok(Value::Optional(None)),
                [value] => Ok(some(value.clone())),
                _ => Err(Error::no_such_overload()),
            },
        ),
        Function::global("optional.none", "optional_none", vec![], optional())
            .with(|_, _| Ok(Value::Optional(None))),
        Function::member("value", "optional_value", vec![optional()], v()).with(|_, args| match args {
            [Value::Optional(Some(value))] => Ok((**value).clone()),
            [Value::Optional(None)] => Err(Error::new("optional.none() dereference")),
            _ => Err(Error::no_such_overload()),
        }),
        Function::member("hasValue", "optional_hasValue", vec![optional()], Type::Bool).with(|_, args| {
            match args {
                [Value::Optional(value)] => Ok(Value::Bool(value.is_some())),
                _ => Err(Error::no_such_overload()),
            }
        }),
        // The evaluator computes these itself, since they look at the second only if there is no first.
        Function::member("or", "optional_or_optional", vec![optional(), optional()], optional()),
        Function::member("orValue", "optional_orValue_value", vec![optional(), v()], v()),
    ]
}

/// Overloads of the operators that look something up.
fn lookups() -> Vec<Function> {
    let list = || Type::list(v());
    let map = || Type::map(Type::param("K"), v());
    let index =
        |name: &str, id: &str, from: Type, by: Type| Function::global(name, id, vec![from, by], optional());
    let k = || Type::param("K");
    vec![
        index(op::OPT_SELECT, "select_optional_field", Type::Dyn, Type::String),
        index(op::OPT_INDEX, "list_optindex_optional_int", list(), Type::Int),
        index(op::OPT_INDEX, "optional_list_optindex_optional_int", Type::optional(list()), Type::Int),
        index(op::OPT_INDEX, "map_optindex_optional_value", map(), k()),
        index(op::OPT_INDEX, "optional_map_optindex_optional_value", Type::optional(map()), k()),
        index(op::INDEX, "optional_list_index_int", Type::optional(list()), Type::Int),
        index(op::INDEX, "optional_map_index_value", Type::optional(map()), k()),
    ]
}

/// Functions of lists with optional results or elements.
fn lists() -> Vec<Function> {
    let list = || Type::list(v());
    let optionals = || Type::list(optional());
    vec![
        Function::member("last", "list_last", vec![list()], optional()).with(|_, args| match args {
            [Value::List(list)] => Ok(end(list, list.len().checked_sub(1))),
            _ => Err(Error::no_such_overload()),
        }),
        Function::member("first", "list_first", vec![list()], optional()).with(|_, args| match args {
            [Value::List(list)] => Ok(end(list, Some(0))),
            _ => Err(Error::no_such_overload()),
        }),
        Function::global("optional.unwrap", "optional_unwrap", vec![optionals()], list()).with(unwrap),
        Function::member("unwrapOpt", "optional_unwrapOpt", vec![optionals()], list()).with(unwrap),
    ]
}

fn some(value: Value<'_>) -> Value<'_> {
    Value::Optional(Some(Arc::new(value)))
}

fn end<'a>(list: &List<'a>, index: Option<usize>) -> Value<'a> {
    Value::Optional(index.and_then(|index| list.get(index)).map(Arc::new))
}

fn unwrap<'a>(context: &mut Context<'_>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let [Value::List(list)] = args else { return Err(Error::no_such_overload()) };
    context.allocate(list.len().saturating_mul(size_of::<Value<'_>>()))?;
    let mut values = Vec::new();
    for element in list.iter() {
        match element {
            Value::Optional(Some(value)) => values.push((*value).clone()),
            Value::Optional(None) => {}
            other => return Err(Error::new(format!("value {} is not optional", Plain(&other)))),
        }
    }
    Ok(Value::from(values))
}
