//! Comparisons in filters.

use std::cmp::Ordering;

use serde_json::Value as Json;

use crate::Value;

/// Error of comparing two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incomparable {
    /// Their types differ.
    Types,
    /// Values of this type have no order, or not even equality.
    Type,
}

impl Incomparable {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Incomparable::Types => "incompatible types for comparison",
            Incomparable::Type => "invalid type for comparison",
        }
    }
}

enum Basic<'a> {
    Bool(bool),
    Int(i64),
    Unsigned(u64),
    Float(f64),
    Text(&'a str),
}

fn basic(value: Value<'_>) -> Result<Basic<'_>, Incomparable> {
    Ok(match value {
        Value::Tree(Json::Bool(truth)) => Basic::Bool(*truth),
        Value::Tree(Json::String(text)) => Basic::Text(text),
        Value::Tree(Json::Number(number)) => match number.as_i64() {
            Some(whole) => Basic::Int(whole),
            None => Basic::Float(number.as_f64().unwrap_or_default()),
        },
        Value::Text(text) => Basic::Text(text),
        Value::Int(number) => Basic::Int(number),
        Value::Float(number) => Basic::Float(number),
        Value::Bool(truth) => Basic::Bool(truth),
        Value::Byte(byte) => Basic::Unsigned(byte.into()),
        Value::Tree(_) | Value::Nothing => return Err(Incomparable::Type),
    })
}

/// Whether an order is needed or only equality.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Equality,
    Order,
}

/// Compares two values; none for NaN.
fn order(left: Value<'_>, right: Value<'_>, asked: Asked) -> Result<Option<Ordering>, Incomparable> {
    Ok(match (basic(left)?, basic(right)?) {
        (Basic::Bool(_), Basic::Bool(_)) if asked == Asked::Order => return Err(Incomparable::Type),
        (Basic::Bool(left), Basic::Bool(right)) => Some(left.cmp(&right)),
        (Basic::Int(left), Basic::Int(right)) => Some(left.cmp(&right)),
        (Basic::Unsigned(left), Basic::Unsigned(right)) => Some(left.cmp(&right)),
        (Basic::Int(left), Basic::Unsigned(right)) => Some(i128::from(left).cmp(&right.into())),
        (Basic::Unsigned(left), Basic::Int(right)) => Some(i128::from(left).cmp(&right.into())),
        (Basic::Float(left), Basic::Float(right)) => left.partial_cmp(&right),
        (Basic::Text(left), Basic::Text(right)) => Some(left.cmp(right)),
        _ => return Err(Incomparable::Types),
    })
}

/// Reports whether a comparison holds; none if there is no such operator.
pub(crate) fn holds(operator: &str, left: Value<'_>, right: Value<'_>) -> Option<Result<bool, Incomparable>> {
    let equal = || order(left, right, Asked::Equality).map(|order| order == Some(Ordering::Equal));
    let less = || order(left, right, Asked::Order).map(|order| order == Some(Ordering::Less));
    let less_or_equal = || less().and_then(|less| if less { Ok(true) } else { equal() });
    Some(match operator {
        "==" => equal(),
        "!=" => equal().map(|equal| !equal),
        "<" => less(),
        "<=" => less_or_equal(),
        ">" => less_or_equal().map(|holds| !holds),
        ">=" => less().map(|less| !less),
        _ => return None,
    })
}
