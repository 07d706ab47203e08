//! Validation markers in a schema.
//!
//! A marker on a field comes on top of those of the field's type: of two bounds the tighter one counts, of two lists
//! of values what is in both, and rules add up.

use std::cmp::Ordering;

use serde_json::{Map, Value as Json, json};

use super::markers::Found;
use crate::problem::{Outcome, Problems};

/// A schema.
pub(crate) type Schema = Map<String, Json>;

/// Adds to a schema what markers say of it.
///
/// # Errors
/// Markers that say nothing sensible of such a schema.
pub(crate) fn apply(schema: &mut Schema, found: &[Found]) -> Outcome<()> {
    let mut problems = Problems::default();
    // What changes the type comes first, for others depend on it.
    let (types, rest): (Vec<_>, Vec<_>) = found.iter().partition(|found| {
        matches!(found.name.rsplit(':').next(), Some("Type" | "XIntOrString" | "Schemaless"))
    });
    for found in types.into_iter().chain(rest) {
        let outcome = match found.name.strip_prefix("validation:items:") {
            Some(word) => match schema.get_mut("items").and_then(Json::as_object_mut) {
                Some(items) => one(items, word, found),
                None => Err("this is no list".to_owned()),
            },
            None => one(schema, found.name.strip_prefix("validation:").unwrap_or(found.name), found),
        };
        if let Err(what) = outcome {
            problems.push(found.problem(what));
        }
    }
    problems.or(())
}

fn one(schema: &mut Schema, word: &str, found: &Found) -> Result<(), String> {
    let value = found.value();
    match word {
        "Minimum" | "Maximum" | "MultipleOf" => {
            expect(schema, &["integer", "number"])?;
            if word == "MultipleOf" && value.as_f64() == Some(0.0) {
                return Err("nothing is a multiple of 0".to_owned());
            }
            bound(schema, &lower(word), value)
        }
        "ExclusiveMinimum" | "ExclusiveMaximum" => {
            expect(schema, &["integer", "number"])?;
            truth(schema, &lower(word), found.is_on())
        }
        "MinLength" | "MaxLength" => {
            expect(schema, &["string"])?;
            bound(schema, &lower(word), at_least_zero(value)?)
        }
        "MinItems" | "MaxItems" => {
            expect(schema, &["array"])?;
            bound(schema, &lower(word), at_least_zero(value)?)
        }
        "MinProperties" | "MaxProperties" => {
            expect(schema, &["object"])?;
            bound(schema, &lower(word), at_least_zero(value)?)
        }
        "UniqueItems" if found.is_on() => {
            Err("the server refuses unique items, because comparing all pairs takes too long; use `+listType=set`"
                .to_owned())
        }
        "UniqueItems" => Ok(()),
        "Pattern" => {
            expect(schema, &["string"])?;
            match schema.get("pattern") {
                Some(other) if other != value => add(schema, "allOf", json!({ "pattern": value })),
                _ => drop(schema.insert("pattern".to_owned(), value.clone())),
            }
            Ok(())
        }
        "Format" => {
            expect(schema, &["string", "integer", "number"])?;
            schema.insert("format".to_owned(), value.clone());
            Ok(())
        }
        "Enum" => values(schema, value.as_array().map(Vec::as_slice).unwrap_or_default()),
        "Type" => retype(schema, value.as_str().unwrap_or_default()),
        "XIntOrString" => {
            if found.is_on() {
                keep_words(schema);
                schema.extend(int_or_string());
            }
            Ok(())
        }
        "Schemaless" => {
            keep_words(schema);
            Ok(())
        }
        "pruning:PreserveUnknownFields" | "XPreserveUnknownFields" => {
            truth(schema, "x-kubernetes-preserve-unknown-fields", found.is_on())
        }
        "EmbeddedResource" | "XEmbeddedResource" => {
            expect(schema, &["object"])?;
            truth(schema, "x-kubernetes-embedded-resource", found.is_on())
        }
        "Nullable" => truth(schema, "nullable", found.is_on()),
        "title" => {
            schema.insert("title".to_owned(), value.clone());
            Ok(())
        }
        "example" => {
            schema.insert("example".to_owned(), value.clone());
            Ok(())
        }
        "default" => {
            fits(schema, value).map_err(|what| format!("the default doesn't fit: {what}"))?;
            schema.insert("default".to_owned(), value.clone());
            Ok(())
        }
        "XValidation" => rule(schema, found),
        "ExactlyOneOf" => one_of(schema, found, "exactly one", "must", "== 1"),
        "AtMostOneOf" => one_of(schema, found, "at most one", "may", "<= 1"),
        "AtLeastOneOf" => one_of(schema, found, "at least one", "must", ">= 1"),
        // The others are about kinds and versions, or about whether a field must be given.
        _ => Ok(()),
    }
}

/// Returns the schema of what is a whole number or a text.
pub(crate) fn int_or_string() -> Schema {
    let mut schema = Schema::new();
    schema.insert("anyOf".to_owned(), json!([{ "type": "integer" }, { "type": "string" }]));
    schema.insert("x-kubernetes-int-or-string".to_owned(), true.into());
    schema
}

/// Takes everything out of a schema but what is said to people.
fn keep_words(schema: &mut Schema) {
    schema.retain(|key, _| matches!(key.as_str(), "description" | "title" | "example"));
}

fn is_int_or_string(schema: &Schema) -> bool {
    schema.contains_key("x-kubernetes-int-or-string")
}

fn expect(schema: &Schema, types: &[&str]) -> Result<(), String> {
    let is = schema.get("type").and_then(Json::as_str);
    let scalar = |name: &&&str| matches!(**name, "string" | "integer" | "number");
    if is_int_or_string(schema) && types.iter().any(|name| scalar(&name)) {
        return Ok(());
    }
    match is {
        Some(is) if types.contains(&is) => Ok(()),
        Some(is) => Err(format!("this is for {}, and the type here is `{is}`", types.join(" or "))),
        None => Err(format!("this is for {}, and what stands here has no type", types.join(" or "))),
    }
}

fn lower(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

fn at_least_zero(value: &Json) -> Result<&Json, String> {
    if value.as_i64().is_some_and(|number| number >= 0) {
        Ok(value)
    } else {
        Err("can't be negative".to_owned())
    }
}

fn truth(schema: &mut Schema, key: &str, on: bool) -> Result<(), String> {
    if on {
        schema.insert(key.to_owned(), true.into());
    } else {
        schema.remove(key);
    }
    Ok(())
}

/// Sets a bound, unless a tighter one is there, and sees to it that the lower one is not above the upper one.
fn bound(schema: &mut Schema, key: &str, value: &Json) -> Result<(), String> {
    let order = |one: &Json, other: &Json| one.as_f64().partial_cmp(&other.as_f64());
    let looser = match (schema.get(key), key.starts_with("min")) {
        (Some(old), true) => order(old, value) == Some(Ordering::Greater),
        (Some(old), false) if key.starts_with("max") => order(old, value) == Some(Ordering::Less),
        _ => false,
    };
    if !looser {
        schema.insert(key.to_owned(), value.clone());
    }
    let (min, max) = match key.get(..3) {
        Some("min" | "max") => (format!("min{}", tail(key)), format!("max{}", tail(key))),
        _ => return Ok(()),
    };
    match (schema.get(&min), schema.get(&max)) {
        (Some(low), Some(high)) if order(low, high) == Some(Ordering::Greater) => {
            Err(format!("nothing is between {low} and {high}"))
        }
        _ => Ok(()),
    }
}

fn tail(key: &str) -> &str {
    key.get(3..).unwrap_or_default()
}

/// Sets the values that something may have.
pub(crate) fn values(schema: &mut Schema, values: &[Json]) -> Result<(), String> {
    expect(schema, &["string", "integer", "number", "boolean"])?;
    // A number among texts is a text that nobody put into quotes.
    let is_text = schema.get("type").and_then(Json::as_str) == Some("string");
    let mut values: Vec<Json> = values
        .iter()
        .map(|value| if is_text && !value.is_string() { value.to_string().into() } else { value.clone() })
        .collect();
    if let Some(value) = values.iter().find(|value| fits(schema, value).is_err()) {
        return Err(format!("{value} is no value of this type"));
    }
    if let Some(old) = schema.get("enum").and_then(Json::as_array) {
        values.retain(|value| old.contains(value));
    }
    if values.is_empty() {
        return Err("no value is left".to_owned());
    }
    schema.insert("enum".to_owned(), Json::Array(values));
    Ok(())
}

fn retype(schema: &mut Schema, name: &str) -> Result<(), String> {
    if !matches!(name, "string" | "integer" | "number" | "boolean" | "object" | "array") {
        return Err(format!(
            "{name:?} is no type: there are string, integer, number, boolean, object and array"
        ));
    }
    if schema.get("type").and_then(Json::as_str) != Some(name) {
        keep_words(schema);
        schema.insert("type".to_owned(), name.into());
    }
    Ok(())
}

fn add(schema: &mut Schema, key: &str, element: Json) {
    match schema.entry(key).or_insert_with(|| json!([])) {
        Json::Array(list) => list.push(element),
        other => *other = json!([element]),
    }
}

fn rule(schema: &mut Schema, found: &Found) -> Result<(), String> {
    let mut rule = Map::new();
    let keys = ["rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"];
    for key in keys {
        if let Some(value) = found.get(key) {
            rule.insert(key.to_owned(), value.clone());
        }
    }
    if found.text("rule").is_none_or(|text| text.trim().is_empty()) {
        return Err("the rule is empty".to_owned());
    }
    if let Some(reason) = found.text("reason")
        && !["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"]
            .contains(&reason)
    {
        return Err(format!(
            "{reason:?} is no reason: there are FieldValueInvalid, FieldValueForbidden, FieldValueRequired and \
             FieldValueDuplicate"
        ));
    }
    add(schema, "x-kubernetes-validations", Json::Object(rule));
    Ok(())
}

fn one_of(schema: &mut Schema, found: &Found, how_many: &str, verb: &str, size: &str) -> Result<(), String> {
    expect(schema, &["object"])?;
    let fields = found.texts("");
    let properties = schema.get("properties").and_then(Json::as_object);
    if let Some(field) =
        fields.iter().find(|field| properties.is_none_or(|all| !all.contains_key(field.as_str())))
    {
        return Err(format!("there is no field {field:?}"));
    }
    let there: Vec<String> = fields.iter().map(|field| format!("has(self.{field})")).collect();
    add(
        schema,
        "x-kubernetes-validations",
        json!({
            "rule": format!("[{}].filter(x,x==true).size() {size}", there.join(",")),
            "message": format!("{how_many} of the fields in [{}] {verb} be set", fields.join(" ")),
        }),
    );
    Ok(())
}

/// Reports whether a value can stand where a schema is, as far as types go.
pub(crate) fn fits(schema: &Schema, value: &Json) -> Result<(), String> {
    if value.is_null() && schema.get("nullable") == Some(&Json::Bool(true)) {
        return Ok(());
    }
    let ok = match schema.get("type").and_then(Json::as_str) {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ if is_int_or_string(schema) => value.is_string() || value.is_i64(),
        _ => true,
    };
    if !ok {
        let name = schema.get("type").and_then(Json::as_str).unwrap_or("int-or-string");
        return Err(format!("{value} is no `{name}`"));
    }
    let of = |key: &str| schema.get(key).and_then(Json::as_object);
    if let (Some(values), Some(items)) = (value.as_array(), of("items")) {
        values.iter().try_for_each(|value| fits(items, value))?;
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        let property = of("properties").and_then(|all| all.get(name)).and_then(Json::as_object);
        match property.or_else(|| of("additionalProperties")) {
            Some(property) => fits(property, value).map_err(|what| format!("{name}: {what}"))?,
            None if schema.contains_key("x-kubernetes-preserve-unknown-fields") => {}
            None => return Err(format!("there is no field {name:?}")),
        }
    }
    Ok(())
}
