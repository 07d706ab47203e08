//! The macros that the tests of blocks bring along: values that are computed once and named by number.

use rhumb_cel::ast::{Comprehension, Expr, ExprKind, Literal};
use rhumb_cel::macros::{Call, Context, Error, Expansion, Macro};

/// `cel.block`, `cel.index`, `cel.iterVar` and `cel.accuVar`
pub(crate) fn macros() -> Vec<Macro> {
    let method = |name, args, expand| Macro { name, args: Some(args), receiver: true, expand };
    vec![
        method("block", 2, block),
        method("index", 1, index),
        method("iterVar", 2, iter_var),
        method("accuVar", 2, accu_var),
    ]
}

fn is_cel(call: &Call) -> bool {
    matches!(call.target.as_ref().map(|target| &target.kind), Some(ExprKind::Ident(name)) if **name == *"cel")
}

/// `cel.block([a, b], body)`: binds `@index0` and `@index1` around the body.
fn block(context: &mut Context<'_, '_>, mut call: Call) -> Result<Expansion, Error> {
    let (Some(body), Some(values), true) = (call.args.pop(), call.args.pop(), is_cel(&call)) else {
        return Ok(Expansion::None(call));
    };
    let ExprKind::List(list) = values.kind else {
        return Err(Error { expr_id: values.id, message: "cel.block() needs a list".to_owned() });
    };
    let bound = list.elements.into_iter().enumerate().rev().fold(body, |body, (index, value)| {
        let name = format!("@index{index}");
        let iter_range = context.list(Vec::new());
        let loop_condition = context.literal(Literal::Bool(false));
        let loop_step = context.ident(&name);
        context.node(ExprKind::Comprehension(Box::new(Comprehension {
            iter_var: "#unused".into(),
            iter_var2: None,
            iter_range,
            accu_var: name.into(),
            accu_init: value,
            loop_condition,
            loop_step,
            result: body,
        })))
    });
    Ok(Expansion::Expr(bound))
}

/// `cel.index(0)`: a value of the block.
fn index(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    named(context, call, "@index")
}

/// `cel.iterVar(depth, number)`: the element of a loop.
fn iter_var(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    named(context, call, "@it")
}

/// `cel.accuVar(depth, number)`: what a loop gathers.
fn accu_var(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    named(context, call, "@ac")
}

fn named(context: &mut Context<'_, '_>, call: Call, prefix: &str) -> Result<Expansion, Error> {
    if !is_cel(&call) {
        return Ok(Expansion::None(call));
    }
    let number = |arg: &Expr| match arg.kind {
        ExprKind::Literal(Literal::Int(number)) => Ok(number.to_string()),
        _ => Err(Error { expr_id: arg.id, message: "a number is needed".to_owned() }),
    };
    let numbers: Result<Vec<_>, _> = call.args.iter().map(number).collect();
    Ok(Expansion::Expr(context.ident(&format!("{prefix}{}", numbers?.join(":")))))
}
