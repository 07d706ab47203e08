//! Functions of texts.

use crate::eval::{Context, Error};
use crate::functions::Function;
use crate::types::Type;
use crate::value::Value;

/// Adds the functions.
pub(super) fn declare(functions: &mut Vec<Function>) {
    let two = || vec![Type::String, Type::String];
    functions.extend([
        Function::member("contains", "contains_string", two(), Type::Bool).with(contains).unguarded(),
        Function::member("endsWith", "ends_with_string", two(), Type::Bool).with(ends_with).unguarded(),
        Function::member("startsWith", "starts_with_string", two(), Type::Bool).with(starts_with).unguarded(),
        Function::global("matches", "matches", two(), Type::Bool),
        Function::member("matches", "matches_string", two(), Type::Bool),
    ]);
}

fn both<'v>(args: &'v [Value<'_>]) -> Result<(&'v str, &'v str), Error> {
    match args {
        [Value::String(text), Value::String(part)] => Ok((text, part)),
        _ => Err(Error::no_such_overload()),
    }
}

fn contains<'a>(_: &mut Context<'_>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    both(args).map(|(text, part)| Value::Bool(text.contains(part)))
}

fn ends_with<'a>(_: &mut Context<'_>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    both(args).map(|(text, part)| Value::Bool(text.ends_with(part)))
}

fn starts_with<'a>(_: &mut Context<'_>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    both(args).map(|(text, part)| Value::Bool(text.starts_with(part)))
}
