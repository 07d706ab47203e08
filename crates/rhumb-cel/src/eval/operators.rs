//! Operators and functions that look at the types of their arguments themselves.

use std::cmp::Ordering;
use std::sync::Arc;

use super::context::Context;
use super::error::Error;
use crate::operators as op;
use crate::time::{Duration, Timestamp};
use crate::value::{Bytes, List, Str, Value};

/// Operations of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    NotStrictlyFalse,
    Negate,
    Size,
    Type,
    Dyn,
}

/// Operations of two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Less,
    LessEquals,
    Greater,
    GreaterEquals,
    In,
    Matches,
}

impl Unary {
    /// Finds the operation of a function's name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            op::LOGICAL_NOT => Unary::Not,
            op::NOT_STRICTLY_FALSE | op::OLD_NOT_STRICTLY_FALSE => Unary::NotStrictlyFalse,
            op::NEGATE => Unary::Negate,
            "size" => Unary::Size,
            "type" => Unary::Type,
            "dyn" => Unary::Dyn,
            _ => return None,
        })
    }

    /// Computes the operation.
    pub(super) fn apply<'a>(self, value: Value<'a>) -> Result<Value<'a>, Error> {
        match (self, value) {
            (Unary::Not, Value::Bool(value)) => Ok(Value::Bool(!value)),
            (Unary::NotStrictlyFalse, Value::Bool(value)) => Ok(Value::Bool(value)),
            (Unary::NotStrictlyFalse, _) => Ok(Value::Bool(true)),
            (Unary::Negate, Value::Int(value)) => {
                value.checked_neg().map(Value::Int).ok_or_else(int_overflow)
            }
            (Unary::Negate, Value::Double(value)) => Ok(Value::Double(-value)),
            (Unary::Negate, Value::Duration(value)) => value
                .nanos()
                .checked_neg()
                .map(|nanos| Value::Duration(Duration::from_nanos(nanos)))
                .ok_or_else(int_overflow),
            (Unary::Not, _) | (Unary::Negate, Value::Bool(_)) => Err(Error::no_such_overload()),
            (Unary::Size, value) => match value.size() {
                Some(size) => Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX))),
                None => Err(lacking("size", &value)),
            },
            (Unary::Type, value) => Ok(Value::Type(value.type_())),
            (Unary::Dyn, value) => Ok(value),
            (Unary::Negate, value) => Err(lacking(op::NEGATE, &value)),
        }
    }
}

impl Binary {
    /// Finds the operation of a function's name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            op::ADD => Binary::Add,
            op::SUBTRACT => Binary::Subtract,
            op::MULTIPLY => Binary::Multiply,
            op::DIVIDE => Binary::Divide,
            op::MODULO => Binary::Modulo,
            op::LESS => Binary::Less,
            op::LESS_EQUALS => Binary::LessEquals,
            op::GREATER => Binary::Greater,
            op::GREATER_EQUALS => Binary::GreaterEquals,
            op::IN | op::OLD_IN | "in" => Binary::In,
            "matches" => Binary::Matches,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Binary::Add => op::ADD,
            Binary::Subtract => op::SUBTRACT,
            Binary::Multiply => op::MULTIPLY,
            Binary::Divide => op::DIVIDE,
            Binary::Modulo => op::MODULO,
            Binary::Less => op::LESS,
            Binary::LessEquals => op::LESS_EQUALS,
            Binary::Greater => op::GREATER,
            Binary::GreaterEquals => op::GREATER_EQUALS,
            Binary::In => op::IN,
            Binary::Matches => "matches",
        }
    }

    /// Computes the operation; `matches` is computed elsewhere.
    pub(super) fn apply<'a>(
        self,
        context: &mut Context<'_>,
        left: Value<'a>,
        right: Value<'a>,
    ) -> Result<Value<'a>, Error> {
        match self {
            Binary::Less => self.ordered(&left, &right, Ordering::is_lt),
            Binary::LessEquals => self.ordered(&left, &right, Ordering::is_le),
            Binary::Greater => self.ordered(&left, &right, Ordering::is_gt),
            Binary::GreaterEquals => self.ordered(&left, &right, Ordering::is_ge),
            Binary::In => contains(&left, &right),
            Binary::Add => add(context, left, right),
            Binary::Subtract => subtract(left, right),
            Binary::Multiply => match (left, right) {
                (Value::Int(left), Value::Int(right)) => int(left.checked_mul(right)),
                (Value::Uint(left), Value::Uint(right)) => uint(left.checked_mul(right)),
                (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left * right)),
                (left, _) => Err(self.mismatch(&left)),
            },
            Binary::Divide => match (left, right) {
                (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
                    Err(Error::new("division by zero"))
                }
                (Value::Int(left), Value::Int(right)) => int(left.checked_div(right)),
                (Value::Uint(left), Value::Uint(right)) => uint(left.checked_div(right)),
                (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left / right)),
                (left, _) => Err(self.mismatch(&left)),
            },
            Binary::Modulo => match (left, right) {
                (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
                    Err(Error::new("modulus by zero"))
                }
                (Value::Int(left), Value::Int(right)) => int(left.checked_rem(right)),
                (Value::Uint(left), Value::Uint(right)) => uint(left.checked_rem(right)),
                (left, _) => Err(self.mismatch(&left)),
            },
            Binary::Matches => Err(self.mismatch(&left)),
        }
    }

    /// Reports that the left argument doesn't go with the operation, or the right one with the left.
    pub(super) fn mismatch(self, left: &Value<'_>) -> Error {
        let known = match self {
            Binary::Add => matches!(
                left,
                Value::Bytes(_) | Value::Double(_) | Value::Int(_) | Value::List(_) | Value::Uint(_)
            ),
            Binary::Subtract | Binary::Multiply | Binary::Divide => {
                matches!(left, Value::Double(_) | Value::Int(_) | Value::Uint(_))
            }
            Binary::Modulo => matches!(left, Value::Int(_) | Value::Uint(_)),
            Binary::Less | Binary::LessEquals | Binary::Greater | Binary::GreaterEquals => matches!(
                left,
                Value::Bool(_) | Value::Bytes(_) | Value::Double(_) | Value::Int(_) | Value::Uint(_)
            ),
            Binary::In => true,
            Binary::Matches => false,
        };
        if known { Error::no_such_overload() } else { lacking(self.name(), left) }
    }

    fn ordered<'a>(
        self,
        left: &Value<'_>,
        right: &Value<'_>,
        holds: fn(Ordering) -> bool,
    ) -> Result<Value<'a>, Error> {
        match left {
            Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Timestamp(_) => left.compare(right).map(|order| Value::Bool(holds(order))),
            _ => Err(self.mismatch(left)),
        }
    }
}

/// Reports that a value doesn't have what a function asks of its type.
fn lacking(function: &str, value: &Value<'_>) -> Error {
    match value {
        // These have methods of their own in cel-go, which are asked then.
        Value::String(_) | Value::Duration(_) | Value::Timestamp(_) => Error::no_such_overload(),
        _ => Error::no_overload(function),
    }
}

fn int_overflow() -> Error {
    Error::new("integer overflow")
}

fn int<'a>(value: Option<i64>) -> Result<Value<'a>, Error> {
    value.map(Value::Int).ok_or_else(int_overflow)
}

fn uint<'a>(value: Option<u64>) -> Result<Value<'a>, Error> {
    value.map(Value::Uint).ok_or_else(|| Error::new("unsigned integer overflow"))
}

fn duration<'a>(nanos: Option<i64>) -> Result<Value<'a>, Error> {
    nanos.map(|nanos| Value::Duration(Duration::from_nanos(nanos))).ok_or_else(int_overflow)
}

fn timestamp<'a>(value: Option<Timestamp>) -> Result<Value<'a>, Error> {
    value.map(Value::Timestamp).ok_or_else(|| Error::new("timestamp overflow"))
}

fn contains<'a>(value: &Value<'_>, container: &Value<'_>) -> Result<Value<'a>, Error> {
    match container {
        Value::List(list) => Ok(Value::Bool(list.contains(value))),
        Value::Map(map) => Ok(Value::Bool(map.contains(value))),
        _ => Err(Error::no_such_overload()),
    }
}

fn add<'a>(context: &mut Context<'_>, left: Value<'a>, right: Value<'a>) -> Result<Value<'a>, Error> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => int(left.checked_add(right)),
        (Value::Uint(left), Value::Uint(right)) => uint(left.checked_add(right)),
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left + right)),
        (Value::String(left), Value::String(right)) => {
            context.allocate(left.len() + right.len())?;
            let mut sum = String::with_capacity(left.len() + right.len());
            sum.push_str(&left);
            sum.push_str(&right);
            Ok(Value::String(Str::Shared(sum.into())))
        }
        (Value::Bytes(left), Value::Bytes(right)) => {
            context.allocate(left.len() + right.len())?;
            Ok(Value::Bytes(Bytes::Shared([&*left, &*right].concat().into())))
        }
        (Value::List(left), Value::List(right)) => concat(context, left, right),
        (Value::Duration(left), Value::Duration(right)) => duration(left.nanos().checked_add(right.nanos())),
        (Value::Timestamp(left), Value::Duration(right)) => timestamp(left.checked_add(right)),
        (Value::Duration(left), Value::Timestamp(right)) => timestamp(right.checked_add(left)),
        (left, _) => Err(Binary::Add.mismatch(&left)),
    }
}

/// Adds a list to another, in place if nobody else looks at that one.
pub(super) fn concat<'a>(
    context: &mut Context<'_>,
    mut left: List<'a>,
    right: List<'a>,
) -> Result<Value<'a>, Error> {
    if let List::View(data, shape) = &left
        && let Some(sum) = shape.view().concat(*data, &right)
    {
        return Ok(sum);
    }
    let element = size_of::<Value<'_>>();
    if let List::Shared(elements) = &mut left
        && let Some(elements) = Arc::get_mut(elements)
    {
        context.allocate(right.len().saturating_mul(element))?;
        elements.extend(right.iter());
        return Ok(Value::List(left));
    }
    if left.is_empty() {
        return Ok(Value::List(right));
    }
    if right.is_empty() {
        return Ok(Value::List(left));
    }
    let len = left.len().saturating_add(right.len());
    context.allocate(len.saturating_mul(element))?;
    context.work(len as u64)?;
    let mut sum = Vec::with_capacity(len);
    sum.extend(left.iter());
    sum.extend(right.iter());
    Ok(Value::List(List::from(sum)))
}

fn subtract<'a>(left: Value<'a>, right: Value<'a>) -> Result<Value<'a>, Error> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => int(left.checked_sub(right)),
        (Value::Uint(left), Value::Uint(right)) => uint(left.checked_sub(right)),
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left - right)),
        (Value::Duration(left), Value::Duration(right)) => duration(left.nanos().checked_sub(right.nanos())),
        (Value::Timestamp(_), Value::Duration(right)) if right.nanos() == i64::MIN => Err(int_overflow()),
        (Value::Timestamp(left), Value::Duration(right)) => timestamp(left.checked_sub(right)),
        (Value::Timestamp(left), Value::Timestamp(right)) => {
            left.since(right).map(Value::Duration).ok_or_else(int_overflow)
        }
        (left, _) => Err(Binary::Subtract.mismatch(&left)),
    }
}
