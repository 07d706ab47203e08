//! Calls of functions that have code.

use super::context::Context;
use super::cost::Rule;
use super::error::Error;
use super::operators::Binary;
use super::program::{NodeId, Target};
use super::run::{Run, broken};
use crate::env::Overloads;
use crate::pattern::Pattern;
use crate::types::Type;
use crate::value::Value;

impl<'a> Run<'a, '_> {
    /// Computes a call.
    pub(super) fn call(&mut self, id: NodeId, call: u32) -> Result<Value<'a>, Error> {
        let Some(call) = self.program.calls.get(call as usize) else { return Err(broken()) };
        let mut args: [Value<'a>; 4] = [const { Value::Null }; 4];
        let mut more = Vec::new();
        let args = if call.args.len() <= args.len() {
            args.get_mut(..call.args.len()).unwrap_or_default()
        } else {
            more.resize(call.args.len(), Value::Null);
            more.as_mut_slice()
        };
        let mut error = None;
        for (at, (arg, value)) in call.args.iter().zip(args.iter_mut()).enumerate() {
            match self.operand(*arg)? {
                Ok(found) => *value = found,
                Err(found) => {
                    error = error.or(Some(found));
                    if call.stops && at + 1 < call.args.len() {
                        return Err(error.unwrap_or_else(broken));
                    }
                }
            }
        }
        let result = match error {
            Some(error) => Err(error),
            None => self.invoke(&call.target, &call.function, id, args).map_err(|error| self.at(id, error)),
        };
        if result.as_ref().is_err_and(Error::is_fatal) {
            return result;
        }
        call.rule.charge(&mut self.context, args, &result)?;
        result
    }

    fn invoke(
        &mut self,
        target: &Target,
        function: &str,
        id: NodeId,
        args: &[Value<'a>],
    ) -> Result<Value<'a>, Error> {
        match target {
            Target::One { implementation, params } => match params {
                Some(params) if !fits(params, args) => Err(no_such_overload(function, args)),
                _ => implementation(&mut self.context, args),
            },
            Target::Many(overloads) => dispatch(&mut self.context, overloads, args),
            Target::None => Err(match args {
                [Value::String(_) | Value::Duration(_) | Value::Timestamp(_), ..] => {
                    Error::no_such_overload()
                }
                [_] | [_, _] => Error::no_overload(function),
                _ => {
                    let id = self.program.ids.get(id as usize).copied().unwrap_or_default();
                    Error::no_overload(format!("{function} {id}"))
                }
            }),
        }
    }

    /// Computes `matches` with a pattern that is constant.
    pub(super) fn matches_constant(
        &mut self,
        id: NodeId,
        args: (NodeId, NodeId),
        compiled: u32,
        rule: &Rule,
    ) -> Result<Value<'a>, Error> {
        let text = self.operand(args.0)?;
        let pattern = self.operand(args.1)?;
        let compiled = self.program.patterns.get(compiled as usize).ok_or_else(broken)?;
        // A pattern that was compiled with the program makes a call that ends with the first error.
        let stops = self.program.options.fold_constants;
        let result = match &text {
            Ok(Value::String(text)) => self.is_match(compiled, text),
            Ok(_) if stops => Err(self.at(id, Error::no_such_overload())),
            Ok(other) => Err(self.at(id, Binary::Matches.mismatch(other))),
            Err(_) if stops => return text,
            Err(error) => Err(error.clone()),
        };
        if result.as_ref().is_err_and(Error::is_fatal) {
            return result;
        }
        rule.charge_two(&mut self.context, (&text, &pattern), &result)?;
        result
    }

    /// Computes `matches`.
    pub(super) fn matches(&mut self, text: &Value<'a>, pattern: &Value<'a>) -> Result<Value<'a>, Error> {
        match (text, pattern) {
            (Value::String(text), Value::String(pattern)) => match Pattern::new(pattern) {
                Ok(pattern) => self.is_match(&pattern, text),
                Err(error) => Err(Error::new(error.to_string())),
            },
            (Value::String(_), _) => Err(Error::no_such_overload()),
            _ => Err(Binary::Matches.mismatch(text)),
        }
    }

    fn is_match(&mut self, pattern: &Pattern, text: &str) -> Result<Value<'a>, Error> {
        let context = &self.context;
        match pattern.is_match(text, &mut || context.is_interrupted()) {
            Some(found) => Ok(Value::Bool(found)),
            None => Err(Error::interrupted()),
        }
    }
}

/// Chooses the overload by the arguments' types, and calls it.
pub(super) fn dispatch<'a>(
    context: &mut Context<'_>,
    overloads: &Overloads,
    args: &[Value<'a>],
) -> Result<Value<'a>, Error> {
    for function in &overloads.overloads {
        let params = function.overload.params.as_slice();
        let matches = if function.guarded { fits(params, args) } else { params.len() == args.len() };
        if let Some(implementation) = &function.implementation
            && matches
        {
            return implementation(context, args);
        }
    }
    Err(no_such_overload(&overloads.name, args))
}

/// Reports that no overload takes these arguments.
fn no_such_overload(function: &str, args: &[Value<'_>]) -> Error {
    let types: Vec<String> = args.iter().map(|arg| arg.type_().name().to_owned()).collect();
    Error::no_overload(format!("{function}({})", types.join(", ")))
}

fn fits(params: &[Type], args: &[Value<'_>]) -> bool {
    params.len() == args.len() && params.iter().zip(args).all(|(param, arg)| accepts(param, arg))
}

/// Returns whether a parameter takes a value, as far as it shows: of lists and maps, what comes first.
fn accepts(param: &Type, value: &Value<'_>) -> bool {
    match (param, value) {
        (Type::Dyn | Type::Any | Type::Param(_) | Type::Var(_) | Type::Error, _) => true,
        (Type::Null, Value::Null)
        | (Type::Bool, Value::Bool(_))
        | (Type::Int, Value::Int(_))
        | (Type::Uint, Value::Uint(_))
        | (Type::Double, Value::Double(_))
        | (Type::String, Value::String(_))
        | (Type::Bytes, Value::Bytes(_))
        | (Type::Duration, Value::Duration(_))
        | (Type::Timestamp, Value::Timestamp(_))
        | (Type::Type(_), Value::Type(_)) => true,
        (Type::Wrapper(_), Value::Null) => true,
        (Type::Wrapper(inner), value) => accepts(inner, value),
        (Type::List(element), Value::List(list)) => {
            matches!(**element, Type::Dyn | Type::Param(_))
                || list.get(0).is_none_or(|first| accepts(element, &first))
        }
        (Type::Map(entry), Value::Map(map)) => {
            let open = |of: &Type| matches!(of, Type::Dyn | Type::Param(_));
            open(&entry.0) && open(&entry.1)
                || map
                    .iter()
                    .next()
                    .is_none_or(|(key, value)| accepts(&entry.0, &key) && accepts(&entry.1, &value))
        }
        (Type::Object(name), Value::Object(object)) => *object.type_name() == **name,
        (Type::Object(_), Value::Opaque(value)) => value.type_() == *param,
        (Type::Opaque(_), Value::Optional(value)) => match param.optional_of() {
            Some(of) => value.as_ref().is_none_or(|value| accepts(of, value)),
            None => false,
        },
        (Type::Opaque(opaque), Value::Opaque(value)) => value.type_().name() == &*opaque.name,
        _ => false,
    }
}
