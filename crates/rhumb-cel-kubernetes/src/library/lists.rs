//! Lists: `isSorted`, `sum`, `min`, `max`, `indexOf` and `lastIndexOf`.

use std::cmp::Ordering;

use rhumb_cel::eval::{Context, Error};
use rhumb_cel::functions::Function;
use rhumb_cel::library::Library;
use rhumb_cel::time::Duration;
use rhumb_cel::types::Type;
use rhumb_cel::value::{List, Value};

/// The library of lists.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lists;

/// The types that have an order, with their names in overloads.
const COMPARABLE: &[(&str, Type)] = &[
    ("int", Type::Int),
    ("uint", Type::Uint),
    ("double", Type::Double),
    ("bool", Type::Bool),
    ("duration", Type::Duration),
    ("timestamp", Type::Timestamp),
    ("string", Type::String),
    ("bytes", Type::Bytes),
];

/// The types that can be summed up.
const SUMMABLE: &[&str] = &["int", "uint", "double", "duration"];

fn list<'v, 'a>(args: &'v [Value<'a>]) -> Result<&'v List<'a>, Error> {
    match args.first() {
        Some(Value::List(list)) => Ok(list),
        _ => Err(Error::no_such_overload()),
    }
}

fn is_sorted<'a>(context: &mut Context<'_>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let mut previous: Option<Value<'_>> = None;
    for element in list(args)?.iter() {
        context.work(1)?;
        // What can't be compared, such as NaN, is in order.
        if previous.is_some_and(|previous| matches!(previous.compare(&element), Ok(Ordering::Greater))) {
            return Ok(Value::Bool(false));
        }
        previous = Some(element);
    }
    Ok(Value::Bool(true))
}

/// Returns the first element that is in no other's way: `replaced` if another comes.
fn extreme<'a>(
    context: &mut Context<'_>,
    args: &[Value<'a>],
    name: &str,
    replaced: Ordering,
) -> Result<Value<'a>, Error> {
    let mut found: Option<Value<'a>> = None;
    for element in list(args)?.iter() {
        context.work(1)?;
        match &found {
            Some(best) if !matches!(best.compare(&element), Ok(order) if order == replaced) => {}
            _ => found = Some(element),
        }
    }
    found.ok_or_else(|| Error::new(format!("{name} called on empty list")))
}

fn sum<'a>(context: &mut Context<'_>, args: &[Value<'a>], zero: Value<'a>) -> Result<Value<'a>, Error> {
    let mut sum = zero;
    for element in list(args)?.iter() {
        context.work(1)?;
        sum = add(&sum, &element)?;
    }
    Ok(sum)
}

/// Adds two numbers or durations.
fn add<'a>(left: &Value<'_>, right: &Value<'_>) -> Result<Value<'a>, Error> {
    let overflow = |kind: &str| Error::new(format!("{kind} overflow"));
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => {
            left.checked_add(*right).map(Value::Int).ok_or_else(|| overflow("integer"))
        }
        (Value::Uint(left), Value::Uint(right)) => {
            left.checked_add(*right).map(Value::Uint).ok_or_else(|| overflow("unsigned integer"))
        }
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left + right)),
        (Value::Duration(left), Value::Duration(right)) => {
            let sum = left.nanos().checked_add(right.nanos()).map(Duration::from_nanos);
            sum.map(Value::Duration).ok_or_else(|| overflow("duration"))
        }
        _ => Err(Error::no_such_overload()),
    }
}

/// Returns the first index of a value, counting from the start or the end.
fn index_of<'a>(context: &mut Context<'_>, args: &[Value<'a>], last: bool) -> Result<Value<'a>, Error> {
    let list = list(args)?;
    let wanted = args.get(1).ok_or_else(Error::no_such_overload)?;
    let length = list.len();
    for step in 0..length {
        context.work(1)?;
        let index = if last { length - 1 - step } else { step };
        if list.get(index).is_some_and(|element| element.equal(wanted)) {
            return Ok(Value::Int(i64::try_from(index).unwrap_or(i64::MAX)));
        }
    }
    Ok(Value::Int(-1))
}

impl Library for Lists {
    fn name(&self) -> &str {
        "kubernetes.lists"
    }

    fn functions(&self) -> Vec<Function> {
        let mut functions = Vec::with_capacity(32);
        for (name, element) in COMPARABLE {
            let params = || vec![Type::list(element.clone())];
            let id = |function: &str| format!("list_{name}_{function}_{name}");
            functions.extend([
                Function::member("isSorted", &format!("list_{name}_is_sorted_bool"), params(), Type::Bool)
                    .with(is_sorted),
                Function::member("max", &id("max"), params(), element.clone())
                    .with(|context, args| extreme(context, args, "max", Ordering::Less)),
                Function::member("min", &id("min"), params(), element.clone())
                    .with(|context, args| extreme(context, args, "min", Ordering::Greater)),
            ]);
            if SUMMABLE.contains(name) {
                let element = element.clone();
                let sum = Function::member("sum", &id("sum"), params(), element.clone()).with(
                    move |context, args| {
                        let zero = match element {
                            Type::Int => Value::Int(0),
                            Type::Uint => Value::Uint(0),
                            Type::Double => Value::Double(0.0),
                            _ => Value::Duration(Duration::default()),
                        };
                        sum(context, args, zero)
                    },
                );
                functions.push(sum);
            }
        }
        let params = || vec![Type::list(Type::param("A")), Type::param("A")];
        functions.extend([
            Function::member("indexOf", "list_a_index_of_int", params(), Type::Int)
                .with(|context, args| index_of(context, args, false)),
            Function::member("lastIndexOf", "list_a_last_index_of_int", params(), Type::Int)
                .with(|context, args| index_of(context, args, true)),
        ]);
        functions
    }
}
