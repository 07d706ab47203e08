//! Writes a syntax tree as text again: with one style of quotes and blanks, and only the parentheses that it needs.

use std::fmt::Write as _;

use crate::ast::{Call, Expr, ExprKind, Literal, SourceInfo};
use crate::operators;

/// The column after which a line is broken at the next `&&` or `||`.
const BREAK_AFTER: usize = 80;

/// Writes an expression. Macros are written as they were called, which has to be known
/// ([`crate::parser::Options::macro_calls`]); without it, there is no text for a loop.
pub fn unparse(expr: &Expr, info: &SourceInfo) -> Option<String> {
    let mut unparser = Unparser { info, text: String::new(), line: 0 };
    unparser.expr(expr)?;
    Some(unparser.text)
}

struct Unparser<'a> {
    info: &'a SourceInfo,
    text: String,
    /// Where the line begins that is being written.
    line: usize,
}

impl Unparser<'_> {
    fn expr(&mut self, expr: &Expr) -> Option<()> {
        if let Some(call) = self.info.macro_calls.get(&expr.id) {
            return self.expr(call);
        }
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Ident(name) => self.text.push_str(name),
            ExprKind::Select(select) if select.test_only => {
                self.text.push_str("has(");
                self.select(&select.operand, false, ".", &select.field)?;
                self.text.push(')');
            }
            ExprKind::Select(select) => {
                self.select(&select.operand, is_operator(&select.operand), ".", &select.field)?
            }
            ExprKind::Call(call) => self.call(call)?,
            ExprKind::List(list) => {
                self.text.push('[');
                for (index, element) in (0u32..).zip(&list.elements) {
                    self.item(index == 0, list.optional.contains(&index));
                    self.expr(element)?;
                }
                self.text.push(']');
            }
            ExprKind::Map(map) => {
                self.text.push('{');
                for (index, entry) in map.entries.iter().enumerate() {
                    self.item(index == 0, entry.optional);
                    self.expr(&entry.key)?;
                    self.text.push_str(": ");
                    self.expr(&entry.value)?;
                }
                self.text.push('}');
            }
            ExprKind::Struct(message) => {
                self.text.push_str(&message.type_name);
                self.text.push('{');
                for (index, field) in message.fields.iter().enumerate() {
                    self.item(index == 0, field.optional);
                    self.field(&field.name);
                    self.text.push_str(": ");
                    self.expr(&field.value)?;
                }
                self.text.push('}');
            }
            ExprKind::Unspecified | ExprKind::Comprehension(_) => return None,
        }
        Some(())
    }

    /// What stands before an element.
    fn item(&mut self, first: bool, optional: bool) {
        self.text.push_str(if first { "" } else { ", " });
        self.text.push_str(if optional { "?" } else { "" });
    }

    fn nested(&mut self, expr: &Expr, parentheses: bool) -> Option<()> {
        if !parentheses {
            return self.expr(expr);
        }
        self.text.push('(');
        self.expr(expr)?;
        self.text.push(')');
        Some(())
    }

    fn select(&mut self, operand: &Expr, parentheses: bool, dot: &str, field: &str) -> Option<()> {
        self.nested(operand, parentheses)?;
        self.text.push_str(dot);
        self.field(field);
        Some(())
    }

    fn field(&mut self, name: &str) {
        let plain = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|other| other.is_ascii_alphanumeric() || other == '_')
            && name != "in";
        if plain {
            self.text.push_str(name);
        } else {
            self.text.push('`');
            self.text.push_str(name);
            self.text.push('`');
        }
    }

    fn call(&mut self, call: &Call) -> Option<()> {
        match (&*call.function, call.target.as_deref(), call.args.as_slice()) {
            (operators::CONDITIONAL, None, [condition, yes, no]) => {
                self.nested(condition, has_two_operands(condition))?;
                self.text.push_str(" ? ");
                self.nested(yes, has_two_operands(yes))?;
                self.text.push_str(" : ");
                self.nested(no, has_two_operands(no))
            }
            (operators::OPT_SELECT, None, [operand, field]) => match &field.kind {
                ExprKind::Literal(Literal::String(name)) => {
                    self.select(operand, is_operator(operand), ".?", name)
                }
                _ => None,
            },
            (operators::INDEX, None, [operand, index]) => self.index(operand, "[", index),
            (operators::OPT_INDEX, None, [operand, index]) => self.index(operand, "[?", index),
            (operators::LOGICAL_NOT, None, [operand]) => {
                self.text.push('!');
                self.nested(operand, has_two_operands(operand))
            }
            (operators::NEGATE, None, [operand]) => {
                self.text.push('-');
                self.nested(operand, has_two_operands(operand))
            }
            (function, None, [first, rest @ ..])
                if !rest.is_empty() && operators::binary_symbol(function).is_some() =>
            {
                self.binary(function, first, rest)
            }
            (function, target, args) => {
                if let Some(target) = target {
                    self.nested(target, is_operator(target))?;
                    self.text.push('.');
                }
                self.text.push_str(function);
                self.text.push('(');
                for (index, arg) in args.iter().enumerate() {
                    self.item(index == 0, false);
                    self.expr(arg)?;
                }
                self.text.push(')');
                Some(())
            }
        }
    }

    fn index(&mut self, operand: &Expr, bracket: &str, index: &Expr) -> Option<()> {
        self.nested(operand, is_operator(operand))?;
        self.text.push_str(bracket);
        self.expr(index)?;
        self.text.push(']');
        Some(())
    }

    fn binary(&mut self, function: &str, first: &Expr, rest: &[Expr]) -> Option<()> {
        let own = operators::precedence(function);
        let logical = matches!(function, operators::LOGICAL_AND | operators::LOGICAL_OR);
        let looser =
            |operand: &Expr| has_two_operands(operand) && own < call_precedence(operand).unwrap_or_default();
        self.nested(first, looser(first))?;
        for operand in rest {
            let symbol = operators::binary_symbol(function)?;
            if logical && self.text.len() - self.line + function.len() >= BREAK_AFTER {
                self.line = self.text.len();
                let _ = writeln!(self.text, " {symbol}");
            } else {
                let _ = write!(self.text, " {symbol} ");
            }
            // The operators that are not logical are read from the left.
            let same = !logical && call_precedence(operand) == Some(own);
            self.nested(operand, looser(operand) || same)?;
        }
        Some(())
    }

    fn literal(&mut self, literal: &Literal) {
        // Writing to a string can't fail.
        let _ = match literal {
            Literal::Null => write!(self.text, "null"),
            Literal::Bool(value) => write!(self.text, "{value}"),
            Literal::Int(value) => write!(self.text, "{value}"),
            Literal::Uint(value) => write!(self.text, "{value}u"),
            Literal::Double(value) => {
                let text = shortest(*value);
                let point = if text.contains('.') { "" } else { ".0" };
                write!(self.text, "{text}{point}")
            }
            Literal::String(value) => {
                quote(&mut self.text, value);
                Ok(())
            }
            Literal::Bytes(value) => {
                self.text.push_str("b\"");
                for byte in value.iter() {
                    let _ = write!(self.text, "\\{byte:03o}");
                }
                self.text.push('"');
                Ok(())
            }
        };
    }
}

/// The precedence of an operator, or 0 of another call.
fn call_precedence(expr: &Expr) -> Option<u8> {
    match &expr.kind {
        ExprKind::Call(call) => Some(operators::precedence(&call.function)),
        _ => None,
    }
}

fn has_two_operands(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call(call) if call.args.len() > 1)
}

/// Whether it is an operator between operands, which needs parentheses before a dot.
fn is_operator(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(call) if call.args.len() > 1 => {
            operators::binary_symbol(&call.function).is_some() || *call.function == *operators::CONDITIONAL
        }
        _ => false,
    }
}

/// A number with as few digits as tell it from others; with an exponent if that is short or long.
fn shortest(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        return value.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// Writes a string between double quotes, with escapes for what can't be seen.
fn quote(out: &mut String, value: &str) {
    out.push('"');
    for character in value.chars() {
        // Writing to a string can't fail.
        let _ = match character {
            '"' => write!(out, "\\\""),
            '\\' => write!(out, "\\\\"),
            '\u{7}' => write!(out, "\\a"),
            '\u{8}' => write!(out, "\\b"),
            '\u{c}' => write!(out, "\\f"),
            '\n' => write!(out, "\\n"),
            '\r' => write!(out, "\\r"),
            '\t' => write!(out, "\\t"),
            '\u{b}' => write!(out, "\\v"),
            ' ' => write!(out, " "),
            other if is_seen(other) => write!(out, "{other}"),
            other if (other as u32) < 0x80 => write!(out, "\\x{:02x}", other as u32),
            other if (other as u32) < 0x1_0000 => write!(out, "\\u{:04x}", other as u32),
            other => write!(out, "\\U{:08x}", other as u32),
        };
    }
    out.push('"');
}

/// Whether a character leaves a mark, as far as can be told without tables.
fn is_seen(character: char) -> bool {
    let hidden = character.is_control()
        || character.is_whitespace()
        || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(character, '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(character, '\u{feff}' | '\u{fff0}'..='\u{fffb}')
        || matches!(character, '\u{e0000}'..='\u{10ffff}');
    !hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_few_digits() {
        let check = |value: f64, expected: &str| assert_eq!(shortest(value), expected);
        check(1.0, "1");
        check(0.1, "0.1");
        check(-1.5e-5, "-1.5e-05");
        check(1e20, "1e+20");
        check(123_456.5, "123456.5");
        check(123_456_789.0, "1.23456789e+08");
        check(0.0001, "0.0001");
        check(f64::INFINITY, "+Inf");
    }

    #[test]
    fn strings_are_quoted() {
        let check = |value: &str, expected: &str| {
            let mut out = String::new();
            quote(&mut out, value);
            assert_eq!(out, expected);
        };
        check("a'b\"c\\", "\"a'b\\\"c\\\\\"");
        check("\u{0}\u{7f}\u{80}\u{a0}é日", "\"\\x00\\x7f\\u0080\\u00a0é日\"");
        check("\u{7}\n\t😀", "\"\\a\\n\\t😀\"");
    }
}
