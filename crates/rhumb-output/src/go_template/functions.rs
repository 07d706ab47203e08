//! Template functions: Go's, and kubectl's two.

use std::cmp::Ordering;

use rhumb_schema::text::decode_base64;

use super::escape;
use super::printf::{sprint, sprintf, sprintln, with_verb};
use super::value::{Form, Value};

/// Parameter type of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    /// Anything, seen as it is.
    Value,
    /// Anything.
    Any,
    Text,
}

/// A function: name and parameters, which may be variadic.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    name: &'static str,
    pub(super) fixed: &'static [Parameter],
    pub(super) more: Option<Parameter>,
}

const fn function(name: &'static str, fixed: &'static [Parameter], more: Option<Parameter>) -> Function {
    Function { name, fixed, more }
}

const VALUE: &[Parameter] = &[Parameter::Value];
const VALUES: &[Parameter] = &[Parameter::Value, Parameter::Value];

const FUNCTIONS: &[Function] = &[
    function("and", VALUE, Some(Parameter::Value)),
    function("base64decode", &[Parameter::Text], None),
    function("call", VALUE, Some(Parameter::Value)),
    function("eq", VALUE, Some(Parameter::Value)),
    function("exists", &[Parameter::Any], Some(Parameter::Any)),
    function("ge", VALUES, None),
    function("gt", VALUES, None),
    function("html", &[], Some(Parameter::Any)),
    function("index", VALUE, Some(Parameter::Value)),
    function("js", &[], Some(Parameter::Any)),
    function("le", VALUES, None),
    function("len", VALUE, None),
    function("lt", VALUES, None),
    function("ne", VALUES, None),
    function("not", VALUE, None),
    function("or", VALUE, Some(Parameter::Value)),
    function("print", &[], Some(Parameter::Any)),
    function("printf", &[Parameter::Text], Some(Parameter::Any)),
    function("println", &[], Some(Parameter::Any)),
    function("slice", VALUE, Some(Parameter::Value)),
    function("urlquery", &[], Some(Parameter::Any)),
];

/// Returns the function of a name.
pub(super) fn find(name: &str) -> Option<Function> {
    FUNCTIONS.iter().find(|function| function.name == name).copied()
}

type Answer<'a> = Result<Value<'a>, String>;

/// Calls a function with as many arguments as it takes. `callee` is how the first of them is written.
///
/// # Errors
/// In Go's words.
pub(super) fn run<'a>(function: &Function, callee: &str, arguments: &[Value<'a>]) -> Answer<'a> {
    let truth = |truth: bool| Ok(Form::Bool(truth).into());
    let Some((first, rest)) = arguments.split_first() else {
        return Ok(match function.name {
            "println" => Value::text("\n"),
            _ => Value::text(""),
        });
    };
    let second = || rest.first().cloned().unwrap_or(Value::NOTHING);
    match function.name {
        "base64decode" => base64(first),
        "call" => match first.clone().unboxed().form {
            Form::Nothing => Err("call of nil".to_owned()),
            form => Err(format!("non-function {callee} of type {}", form.type_name())),
        },
        "eq" => equal(first, rest).and_then(truth),
        "ne" => equal(first, rest).and_then(|equal| truth(!equal)),
        "lt" => less(first, &second()).and_then(truth),
        "le" => less_or_equal(first, &second()).and_then(truth),
        "gt" => less_or_equal(first, &second()).and_then(|holds| truth(!holds)),
        "ge" => less(first, &second()).and_then(|less| truth(!less)),
        "exists" => truth(exists(first, rest)),
        "html" => Ok(Value::text(escape::html(&joined(arguments)))),
        "js" => Ok(Value::text(escape::js(&joined(arguments)))),
        "urlquery" => Ok(Value::text(escape::query(&joined(arguments)))),
        "index" => index(first, rest),
        "len" => length(first),
        "not" => truth(!first.is_true()),
        "print" => Ok(Value::text(sprint(arguments))),
        "printf" => match &first.form {
            Form::Text(format) => Ok(Value::text(sprintf(format, rest))),
            _ => Ok(Value::text("")),
        },
        "println" => Ok(Value::text(sprintln(arguments))),
        "slice" => slice(first, rest),
        _ => Ok(Value::NOTHING),
    }
}

fn base64<'a>(value: &Value<'a>) -> Answer<'a> {
    let Form::Text(text) = &value.form else { return Ok(Value::text("")) };
    match decode_base64(text) {
        Ok(bytes) => Ok(Value::bytes(bytes)),
        Err(error) => Err(format!("base64 decode failed: {error}")),
    }
}

/// Returns the arguments as one text; nothing is shown as such, where it is among others.
fn joined(arguments: &[Value<'_>]) -> String {
    let shown = |value: &Value<'_>| match value.form {
        Form::Nothing | Form::Nil => Value::text("<no value>"),
        _ => Value::text(value.plain()),
    };
    match arguments {
        [only] => shown(only).plain(),
        several => {
            let several: Vec<Value<'_>> = several
                .iter()
                .map(|value| if value.is_nothing() || value.is_nil() { shown(value) } else { value.clone() })
                .collect();
            sprint(&several)
        }
    }
}

fn length<'a>(value: &Value<'a>) -> Answer<'a> {
    let length = match &value.form {
        Form::Nothing => return Err("reflect: call of reflect.Value.Type on zero Value".to_owned()),
        Form::Nil => return Err("len of nil pointer".to_owned()),
        Form::Text(text) => text.len(),
        Form::Bytes(bytes) => bytes.len(),
        Form::List(items) => items.len(),
        Form::Map(map) => map.len(),
        other => return Err(format!("len of type {}", other.type_name())),
    };
    Ok(Form::Int(i64::try_from(length).unwrap_or(i64::MAX)).into())
}

/// Returns a position in something of a length; the length itself is let through.
fn position(index: &Value<'_>, length: usize) -> Result<usize, String> {
    let at = match &index.form {
        Form::Int(at) | Form::Int64(at) => *at,
        Form::Byte(at) => i64::from(*at),
        Form::Nothing | Form::Nil => return Err("cannot index slice/array with nil".to_owned()),
        other => return Err(format!("cannot index slice/array with type {}", other.type_name())),
    };
    let place = usize::try_from(at).ok().filter(|place| *place <= length);
    place.ok_or_else(|| format!("index out of range: {at}"))
}

fn index<'a>(item: &Value<'a>, indexes: &[Value<'a>]) -> Answer<'a> {
    let mut item = item.clone().unboxed();
    if item.is_nothing() {
        return Err("index of untyped nil".to_owned());
    }
    for index in indexes {
        item = match &item.form {
            Form::Nil | Form::Nothing => return Err("index of nil pointer".to_owned()),
            Form::List(items) => {
                let at = position(index, items.len())?;
                let found = items.get(at).ok_or("reflect: slice index out of range")?;
                Value::element(found)
            }
            Form::Text(text) => {
                let at = position(index, text.len())?;
                let byte = text.as_bytes().get(at).ok_or("reflect: string index out of range")?;
                Form::Byte(*byte).into()
            }
            Form::Bytes(bytes) => {
                let at = position(index, bytes.len())?;
                Form::Byte(*bytes.get(at).ok_or("reflect: string index out of range")?).into()
            }
            Form::Map(map) => match &index.form {
                Form::Text(key) => map.get(key.as_ref()).map_or_else(Value::nil, Value::element),
                Form::Nothing | Form::Nil => {
                    return Err("value is nil; should be of type string".to_owned());
                }
                other => return Err(format!("value has type {}; should be string", other.type_name())),
            },
            other => return Err(format!("can't index item of type {}", other.type_name())),
        };
    }
    Ok(item)
}

fn slice<'a>(item: &Value<'a>, indexes: &[Value<'a>]) -> Answer<'a> {
    let item = item.clone().unboxed();
    let length = match &item.form {
        Form::Nothing | Form::Nil => return Err("slice of untyped nil".to_owned()),
        _ if indexes.len() > 3 => return Err(format!("too many slice indexes: {}", indexes.len())),
        Form::Text(_) | Form::Bytes(_) if indexes.len() == 3 => {
            return Err("cannot 3-index slice a string".to_owned());
        }
        Form::Text(text) => text.len(),
        Form::Bytes(bytes) => bytes.len(),
        Form::List(items) => items.len(),
        other => return Err(format!("can't slice item of type {}", other.type_name())),
    };
    let mut bounds = [0, length, length];
    for (bound, index) in std::iter::zip(&mut bounds, indexes) {
        *bound = position(index, length)?;
    }
    let [start, end, limit] = bounds;
    if start > end {
        return Err(format!("invalid slice index: {start} > {end}"));
    }
    if end > limit {
        return Err(format!("invalid slice index: {end} > {limit}"));
    }
    Ok(match item.form {
        Form::Text(text) => Value::bytes(text.as_bytes().get(start..end).unwrap_or_default().to_vec()),
        Form::Bytes(bytes) => Value::bytes(bytes.get(start..end).unwrap_or_default().to_vec()),
        Form::List(items) => Form::List(items.get(start..end).unwrap_or_default()).into(),
        other => other.into(),
    })
}

/// Reports whether [`index`] would find something.
fn exists(item: &Value<'_>, indexes: &[Value<'_>]) -> bool {
    let mut item = item.clone();
    for index in indexes {
        let at = match &index.form {
            Form::Int(at) | Form::Int64(at) => usize::try_from(*at).ok(),
            Form::Byte(at) => Some(usize::from(*at)),
            _ => None,
        };
        let found = match &item.form {
            Form::List(items) => at.and_then(|at| items.get(at)).map(Value::element),
            Form::Text(text) => {
                at.and_then(|at| text.as_bytes().get(at)).map(|byte| Form::Byte(*byte).into())
            }
            Form::Map(map) => match &index.form {
                Form::Text(key) => Some(map.get(key.as_ref()).map_or_else(Value::nil, Value::element)),
                Form::Nothing | Form::Nil => Some(map.get("").map_or_else(Value::nil, Value::element)),
                _ => None,
            },
            _ => None,
        };
        match found {
            Some(found) => item = found,
            None => return false,
        }
    }
    !item.is_nil()
}

/// Values that can be compared.
enum Basic<'v> {
    Bool(bool),
    Int(i64),
    Byte(u8),
    Float(f64),
    Text(&'v [u8]),
}

fn basic<'v>(value: &'v Value<'_>) -> Option<Basic<'v>> {
    Some(match &value.form {
        Form::Bool(truth) => Basic::Bool(*truth),
        Form::Int(number) | Form::Int64(number) => Basic::Int(*number),
        Form::Byte(byte) => Basic::Byte(*byte),
        Form::Float(number) => Basic::Float(*number),
        Form::Text(text) => Basic::Text(text.as_bytes()),
        Form::Bytes(bytes) => Basic::Text(bytes),
        Form::Nothing | Form::Nil | Form::List(_) | Form::Map(_) => return None,
    })
}

/// Compares two values; none if their types differ.
fn order(one: &Basic<'_>, other: &Basic<'_>) -> Option<Option<Ordering>> {
    Some(match (one, other) {
        (Basic::Bool(one), Basic::Bool(other)) => Some(one.cmp(other)),
        (Basic::Int(one), Basic::Int(other)) => Some(one.cmp(other)),
        (Basic::Byte(one), Basic::Byte(other)) => Some(one.cmp(other)),
        (Basic::Int(one), Basic::Byte(other)) => Some(one.cmp(&i64::from(*other))),
        (Basic::Byte(one), Basic::Int(other)) => Some(i64::from(*one).cmp(other)),
        (Basic::Float(one), Basic::Float(other)) => one.partial_cmp(other),
        (Basic::Text(one), Basic::Text(other)) => Some(one.cmp(other)),
        _ => return None,
    })
}

fn incompatible(one: &Value<'_>, other: &Value<'_>) -> String {
    let (one, other) = (one.form.type_name(), other.form.type_name());
    format!("incompatible types for comparison: {one} and {other}")
}

fn equal(one: &Value<'_>, others: &[Value<'_>]) -> Result<bool, String> {
    if others.is_empty() {
        return Err("missing argument for comparison".to_owned());
    }
    let one = one.clone().unboxed();
    for other in others {
        let other = other.clone().unboxed();
        let equal = match (basic(&one), basic(&other)) {
            (Some(left), Some(right)) => match order(&left, &right) {
                Some(order) => order == Some(Ordering::Equal),
                None => return Err(incompatible(&one, &other)),
            },
            (None, None) => match (&one.form, &other.form) {
                (Form::Nothing, right) => matches!(right, Form::Nothing),
                (_, Form::Nothing) => false,
                (Form::List(_), Form::List(_)) | (Form::Map(_), Form::Map(_)) => {
                    let shown = with_verb(&other, 's');
                    return Err(format!("non-comparable type {shown}: {}", other.form.type_name()));
                }
                _ => {
                    return Err(format!(
                        "non-comparable types {}: {}, {}: {}",
                        with_verb(&one, 's'),
                        one.form.type_name(),
                        other.form.type_name(),
                        other.plain()
                    ));
                }
            },
            _ if one.is_nothing() || other.is_nothing() => false,
            _ => return Err(incompatible(&one, &other)),
        };
        if equal {
            return Ok(true);
        }
    }
    Ok(false)
}

fn less(one: &Value<'_>, other: &Value<'_>) -> Result<bool, String> {
    const NO_ORDER: &str = "invalid type for comparison";
    let (one, other) = (one.clone().unboxed(), other.clone().unboxed());
    let (left, right) = (basic(&one).ok_or(NO_ORDER)?, basic(&other).ok_or(NO_ORDER)?);
    if let (Basic::Bool(_), Basic::Bool(_)) = (&left, &right) {
        return Err(NO_ORDER.to_owned());
    }
    let order = order(&left, &right).ok_or_else(|| incompatible(&one, &other))?;
    Ok(order == Some(Ordering::Less))
}

fn less_or_equal(one: &Value<'_>, other: &Value<'_>) -> Result<bool, String> {
    if less(one, other)? { Ok(true) } else { equal(one, std::slice::from_ref(other)) }
}
