//! Values and types, from the messages that the cases write them as.

use rhumb_cel::time::{Duration, Timestamp};
use rhumb_cel::types::Type;
use rhumb_cel::value::{Entries, Map, Value};

use crate::textproto::{Field, Message};

/// Reads a `cel.expr.Value`.
pub(crate) fn value(message: &Message) -> Result<Value<'static>, String> {
    let (kind, field) = message.fields.first().ok_or("a value is empty")?;
    Ok(match (kind.as_str(), field) {
        ("null_value", _) => Value::Null,
        ("bool_value", Field::Word(word)) => Value::Bool(word == "true"),
        ("int64_value", Field::Word(word)) => Value::Int(number(word)?),
        ("uint64_value", Field::Word(word)) => Value::Uint(number(word)?),
        ("double_value", Field::Word(word)) => Value::Double(double(word)?),
        ("string_value", Field::Text(text)) => String::from_utf8_lossy(text).into_owned().into(),
        ("bytes_value", Field::Text(text)) => text.clone().into(),
        ("type_value", Field::Text(text)) => Value::Type(type_named(&String::from_utf8_lossy(text))),
        ("list_value", Field::Message(list)) => {
            let elements: Result<Vec<_>, _> = list.messages("values").map(value).collect();
            elements?.into()
        }
        ("map_value", Field::Message(map)) => {
            let mut entries = Entries::default();
            for entry in map.messages("entries") {
                let key = entry.message("key").ok_or("an entry has no key")?;
                let content = entry.message("value").ok_or("an entry has no value")?;
                entries.insert(value(key)?, value(content)?);
            }
            Map::from(entries).into()
        }
        ("object_value", Field::Message(any)) => object(any)?,
        (other, _) => return Err(format!("there is a {other}")),
    })
}

/// Reads a `google.protobuf.Any` with one of the messages that have values of their own.
fn object(any: &Message) -> Result<Value<'static>, String> {
    let (url, field) = any.fields.first().ok_or("an object is empty")?;
    let name = url.trim_matches(['[', ']']).trim_start_matches("type.googleapis.com/");
    let Field::Message(message) = field else { return Err(format!("{name} is no message")) };
    let seconds = || number::<i64>(&or_zero(message, "seconds"));
    let nanos = || number::<i32>(&or_zero(message, "nanos"));
    Ok(match name.strip_prefix("google.protobuf.").ok_or_else(|| format!("there is a {name}"))? {
        "Duration" => Value::Duration(duration(seconds()?, nanos()?)?),
        "Timestamp" => Value::Timestamp(timestamp(seconds()?, nanos()?)?),
        "Int32Value" | "Int64Value" => Value::Int(number(&or_zero(message, "value"))?),
        "UInt32Value" | "UInt64Value" => Value::Uint(number(&or_zero(message, "value"))?),
        "FloatValue" | "DoubleValue" => Value::Double(double(&or_zero(message, "value"))?),
        "BoolValue" => Value::Bool(message.flag("value")),
        "StringValue" => message.text("value").into(),
        "BytesValue" => match message.one("value") {
            Some(Field::Text(bytes)) => bytes.clone().into(),
            _ => Vec::<u8>::new().into(),
        },
        "Value" => json(message)?,
        "ListValue" => json_list(message)?,
        "Struct" => json_map(message)?,
        "Any" => object(message)?,
        other => return Err(format!("there is a google.protobuf.{other}")),
    })
}

/// Reads a `google.protobuf.Value`.
fn json(message: &Message) -> Result<Value<'static>, String> {
    Ok(match message.fields.first() {
        None => Value::Null,
        Some((kind, field)) => match (kind.as_str(), field) {
            ("null_value", _) => Value::Null,
            ("bool_value", Field::Word(word)) => Value::Bool(word == "true"),
            ("number_value", Field::Word(word)) => Value::Double(double(word)?),
            ("string_value", Field::Text(text)) => String::from_utf8_lossy(text).into_owned().into(),
            ("list_value", Field::Message(list)) => json_list(list)?,
            ("struct_value", Field::Message(map)) => json_map(map)?,
            (other, _) => return Err(format!("there is a {other}")),
        },
    })
}

fn json_list(message: &Message) -> Result<Value<'static>, String> {
    let elements: Result<Vec<_>, _> = message.messages("values").map(json).collect();
    Ok(elements?.into())
}

fn json_map(message: &Message) -> Result<Value<'static>, String> {
    let mut entries = Entries::default();
    for entry in message.messages("fields") {
        let content = entry.message("value").map_or(Ok(Value::Null), json)?;
        entries.insert(entry.text("key").into(), content);
    }
    Ok(Map::from(entries).into())
}

fn duration(seconds: i64, nanos: i32) -> Result<Duration, String> {
    let nanos = seconds.checked_mul(1_000_000_000).and_then(|whole| whole.checked_add(nanos.into()));
    nanos.map(Duration::from_nanos).ok_or_else(|| "a duration is out of range".to_owned())
}

fn timestamp(seconds: i64, nanos: i32) -> Result<Timestamp, String> {
    let nanos = nanos.try_into().map_err(|_| "a timestamp is out of range".to_owned())?;
    Timestamp::new(seconds, nanos).ok_or_else(|| "a timestamp is out of range".to_owned())
}

fn or_zero(message: &Message, field: &str) -> String {
    let text = message.text(field);
    if text.is_empty() { "0".to_owned() } else { text }
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("{word} is no number"))
}

fn double(word: &str) -> Result<f64, String> {
    number(word).or_else(|_| number(word.trim_end_matches('f')))
}

/// The type that a name means.
fn type_named(name: &str) -> Type {
    match name {
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "null_type" => Type::Null,
        "list" => Type::list(Type::Dyn),
        "map" => Type::map(Type::Dyn, Type::Dyn),
        "type" => Type::Type(None),
        "optional_type" => Type::optional(Type::Dyn),
        other => Type::object(other),
    }
}

/// Reads a `cel.expr.Type`.
pub(crate) fn type_(message: &Message) -> Result<Type, String> {
    let (kind, field) = message.fields.first().ok_or("a type is empty")?;
    Ok(match (kind.as_str(), field) {
        ("dyn", _) => Type::Dyn,
        ("null", _) => Type::Null,
        ("error", _) => Type::Error,
        ("primitive", Field::Word(word)) => primitive(word)?,
        ("wrapper", Field::Word(word)) => Type::wrapper(primitive(word)?),
        ("well_known", Field::Word(word)) => match word.as_str() {
            "ANY" => Type::Any,
            "TIMESTAMP" => Type::Timestamp,
            "DURATION" => Type::Duration,
            other => return Err(format!("there is a {other}")),
        },
        ("list_type", Field::Message(list)) => {
            Type::list(list.message("elem_type").map_or(Ok(Type::Dyn), type_)?)
        }
        ("map_type", Field::Message(map)) => {
            let part = |name| map.message(name).map_or(Ok(Type::Dyn), type_);
            Type::map(part("key_type")?, part("value_type")?)
        }
        ("type_param", Field::Text(name)) => Type::param(&String::from_utf8_lossy(name)),
        ("type", Field::Message(of)) => {
            if of.fields.is_empty() {
                Type::Type(None)
            } else {
                Type::type_of(type_(of)?)
            }
        }
        ("message_type", Field::Text(name)) => {
            let name = String::from_utf8_lossy(name);
            if !name.starts_with("google.protobuf.") {
                return Err(format!("there is a {name}"));
            }
            Type::object(&name)
        }
        ("abstract_type", Field::Message(opaque)) => {
            let params: Result<Vec<_>, _> = opaque.messages("parameter_types").map(type_).collect();
            Type::opaque(&opaque.text("name"), params?)
        }
        (other, _) => return Err(format!("there is a {other}")),
    })
}

fn primitive(word: &str) -> Result<Type, String> {
    Ok(match word {
        "BOOL" => Type::Bool,
        "INT64" => Type::Int,
        "UINT64" => Type::Uint,
        "DOUBLE" => Type::Double,
        "STRING" => Type::String,
        "BYTES" => Type::Bytes,
        other => return Err(format!("there is a {other}")),
    })
}
