//! The extension library of texts: `charAt`, `indexOf`, `split`, `format` and others.

use std::sync::Arc;

use super::Library;
use crate::checker::Validator;
use crate::env::Options;
use crate::eval::{Context, Error};
use crate::functions::Function;
use crate::types::Type;
use crate::value::{Plain, Str, Value};

mod format;

/// The extension library of texts.
#[derive(Clone, Copy, Debug)]
pub struct Strings {
    /// The version of the library: 1 adds `format` and `strings.quote`, 2 other errors of `join`, 3 `reverse`.
    pub version: u32,
}

impl Strings {
    /// Returns the library as it was in a version.
    #[must_use]
    pub const fn version(version: u32) -> Self {
        Self { version }
    }
}

impl Default for Strings {
    /// Returns the newest version.
    fn default() -> Self {
        Self::version(3)
    }
}

impl Library for Strings {
    fn name(&self) -> &str {
        "cel.lib.ext.strings"
    }

    fn functions(&self) -> Vec<Function> {
        let mut functions = places();
        functions.extend(changes());
        if self.version >= 1 {
            functions.push(
                Function::member(
                    "format",
                    "string_format",
                    vec![Type::String, Type::list(Type::Dyn)],
                    Type::String,
                )
                .with(format::format),
            );
            functions.push(
                Function::global("strings.quote", "strings_quote", vec![Type::String], Type::String).with(
                    |context, args| {
                        let text = text(args, 0)?;
                        context.allocate(text.len() + 2)?;
                        Ok(quote(text).into())
                    },
                ),
            );
        }
        functions.extend([
            Function::member("join", "list_join", vec![Type::list(Type::String)], Type::String)
                .with(|context, args| join(context, args, "")),
            Function::member(
                "join",
                "list_join_string",
                vec![Type::list(Type::String), Type::String],
                Type::String,
            )
            .with(|context, args| join(context, args, text(args, 1)?)),
        ]);
        if self.version >= 3 {
            functions.push(
                Function::member("reverse", "string_reverse", vec![Type::String], Type::String).with(
                    |context, args| {
                        let text = text(args, 0)?;
                        context.allocate(text.len())?;
                        Ok(text.chars().rev().collect::<String>().into())
                    },
                ),
            );
        }
        functions
    }

    fn configure(&self, options: &mut Options) {
        if self.version >= 1 && !options.validators.contains(&Validator::StringFormats) {
            options.validators.push(Validator::StringFormats);
        }
    }
}

/// Functions that look for places and what stands there.
fn places() -> Vec<Function> {
    let index = || vec![Type::String, Type::String];
    let index_from = || vec![Type::String, Type::String, Type::Int];
    vec![
        Function::member("charAt", "string_char_at_int", vec![Type::String, Type::Int], Type::String)
            .with(char_at),
        Function::member("indexOf", "string_index_of_string", index(), Type::Int)
            .with(|context, args| index_of(context, text(args, 0)?, text(args, 1)?, 0)),
        Function::member("indexOf", "string_index_of_string_int", index_from(), Type::Int)
            .with(|context, args| index_of(context, text(args, 0)?, text(args, 1)?, int(args, 2)?)),
        Function::member("lastIndexOf", "string_last_index_of_string", index(), Type::Int).with(
            |context, args| {
                let (whole, part) = (text(args, 0)?, text(args, 1)?);
                let len = letters(whole);
                match part {
                    "" => Ok(Value::Int(len)),
                    _ if whole.len() < part.len() => Ok(Value::Int(-1)),
                    _ => last_index_of(context, whole, part, len - 1),
                }
            },
        ),
        Function::member("lastIndexOf", "string_last_index_of_string_int", index_from(), Type::Int)
            .with(|context, args| last_index_of(context, text(args, 0)?, text(args, 1)?, int(args, 2)?)),
        Function::member("substring", "string_substring_int", vec![Type::String, Type::Int], Type::String)
            .with(|context, args| substring(context, args, int(args, 1)?, None)),
        Function::member(
            "substring",
            "string_substring_int_int",
            vec![Type::String, Type::Int, Type::Int],
            Type::String,
        )
        .with(|context, args| substring(context, args, int(args, 1)?, Some(int(args, 2)?))),
    ]
}

/// Functions that make other texts.
fn changes() -> Vec<Function> {
    let texts = |count: usize| vec![Type::String; count];
    let list = || Type::list(Type::String);
    vec![
        Function::member("lowerAscii", "string_lower_ascii", texts(1), Type::String).with(|context, args| {
            let text = text(args, 0)?;
            context.allocate(text.len())?;
            Ok(text.to_ascii_lowercase().into())
        }),
        Function::member("replace", "string_replace_string_string", texts(3), Type::String)
            .with(|context, args| replace(context, args, -1)),
        Function::member(
            "replace",
            "string_replace_string_string_int",
            vec![Type::String, Type::String, Type::String, Type::Int],
            Type::String,
        )
        .with(|context, args| replace(context, args, int(args, 3)?)),
        Function::member("split", "string_split_string", texts(2), list())
            .with(|context, args| split(context, args, -1)),
        Function::member(
            "split",
            "string_split_string_int",
            vec![Type::String, Type::String, Type::Int],
            list(),
        )
        .with(|context, args| split(context, args, int(args, 2)?)),
        Function::member("trim", "string_trim", texts(1), Type::String).with(trim),
        Function::member("upperAscii", "string_upper_ascii", texts(1), Type::String).with(|context, args| {
            let text = text(args, 0)?;
            context.allocate(text.len())?;
            Ok(text.to_ascii_uppercase().into())
        }),
    ]
}

fn text<'v>(args: &'v [Value<'_>], at: usize) -> Result<&'v str, Error> {
    match args.get(at) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(Error::no_such_overload()),
    }
}

fn int(args: &[Value<'_>], at: usize) -> Result<i64, Error> {
    match args.get(at) {
        Some(Value::Int(value)) => Ok(*value),
        _ => Err(Error::no_such_overload()),
    }
}

fn out_of_range(index: i64) -> Error {
    Error::new(format!("index out of range: {index}"))
}

/// Returns the number of code points.
fn letters(text: &str) -> i64 {
    i64::try_from(crate::value::count_code_points(text)).unwrap_or(i64::MAX)
}

/// Returns where a code point begins; the end for the one after the last.
fn offset(text: &str, letter: i64) -> Option<usize> {
    let letter = usize::try_from(letter).ok()?;
    if text.is_ascii() {
        return (letter <= text.len()).then_some(letter);
    }
    text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(letter)
}

/// Returns a part of the text in the first argument, borrowed if that is.
fn part<'a>(
    context: &mut Context<'_>,
    args: &[Value<'a>],
    range: std::ops::Range<usize>,
) -> Result<Value<'a>, Error> {
    match args.first() {
        Some(Value::String(Str::Borrowed(text))) => Ok(Value::from(text.get(range).unwrap_or_default())),
        Some(Value::String(Str::Shared(text))) => {
            context.allocate(range.len())?;
            Ok(Value::from(Arc::<str>::from(text.get(range).unwrap_or_default())))
        }
        _ => Err(Error::no_such_overload()),
    }
}

fn char_at<'a>(context: &mut Context<'_>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (text, index) = (text(args, 0)?, int(args, 1)?);
    let start = offset(text, index).ok_or_else(|| out_of_range(index))?;
    let len = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    part(context, args, start..start + len)
}

fn index_of<'a>(context: &mut Context<'_>, whole: &str, part: &str, from: i64) -> Result<Value<'a>, Error> {
    if part.is_empty() {
        return Ok(Value::Int(from));
    }
    if from < 0 {
        return Err(out_of_range(from));
    }
    context.work(whole.len() as u64 / 64)?;
    let Some(start) = offset(whole, from) else { return Ok(Value::Int(-1)) };
    let rest = whole.get(start..).unwrap_or_default();
    Ok(Value::Int(rest.find(part).map_or(-1, |at| from + letters(rest.get(..at).unwrap_or_default()))))
}

fn last_index_of<'a>(
    context: &mut Context<'_>,
    whole: &str,
    part: &str,
    until: i64,
) -> Result<Value<'a>, Error> {
    if part.is_empty() {
        return Ok(Value::Int(until));
    }
    if until < 0 {
        return Err(out_of_range(until));
    }
    context.work(whole.len() as u64 / 64)?;
    let last = match offset(whole, until) {
        Some(start) if start < whole.len() => start,
        _ => return Ok(Value::Int(-1)),
    };
    // The part may begin at the last place, and end behind it.
    let mut end = last.saturating_add(part.len()).min(whole.len());
    while !whole.is_char_boundary(end) {
        end -= 1;
    }
    let found = whole.get(..end).unwrap_or_default().rfind(part);
    Ok(Value::Int(found.map_or(-1, |at| letters(whole.get(..at).unwrap_or_default()))))
}

fn substring<'a>(
    context: &mut Context<'_>,
    args: &[Value<'a>],
    start: i64,
    end: Option<i64>,
) -> Result<Value<'a>, Error> {
    let text = text(args, 0)?;
    if let Some(end) = end
        && start > end
    {
        return Err(Error::new(format!("invalid substring range. start: {start}, end: {end}")));
    }
    let from = offset(text, start).ok_or_else(|| out_of_range(start))?;
    let to = match end {
        Some(end) => offset(text, end).ok_or_else(|| out_of_range(end))?,
        None => text.len(),
    };
    part(context, args, from..to)
}

/// Replaces a part of a text so many times, every time if the number is negative.
fn replace<'a>(context: &mut Context<'_>, args: &[Value<'a>], times: i64) -> Result<Value<'a>, Error> {
    let (text, old, new) = (text(args, 0)?, text(args, 1)?, text(args, 2)?);
    let times = usize::try_from(times).unwrap_or(usize::MAX);
    let found = text.match_indices(old).take(times).count();
    let grown = new.len().saturating_sub(old.len()).saturating_mul(found);
    context.allocate(text.len().saturating_add(grown))?;
    Ok(text.replacen(old, new, times).into())
}

/// Splits a text into so many parts at most, into all if the number is negative.
fn split<'a>(context: &mut Context<'_>, args: &[Value<'a>], parts: i64) -> Result<Value<'a>, Error> {
    let (whole, separator) = (text(args, 0)?, text(args, 1)?);
    let parts = usize::try_from(parts).unwrap_or(usize::MAX);
    let mut places = Vec::new();
    let mut start = 0;
    if parts > 0 && !(separator.is_empty() && whole.is_empty()) {
        while places.len() + 1 < parts {
            let rest = whole.get(start..).unwrap_or_default();
            let found = match separator {
                "" => rest.chars().next().map(char::len_utf8).filter(|len| *len < rest.len()),
                _ => rest.find(separator),
            };
            let Some(found) = found else { break };
            context.allocate(size_of::<Value<'_>>())?;
            places.push(start..start + found);
            start += found + separator.len();
        }
        places.push(start..whole.len());
    }
    let parts: Result<Vec<_>, _> = places.into_iter().map(|range| part(context, args, range)).collect();
    parts.map(Value::from)
}

fn trim<'a>(context: &mut Context<'_>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let text = text(args, 0)?;
    let start = text.len() - text.trim_start().len();
    let len = text.trim().len();
    part(context, args, start..start + len)
}

fn join<'a>(context: &mut Context<'_>, args: &[Value<'a>], separator: &str) -> Result<Value<'a>, Error> {
    let Some(Value::List(list)) = args.first() else { return Err(Error::no_such_overload()) };
    let mut joined = String::new();
    for (at, element) in list.iter().enumerate() {
        let Value::String(text) = &element else {
            return Err(Error::new(format!("join: invalid input: {}", Plain(&element))));
        };
        let separator = if at == 0 { "" } else { separator };
        context.allocate(separator.len() + text.len())?;
        joined.push_str(separator);
        joined.push_str(text);
    }
    Ok(joined.into())
}

/// Writes a text so that it can be printed between double quotes.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}
