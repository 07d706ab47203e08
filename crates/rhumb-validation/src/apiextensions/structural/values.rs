//! Checking a value against a schema, with the errors that Kubernetes' OpenAPI validator has for it.

use rhumb_schema::text;
use rhumb_scheme::validation::{BadValue, FieldErrors, FieldPath, Shown};
use serde_json::{Number, Value as Json};

use super::{Additional, Generic, Nested, Pattern, Structural, ValueRules, formats};

/// What a value is checked for. Kubernetes makes the validators of the two in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A default in a definition.
    Default,
    /// An object of a custom kind: a number or text must really be one.
    Object,
}

impl Structural {
    /// Checks a value. Rules in CEL are not run.
    pub fn check_value(&self, value: &Json, path: &FieldPath, purpose: Purpose, errors: &mut FieldErrors) {
        let checker = Checker { purpose };
        for problem in checker.check(Part::Whole(self), value, "").problems {
            problem.tell(path, errors);
        }
    }
}

/// What is wrong, and how it is told.
struct Problem {
    kind: Kind,
    /// Where, from the value on.
    place: String,
    /// The value that is shown.
    value: String,
    text: String,
}

enum Kind {
    Required,
    Enum(Vec<String>),
    TooLong(i64),
    TooMany(usize, i64),
    Type,
    Other,
    /// Told without its place.
    Plain,
}

impl Problem {
    fn tell(self, path: &FieldPath, errors: &mut FieldErrors) {
        let place = self.place.strip_prefix('.').unwrap_or(&self.place);
        let at = if place.is_empty() { path.clone() } else { path.child(place) };
        let value = Shown(self.value);
        let size = |number: i64| usize::try_from(number).unwrap_or_default();
        match self.kind {
            Kind::Required => errors.required(&at, ""),
            Kind::Enum(values) => errors.not_supported(&at, &value, &values),
            Kind::TooLong(maximum) => errors.too_long(&at, size(maximum)),
            Kind::TooMany(actual, maximum) => errors.too_many(&at, actual, size(maximum)),
            Kind::Type => errors.type_invalid(&at, &value, &self.text),
            Kind::Other => errors.invalid(&at, &value, &self.text),
            Kind::Plain => errors.invalid(path, "", &self.text),
        }
    }
}

/// What was found, and how much of the schema fitted: of several alternatives the one that fits best is told of.
#[derive(Default)]
struct Outcome {
    problems: Vec<Problem>,
    matches: usize,
}

impl Outcome {
    fn add(&mut self, problem: Problem) {
        if self.problems.iter().all(|known| known.text != problem.text) {
            self.problems.push(problem);
        }
    }

    fn other(&mut self, place: &str, value: String, text: String) {
        self.add(Problem { kind: Kind::Other, place: place.to_owned(), value, text });
    }

    fn plain(&mut self, text: String) {
        self.add(Problem { kind: Kind::Plain, place: String::new(), value: String::new(), text });
    }

    fn merge(&mut self, other: Outcome) {
        self.matches += other.matches;
        other.problems.into_iter().for_each(|problem| self.add(problem));
    }

    fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }
}

/// A schema, or a part of the logic.
#[derive(Clone, Copy)]
enum Part<'a> {
    Whole(&'a Structural),
    Nested(&'a Nested),
}

impl<'a> Part<'a> {
    fn generic(self) -> &'a Generic {
        match self {
            Part::Whole(schema) => &schema.generic,
            Part::Nested(nested) => &nested.generic,
        }
    }

    fn values(self) -> &'a ValueRules {
        match self {
            Part::Whole(schema) => &schema.values,
            Part::Nested(nested) => &nested.values,
        }
    }

    fn items(self) -> Option<Part<'a>> {
        match self {
            Part::Whole(schema) => schema.items.as_deref().map(Part::Whole),
            Part::Nested(nested) => nested.items.as_deref().map(Part::Nested),
        }
    }

    fn property(self, name: &str) -> Option<Part<'a>> {
        match self {
            Part::Whole(schema) => schema.properties.get(name).map(Part::Whole),
            Part::Nested(nested) => nested.properties.get(name).map(Part::Nested),
        }
    }

    fn additional(self) -> Option<&'a Additional> {
        match self {
            Part::Whole(schema) => schema.additional_properties.as_ref(),
            Part::Nested(_) => None,
        }
    }

    fn is_int_or_string(self) -> bool {
        matches!(self, Part::Whole(schema) if schema.extensions.int_or_string)
    }
}

struct Checker {
    purpose: Purpose,
}

impl Checker {
    fn check(&self, part: Part<'_>, value: &Json, place: &str) -> Outcome {
        let types: Vec<&str> = match part.generic().type_.as_str() {
            _ if part.is_int_or_string() && self.purpose == Purpose::Object => vec!["integer", "string"],
            "" => Vec::new(),
            type_ => vec![type_],
        };
        let values = part.values();
        let format = self.format(&values.format, &types);
        let mut outcome = Outcome::default();
        if value.is_null() {
            check_type(&types, format, part.generic().nullable, value, place, &mut outcome);
            check_enum(&values.enum_, value, place, &mut outcome);
            return outcome;
        }
        if !types.is_empty() || !format.is_empty() {
            check_type(&types, format, part.generic().nullable, value, place, &mut outcome);
            outcome.matches += 1;
        }
        outcome.merge(self.logic(values, value, place));
        outcome.matches += 1;
        match value {
            Json::String(text) => {
                check_text(values, text, place, &mut outcome);
                outcome.matches += 1;
                if let Some(fits) = formats::check(format, text) {
                    if !fits {
                        let kind = Kind::Type;
                        let told =
                            format!("{place} in body must be of type {format}: {}", text::quoted(text));
                        let problem =
                            Problem { kind, place: place.to_owned(), value: text.shown(), text: told };
                        outcome.add(problem);
                    }
                    outcome.matches += 1;
                }
            }
            Json::Number(number) => {
                let type_ = if let [type_] = types.as_slice() { type_ } else { "" };
                check_number(values, number, type_, format, place, &mut outcome);
                outcome.matches += 2;
            }
            Json::Array(items) => {
                self.list(part, items, place, &mut outcome);
                outcome.matches += 2;
            }
            _ => {}
        }
        check_enum(&values.enum_, value, place, &mut outcome);
        outcome.matches += 1;
        if let Json::Object(_) = value {
            self.object(part, value, place, &mut outcome);
            outcome.matches += 1;
        }
        outcome.matches += 1;
        outcome
    }

    /// Objects are not held to formats that nobody knows; defaults are held to their type through any.
    fn format<'a>(&self, format: &'a str, types: &[&str]) -> &'a str {
        if self.purpose == Purpose::Default {
            return format;
        }
        let is_known = match types {
            [] | ["string"] => formats::is_known(format),
            ["integer"] => matches!(format, "int32" | "int64"),
            ["number"] => matches!(format, "float" | "double"),
            _ => false,
        };
        if is_known { format } else { "" }
    }

    fn logic(&self, values: &ValueRules, value: &Json, place: &str) -> Outcome {
        let mut outcome = Outcome::default();
        let quoted = text::quoted(place);
        let check = |part: &Nested| self.check(Part::Nested(part), value, place);
        if !values.any_of.is_empty() {
            let mut best: Option<Outcome> = None;
            let mut success = None;
            for part in &values.any_of {
                let found = check(part);
                if found.is_valid() {
                    success = Some(found);
                    break;
                }
                best = better(best, found);
            }
            if success.is_none() {
                outcome.plain(format!("{quoted} must validate at least one schema (anyOf)"));
            }
            success.or(best).into_iter().for_each(|found| outcome.merge(found));
        }
        if !values.one_of.is_empty() {
            let mut best: Option<Outcome> = None;
            let mut valid = Vec::new();
            for part in &values.one_of {
                let found = check(part);
                if found.is_valid() {
                    valid.push(found);
                } else if valid.is_empty() {
                    best = better(best, found);
                }
            }
            if valid.len() == 1 {
                valid.into_iter().for_each(|found| outcome.merge(found));
            } else {
                let more = match valid.len() {
                    0 => "Found none valid".to_owned(),
                    count => format!("Found {count} valid alternatives"),
                };
                outcome.plain(format!("{quoted} must validate one and only one schema (oneOf). {more}"));
                best.filter(|_| valid.is_empty()).into_iter().for_each(|found| outcome.merge(found));
            }
        }
        if !values.all_of.is_empty() {
            let mut valid = 0;
            for part in &values.all_of {
                let found = check(part);
                valid += usize::from(found.is_valid());
                outcome.merge(found);
            }
            if valid != values.all_of.len() {
                let more = if valid == 0 { ". None validated" } else { "" };
                outcome.plain(format!("{quoted} must validate all the schemas (allOf){more}"));
            }
        }
        if let Some(not) = &values.not
            && check(not).is_valid()
        {
            outcome.plain(format!("{quoted} must not validate the schema (not)"));
        }
        outcome.matches += 1;
        outcome
    }

    fn list(&self, part: Part<'_>, items: &[Json], place: &str, outcome: &mut Outcome) {
        let values = part.values();
        if let Some(schema) = part.items() {
            for (index, item) in items.iter().enumerate() {
                outcome.merge(self.check(schema, item, &format!("{place}[{index}]")));
            }
        }
        let size = items.len();
        if let Some(minimum) = values.min_items.filter(|minimum| below(size, *minimum)) {
            let text = format!("{place} in body should have at least {minimum} items");
            outcome.other(place, size.to_string(), text);
        }
        if let Some(maximum) = values.max_items.filter(|maximum| above(size, *maximum)) {
            let text = format!("{place} in body should have at most {maximum} items");
            let kind = Kind::TooMany(size, maximum);
            outcome.add(Problem { kind, place: place.to_owned(), value: String::new(), text });
        }
        if values.unique_items && items.iter().enumerate().any(|(at, item)| items[..at].contains(item)) {
            outcome.other(place, "\"\"".to_owned(), format!("{place} in body shouldn't contain duplicates"));
        }
    }

    fn object(&self, part: Part<'_>, value: &Json, place: &str, outcome: &mut Outcome) {
        let Json::Object(object) = value else { return };
        let values = part.values();
        let size = object.len();
        if let Some(minimum) = values.min_properties.filter(|minimum| below(size, *minimum)) {
            let text = format!("{place} in body should have at least {minimum} properties");
            outcome.other(place, size.to_string(), text);
        }
        if let Some(maximum) = values.max_properties.filter(|maximum| above(size, *maximum)) {
            let text = format!("{place} in body should have at most {maximum} properties");
            let kind = Kind::TooMany(size, maximum);
            outcome.add(Problem { kind, place: place.to_owned(), value: String::new(), text });
        }
        for (name, value) in object.iter().filter(|(name, _)| part.property(name).is_none()) {
            match part.additional() {
                Some(Additional::Any(false)) => {
                    let text = format!("{place}.{name} in body is a forbidden property");
                    outcome.other(place, name.shown(), text);
                }
                Some(Additional::Schema(schema)) => {
                    outcome.merge(self.check(Part::Whole(schema), value, &format!("{place}.{name}")));
                }
                Some(Additional::Any(true)) | None => {}
            }
        }
        for (name, value) in object {
            if let Some(property) = part.property(name) {
                let below = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                outcome.merge(self.check(property, value, &below));
            }
        }
        for name in values.required.iter().filter(|name| !object.contains_key(*name)) {
            let place = format!("{place}.{name}");
            let text = format!("{place} in body is required");
            outcome.add(Problem { kind: Kind::Required, place, value: String::new(), text });
        }
    }
}

fn better(best: Option<Outcome>, found: Outcome) -> Option<Outcome> {
    match best {
        Some(best) if best.matches >= found.matches => Some(best),
        _ => Some(found),
    }
}

fn below(size: usize, minimum: i64) -> bool {
    i64::try_from(size).is_ok_and(|size| size < minimum)
}

fn above(size: usize, maximum: i64) -> bool {
    i64::try_from(size).is_ok_and(|size| size > maximum)
}

fn check_type(
    types: &[&str],
    format: &str,
    nullable: bool,
    value: &Json,
    place: &str,
    outcome: &mut Outcome,
) {
    let (type_, own_format) = match value {
        Json::Null => {
            if !types.is_empty() && !types.contains(&"null") && !nullable {
                wrong_type(&types.join(","), "null", place, outcome);
            } else {
                outcome.matches += 1;
            }
            return;
        }
        Json::Bool(_) => ("boolean", ""),
        Json::String(_) => ("string", ""),
        Json::Number(number) if number.is_f64() => ("number", "float64"),
        Json::Number(_) => ("integer", "int64"),
        Json::Array(_) => ("array", ""),
        Json::Object(_) => ("object", ""),
    };
    let float_as_integer =
        type_ == "number" && types.contains(&"integer") && value.as_f64().is_some_and(is_integer);
    let integer_as_float = type_ == "integer" && types.contains(&"number");
    let text_or_list = matches!(value, Json::String(_) | Json::Array(_));
    let fits = types.contains(&type_) || float_as_integer || integer_as_float;
    if !(text_or_list || format.is_empty() || fits || own_format == format) {
        return wrong_type(format, own_format, place, outcome);
    }
    let is_numeric = types.contains(&"number") || types.contains(&"integer");
    if fits || (!is_numeric && !format.is_empty() && text_or_list) {
        outcome.matches += 1;
    } else {
        wrong_type(&types.join(","), type_, place, outcome);
    }
}

fn wrong_type(wanted: &str, got: &str, place: &str, outcome: &mut Outcome) {
    let text = format!("{place} in body must be of type {wanted}: {}", text::quoted(got));
    outcome.add(Problem { kind: Kind::Type, place: place.to_owned(), value: got.shown(), text });
}

/// As Kubernetes prints a JSON value.
pub(super) fn shown(value: &Json) -> String {
    match value {
        Json::String(text) => text.shown(),
        Json::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().shown(),
        other => other.shown(),
    }
}

fn check_enum(allowed: &[Json], value: &Json, place: &str, outcome: &mut Outcome) {
    let is_same = |allowed: &Json| match (allowed, value) {
        (Json::Null, _) => false,
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (a, b) => a == b,
    };
    if allowed.is_empty() || allowed.iter().any(is_same) {
        return;
    }
    let values = allowed.iter().map(|value| match value {
        Json::String(text) => text.clone(),
        other => other.shown(),
    });
    let values: Vec<String> = values.collect();
    let text = format!("{place} in body should be one of [{}]", values.join(" "));
    let problem = Problem { kind: Kind::Enum(values), place: place.to_owned(), value: shown(value), text };
    outcome.add(problem);
}

fn check_text(values: &ValueRules, text: &str, place: &str, outcome: &mut Outcome) {
    let length = text.chars().count();
    if let Some(maximum) = values.max_length.filter(|maximum| above(length, *maximum)) {
        let text = format!("{place} in body should be at most {maximum} chars long");
        let kind = Kind::TooLong(maximum);
        outcome.add(Problem { kind, place: place.to_owned(), value: String::new(), text });
    } else if let Some(minimum) = values.min_length.filter(|minimum| below(length, *minimum)) {
        let told = format!("{place} in body should be at least {minimum} chars long");
        outcome.other(place, text.shown(), told);
    } else if !values.pattern.is_empty() {
        let pattern = &values.pattern;
        match Pattern::new(pattern) {
            Ok(found) if found.matches(text) => {}
            Ok(_) => {
                outcome.other(place, text.shown(), format!("{place} in body should match '{pattern}'"));
            }
            Err(error) => {
                let told =
                    format!("{place} in body should match '{pattern}, but pattern is invalid: {error}'");
                outcome.other(place, text.shown(), told);
            }
        }
    }
}

fn check_number(
    values: &ValueRules,
    number: &Number,
    type_: &str,
    format: &str,
    place: &str,
    outcome: &mut Outcome,
) {
    let format = match (type_, format) {
        ("integer", "int32" | "int64") | ("number", "float" | "double") => format,
        _ => "",
    };
    let float = number.as_f64().unwrap_or_default();
    let integer = if number.is_f64() { None } else { number.as_i64() };
    let in_range = |value: f64, integer: Option<i64>, what: &str, outcome: &mut Outcome| {
        let fits = match (type_, format) {
            ("integer", "int32") => {
                integer.or_else(|| whole(value)).is_some_and(|it| i32::try_from(it).is_ok())
            }
            ("integer", _) => integer.or_else(|| whole(value)).is_some(),
            (_, "float") => value.abs() <= f64::from(f32::MAX),
            _ => true,
        };
        if !fits {
            let form = if format.is_empty() {
                "(default format)".to_owned()
            } else {
                format!("with format {format}")
            };
            outcome.plain(format!("{what} value must be of type {type_} {form} in {place}"));
        }
        fits
    };
    in_range(float, integer, "Checked", outcome);
    let mut late = [Outcome::default(), Outcome::default(), Outcome::default()];
    let [multiple, minimum, maximum] = &mut late;
    if let Some(factor) = values.multiple_of {
        let native = in_range(factor, None, "MultipleOf", multiple);
        check_multiple(float, integer.filter(|_| native), factor, place, multiple);
    }
    for (limit, exclusive, is_upper, found) in [
        (values.maximum, values.exclusive_maximum, true, maximum),
        (values.minimum, values.exclusive_minimum, false, minimum),
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
            found.other(place, value, format!("{place} in body should be {words} {shown_limit}"));
        }
    }
    late.into_iter().for_each(|found| outcome.merge(found));
}

fn check_multiple(float: f64, integer: Option<i64>, factor: f64, place: &str, outcome: &mut Outcome) {
    let (is_positive, fits, shown_factor, value) = match integer {
        Some(integer) => {
            let factor = factor as i64;
            (factor > 0, factor > 0 && integer % factor == 0, factor.shown(), integer.shown())
        }
        None => {
            let quotient = if factor < 1.0 { 1.0 / factor * float } else { float / factor };
            (factor > 0.0, is_integer(quotient), factor.shown(), float.shown())
        }
    };
    if !is_positive {
        let text = format!("factor MultipleOf declared for {place} must be positive: {shown_factor}");
        outcome.other(place, shown_factor, text);
    } else if !fits {
        outcome.other(place, value, format!("{place} in body should be a multiple of {shown_factor}"));
    }
}

/// A float without a fraction that 64 bits hold.
fn whole(value: f64) -> Option<i64> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    (value.fract() == 0.0 && value.abs() < BEYOND).then_some(value as i64)
}

/// Whether a float counts as an integer in JSON, with room for what divisions get wrong.
fn is_integer(value: f64) -> bool {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    if !value.is_finite() || value.abs() > LARGEST {
        return false;
    }
    let near = value.trunc();
    value == near || (near != 0.0 && (value - near).abs() / (value.abs() + near.abs()) < 1e-9)
}
