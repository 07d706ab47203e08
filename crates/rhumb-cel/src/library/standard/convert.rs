//! Conversions between types.

use std::borrow::Cow;

use crate::ast::Literal;
use crate::eval::Error;
use crate::functions::Function;
use crate::time::{Duration, ParseError, Timestamp};
use crate::types::Type;
use crate::value::{Bytes, Str, Value, shortest};

/// The conversions: the function, the overload's name, from, to.
const CONVERSIONS: &[(&str, &str, Type, Type)] = &[
    ("bool", "bool_to_bool", Type::Bool, Type::Bool),
    ("bool", "string_to_bool", Type::String, Type::Bool),
    ("bytes", "bytes_to_bytes", Type::Bytes, Type::Bytes),
    ("bytes", "string_to_bytes", Type::String, Type::Bytes),
    ("double", "double_to_double", Type::Double, Type::Double),
    ("double", "int64_to_double", Type::Int, Type::Double),
    ("double", "string_to_double", Type::String, Type::Double),
    ("double", "uint64_to_double", Type::Uint, Type::Double),
    ("duration", "duration_to_duration", Type::Duration, Type::Duration),
    ("duration", "int64_to_duration", Type::Int, Type::Duration),
    ("duration", "string_to_duration", Type::String, Type::Duration),
    ("int", "int64_to_int64", Type::Int, Type::Int),
    ("int", "double_to_int64", Type::Double, Type::Int),
    ("int", "duration_to_int64", Type::Duration, Type::Int),
    ("int", "string_to_int64", Type::String, Type::Int),
    ("int", "timestamp_to_int64", Type::Timestamp, Type::Int),
    ("int", "uint64_to_int64", Type::Uint, Type::Int),
    ("string", "string_to_string", Type::String, Type::String),
    ("string", "bool_to_string", Type::Bool, Type::String),
    ("string", "bytes_to_string", Type::Bytes, Type::String),
    ("string", "double_to_string", Type::Double, Type::String),
    ("string", "duration_to_string", Type::Duration, Type::String),
    ("string", "int64_to_string", Type::Int, Type::String),
    ("string", "timestamp_to_string", Type::Timestamp, Type::String),
    ("string", "uint64_to_string", Type::Uint, Type::String),
    ("timestamp", "timestamp_to_timestamp", Type::Timestamp, Type::Timestamp),
    ("timestamp", "int64_to_timestamp", Type::Int, Type::Timestamp),
    ("timestamp", "string_to_timestamp", Type::String, Type::Timestamp),
    ("uint", "uint64_to_uint64", Type::Uint, Type::Uint),
    ("uint", "double_to_uint64", Type::Double, Type::Uint),
    ("uint", "int64_to_uint64", Type::Int, Type::Uint),
    ("uint", "string_to_uint64", Type::String, Type::Uint),
];

/// Adds the conversions, `type` and `dyn`.
pub(super) fn declare(functions: &mut Vec<Function>) {
    let a = || Type::param("A");
    functions.push(Function::global("type", "type", vec![a()], Type::type_of(a())));
    functions.push(Function::global("dyn", "to_dyn", vec![a()], Type::Dyn));
    functions.extend(CONVERSIONS.iter().map(|(name, id, from, to)| {
        let function = Function::global(name, id, vec![from.clone()], to.clone());
        let to = to.clone();
        function.with(move |context, args| {
            let [value] = args else { return Err(Error::no_such_overload()) };
            if let (Value::String(_) | Value::Bytes(_), Type::String | Type::Bytes) = (value, &to) {
                context.allocate(value.byte_len())?;
            }
            convert(value, &to)
        })
    }));
}

/// Converts a value to another type.
fn convert<'a>(value: &Value<'a>, to: &Type) -> Result<Value<'a>, Error> {
    let from = value.type_();
    if from == *to {
        return Ok(value.clone());
    }
    match (value, to) {
        (Value::String(text), _) => parse(text, to),
        (Value::Bytes(bytes), Type::String) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(match bytes {
                Bytes::Borrowed(bytes) => {
                    std::str::from_utf8(bytes).map_or_else(|_| text.to_owned().into(), Value::from)
                }
                Bytes::Shared(_) => text.to_owned().into(),
            }),
            Err(_) => Err(Error::new("invalid UTF-8 in bytes, cannot convert to string")),
        },
        (Value::Int(value), Type::Double) => Ok(Value::Double(*value as f64)),
        (Value::Uint(value), Type::Double) => Ok(Value::Double(*value as f64)),
        (Value::Double(value), Type::Int) => double_to_int(*value).map(Value::Int),
        (Value::Uint(value), Type::Int) => i64::try_from(*value).map(Value::Int).map_err(|_| int_overflow()),
        (Value::Duration(value), Type::Int) => Ok(Value::Int(value.nanos())),
        (Value::Timestamp(value), Type::Int) => Ok(Value::Int(value.seconds())),
        (Value::Int(value), Type::Uint) => {
            u64::try_from(*value).map(Value::Uint).map_err(|_| uint_overflow())
        }
        (Value::Double(value), Type::Uint) => double_to_uint(*value).map(Value::Uint),
        (Value::Int(value), Type::Timestamp) => {
            Timestamp::new(*value, 0).map(Value::Timestamp).ok_or_else(|| Error::new("timestamp overflow"))
        }
        (Value::Bool(value), Type::String) => Ok(Value::from(if *value { "true" } else { "false" })),
        (Value::Double(value), Type::String) => Ok(shortest(*value).into()),
        (Value::Int(value), Type::String) => Ok(value.to_string().into()),
        (Value::Uint(value), Type::String) => Ok(value.to_string().into()),
        (Value::Duration(value), Type::String) => Ok(value.to_string().into()),
        (Value::Timestamp(value), Type::String) => Ok(value.to_string().into()),
        _ => Err(conversion_error(&from, to)),
    }
}

/// Reads a text as a value of another type.
fn parse<'a>(text: &Str<'a>, to: &Type) -> Result<Value<'a>, Error> {
    let value = match to {
        Type::Int => text.parse().ok().map(Value::Int),
        Type::Uint => text.parse().ok().filter(|_| !text.starts_with('+')).map(Value::Uint),
        Type::Double => parse_double(text).map(Value::Double),
        Type::Bool => match &**text {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(Value::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(Value::Bool(false)),
            _ => None,
        },
        Type::Bytes => Some(match text {
            Str::Borrowed(text) => Value::from(text.as_bytes()),
            Str::Shared(text) => Value::from(Literal::Bytes(text.as_bytes().into())),
        }),
        Type::Duration => Duration::parse(text).map(Value::Duration),
        Type::Timestamp => match Timestamp::parse(text) {
            Ok(timestamp) => Some(Value::Timestamp(timestamp)),
            Err(ParseError::Range) => return Err(Error::new("timestamp overflow")),
            Err(ParseError::Syntax) => None,
        },
        _ => None,
    };
    value.ok_or_else(|| conversion_error(&Type::String, to))
}

/// Reads a number as Go's `strconv.ParseFloat` does.
fn parse_double(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    match digits.as_bytes().first()? {
        b'0'..=b'9' | b'.' if digits.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("0x")) => {
            let value = parse_hexadecimal(digits.get(2..)?)?;
            Some(if text.starts_with('-') { -value } else { value })
        }
        b'0'..=b'9' | b'.' => {
            let text = without_separators(text)?;
            text.parse().ok().filter(|value: &f64| value.is_finite())
        }
        // A sign before "nan" is no number.
        b'n' | b'N' if digits.len() < text.len() => None,
        _ => text.parse().ok(),
    }
}

/// Takes out underscores, which must stand between digits.
fn without_separators(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('_') {
        return Some(Cow::Borrowed(text));
    }
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let between = |at: usize| at > 0 && is_digit(at - 1) && is_digit(at + 1);
    let fine = bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || between(at));
    fine.then(|| Cow::Owned(text.replace('_', "")))
}

/// Reads hexadecimal digits with a point and an exponent of two.
fn parse_hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() || !exponent.ends_with(|last: char| last.is_ascii_digit()) {
        return None;
    }
    let mut value = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let exponent: i32 = exponent.parse().ok()?;
    let scaled = value * 2f64.powi(exponent - 4 * i32::try_from(fraction.len()).ok()?);
    scaled.is_finite().then_some(scaled)
}

fn double_to_int(value: f64) -> Result<i64, Error> {
    let inside = value > i64::MIN as f64 && value < i64::MAX as f64;
    if inside { Ok(value as i64) } else { Err(int_overflow()) }
}

fn double_to_uint(value: f64) -> Result<u64, Error> {
    let inside = value >= 0.0 && value < u64::MAX as f64;
    if inside { Ok(value as u64) } else { Err(uint_overflow()) }
}

fn int_overflow() -> Error {
    Error::new("integer overflow")
}

fn uint_overflow() -> Error {
    Error::new("unsigned integer overflow")
}

fn conversion_error(from: &Type, to: &Type) -> Error {
    Error::new(format!("type conversion error from '{}' to '{}'", from.name(), to.name()))
}
