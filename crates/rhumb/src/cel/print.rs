//! What is printed about an expression: lines for people, one document for programs.

use std::fmt::Write;

use anyhow::{Result, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rhumb_cel::cost::Range;
use rhumb_cel::value::Value;
use rhumb_codec::yaml;
use serde_json::{Map, Value as Json, json};

use super::Report;

/// Formats a report.
pub(super) fn report(report: &Report<'_>, format: &str) -> Result<Vec<u8>> {
    match format {
        "json" => Ok((serde_json::to_string_pretty(&document(report)?)? + "\n").into_bytes()),
        "yaml" => {
            let mut out = Vec::new();
            yaml::from_json_value(&document(report)?, &mut out);
            Ok(out)
        }
        _ => Ok(lines(report)?.into_bytes()),
    }
}

/// Formats a report for people, the value as an expression has it.
fn lines(report: &Report<'_>) -> Result<String> {
    let mut text = String::new();
    writeln!(text, "type:            {}", report.type_)?;
    writeln!(text, "estimated cost:  {}", costs(report.estimate))?;
    if let Some((value, cost)) = &report.evaluated {
        writeln!(text, "cost:            {cost}")?;
        writeln!(text, "value:           {}", written(value))?;
    }
    Ok(text)
}

/// Formats a value as an expression has it. What a library made, such as a quantity, is shown by its type.
fn written(value: &Value<'_>) -> String {
    match value {
        Value::Opaque(value) => format!("<{}>", value.type_()),
        Value::Optional(Some(value)) => format!("optional.of({})", written(value)),
        Value::List(list) => {
            let elements: Vec<String> = list.iter().map(|element| written(&element)).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Map(map) => {
            let mut entries: Vec<String> =
                map.iter().map(|(key, value)| format!("{}: {}", written(&key), written(&value))).collect();
            entries.sort();
            format!("{{{}}}", entries.join(", "))
        }
        value => value.to_string(),
    }
}

/// Costs from here on come from sizes that nothing is known of.
const UNBOUNDED: u64 = u64::MAX / 1_000_000;

fn costs(Range { min, max }: Range) -> String {
    match max {
        UNBOUNDED.. => format!("{min} or more"),
        max if max == min => min.to_string(),
        max => format!("{min} to {max}"),
    }
}

/// Returns a report for programs. A cost without an upper bound has no `max`.
fn document(report: &Report<'_>) -> Result<Json> {
    let mut estimate = json!({"min": report.estimate.min});
    if report.estimate.max < UNBOUNDED {
        estimate["max"] = report.estimate.max.into();
    }
    let mut document = json!({"type": report.type_.to_string(), "estimatedCost": estimate});
    if let Some((value, cost)) = &report.evaluated {
        document["cost"] = (*cost).into();
        document["value"] = tree(value)?;
    }
    Ok(document)
}

/// Returns a value as JSON: bytes in base64, durations and times as API objects have them.
fn tree(value: &Value<'_>) -> Result<Json> {
    Ok(match value {
        Value::Null | Value::Optional(None) => Json::Null,
        Value::Bool(value) => Json::from(*value),
        Value::Int(value) => Json::from(*value),
        Value::Uint(value) => Json::from(*value),
        Value::Double(value) if value.is_finite() => Json::from(*value),
        // JSON has no numbers for these; the texts are those of protobuf's JSON.
        Value::Double(value) if value.is_nan() => Json::from("NaN"),
        Value::Double(value) => Json::from(if *value < 0.0 { "-Infinity" } else { "Infinity" }),
        Value::String(text) => Json::from(&**text),
        Value::Bytes(bytes) => Json::from(STANDARD.encode(&**bytes)),
        Value::Duration(duration) => Json::from(duration.to_string()),
        Value::Timestamp(timestamp) => Json::from(timestamp.to_string()),
        Value::List(list) => list.iter().map(|element| tree(&element)).collect::<Result<Json>>()?,
        Value::Map(map) => {
            let mut entries = Map::new();
            for (key, value) in map.iter() {
                entries.insert(key_text(&key), tree(&value)?);
            }
            Json::Object(entries)
        }
        Value::Type(type_) => Json::from(type_.name()),
        Value::Optional(Some(value)) => tree(value)?,
        value @ (Value::Object(_) | Value::Opaque(_)) => {
            bail!("a value of type {} has no form in JSON or YAML; use -o text", value.type_())
        }
    })
}

/// Returns the key of a map as a key of JSON.
fn key_text(key: &Value<'_>) -> String {
    match key {
        Value::String(text) => text.to_string(),
        Value::Uint(number) => number.to_string(),
        key => key.to_string(),
    }
}
