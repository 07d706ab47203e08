//! What is asked of an expression when its types are right: that constants are what functions take, that the elements
//! of a literal have one type, that loops are not nested too deeply.

use super::{CheckedAst, formats};
use crate::ast::{Expr, ExprId, ExprKind, Literal};
use crate::env::Environment;
use crate::errors::Errors;
use crate::pattern::Pattern;
use crate::time::{Duration, Timestamp};
use crate::types::Type;

/// One thing that is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Validator {
    /// A constant that `duration` is called with is a duration.
    DurationLiterals,
    /// A constant that `timestamp` is called with is a time.
    TimestampLiterals,
    /// A constant that `matches` is called with is a regular expression.
    RegexLiterals,
    /// The elements of a list have one type, and the keys and values of a map, but for arguments of `format`.
    HomogeneousAggregateLiterals,
    /// The arguments of `format` are those that its text, if it is a constant, asks for.
    StringFormats,
    /// Loops are nested no deeper than this.
    ComprehensionNesting(usize),
}

/// Asks all that the environment wants to know.
pub(super) fn validate(checked: &CheckedAst, env: &Environment, errors: &mut Errors) {
    for validator in &env.options().validators {
        let mut walk = Walk { checked, errors, validator: *validator };
        walk.expr(checked.root(), Above::default());
    }
}

/// What an expression stands in.
#[derive(Clone, Copy, Default)]
struct Above {
    /// Whether it is an argument of `format`.
    formatted: bool,
    /// The number of loops around it.
    loops: usize,
}

struct Walk<'a> {
    checked: &'a CheckedAst,
    errors: &'a mut Errors,
    validator: Validator,
}

impl Walk<'_> {
    fn expr(&mut self, expr: &Expr, mut above: Above) {
        match (self.validator, &expr.kind) {
            (Validator::DurationLiterals, ExprKind::Call(call)) if &*call.function == "duration" => {
                self.argument(&call.function, &call.args, |literal| match literal {
                    Literal::String(text) => Duration::parse(text).is_some(),
                    _ => false,
                });
            }
            (Validator::TimestampLiterals, ExprKind::Call(call)) if &*call.function == "timestamp" => {
                self.argument(&call.function, &call.args, |literal| match literal {
                    Literal::String(text) => Timestamp::parse(text).is_ok(),
                    Literal::Int(seconds) => Timestamp::new(*seconds, 0).is_some(),
                    _ => true,
                });
            }
            (Validator::RegexLiterals, ExprKind::Call(call)) if &*call.function == "matches" => {
                self.argument(&call.function, &call.args, |literal| match literal {
                    Literal::String(pattern) => Pattern::new(pattern).is_ok(),
                    _ => true,
                });
            }
            (Validator::StringFormats, ExprKind::Call(call)) if &*call.function == "format" => {
                if let (Some(target), [Expr { kind: ExprKind::List(list), .. }]) =
                    (&call.target, call.args.as_slice())
                    && let ExprKind::Literal(Literal::String(text)) = &target.kind
                    && let Err(wrong) = formats::check(self.checked, text, &list.elements)
                {
                    self.report(wrong.argument.unwrap_or(expr.id), wrong.message);
                }
            }
            (Validator::HomogeneousAggregateLiterals, ExprKind::Call(call)) => {
                above.formatted |= &*call.function == "format";
            }
            (Validator::HomogeneousAggregateLiterals, ExprKind::List(list)) if !above.formatted => {
                let optional =
                    |index: usize| list.optional.iter().any(|optional| *optional as usize == index);
                let elements =
                    list.elements.iter().enumerate().map(|(index, element)| (element, optional(index)));
                self.one_type(elements, true);
            }
            (Validator::HomogeneousAggregateLiterals, ExprKind::Map(map)) if !above.formatted => {
                self.one_type(map.entries.iter().map(|entry| (&entry.key, false)), false);
                self.one_type(map.entries.iter().map(|entry| (&entry.value, entry.optional)), false);
            }
            (Validator::ComprehensionNesting(most), ExprKind::Comprehension(comprehension)) => {
                let empty = matches!(&comprehension.iter_range.kind, ExprKind::List(list) if list.elements.is_empty());
                above.loops += usize::from(!empty);
                if above.loops > most {
                    self.report(expr.id, "comprehension exceeds nesting limit".to_owned());
                }
            }
            _ => {}
        }
        expr.each_child(&mut |child| self.expr(child, above));
    }

    /// Reports the first argument if it is a constant that does not do.
    fn argument(&mut self, function: &str, args: &[Expr], valid: impl FnOnce(&Literal) -> bool) {
        if let Some(Expr { id, kind: ExprKind::Literal(literal) }) = args.first()
            && !valid(literal)
        {
            self.report(*id, format!("invalid {function} argument"));
        }
    }

    /// Reports elements whose type is not the first one's; with `once`, one of them.
    fn one_type<'e>(&mut self, elements: impl Iterator<Item = (&'e Expr, bool)>, once: bool) {
        let mut expected: Option<Type> = None;
        for (element, optional) in elements {
            let type_ = self.checked.type_of(element.id);
            let type_ = if optional { type_.optional_of().unwrap_or(type_) } else { type_ };
            match &expected {
                None => expected = Some(type_.clone()),
                Some(expected) if crate::env::equivalent(expected, type_) => {}
                Some(expected) => {
                    let message = format!("expected type '{expected}' but found '{type_}'");
                    self.report(element.id, message);
                    if once {
                        return;
                    }
                }
            }
        }
    }

    fn report(&mut self, id: ExprId, message: String) {
        let info = &self.checked.ast().info;
        let location = info.spans.get(&id).map(|span| info.source.location(span.start));
        self.errors.report(id, location, message);
    }
}
