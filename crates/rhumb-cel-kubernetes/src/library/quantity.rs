//! Quantities: `quantity`, `isQuantity`, their order and sums.

use std::any::Any;
use std::cmp::Ordering;

use rhumb_cel::eval::Error;
use rhumb_cel::functions::Function;
use rhumb_cel::library::Library;
use rhumb_cel::types::Type;
use rhumb_cel::value::{Opaque, Value};
use rhumb_meta::{Format, Quantity};

use super::{opaque, text, wrap};

/// The library of quantities.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantities;

/// A quantity as a value.
#[derive(Clone, Debug)]
pub struct QuantityValue(pub Quantity);

impl QuantityValue {
    /// Returns the type of quantities.
    pub fn type_() -> Type {
        Type::object("kubernetes.Quantity")
    }
}

impl Opaque for QuantityValue {
    fn type_(&self) -> Type {
        Self::type_()
    }

    fn equal(&self, other: &dyn Opaque) -> bool {
        other.as_any().downcast_ref::<Self>().is_some_and(|other| self.0 == other.0)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Declares a comparison of two quantities.
fn comparison(name: &str, id: &str, result: Type, answer: fn(Ordering) -> Value<'static>) -> Function {
    Function::member(name, id, vec![QuantityValue::type_(), QuantityValue::type_()], result)
        .with(move |_, args| Ok(answer(quantity(args, 0)?.cmp(quantity(args, 1)?))))
}

fn quantity<'v>(args: &'v [Value<'_>], index: usize) -> Result<&'v Quantity, Error> {
    opaque::<QuantityValue>(args, index).map(|value| &value.0)
}

/// Returns the second argument, which may be an integer.
fn addend(args: &[Value<'_>]) -> Result<Quantity, Error> {
    match args.get(1) {
        Some(Value::Int(number)) => Ok(Quantity::from_i64(*number, Format::DecimalExponent)),
        _ => quantity(args, 1).cloned(),
    }
}

impl Library for Quantities {
    fn name(&self) -> &str {
        "kubernetes.quantity"
    }

    fn functions(&self) -> Vec<Function> {
        let type_ = QuantityValue::type_;
        let add = |id: &str, other: Type| {
            Function::member("add", id, vec![type_(), other], type_())
                .with(|_, args| Ok(wrap(QuantityValue(quantity(args, 0)?.clone() + &addend(args)?))))
        };
        let sub = |id: &str, other: Type| {
            Function::member("sub", id, vec![type_(), other], type_())
                .with(|_, args| Ok(wrap(QuantityValue(quantity(args, 0)?.clone() - &addend(args)?))))
        };
        vec![
            Function::global("quantity", "string_to_quantity", vec![Type::String], type_()).with(
                |_, args| {
                    let quantity: Result<Quantity, _> = text(args, 0)?.parse();
                    quantity
                        .map(|quantity| wrap(QuantityValue(quantity)))
                        .map_err(|error| Error::new(error.to_string()))
                },
            ),
            Function::global("isQuantity", "is_quantity_string", vec![Type::String], Type::Bool)
                .with(|_, args| Ok(Value::Bool(text(args, 0)?.parse::<Quantity>().is_ok()))),
            Function::global("sign", "quantity_sign", vec![type_()], Type::Int)
                .with(|_, args| Ok(Value::Int(i64::from(quantity(args, 0)?.sign())))),
            comparison("isGreaterThan", "quantity_is_greater_than", Type::Bool, |order| {
                Value::Bool(order.is_gt())
            }),
            comparison("isLessThan", "quantity_is_less_than", Type::Bool, |order| Value::Bool(order.is_lt())),
            comparison("compareTo", "quantity_compare_to", Type::Int, |order| Value::Int(order as i64)),
            Function::member("asApproximateFloat", "quantity_get_float", vec![type_()], Type::Double)
                .with(|_, args| Ok(Value::Double(quantity(args, 0)?.approximate_f64()))),
            Function::member("asInteger", "quantity_get_int", vec![type_()], Type::Int).with(|_, args| {
                let number = quantity(args, 0)?.as_i64();
                number.map(Value::Int).ok_or_else(|| Error::new("cannot convert value to integer"))
            }),
            Function::member("isInteger", "quantity_is_integer", vec![type_()], Type::Bool)
                .with(|_, args| Ok(Value::Bool(quantity(args, 0)?.as_i64().is_some()))),
            add("quantity_add", type_()),
            add("quantity_add_int", Type::Int),
            sub("quantity_sub", type_()),
            sub("quantity_sub_int", Type::Int),
        ]
    }
}
