//! The macros of the language itself: `has`, `all`, `exists`, `exists_one`, `map` and `filter`.

use super::{Call, Context, Error, Expansion, Loop, Macro, method};
use crate::ast::{Expr, ExprKind, Literal};
use crate::operators;

/// Returns the macros that every environment has.
pub fn standard() -> Vec<Macro> {
    vec![
        Macro { name: "has", args: Some(1), receiver: false, expand: has },
        method("all", 2, all),
        method("exists", 2, exists),
        method("exists_one", 2, exists_one),
        method("map", 2, map),
        method("map", 3, map),
        method("filter", 2, filter),
    ]
}

const NOT_A_NAME: &str = "argument must be a simple name";
const NOT_AN_IDENTIFIER: &str = "argument is not an identifier";

/// `has(a.b)`
fn has(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let [arg] = take(call.args)?;
    match arg {
        Expr { kind: ExprKind::Select(select), .. } => {
            Ok(Expansion::Expr(context.presence(select.operand, select.field)))
        }
        other => Err(Error::new(&other, "invalid argument to has() macro")),
    }
}

/// `range.all(x, condition)`: gathers `true && condition && …`.
fn all(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let (range, [element, condition]) = split(call)?;
    let name = context.variable(&element, NOT_A_NAME)?;
    Ok(Expansion::Expr(all_of(context, range, (name, None), condition)))
}

/// `range.exists(x, condition)`: gathers `false || condition || …`.
fn exists(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let (range, [element, condition]) = split(call)?;
    let name = context.variable(&element, NOT_A_NAME)?;
    Ok(Expansion::Expr(any_of(context, range, (name, None), condition)))
}

/// `range.exists_one(x, condition)`: counts.
fn exists_one(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let (range, [element, condition]) = split(call)?;
    let name = context.variable(&element, NOT_A_NAME)?;
    Ok(Expansion::Expr(one_of(context, range, (name, None), condition)))
}

/// `range.map(x, value)` or `range.map(x, condition, value)`
pub(super) fn map(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let (range, element, condition, value) = if call.args.len() == 3 {
        let (range, [element, condition, value]) = split(call)?;
        (range, element, Some(condition), value)
    } else {
        let (range, [element, value]) = split(call)?;
        (range, element, None, value)
    };
    let name = context.variable(&element, NOT_AN_IDENTIFIER)?;
    let init = context.list(Vec::new());
    let go_on = context.literal(Literal::Bool(true));
    let step = appended(context, value);
    let step = context.only_if(condition, step);
    Ok(Expansion::Expr(context.gather(range, (name, None), init, go_on, step)))
}

/// `range.filter(x, condition)`
fn filter(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let (range, [element, condition]) = split(call)?;
    let name = context.variable(&element, NOT_AN_IDENTIFIER)?;
    let init = context.list(Vec::new());
    let go_on = context.literal(Literal::Bool(true));
    let step = appended(context, element);
    let step = context.only_if(Some(condition), step);
    Ok(Expansion::Expr(context.gather(range, (name, None), init, go_on, step)))
}

/// Names of the elements of a loop.
pub(super) type Variables = (std::sync::Arc<str>, Option<std::sync::Arc<str>>);

pub(super) fn all_of(context: &mut Context<'_, '_>, range: Expr, vars: Variables, condition: Expr) -> Expr {
    let init = context.literal(Literal::Bool(true));
    let gathered = context.gathered();
    let go_on = context.call(operators::NOT_STRICTLY_FALSE, vec![gathered]);
    let gathered = context.gathered();
    let step = context.call(operators::LOGICAL_AND, vec![gathered, condition]);
    context.gather(range, vars, init, go_on, step)
}

pub(super) fn any_of(context: &mut Context<'_, '_>, range: Expr, vars: Variables, condition: Expr) -> Expr {
    let init = context.literal(Literal::Bool(false));
    let gathered = context.gathered();
    let none = context.call(operators::LOGICAL_NOT, vec![gathered]);
    let go_on = context.call(operators::NOT_STRICTLY_FALSE, vec![none]);
    let gathered = context.gathered();
    let step = context.call(operators::LOGICAL_OR, vec![gathered, condition]);
    context.gather(range, vars, init, go_on, step)
}

pub(super) fn one_of(context: &mut Context<'_, '_>, range: Expr, vars: Variables, condition: Expr) -> Expr {
    let init = context.literal(Literal::Int(0));
    let go_on = context.literal(Literal::Bool(true));
    let gathered = context.gathered();
    let one = context.literal(Literal::Int(1));
    let more = context.call(operators::ADD, vec![gathered, one]);
    let step = context.only_if(Some(condition), more);
    let gathered = context.gathered();
    let one = context.literal(Literal::Int(1));
    let result = context.call(operators::EQUALS, vec![gathered, one]);
    let accumulator = context.accumulator().into();
    context.fold(Loop { range, vars, accumulator, init, condition: go_on, step, result })
}

/// `gathered + [value]`
pub(super) fn appended(context: &mut Context<'_, '_>, value: Expr) -> Expr {
    let gathered = context.gathered();
    let one = context.list(vec![value]);
    context.call(operators::ADD, vec![gathered, one])
}

/// What stands before the dot, and the arguments.
pub(super) fn split<const N: usize>(call: Call) -> Result<(Expr, [Expr; N]), Error> {
    let Some(target) = call.target else {
        return Err(Error { expr_id: 0, message: "a macro needs something before the dot".to_owned() });
    };
    Ok((target, take(call.args)?))
}

pub(super) fn take<const N: usize>(args: Vec<Expr>) -> Result<[Expr; N], Error> {
    args.try_into().map_err(|args: Vec<Expr>| {
        let message = format!("a macro has {} arguments and needs {N}", args.len());
        Error { expr_id: args.first().map_or(0, |arg| arg.id), message }
    })
}
