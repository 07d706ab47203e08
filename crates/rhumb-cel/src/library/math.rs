//! The extension library of numbers.

use std::cmp::Ordering;

use super::Library;
use crate::eval::Error;
use crate::functions::Function;
use crate::macros::{self, Macro};
use crate::types::Type;
use crate::value::{List, Value};

/// The extension library of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Math {
    /// The version of the library: 1 adds rounding, signs and bits, 2 `math.sqrt`.
    pub version: u32,
}

impl Math {
    /// Returns the library as it was in a version.
    #[must_use]
    pub const fn version(version: u32) -> Self {
        Self { version }
    }
}

impl Default for Math {
    /// Returns the newest version.
    fn default() -> Self {
        Self::version(2)
    }
}

impl Library for Math {
    fn name(&self) -> &str {
        "cel.lib.ext.math"
    }

    fn functions(&self) -> Vec<Function> {
        let mut functions = extremes("min", Ordering::Greater);
        functions.extend(extremes("max", Ordering::Less));
        if self.version >= 1 {
            functions.extend(doubles());
            functions.extend(signs());
            functions.extend(bits());
            functions.extend(shifts());
        }
        if self.version >= 2 {
            for type_ in [Type::Double, Type::Int, Type::Uint] {
                functions.push(global("sqrt", &type_.clone(), Type::Double, |value| match value {
                    Value::Double(value) => Ok(Value::Double(value.sqrt())),
                    Value::Int(value) => Ok(Value::Double((*value as f64).sqrt())),
                    Value::Uint(value) => Ok(Value::Double((*value as f64).sqrt())),
                    _ => Err(Error::no_overload("sqrt")),
                }));
            }
        }
        functions
    }

    fn macros(&self) -> Vec<Macro> {
        macros::math()
    }
}

const NUMBERS: [Type; 3] = [Type::Double, Type::Int, Type::Uint];

/// The pairs of types in the order of their overloads.
const PAIRS: [(Type, Type); 9] = [
    (Type::Double, Type::Double),
    (Type::Int, Type::Int),
    (Type::Uint, Type::Uint),
    (Type::Int, Type::Uint),
    (Type::Int, Type::Double),
    (Type::Double, Type::Int),
    (Type::Double, Type::Uint),
    (Type::Uint, Type::Int),
    (Type::Uint, Type::Double),
];

/// Declares `math.@min` or `math.@max`, which takes the second of two if the first compares so with it.
fn extremes(name: &'static str, second: Ordering) -> Vec<Function> {
    let function = format!("math.@{name}");
    let mut functions = Vec::with_capacity(15);
    for type_ in NUMBERS {
        let id = format!("math_@{name}_{}", type_.name());
        functions.push(Function::global(&function, &id, vec![type_.clone()], type_).with(
            |_, args| match args {
                [value] => Ok(value.clone()),
                _ => Err(Error::no_such_overload()),
            },
        ));
    }
    for (left, right) in PAIRS {
        let id = format!("math_@{name}_{}_{}", left.name(), right.name());
        let result = if left == right { left.clone() } else { Type::Dyn };
        functions.push(Function::global(&function, &id, vec![left, right], result).with(move |_, args| {
            match args {
                [one, two] => better(one, two, name, second),
                _ => Err(Error::no_such_overload()),
            }
        }));
    }
    for type_ in NUMBERS {
        let id = format!("math_@{name}_list_{}", type_.name());
        let params = vec![Type::list(type_.clone())];
        functions.push(Function::global(&function, &id, params, type_).with(move |_, args| match args {
            [Value::List(list)] => best(list, name, second),
            _ => Err(Error::no_such_overload()),
        }));
    }
    functions
}

fn better<'a>(one: &Value<'a>, two: &Value<'a>, name: &str, second: Ordering) -> Result<Value<'a>, Error> {
    let comparable = !matches!(
        one,
        Value::Null
            | Value::List(_)
            | Value::Map(_)
            | Value::Object(_)
            | Value::Type(_)
            | Value::Optional(_)
            | Value::Opaque(_)
    );
    if !comparable {
        return Err(Error::no_such_overload());
    }
    match one.compare(two) {
        Ok(order) if order == second => Ok(two.clone()),
        Ok(_) => Ok(one.clone()),
        Err(error) => Err(Error::new(format!("{error}: math.@{name}"))),
    }
}

fn best<'a>(list: &List<'a>, name: &str, second: Ordering) -> Result<Value<'a>, Error> {
    let Some(mut best) = list.get(0) else {
        return Err(Error::new(format!("math.@{name}(list) argument must not be empty")));
    };
    for element in list.iter().skip(1) {
        best =
            better(&best, &element, name, second).map_err(|_| Error::no_overload(format!("math.@{name}")))?;
    }
    match best {
        Value::Int(_) | Value::Uint(_) | Value::Double(_) => Ok(best),
        _ => Err(Error::no_overload(format!("math.@{name}"))),
    }
}

/// Declares an overload of one argument.
fn global(
    name: &str,
    type_: &Type,
    result: Type,
    compute: impl Fn(&Value<'_>) -> Result<Value<'static>, Error> + Send + Sync + 'static,
) -> Function {
    let id = format!("math_{name}_{}", type_.name());
    Function::global(&format!("math.{name}"), &id, vec![type_.clone()], result).with(
        move |_, args| match args {
            [value] => compute(value),
            _ => Err(Error::no_such_overload()),
        },
    )
}

fn doubles() -> Vec<Function> {
    let number = |name: &str, compute: fn(f64) -> f64| {
        global(name, &Type::Double, Type::Double, move |value| match value {
            Value::Double(value) => Ok(Value::Double(compute(*value))),
            _ => Err(Error::no_such_overload()),
        })
    };
    let test = |name: &str, holds: fn(f64) -> bool| {
        global(name, &Type::Double, Type::Bool, move |value| match value {
            Value::Double(value) => Ok(Value::Bool(holds(*value))),
            _ => Err(Error::no_such_overload()),
        })
    };
    vec![
        number("ceil", f64::ceil),
        number("floor", f64::floor),
        number("round", f64::round),
        number("trunc", f64::trunc),
        test("isInf", f64::is_infinite),
        test("isNaN", f64::is_nan),
        test("isFinite", f64::is_finite),
    ]
}

fn signs() -> Vec<Function> {
    let abs = |value: &Value<'_>| match value {
        Value::Double(value) => Ok(Value::Double(value.abs())),
        Value::Int(value) => {
            value.checked_abs().map(Value::Int).ok_or_else(|| Error::new("integer overflow"))
        }
        Value::Uint(value) => Ok(Value::Uint(*value)),
        _ => Err(Error::no_such_overload()),
    };
    let sign = |value: &Value<'_>| match value {
        Value::Double(value) if value.is_nan() => Ok(Value::Double(*value)),
        Value::Double(0.0) => Ok(Value::Double(0.0)),
        Value::Double(value) => Ok(Value::Double(value.signum())),
        Value::Int(value) => Ok(Value::Int(value.signum())),
        Value::Uint(value) => Ok(Value::Uint(u64::from(*value != 0))),
        _ => Err(Error::no_such_overload()),
    };
    let abs = NUMBERS.iter().map(|type_| global("abs", type_, type_.clone(), abs));
    let sign = NUMBERS.iter().map(|type_| global("sign", type_, type_.clone(), sign));
    abs.chain(sign).collect()
}

fn bits() -> Vec<Function> {
    let pair = |name: &str, signed: fn(i64, i64) -> i64, unsigned: fn(u64, u64) -> u64| {
        [Type::Int, Type::Uint].map(|type_| {
            let id = format!("math_{name}_{0}_{0}", type_.name());
            let params = vec![type_.clone(), type_.clone()];
            Function::global(&format!("math.{name}"), &id, params, type_).with(move |_, args| match args {
                [Value::Int(one), Value::Int(two)] => Ok(Value::Int(signed(*one, *two))),
                [Value::Uint(one), Value::Uint(two)] => Ok(Value::Uint(unsigned(*one, *two))),
                _ => Err(Error::no_such_overload()),
            })
        })
    };
    let not = [Type::Int, Type::Uint].map(|type_| {
        let id = format!("math_bitNot_{0}_{0}", type_.name());
        Function::global("math.bitNot", &id, vec![type_.clone()], type_).with(|_, args| match args {
            [Value::Int(value)] => Ok(Value::Int(!value)),
            [Value::Uint(value)] => Ok(Value::Uint(!value)),
            _ => Err(Error::no_such_overload()),
        })
    });
    let pairs = [
        pair("bitAnd", |one, two| one & two, |one, two| one & two),
        pair("bitOr", |one, two| one | two, |one, two| one | two),
        pair("bitXor", |one, two| one ^ two, |one, two| one ^ two),
    ];
    pairs.into_iter().flatten().chain(not).collect()
}

/// How many places a value is shifted; as many as it has bits leave nothing of it.
fn shifts() -> Vec<Function> {
    let shift = |name: &'static str, compute: fn(u64, u32) -> Option<u64>| {
        [Type::Int, Type::Uint].map(|type_| {
            let id = format!("math_{name}_{}_int", type_.name());
            let params = vec![type_.clone(), Type::Int];
            Function::global(&format!("math.{name}"), &id, params, type_).with(move |_, args| {
                let places = |places: i64| match u32::try_from(places) {
                    Ok(places) => Ok(places),
                    Err(_) if places < 0 => {
                        Err(Error::new(format!("math.{name}() negative offset: {places}")))
                    }
                    Err(_) => Ok(u32::MAX),
                };
                match args {
                    [Value::Int(value), Value::Int(by)] => {
                        let bits = compute(value.cast_unsigned(), places(*by)?).unwrap_or_default();
                        Ok(Value::Int(bits.cast_signed()))
                    }
                    [Value::Uint(value), Value::Int(by)] => {
                        Ok(Value::Uint(compute(*value, places(*by)?).unwrap_or_default()))
                    }
                    _ => Err(Error::no_such_overload()),
                }
            })
        })
    };
    let left = shift("bitShiftLeft", u64::checked_shl);
    let right = shift("bitShiftRight", u64::checked_shr);
    left.into_iter().chain(right).collect()
}
