//! Messages that expressions make.

use std::sync::Arc;

use super::cost;
use super::error::Error;
use super::program::NodeId;
use super::run::{Run, broken, not_optional};
use crate::value::{Entries, List, Map, Object, Record, Value};

impl<'a> Run<'a, '_> {
    /// Makes a message.
    pub(super) fn object(&mut self, id: NodeId, object: u32) -> Result<Value<'a>, Error> {
        let Some(object) = self.program.objects.get(object as usize) else { return Err(broken()) };
        self.context.allocate(object.fields.len() * size_of::<(Arc<str>, Value<'_>)>())?;
        let result = self.fields(id, &object.fields).and_then(|fields| {
            match &self.program.options.objects {
                Some(objects) => objects.make(&object.type_name, fields),
                None => make(&object.type_name, fields),
            }
            .map_err(|error| self.at(id, error))
        });
        if result.as_ref().is_err_and(Error::is_fatal) {
            return result;
        }
        self.context.charge(cost::OBJECT)?;
        result
    }

    fn fields(
        &mut self,
        id: NodeId,
        fields: &[(Arc<str>, NodeId, bool)],
    ) -> Result<Vec<(Arc<str>, Value<'a>)>, Error> {
        let mut values: Vec<(Arc<str>, Value<'a>)> = Vec::with_capacity(fields.len());
        for (name, node, optional) in fields {
            let value = self.eval(*node)?;
            values.retain(|(other, _)| other != name);
            match value {
                value if !optional => values.push((name.clone(), value)),
                Value::Optional(None) => {}
                Value::Optional(Some(value)) => values.push((name.clone(), (*value).clone())),
                value => return Err(self.at(id, not_optional(&Value::from(name.clone()), &value))),
            }
        }
        Ok(values)
    }
}

/// Makes a message of protobuf's well-known types, and a record of any other.
pub(super) fn make<'a>(type_name: &str, fields: Vec<(Arc<str>, Value<'a>)>) -> Result<Value<'a>, Error> {
    let field =
        |name: &str| fields.iter().find(|(other, _)| &**other == name).map(|(_, value)| value.clone());
    let wrapped = |zero: Value<'a>| field("value").unwrap_or(zero);
    let number = |name: &str| match field(name) {
        Some(Value::Int(value)) => Ok(value),
        None => Ok(0),
        Some(_) => Err(Error::no_such_overload()),
    };
    let Some(well_known) = type_name.strip_prefix("google.protobuf.") else {
        return Ok(record(type_name, fields));
    };
    Ok(match well_known {
        "BoolValue" => wrapped(Value::Bool(false)),
        "BytesValue" => wrapped(Value::from(Vec::<u8>::new())),
        "DoubleValue" => wrapped(Value::Double(0.0)),
        "FloatValue" => match wrapped(Value::Double(0.0)) {
            Value::Double(value) => Value::Double(f64::from(value as f32)),
            other => other,
        },
        "Int32Value" => match wrapped(Value::Int(0)) {
            Value::Int(value) if i32::try_from(value).is_err() => {
                return Err(overflow(type_name, "integer overflow"));
            }
            other => other,
        },
        "UInt32Value" => match wrapped(Value::Uint(0)) {
            Value::Uint(value) if u32::try_from(value).is_err() => {
                return Err(overflow(type_name, "unsigned integer overflow"));
            }
            other => other,
        },
        "Int64Value" => wrapped(Value::Int(0)),
        "UInt64Value" => wrapped(Value::Uint(0)),
        "StringValue" => wrapped(Value::from("")),
        "Struct" => field("fields").unwrap_or_else(|| Value::Map(Map::from(Entries::new()))),
        "ListValue" => field("values").unwrap_or_else(|| Value::List(List::from(Vec::<Value<'_>>::new()))),
        "Value" => {
            fields.into_iter().next_back().map_or(Value::Null, |(name, value)| match (&*name, value) {
                ("null_value", _) => Value::Null,
                (_, Value::Int(value)) => Value::Double(value as f64),
                (_, value) => value,
            })
        }
        "Duration" => {
            let nanos = number("seconds")?.checked_mul(1_000_000_000).and_then(|nanos| {
                let more = number("nanos").ok()?;
                nanos.checked_add(more)
            });
            let nanos = nanos.ok_or_else(|| Error::new("integer overflow"))?;
            Value::Duration(crate::time::Duration::from_nanos(nanos))
        }
        "Timestamp" => {
            let nanos = u32::try_from(number("nanos")?).unwrap_or(u32::MAX);
            crate::time::Timestamp::new(number("seconds")?, nanos)
                .map(Value::Timestamp)
                .ok_or_else(|| Error::new("timestamp overflow"))?
        }
        _ => record(type_name, fields),
    })
}

fn overflow(type_name: &str, problem: &str) -> Error {
    Error::new(format!("field type conversion error for {type_name}.value value type: {problem}"))
}

fn record<'a>(type_name: &str, fields: Vec<(Arc<str>, Value<'a>)>) -> Value<'a> {
    Value::Object(Object::Shared(Arc::new(Record { type_name: type_name.into(), fields })))
}
