//! What calls cost at run time, as cel-go counts.

use std::fmt;

use super::context::Context;
use super::error::Error;
use crate::functions::CallCost;
use crate::value::Value;

/// The cost of looking up a name or a field.
pub(super) const LOOKUP: u64 = 1;
/// The cost of making a list.
pub(super) const LIST: u64 = 10;
/// The cost of making a map.
pub(super) const MAP: u64 = 30;
/// The cost of making a message.
pub(super) const OBJECT: u64 = 40;

/// The share of a text's length that passing over it costs.
const TRAVERSAL: f64 = 0.1;
/// The share of a pattern's length that counts as its states.
const PATTERN: f64 = 0.25;

/// How the cost of a call follows from its arguments.
#[derive(Clone)]
pub(super) enum Rule {
    /// One.
    Flat,
    /// A pass over the first argument.
    First,
    /// The size of the second argument.
    SizeOfSecond,
    /// A pass over the smaller argument.
    Smaller,
    /// A pass over both arguments.
    Both,
    /// A pass over the text for each state of the pattern.
    Matches,
    /// A pass over the text for each pass over its part.
    Contains,
    /// What somebody else says.
    Given(CallCost),
}

impl Rule {
    /// Returns the rule of an overload.
    pub(super) fn of(overload: &str) -> Self {
        match overload {
            "starts_with_string" | "ends_with_string" | "string_to_bytes" | "bytes_to_string"
            | "strings_quote" | "string_format" => Rule::First,
            "in_list" => Rule::SizeOfSecond,
            "less_string"
            | "greater_string"
            | "less_equals_string"
            | "greater_equals_string"
            | "less_bytes"
            | "greater_bytes"
            | "less_equals_bytes"
            | "greater_equals_bytes"
            | "equals"
            | "not_equals" => Rule::Smaller,
            "add_string" | "add_bytes" => Rule::Both,
            "matches_string" => Rule::Matches,
            "contains_string" => Rule::Contains,
            _ => Rule::Flat,
        }
    }

    /// Counts a call of one argument.
    pub(super) fn charge_one<'a>(
        &self,
        context: &mut Context<'_>,
        arg: &Result<Value<'a>, Error>,
        result: &Result<Value<'a>, Error>,
    ) -> Result<(), Error> {
        match self {
            Rule::Flat => context.charge(1),
            Rule::Given(_) => self.charge(context, std::slice::from_ref(shown(arg)), result),
            _ => context.charge(self.of_sizes(size(arg), 1)),
        }
    }

    /// Counts a call of two arguments.
    pub(super) fn charge_two<'a>(
        &self,
        context: &mut Context<'_>,
        args: (&Result<Value<'a>, Error>, &Result<Value<'a>, Error>),
        result: &Result<Value<'a>, Error>,
    ) -> Result<(), Error> {
        match self {
            Rule::Flat => context.charge(1),
            Rule::Given(_) => self.charge(context, &[shown(args.0).clone(), shown(args.1).clone()], result),
            _ => context.charge(self.of_sizes(size(args.0), size(args.1))),
        }
    }

    /// Counts a call.
    pub(super) fn charge<'a>(
        &self,
        context: &mut Context<'_>,
        args: &[Value<'a>],
        result: &Result<Value<'a>, Error>,
    ) -> Result<(), Error> {
        let of = |at: usize| args.get(at).map_or(1, actual_size);
        match self {
            Rule::Flat => context.charge(1),
            Rule::Given(cost) => context.charge(cost(args, result).unwrap_or(1)),
            _ => context.charge(self.of_sizes(of(0), of(1))),
        }
    }

    fn of_sizes(&self, first: u64, second: u64) -> u64 {
        match self {
            Rule::Flat | Rule::Given(_) => 1,
            Rule::First => pass(first as f64),
            Rule::SizeOfSecond => second,
            Rule::Smaller => pass(first.min(second) as f64),
            Rule::Both => pass(first.saturating_add(second) as f64),
            Rule::Matches => pass(1.0 + first as f64).saturating_mul((second as f64 * PATTERN).ceil() as u64),
            Rule::Contains => pass(first as f64).saturating_mul(pass(second as f64)),
        }
    }
}

fn shown<'v, 'a>(arg: &'v Result<Value<'a>, Error>) -> &'v Value<'a> {
    arg.as_ref().unwrap_or(&Value::Null)
}

fn size(arg: &Result<Value<'_>, Error>) -> u64 {
    arg.as_ref().map_or(1, actual_size)
}

/// Returns what a pass over so many letters costs.
fn pass(size: f64) -> u64 {
    (size * TRAVERSAL).ceil() as u64
}

/// Returns the size that a value counts with: that of a text, list or map, also in an optional, else one.
pub fn actual_size(value: &Value<'_>) -> u64 {
    match value {
        Value::Optional(Some(value)) => actual_size(value),
        _ => value.size().unwrap_or(1),
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Flat => "Flat",
            Rule::First => "First",
            Rule::SizeOfSecond => "SizeOfSecond",
            Rule::Smaller => "Smaller",
            Rule::Both => "Both",
            Rule::Matches => "Matches",
            Rule::Contains => "Contains",
            Rule::Given(_) => "Given",
        })
    }
}
