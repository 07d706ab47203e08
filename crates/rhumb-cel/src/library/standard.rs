//! The standard library: what every environment has.
//!
//! Operators and the functions that look at their arguments' types themselves are declared here and computed by the
//! evaluator; the others have their code in the modules below, with their declarations.

use std::sync::Arc;

use super::Library;
use crate::decls::VariableDecl;
use crate::functions::Function;
use crate::operators as op;
use crate::types::Type;

mod convert;
mod text;
mod times;

/// The standard library.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standard;

impl Library for Standard {
    fn name(&self) -> &str {
        "cel.lib.std"
    }

    fn functions(&self) -> Vec<Function> {
        let mut functions = Vec::with_capacity(192);
        logic(&mut functions);
        arithmetic(&mut functions);
        order(&mut functions);
        collections(&mut functions);
        convert::declare(&mut functions);
        text::declare(&mut functions);
        times::declare(&mut functions);
        functions
    }

    fn variables(&self) -> Vec<VariableDecl> {
        let types = [
            Type::Bool,
            Type::Bytes,
            Type::Double,
            Type::Duration,
            Type::Int,
            Type::list(Type::param("A")),
            Type::map(Type::param("A"), Type::param("B")),
            Type::Null,
            Type::String,
            Type::Timestamp,
            Type::Type(None),
            Type::Uint,
        ];
        let declare = |type_: Type| VariableDecl {
            name: type_.name().into(),
            type_: Type::type_of(type_),
            value: None,
        };
        types.into_iter().map(declare).collect()
    }

    fn macros(&self) -> Vec<crate::macros::Macro> {
        crate::macros::standard()
    }
}

fn logic(functions: &mut Vec<Function>) {
    let a = || Type::param("A");
    let boolean = || vec![Type::Bool, Type::Bool];
    functions.extend([
        Function::global(op::CONDITIONAL, "conditional", vec![Type::Bool, a(), a()], a()),
        Function::global(op::LOGICAL_AND, "logical_and", boolean(), Type::Bool),
        Function::global(op::LOGICAL_OR, "logical_or", boolean(), Type::Bool),
        Function::global(op::LOGICAL_NOT, "logical_not", vec![Type::Bool], Type::Bool),
        Function::global(op::NOT_STRICTLY_FALSE, "not_strictly_false", vec![Type::Bool], Type::Bool),
        Function::global(op::EQUALS, "equals", vec![a(), a()], Type::Bool),
        Function::global(op::NOT_EQUALS, "not_equals", vec![a(), a()], Type::Bool),
    ]);
}

/// Operators of two operands of one type, by the overload's name.
const SAME: &[(&str, &str, Type)] = &[
    (op::ADD, "add_bytes", Type::Bytes),
    (op::ADD, "add_double", Type::Double),
    (op::ADD, "add_duration_duration", Type::Duration),
    (op::ADD, "add_int64", Type::Int),
    (op::ADD, "add_string", Type::String),
    (op::ADD, "add_uint64", Type::Uint),
    (op::DIVIDE, "divide_double", Type::Double),
    (op::DIVIDE, "divide_int64", Type::Int),
    (op::DIVIDE, "divide_uint64", Type::Uint),
    (op::MODULO, "modulo_int64", Type::Int),
    (op::MODULO, "modulo_uint64", Type::Uint),
    (op::MULTIPLY, "multiply_double", Type::Double),
    (op::MULTIPLY, "multiply_int64", Type::Int),
    (op::MULTIPLY, "multiply_uint64", Type::Uint),
    (op::SUBTRACT, "subtract_double", Type::Double),
    (op::SUBTRACT, "subtract_duration_duration", Type::Duration),
    (op::SUBTRACT, "subtract_int64", Type::Int),
    (op::SUBTRACT, "subtract_uint64", Type::Uint),
];

fn arithmetic(functions: &mut Vec<Function>) {
    let same = |(name, id, type_): &(&str, &str, Type)| {
        Function::global(name, id, vec![type_.clone(), type_.clone()], type_.clone())
    };
    functions.extend(SAME.iter().map(same));
    let list = || Type::list(Type::param("A"));
    let add = |id, left, right, result| Function::global(op::ADD, id, vec![left, right], result);
    let subtract = |id, left, right, result| Function::global(op::SUBTRACT, id, vec![left, right], result);
    functions.extend([
        add("add_duration_timestamp", Type::Duration, Type::Timestamp, Type::Timestamp),
        add("add_timestamp_duration", Type::Timestamp, Type::Duration, Type::Timestamp),
        add("add_list", list(), list(), list()),
        Function::global(op::NEGATE, "negate_double", vec![Type::Double], Type::Double),
        Function::global(op::NEGATE, "negate_int64", vec![Type::Int], Type::Int),
        subtract("subtract_timestamp_duration", Type::Timestamp, Type::Duration, Type::Timestamp),
        subtract("subtract_timestamp_timestamp", Type::Timestamp, Type::Timestamp, Type::Duration),
    ]);
}

/// Types that have an order, with the second part of the overload's name.
const ORDERED: &[(&str, Type, Type)] = &[
    ("bool", Type::Bool, Type::Bool),
    ("int64", Type::Int, Type::Int),
    ("int64_double", Type::Int, Type::Double),
    ("int64_uint64", Type::Int, Type::Uint),
    ("uint64", Type::Uint, Type::Uint),
    ("uint64_double", Type::Uint, Type::Double),
    ("uint64_int64", Type::Uint, Type::Int),
    ("double", Type::Double, Type::Double),
    ("double_int64", Type::Double, Type::Int),
    ("double_uint64", Type::Double, Type::Uint),
    ("string", Type::String, Type::String),
    ("bytes", Type::Bytes, Type::Bytes),
    ("timestamp", Type::Timestamp, Type::Timestamp),
    ("duration", Type::Duration, Type::Duration),
];

fn order(functions: &mut Vec<Function>) {
    let operators = [
        (op::LESS, "less"),
        (op::LESS_EQUALS, "less_equals"),
        (op::GREATER, "greater"),
        (op::GREATER_EQUALS, "greater_equals"),
    ];
    for (operator, prefix) in operators {
        functions.extend(ORDERED.iter().map(|(suffix, left, right)| {
            let params = vec![left.clone(), right.clone()];
            Function::global(operator, &format!("{prefix}_{suffix}"), params, Type::Bool)
        }));
    }
}

fn collections(functions: &mut Vec<Function>) {
    let a = || Type::param("A");
    let list = || Type::list(a());
    let map = || Type::Map(Arc::new((a(), Type::param("B"))));
    functions.extend([
        Function::global(op::INDEX, "index_list", vec![list(), Type::Int], a()),
        Function::global(op::INDEX, "index_map", vec![map(), a()], Type::param("B")),
        Function::global(op::IN, "in_list", vec![a(), list()], Type::Bool),
        Function::global(op::IN, "in_map", vec![a(), map()], Type::Bool),
        Function::global("size", "size_bytes", vec![Type::Bytes], Type::Int),
        Function::member("size", "bytes_size", vec![Type::Bytes], Type::Int),
        Function::global("size", "size_list", vec![list()], Type::Int),
        Function::member("size", "list_size", vec![list()], Type::Int),
        Function::global("size", "size_map", vec![map()], Type::Int),
        Function::member("size", "map_size", vec![map()], Type::Int),
        Function::global("size", "size_string", vec![Type::String], Type::Int),
        Function::member("size", "string_size", vec![Type::String], Type::Int),
    ]);
}
