//! The extension library of sets: lists compared regardless of order and repetition.

use super::Library;
use crate::eval::{Context, Error, actual_size};
use crate::functions::Function;
use crate::types::Type;
use crate::value::{List, Value};

/// The extension library of sets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sets;

impl Library for Sets {
    fn name(&self) -> &str {
        "cel.lib.ext.sets"
    }

    fn functions(&self) -> Vec<Function> {
        let lists = || vec![Type::list(Type::param("T")), Type::list(Type::param("T"))];
        vec![
            Function::global("sets.contains", "list_sets_contains_list", lists(), Type::Bool)
                .with(|context, args| both(args, |one, two| contains(context, one, two)))
                .costing(|args, _| Some(cost(args, 1))),
            Function::global("sets.equivalent", "list_sets_equivalent_list", lists(), Type::Bool)
                .with(|context, args| {
                    both(args, |one, two| Ok(contains(context, one, two)? && contains(context, two, one)?))
                })
                .costing(|args, _| Some(cost(args, 2))),
            Function::global("sets.intersects", "list_sets_intersects_list", lists(), Type::Bool)
                .with(|context, args| both(args, |one, two| intersects(context, one, two)))
                .costing(|args, _| Some(cost(args, 1))),
        ]
    }
}

fn both<'a>(
    args: &[Value<'a>],
    compare: impl FnOnce(&List<'a>, &List<'a>) -> Result<bool, Error>,
) -> Result<Value<'a>, Error> {
    match args {
        [Value::List(one), Value::List(two)] => compare(one, two).map(Value::Bool),
        _ => Err(Error::no_such_overload()),
    }
}

/// Returns whether a list has all elements of another.
fn contains(context: &mut Context<'_>, list: &List<'_>, part: &List<'_>) -> Result<bool, Error> {
    for element in part.iter() {
        context.work(1 + list.len() as u64)?;
        if !list.contains(&element) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn intersects(context: &mut Context<'_>, one: &List<'_>, two: &List<'_>) -> Result<bool, Error> {
    for element in one.iter() {
        context.work(1 + two.len() as u64)?;
        if two.contains(&element) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn cost(args: &[Value<'_>], factor: u64) -> u64 {
    let size = |at: usize| args.get(at).map_or(1, actual_size);
    size(0).saturating_mul(size(1)).saturating_mul(factor).saturating_add(1)
}
