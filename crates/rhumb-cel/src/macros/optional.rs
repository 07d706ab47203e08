//! Macros for optional values: `optMap` and `optFlatMap`.

use super::quantifiers::split;
use super::{Call, Context, Error, Expansion, Macro, method};
use crate::ast::{self, Expr, ExprKind};
use crate::operators;

/// Returns the macros for optional values.
pub fn optional() -> Vec<Macro> {
    vec![method("optMap", 2, opt_map), method("optFlatMap", 2, opt_flat_map)]
}

/// `value.optMap(x, body)`: `body` as an optional, if there is a value.
fn opt_map(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    if_present(context, call, "optMap", |context, body| context.call("optional.of", vec![body]))
}

/// `value.optFlatMap(x, body)`: `body`, which is an optional itself, if there is a value.
fn opt_flat_map(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    if_present(context, call, "optFlatMap", |_, body| body)
}

fn if_present(
    context: &mut Context<'_, '_>,
    call: Call,
    name: &str,
    wrap: fn(&mut Context<'_, '_>, Expr) -> Expr,
) -> Result<Expansion, Error> {
    let (target, [var, body]) = split(call)?;
    let ExprKind::Ident(var) = &var.kind else {
        return Err(Error::new(&var, format!("{name}() variable name must be a simple identifier")));
    };
    // Each node is made in the order in which others number them.
    let present = context.id();
    let range = context.list(Vec::new());
    let copy = context.copy(&target);
    let value = context.method("value", copy, Vec::new());
    let bound = context.bind(range, var, value, body);
    let present = {
        let call =
            ast::Call { target: Some(Box::new(target)), function: "hasValue".into(), args: Vec::new() };
        Expr { id: present, kind: ExprKind::Call(call) }
    };
    let some = wrap(context, bound);
    let none = context.call("optional.none", Vec::new());
    Ok(Expansion::Expr(context.call(operators::CONDITIONAL, vec![present, some, none])))
}
