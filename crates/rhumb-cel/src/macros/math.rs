//! `math.greatest` and `math.least`, which take any number of arguments.

use super::{Call, Context, Error, Expansion, Macro, is_named};
use crate::ast::{Expr, ExprKind, Literal};

/// Returns the macros of the mathematics library.
pub fn math() -> Vec<Macro> {
    let variadic = |name, expand| Macro { name, args: None, receiver: true, expand };
    vec![variadic("least", least), variadic("greatest", greatest)]
}

/// `math.least(a, …)`
fn least(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    extreme(context, call, "math.least()", "math.@min")
}

/// `math.greatest(a, …)`
fn greatest(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    extreme(context, call, "math.greatest()", "math.@max")
}

fn extreme(
    context: &mut Context<'_, '_>,
    call: Call,
    name: &str,
    function: &str,
) -> Result<Expansion, Error> {
    let Some(target) = call.target.as_ref().filter(|target| is_named(Some(*target), "math")) else {
        return Ok(Expansion::None(call));
    };
    match call.args.as_slice() {
        [] => return Err(Error::new(target, format!("{name} requires at least one argument"))),
        [arg] if may_be_number(arg) || is_list_of_numbers(arg) => {}
        [arg] => return Err(Error::new(arg, format!("{name} invalid single argument value"))),
        args => {
            if let Some(arg) = args.iter().find(|arg| !may_be_number(arg)) {
                return Err(Error::new(arg, format!("{name} simple literal arguments must be numeric")));
            }
        }
    }
    let args = if call.args.len() > 2 { vec![context.list(call.args)] } else { call.args };
    Ok(Expansion::Expr(context.call(function, args)))
}

fn may_be_number(arg: &Expr) -> bool {
    match &arg.kind {
        ExprKind::Literal(literal) => {
            matches!(literal, Literal::Int(_) | Literal::Uint(_) | Literal::Double(_))
        }
        ExprKind::List(_) | ExprKind::Map(_) | ExprKind::Struct(_) => false,
        _ => true,
    }
}

fn is_list_of_numbers(arg: &Expr) -> bool {
    matches!(&arg.kind, ExprKind::List(list) if !list.elements.is_empty() && list.elements.iter().all(may_be_number))
}
