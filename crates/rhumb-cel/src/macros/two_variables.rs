//! Macros with names for both index and element, or key and value.

use super::quantifiers::{Variables, all_of, any_of, appended, one_of, split};
use super::{Call, Context, Error, Expansion, Macro, method};
use crate::ast::{Expr, Literal};

/// The function that puts an entry, or all entries of a map, into a map.
const MAP_INSERT: &str = "cel.@mapInsert";

/// Returns the macros for loops with two variables.
pub fn two_variables() -> Vec<Macro> {
    vec![
        method("all", 3, all),
        method("exists", 3, exists),
        method("existsOne", 3, exists_one),
        method("exists_one", 3, exists_one),
        method("transformList", 3, transform_list),
        method("transformList", 4, transform_list),
        method("transformMap", 3, transform_map),
        method("transformMap", 4, transform_map),
        method("transformMapEntry", 3, transform_map_entry),
        method("transformMapEntry", 4, transform_map_entry),
    ]
}

/// `range.all(k, v, condition)`
fn all(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let (range, [first, second, condition]) = split(call)?;
    let vars = variables(context, &first, &second)?;
    Ok(Expansion::Expr(all_of(context, range, vars, condition)))
}

/// `range.exists(k, v, condition)`
fn exists(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let (range, [first, second, condition]) = split(call)?;
    let vars = variables(context, &first, &second)?;
    Ok(Expansion::Expr(any_of(context, range, vars, condition)))
}

/// `range.existsOne(k, v, condition)`
fn exists_one(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let (range, [first, second, condition]) = split(call)?;
    let vars = variables(context, &first, &second)?;
    Ok(Expansion::Expr(one_of(context, range, vars, condition)))
}

/// `range.transformList(k, v, value)` or `range.transformList(k, v, condition, value)`
fn transform_list(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let Transform { range, vars, condition, value } = transform(context, call)?;
    let step = appended(context, value);
    let step = context.only_if(condition, step);
    let init = context.list(Vec::new());
    let go_on = context.literal(Literal::Bool(true));
    Ok(Expansion::Expr(context.gather(range, vars, init, go_on, step)))
}

/// `range.transformMap(k, v, value)` or `range.transformMap(k, v, condition, value)`: keys stay.
fn transform_map(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let Transform { range, vars, condition, value } = transform(context, call)?;
    let gathered = context.gathered();
    let key = context.ident(&vars.0);
    let step = context.call(MAP_INSERT, vec![gathered, key, value]);
    inserted(context, range, vars, condition, step)
}

/// `range.transformMapEntry(k, v, {key: value})` or `range.transformMapEntry(k, v, condition, {key: value})`
fn transform_map_entry(context: &mut Context<'_, '_>, call: Call) -> Result<Expansion, Error> {
    let Transform { range, vars, condition, value } = transform(context, call)?;
    let gathered = context.gathered();
    let step = context.call(MAP_INSERT, vec![gathered, value]);
    inserted(context, range, vars, condition, step)
}

fn inserted(
    context: &mut Context<'_, '_>,
    range: Expr,
    vars: Variables,
    condition: Option<Expr>,
    step: Expr,
) -> Result<Expansion, Error> {
    let step = context.only_if(condition, step);
    let init = context.map();
    let go_on = context.literal(Literal::Bool(true));
    Ok(Expansion::Expr(context.gather(range, vars, init, go_on, step)))
}

/// The parts of a call that makes a list or map of another.
struct Transform {
    range: Expr,
    vars: Variables,
    condition: Option<Expr>,
    value: Expr,
}

fn transform(context: &Context<'_, '_>, call: Call) -> Result<Transform, Error> {
    let (range, first, second, condition, value) = if call.args.len() == 4 {
        let (range, [first, second, condition, value]) = split(call)?;
        (range, first, second, Some(condition), value)
    } else {
        let (range, [first, second, value]) = split(call)?;
        (range, first, second, None, value)
    };
    let vars = variables(context, &first, &second)?;
    Ok(Transform { range, vars, condition, value })
}

fn variables(context: &Context<'_, '_>, first: &Expr, second: &Expr) -> Result<Variables, Error> {
    let name = |arg: &Expr| match &arg.kind {
        crate::ast::ExprKind::Ident(name) => Ok(name.clone()),
        _ => Err(Error::new(arg, "argument must be a simple name")),
    };
    let names = (name(first)?, name(second)?);
    if names.0 == names.1 {
        return Err(Error::new(second, format!("duplicate variable name: {}", names.0)));
    }
    context.not_gathered(first, &names.0)?;
    context.not_gathered(second, &names.1)?;
    Ok((names.0, Some(names.1)))
}
