//! Validation of scalars: types, strings and numbers.

use rhumb_schema::text::quoted;
use rhumb_scheme::validation::BadValue;
use serde_json::{Number, Value as Json};

use super::place::Place;
use super::problems::{Kind, Outcome, Problem, Told, Value};
use super::{above, below};
use crate::choices::{Choices, integer_of};
use crate::compile::{Node, Rules, Type, Types};
use crate::formats::Format;

impl Types {
    fn allows(self, type_: Type) -> bool {
        match self {
            Types::Any => false,
            Types::One(one) => one == type_,
            Types::IntOrString => matches!(type_, Type::Integer | Type::String),
        }
    }

    fn names(self) -> &'static str {
        match self {
            Types::Any => "",
            Types::One(one) => one.name(),
            Types::IntOrString => "integer,string",
        }
    }
}

pub(super) fn check_type(
    node: &Node,
    format: &Format,
    value: &Json,
    place: &Place<'_>,
    outcome: &mut Outcome<'_>,
) {
    let types = node.types;
    let (type_, own_format) = match value {
        Json::Null => {
            if types != Types::Any && !types.allows(Type::Null) && !node.nullable {
                wrong_type(types.names(), "null", place, outcome);
            } else {
                outcome.matches += 1;
            }
            return;
        }
        Json::Bool(_) => (Type::Boolean, ""),
        Json::String(_) => (Type::String, ""),
        Json::Number(number) if integer_of(number).is_some() => (Type::Integer, "int64"),
        Json::Number(_) => (Type::Number, "float64"),
        Json::Array(_) => (Type::Array, ""),
        Json::Object(_) => (Type::Object, ""),
    };
    let float_as_integer =
        type_ == Type::Number && types.allows(Type::Integer) && value.as_f64().is_some_and(is_integer);
    let integer_as_float = type_ == Type::Integer && types.allows(Type::Number);
    let is_text_or_list = matches!(value, Json::String(_) | Json::Array(_));
    let fits = types.allows(type_) || float_as_integer || integer_as_float;
    if !(is_text_or_list || format.is_none() || fits || own_format == format.name()) {
        return wrong_type(format.name(), own_format, place, outcome);
    }
    let is_numeric = types.allows(Type::Number) || types.allows(Type::Integer);
    if fits || (!is_numeric && !format.is_none() && is_text_or_list) {
        outcome.matches += 1;
    } else {
        wrong_type(types.names(), type_.name(), place, outcome);
    }
}

fn wrong_type(wanted: &str, got: &str, place: &Place<'_>, outcome: &mut Outcome<'_>) {
    let text = format!("{place} in body must be of type {wanted}: {}", quoted(got));
    outcome.add(Problem::new(Kind::Type, place, Value::Text(got.shown()), text));
}

/// Checks a text's format; how much of the schema that was.
pub(super) fn check_format<'a>(
    format: &'a Format,
    text: &'a str,
    place: &Place<'_>,
    outcome: &mut Outcome<'a>,
) -> usize {
    let Format::Text(name, fits) = format else { return 0 };
    if !fits(text) {
        let told = Told::Format(name, text);
        outcome.add(Problem::with(Kind::Type, place, Value::String(text), told));
    }
    1
}

pub(super) fn check_choices<'a>(
    choices: &'a Choices,
    value: &'a Json,
    place: &Place<'_>,
    outcome: &mut Outcome<'a>,
) {
    if choices.is_empty() || choices.contain(value) {
        return;
    }
    let told = Told::Choices(choices);
    outcome.add(Problem::with(Kind::Choice(choices), place, Value::Json(value), told));
}

pub(super) fn check_text<'a>(rules: &'a Rules, text: &'a str, place: &Place<'_>, outcome: &mut Outcome<'a>) {
    let length = text.chars().count();
    if let Some(maximum) = rules.max_length.filter(|maximum| above(length, *maximum)) {
        let told = format!("{place} in body should be at most {maximum} chars long");
        outcome.add(Problem::new(Kind::TooLong(maximum), place, Value::None, told));
    } else if let Some(minimum) = rules.min_length.filter(|minimum| below(length, *minimum)) {
        let told = format!("{place} in body should be at least {minimum} chars long");
        outcome.other(place, Value::String(text), told);
    } else if let Some(pattern) = &rules.pattern {
        let told = match pattern.matches(text) {
            Ok(true) => return,
            Ok(false) => Told::Pattern(pattern),
            Err(error) => Told::BadPattern(pattern.text(), error),
        };
        outcome.told(place, Value::String(text), told);
    }
}

pub(super) fn check_number(
    rules: &Rules,
    types: Types,
    number: &Number,
    place: &Place<'_>,
    outcome: &mut Outcome<'_>,
) {
    let float = number.as_f64().unwrap_or_default();
    let integer = integer_of(number);
    let in_range = |value: f64, integer: Option<i64>, what: &str, outcome: &mut Outcome| {
        let integer = integer.or_else(|| whole(value));
        let (type_, fits) = match (types, &rules.format) {
            (Types::One(Type::Integer), Format::Int32) => {
                ("integer", integer.is_some_and(|integer| i32::try_from(integer).is_ok()))
            }
            (Types::One(Type::Integer), _) => ("integer", integer.is_some()),
            (_, Format::Float) => ("number", value.abs() <= f64::from(f32::MAX)),
            _ => ("", true),
        };
        if !fits {
            let form = match &rules.format {
                Format::None | Format::Text(..) | Format::Unknown(_) => "(default format)".to_owned(),
                format => format!("with format {}", format.name()),
            };
            outcome.plain(format!("{what} value must be of type {type_} {form} in {place}"));
        }
        fits
    };
    in_range(float, integer, "Checked", outcome);
    let mut late = [Outcome::default(), Outcome::default(), Outcome::default()];
    let [multiple, minimum, maximum] = &mut late;
    if let Some(factor) = rules.multiple_of {
        let native = in_range(factor, None, "MultipleOf", multiple);
        check_multiple(float, integer.filter(|_| native), factor, place, multiple);
    }
    for (limit, exclusive, is_upper, found) in [
        (rules.maximum, rules.exclusive_maximum, true, maximum),
        (rules.minimum, rules.exclusive_minimum, false, minimum),
    ] {
        let Some(limit) = limit else { continue };
        let what = if is_upper { "Maximum boundary" } else { "Minimum boundary" };
        let native = in_range(limit, None, what, found);
        let (order, shown_limit) = match integer.filter(|_| native) {
            // Go cuts the fraction off.
            Some(integer) => (integer.cmp(&(limit as i64)), (limit as i64).shown()),
            None => (float.total_cmp(&limit), limit.shown()),
        };
        let order = if is_upper { order } else { order.reverse() };
        if order.is_gt() || (exclusive && order.is_eq()) {
            let words = match (is_upper, exclusive) {
                (true, false) => "less than or equal to",
                (true, true) => "less than",
                (false, false) => "greater than or equal to",
                (false, true) => "greater than",
            };
            let value = integer.map_or_else(|| float.shown(), |integer| integer.shown());
            found.other(
                place,
                Value::Text(value),
                format!("{place} in body should be {words} {shown_limit}"),
            );
        }
    }
    late.into_iter().for_each(|found| outcome.merge(found));
}

fn check_multiple(
    float: f64,
    integer: Option<i64>,
    factor: f64,
    place: &Place<'_>,
    outcome: &mut Outcome<'_>,
) {
    let (is_positive, fits, shown_factor, value) = match integer {
        Some(integer) => {
            let factor = factor as i64;
            let fits = integer.checked_rem(factor) == Some(0);
            (factor > 0, fits, factor.shown(), integer.shown())
        }
        None => {
            let quotient = if factor < 1.0 { 1.0 / factor * float } else { float / factor };
            (factor > 0.0, is_integer(quotient), factor.shown(), float.shown())
        }
    };
    if !is_positive {
        let text = format!("factor MultipleOf declared for {place} must be positive: {shown_factor}");
        outcome.other(place, Value::Text(shown_factor), text);
    } else if !fits {
        outcome.other(
            place,
            Value::Text(value),
            format!("{place} in body should be a multiple of {shown_factor}"),
        );
    }
}

/// Returns a float without a fraction that 64 bits hold.
fn whole(value: f64) -> Option<i64> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    (value.fract() == 0.0 && value.abs() < BEYOND).then_some(value as i64)
}

/// Reports whether a float counts as an integer in JSON, with room for what divisions get wrong.
fn is_integer(value: f64) -> bool {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    if !value.is_finite() || value.abs() > LARGEST {
        return false;
    }
    let near = value.trunc();
    value == near || (near != 0.0 && (value - near).abs() / (value.abs() + near.abs()) < 1e-9)
}
