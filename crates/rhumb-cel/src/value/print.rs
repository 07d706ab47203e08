//! Texts of values: as errors have them, and as they would be written in an expression.

use std::fmt::{self, Write as _};

use super::Value;
use crate::time::{Civil, Duration, Timestamp};
use crate::types::Type;

/// Writes a value as cel-go's errors do.
///
/// Go's `%v` prints a text without quotes and a number with the shortest exponent, which is what people see in
/// messages such as `no such key: x`.
pub(crate) struct Plain<'v, 'a>(pub &'v Value<'a>);

impl fmt::Display for Plain<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("0"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Uint(value) => write!(f, "{value}"),
            Value::Double(value) => f.write_str(&shortest(*value)),
            Value::String(text) => f.write_str(text),
            Value::Bytes(bytes) => {
                f.write_char('[')?;
                for (at, byte) in bytes.iter().enumerate() {
                    let space = if at == 0 { "" } else { " " };
                    write!(f, "{space}{byte}")?;
                }
                f.write_char(']')
            }
            Value::Duration(duration) => f.write_str(&with_units(*duration)),
            Value::Timestamp(timestamp) => f.write_str(&with_zone(timestamp)),
            Value::List(list) => {
                f.write_char('[')?;
                for (at, element) in list.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{}", Plain(&element))?;
                }
                f.write_char(']')
            }
            Value::Map(map) => {
                f.write_char('{')?;
                for (at, (key, value)) in map.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{}: {}", Plain(&key), Plain(&value))?;
                }
                f.write_char('}')
            }
            Value::Object(object) => write!(f, "{object:?}"),
            Value::Type(type_) => write_type(f, type_),
            Value::Optional(None) => f.write_str("optional.none()"),
            Value::Optional(Some(value)) => write!(f, "optional({})", Plain(value)),
            Value::Opaque(value) => write!(f, "{value:?}"),
        }
    }
}

impl fmt::Display for Value<'_> {
    /// Writes the value as an expression would.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Uint(value) => write!(f, "{value}u"),
            Value::Double(value) if value.is_nan() => f.write_str(r#"double("NaN")"#),
            Value::Double(value) if value.is_infinite() => {
                f.write_str(if *value < 0.0 { r#"double("-Infinity")"# } else { r#"double("Infinity")"# })
            }
            Value::Double(value) => {
                let text = format!("{value}");
                let dot = if text.contains('.') { "" } else { ".0" };
                write!(f, "{text}{dot}")
            }
            Value::String(text) => f.write_str(&quote(text)),
            Value::Bytes(bytes) => {
                f.write_str("b\"")?;
                bytes.iter().try_for_each(|byte| write!(f, "\\{byte:03o}"))?;
                f.write_char('"')
            }
            Value::Duration(duration) => write!(f, r#"duration("{duration}")"#),
            Value::Timestamp(timestamp) => write!(f, r#"timestamp("{}")"#, timestamp.to_utc()),
            Value::List(list) => {
                f.write_char('[')?;
                for (at, element) in list.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{element}")?;
                }
                f.write_char(']')
            }
            Value::Map(map) => {
                let mut entries: Vec<_> =
                    map.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
                entries.sort_by(|one, two| one.0.cmp(&two.0));
                f.write_char('{')?;
                for (at, (key, value)) in entries.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{key}: {value}")?;
                }
                f.write_char('}')
            }
            Value::Object(object) => write!(f, "{object:?}"),
            Value::Type(type_) => f.write_str(type_.name()),
            Value::Optional(None) => f.write_str("optional.none()"),
            Value::Optional(Some(value)) => write!(f, "optional.of({value})"),
            Value::Opaque(value) => write!(f, "{value:?}"),
        }
    }
}

fn write_type(f: &mut fmt::Formatter<'_>, type_: &Type) -> fmt::Result {
    match type_ {
        Type::List(_) => f.write_str("list(dyn)"),
        Type::Map(_) => f.write_str("map(dyn, dyn)"),
        _ => f.write_str(type_.name()),
    }
}

/// Writes a number with as few digits as tell it from others, and with an exponent if it is large or small, as Go's
/// `%g` does.
pub(crate) fn shortest(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-Inf" } else { "+Inf" }.to_owned();
    }
    let text = format!("{value:e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Puts a text into double quotes, with escapes as Go's `strconv.Quote` has them.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            _ if (char as u32) < 0x20 || char == '\u{7f}' => {
                _ = write!(quoted, "\\x{:02x}", char as u32);
            }
            // What prints nothing by itself is written by its number.
            '\u{80}'..='\u{a0}'
            | '\u{ad}'
            | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}'
            | '\u{3000}'
            | '\u{feff}' => {
                _ = write!(quoted, "\\u{:04x}", char as u32);
            }
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

/// Writes a span as Go does, such as `1h30m0s` or `1.5ms`.
fn with_units(duration: Duration) -> String {
    let nanos = duration.nanos().unsigned_abs();
    let sign = if duration.nanos() < 0 { "-" } else { "" };
    let fraction = |unit: u64| {
        let (whole, rest) = (nanos / unit, nanos % unit);
        let width = unit.ilog10() as usize;
        match rest {
            0 => whole.to_string(),
            _ => format!("{whole}.{}", format!("{rest:0width$}").trim_end_matches('0')),
        }
    };
    match nanos {
        0 => "0s".to_owned(),
        1..=999 => format!("{sign}{nanos}ns"),
        1_000..=999_999 => format!("{sign}{}µs", fraction(1_000)),
        1_000_000..=999_999_999 => format!("{sign}{}ms", fraction(1_000_000)),
        _ => {
            let minutes = nanos / 60_000_000_000;
            let seconds = nanos % 60_000_000_000;
            let fraction = match seconds % 1_000_000_000 {
                0 => String::new(),
                rest => format!(".{}", format!("{rest:09}").trim_end_matches('0')),
            };
            let seconds = seconds / 1_000_000_000;
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{sign}{seconds}{fraction}s"),
                (0, minutes) => format!("{sign}{minutes}m{seconds}{fraction}s"),
                (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}{fraction}s"),
            }
        }
    }
}

/// Writes a point in time as Go does without a format, such as `2024-01-01 00:00:00 +0000 UTC`.
fn with_zone(timestamp: &Timestamp) -> String {
    let offset = timestamp.offset();
    let Civil { year, month, day, hour, minute, second, .. } =
        Civil::at(timestamp.seconds() + i64::from(offset));
    let fraction = match timestamp.nanos() {
        0 => String::new(),
        nanos => format!(".{}", format!("{nanos:09}").trim_end_matches('0')),
    };
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs() / 60;
    let zone = format!("{sign}{:02}{:02}", minutes / 60, minutes % 60);
    let name = if offset == 0 { "UTC" } else { &zone };
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{fraction} {zone} {name}")
}
