//! Calls of `format` whose text is a constant: each clause must have an argument of its type, each argument a clause.

use super::CheckedAst;
use crate::ast::{Expr, ExprId, ExprKind};
use crate::types::Type;

/// What is wrong with a call, and the argument that it is about, if it is about one.
pub(super) struct Wrong {
    pub(super) argument: Option<ExprId>,
    pub(super) message: String,
}

impl Wrong {
    fn new(message: impl Into<String>) -> Self {
        Self { argument: None, message: message.into() }
    }
}

/// Checks a text with the arguments that are put into it.
pub(super) fn check(checked: &CheckedAst, text: &str, args: &[Expr]) -> Result<(), Wrong> {
    let mut used = 0;
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('%') {
        if let Some(after) = after.strip_prefix('%') {
            rest = after;
            continue;
        }
        if after.is_empty() {
            return Err(Wrong::new("unexpected end of string"));
        }
        let arg = args.get(used).ok_or_else(|| Wrong::new(format!("index {used} out of range")))?;
        used += 1;
        rest = clause(checked, after, arg)?;
    }
    if args.len() > used {
        let given = args.len();
        return Err(Wrong::new(format!(
            "too many arguments supplied to string.format (expected {used}, got {given})"
        )));
    }
    Ok(())
}

/// Checks a clause with its argument, and returns what stands after it.
fn clause<'t>(checked: &CheckedAst, text: &'t str, arg: &Expr) -> Result<&'t str, Wrong> {
    let wrong = |problem: &str| Wrong::new(format!("could not parse formatting clause: {problem}"));
    let rest = match text.strip_prefix('.') {
        Some(precision) => {
            let rest = precision.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = precision.get(..precision.len() - rest.len()).unwrap_or_default();
            let precision = |problem: &str| wrong(&format!("error while parsing precision: {problem}"));
            if rest.is_empty() {
                return Err(precision("could not find end of precision specifier"));
            }
            if digits.parse::<i64>().is_err() {
                let problem = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
                return Err(precision(&format!(
                    "error while converting precision to integer: strconv.Atoi: parsing \"{digits}\": {problem}"
                )));
            }
            rest
        }
        None => text,
    };
    let mut letters = rest.chars();
    let Some(letter) = letters.next() else { return Err(Wrong::new("unexpected end of string")) };
    let type_ = checked.type_of(arg.id).unwrapped();
    let (fits, what): (fn(&Type) -> bool, &str) = match letter {
        's' => {
            if let Some(part) = unprintable(checked, arg) {
                return Err(mismatch(checked, part, PRINTABLE));
            }
            return Ok(letters.as_str());
        }
        'd' => {
            (|type_| matches!(type_, Type::Int | Type::Uint), "decimal clause can only be used on integers")
        }
        'f' => (
            |type_| matches!(type_, Type::Double | Type::String),
            "fixed-point clause can only be used on doubles",
        ),
        'e' => (
            |type_| matches!(type_, Type::Double | Type::String),
            "scientific clause can only be used on doubles",
        ),
        'b' => (
            |type_| matches!(type_, Type::Int | Type::Uint | Type::Bool),
            "only integers and bools can be formatted as binary",
        ),
        'x' | 'X' => (
            |type_| matches!(type_, Type::Int | Type::Uint | Type::String | Type::Bytes),
            "only integers, byte buffers, and strings can be formatted as hex",
        ),
        'o' => (|type_| matches!(type_, Type::Int | Type::Uint), "octal clause can only be used on integers"),
        other => return Err(wrong(&format!("unrecognized formatting clause \"{other}\""))),
    };
    if *type_ != Type::Dyn && !fits(type_) {
        return Err(mismatch(checked, arg, what));
    }
    Ok(letters.as_str())
}

/// What `%s` takes.
const PRINTABLE: &str = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, \
                         durations, and timestamps";

fn mismatch(checked: &CheckedAst, arg: &Expr, what: &str) -> Wrong {
    let given = checked.type_of(arg.id).name();
    Wrong { argument: Some(arg.id), message: format!("error during formatting: {what}, was given {given}") }
}

/// Returns the part of an argument that `%s` doesn't take.
fn unprintable<'e>(checked: &CheckedAst, arg: &'e Expr) -> Option<&'e Expr> {
    let printable = matches!(
        checked.type_of(arg.id).unwrapped(),
        Type::Dyn
            | Type::List(_)
            | Type::Map(_)
            | Type::Int
            | Type::Uint
            | Type::Double
            | Type::Bool
            | Type::String
            | Type::Timestamp
            | Type::Bytes
            | Type::Duration
            | Type::Type(_)
            | Type::Null
    );
    if !printable {
        return Some(arg);
    }
    match &arg.kind {
        ExprKind::List(list) => list.elements.iter().find_map(|element| unprintable(checked, element)),
        ExprKind::Map(map) => map.entries.iter().find_map(|entry| {
            unprintable(checked, &entry.key).or_else(|| unprintable(checked, &entry.value))
        }),
        _ => None,
    }
}
