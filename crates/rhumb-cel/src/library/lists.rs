//! The extension library of lists: `slice`, `flatten`, `sort` and others.

use std::cmp::Ordering;

use super::Library;
use crate::eval::{Context, Error, actual_size};
use crate::functions::Function;
use crate::macros::{self, Macro};
use crate::types::Type;
use crate::value::{List, Plain, Value};

/// The extension library of lists.
#[derive(Clone, Copy, Debug)]
pub struct Lists {
    /// The version of the library: 1 adds `flatten`, 2 `sort`, `sortBy`, `lists.range`, `reverse` and `distinct`, 3
    /// costs.
    pub version: u32,
}

/// The types whose lists can be sorted.
const SORTED: [Type; 8] = [
    Type::Int,
    Type::Uint,
    Type::Double,
    Type::Bool,
    Type::Duration,
    Type::Timestamp,
    Type::String,
    Type::Bytes,
];

/// What making a list costs, with the call.
const BASE: u64 = 11;
/// How deep lists may nest that are flattened.
const MAX_DEPTH: i64 = 64;

impl Lists {
    /// Returns the library as it was in a version.
    #[must_use]
    pub const fn version(version: u32) -> Self {
        Self { version }
    }
}

impl Default for Lists {
    /// Returns the newest version.
    fn default() -> Self {
        Self::version(3)
    }
}

impl Library for Lists {
    fn name(&self) -> &str {
        "cel.lib.ext.lists"
    }

    fn functions(&self) -> Vec<Function> {
        let t = || Type::list(Type::param("T"));
        let mut functions = vec![
            Function::member("slice", "list_slice", vec![t(), Type::Int, Type::Int], t())
                .with(slice)
                .costing(|_, result| Some(output(result))),
        ];
        if self.version >= 1 {
            functions.extend(flattening());
        }
        if self.version >= 2 {
            functions.extend(sorting());
            functions.extend([
                Function::global("lists.range", "lists_range", vec![Type::Int], Type::list(Type::Int))
                    .with(range)
                    .costing(|_, result| Some(output(result))),
                Function::member("reverse", "list_reverse", vec![t()], t())
                    .with(reverse)
                    .costing(|_, result| Some(output(result))),
                Function::member("distinct", "list_distinct", vec![t()], t())
                    .with(distinct)
                    .costing(|args, _| args.first().map(compared)),
            ]);
        }
        if self.version < 3 {
            for function in &mut functions {
                function.cost = None;
            }
        }
        functions
    }

    fn macros(&self) -> Vec<Macro> {
        if self.version >= 2 { macros::lists() } else { Vec::new() }
    }
}

fn flattening() -> Vec<Function> {
    let t = || Type::list(Type::param("T"));
    let any = || Type::list(Type::Dyn);
    vec![
        Function::member("flatten", "list_flatten", vec![Type::list(t())], t())
            .with(|context, args| match args {
                [Value::List(list)] => flatten(context, list, 1),
                [other, ..] => Err(Error::no_overload(format!("{}.flatten()", shown(other)))),
                [] => Err(Error::no_such_overload()),
            })
            .unguarded()
            .costing(|args, _| Some(scaled(args.first(), 1.0))),
        Function::member("flatten", "list_flatten_int", vec![any(), Type::Int], any())
            .with(|context, args| match args {
                [Value::List(list), Value::Int(depth)] => flatten(context, list, *depth),
                [one, two] => Err(Error::no_overload(format!("{}.flatten({})", shown(one), shown(two)))),
                _ => Err(Error::no_such_overload()),
            })
            .unguarded()
            .costing(|args, _| match args {
                [list, Value::Int(depth)] => Some(scaled(Some(list), *depth as f64)),
                _ => None,
            }),
    ]
}

/// Returns the type of a value as errors show it.
fn shown(value: &Value<'_>) -> String {
    Plain(&Value::Type(value.type_())).to_string()
}

fn sorting() -> Vec<Function> {
    let t = || Type::list(Type::param("T"));
    let sort = |of: &Type| {
        let list = || Type::list(of.clone());
        Function::member("sort", &format!("list_{}_sort", of.name()), vec![list()], list())
            .with(|context, args| match args {
                [Value::List(list)] => sort_by(context, list, list),
                [other, ..] => Err(not_sorted("sort", other)),
                [] => Err(Error::no_such_overload()),
            })
            .unguarded()
            .costing(|args, _| args.first().map(compared))
    };
    let sort_by = |of: &Type| {
        let id = format!("list_{}_sortByAssociatedKeys", of.name());
        Function::member("@sortByAssociatedKeys", &id, vec![t(), Type::list(of.clone())], t())
            .with(|context, args| match args {
                [Value::List(list), Value::List(keys)] => sort_by(context, list, keys),
                [other, ..] => Err(not_sorted("@sortByAssociatedKeys", other)),
                [] => Err(Error::no_such_overload()),
            })
            .unguarded()
            .costing(|args, _| args.get(1).map(compared))
    };
    SORTED.iter().map(sort).chain(SORTED.iter().map(sort_by)).collect()
}

fn not_sorted(function: &str, value: &Value<'_>) -> Error {
    match value {
        Value::String(_) | Value::Duration(_) | Value::Timestamp(_) => Error::no_such_overload(),
        _ => Error::no_overload(function),
    }
}

/// Returns the cost of making a list as large as a result.
fn output(result: &Result<Value<'_>, Error>) -> u64 {
    result.as_ref().map_or(1, actual_size).saturating_add(BASE)
}

/// Returns the cost of so many passes over a list.
fn scaled(list: Option<&Value<'_>>, factor: f64) -> u64 {
    let size = list.map_or(1, actual_size);
    // A negative factor takes something off, as in cel-go.
    ((size as f64 * factor) as i64).cast_unsigned().wrapping_add(BASE)
}

/// Returns the cost of comparing each element of a list with each other.
fn compared(list: &Value<'_>) -> u64 {
    let size = actual_size(list);
    let first = match list {
        Value::List(list) => list.get(0),
        _ => None,
    };
    let factor = if matches!(first, Some(Value::String(_) | Value::Bytes(_))) { 2.1 } else { 2.0 };
    ((size.saturating_mul(size) as f64 * factor) as u64).saturating_add(BASE)
}

fn room(context: &mut Context<'_>, elements: usize) -> Result<(), Error> {
    context.work(elements as u64)?;
    context.allocate(elements.saturating_mul(size_of::<Value<'_>>()))
}

fn slice<'a>(context: &mut Context<'_>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let [Value::List(list), Value::Int(start), Value::Int(end)] = args else {
        return Err(Error::no_such_overload());
    };
    let (Ok(from), Ok(to)) = (usize::try_from(*start), usize::try_from(*end)) else {
        return Err(Error::new(format!("cannot slice({start}, {end}), negative indexes not supported")));
    };
    if from > to {
        let problem = "start index must be less than or equal to end index";
        return Err(Error::new(format!("cannot slice({start}, {end}), {problem}")));
    }
    let len = list.len();
    if len < to {
        return Err(Error::new(format!("cannot slice({start}, {end}), list is length {len}")));
    }
    room(context, to - from)?;
    Ok(Value::from((from..to).filter_map(|at| list.get(at)).collect::<Vec<_>>()))
}

fn flatten<'a>(context: &mut Context<'_>, list: &List<'a>, depth: i64) -> Result<Value<'a>, Error> {
    if depth < 0 {
        return Err(Error::new("level must be non-negative"));
    }
    let mut flat = Vec::new();
    flatten_into(context, list, depth.min(MAX_DEPTH), &mut flat)?;
    Ok(Value::from(flat))
}

fn flatten_into<'a>(
    context: &mut Context<'_>,
    list: &List<'a>,
    depth: i64,
    flat: &mut Vec<Value<'a>>,
) -> Result<(), Error> {
    for element in list.iter() {
        match element {
            Value::List(inner) if depth > 0 => flatten_into(context, &inner, depth - 1, flat)?,
            other => {
                room(context, 1)?;
                flat.push(other);
            }
        }
    }
    Ok(())
}

/// Sorts a list by keys of the same number. Like Go's sort of long lists it may swap what has equal keys; here it
/// never does.
fn sort_by<'a>(context: &mut Context<'_>, list: &List<'a>, keys: &List<'a>) -> Result<Value<'a>, Error> {
    if list.len() != keys.len() {
        return Err(Error::new(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            list.len(),
            keys.len()
        )));
    }
    let Some(first) = keys.get(0) else { return Ok(Value::List(list.clone())) };
    if !matches!(
        first,
        Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Timestamp(_)
    ) {
        return Err(Error::new("list elements must be comparable"));
    }
    room(context, list.len().saturating_mul(2))?;
    let mut pairs: Vec<(Value<'a>, Value<'a>)> = keys.iter().zip(list.iter()).collect();
    let kind = std::mem::discriminant(&first);
    if pairs.len() > 1 && pairs.iter().any(|(key, _)| std::mem::discriminant(key) != kind) {
        return Err(Error::new("list elements must have the same type"));
    }
    pairs.sort_by(|(one, _), (two, _)| one.compare(two).unwrap_or(Ordering::Equal));
    Ok(Value::from(pairs.into_iter().map(|(_, value)| value).collect::<Vec<_>>()))
}

fn range<'a>(context: &mut Context<'_>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let [Value::Int(end)] = args else { return Err(Error::no_such_overload()) };
    room(context, usize::try_from(*end).unwrap_or_default())?;
    Ok(Value::from((0..*end).map(Value::Int).collect::<Vec<_>>()))
}

fn reverse<'a>(context: &mut Context<'_>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let [Value::List(list)] = args else { return Err(Error::no_such_overload()) };
    room(context, list.len())?;
    Ok(Value::from((0..list.len()).rev().filter_map(|at| list.get(at)).collect::<Vec<_>>()))
}

fn distinct<'a>(context: &mut Context<'_>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let [Value::List(list)] = args else { return Err(Error::no_such_overload()) };
    room(context, list.len())?;
    let mut seen: Vec<Value<'a>> = Vec::new();
    for element in list.iter() {
        context.work(1 + seen.len() as u64)?;
        if !seen.iter().any(|other| element.equal(other)) {
            seen.push(element);
        }
    }
    Ok(Value::from(seen))
}
