//! Attributes: variables and what is looked up in them.

use std::borrow::Cow;
use std::sync::Arc;

use super::cost::LOOKUP;
use super::error::Error;
use super::program::{Attribute, Base, Candidate, Name, Qualifier};
use super::run::{Local, Run, Slot, broken};
use crate::value::{List, Plain, Value, double_to_int};

impl<'a> Run<'a, '_> {
    /// Computes an attribute that is a node of its own.
    pub(super) fn attribute(&mut self, id: u32) -> Result<Value<'a>, Error> {
        let Some(attribute) = self.program.attributes.get(id as usize) else { return Err(broken()) };
        let result = self.resolve_attribute(attribute);
        if result.as_ref().is_err_and(Error::is_fatal) {
            return result;
        }
        if !matches!(attribute.base, Base::Conditional { .. }) {
            self.context.charge(LOOKUP)?;
        }
        if !attribute.test {
            return result;
        }
        if !self.program.options.presence_test_has_cost {
            self.context.refund(LOOKUP);
        }
        match result {
            Ok(Value::Optional(value)) => Ok(Value::Bool(value.is_some())),
            result => result,
        }
    }

    /// Computes an attribute within another or within `?:`, which has no cost of its own there.
    fn resolve(&mut self, id: u32) -> Result<Value<'a>, Error> {
        match self.program.attributes.get(id as usize) {
            Some(attribute) => self.resolve_attribute(attribute),
            None => Err(broken()),
        }
    }

    fn resolve_attribute(&mut self, attribute: &'a Attribute) -> Result<Value<'a>, Error> {
        let qualifiers = attribute.qualifiers.as_slice();
        let base = match &attribute.base {
            Base::Variable(slot) => self.variable(*slot)?,
            Base::Local(local) => self.local(*local)?,
            Base::Node(node) => self.eval(*node)?,
            Base::Conditional { condition, truthy, falsy } => {
                return match self.eval(*condition)? {
                    Value::Bool(true) => self.resolve(*truthy),
                    Value::Bool(false) => self.resolve(*falsy),
                    _ => Err(Error::no_such_overload()),
                };
            }
            Base::Maybe(candidates) => return self.maybe(candidates, qualifiers),
        };
        if qualifiers.is_empty() { Ok(base) } else { self.qualify_all(base, qualifiers) }
    }

    /// Finds what an unchecked name means, beginning with the longest.
    fn maybe(
        &mut self,
        candidates: &'a [Candidate],
        qualifiers: &'a [Qualifier],
    ) -> Result<Value<'a>, Error> {
        let mut missing = None;
        for candidate in candidates {
            let rest = qualifiers.get(candidate.qualifiers..).unwrap_or_default();
            for (_, name) in &candidate.names {
                let value = match *name {
                    Name::Local(local) => Some(self.local(local)?),
                    Name::Variable(slot) => self.known_variable(slot)?,
                    Name::Type(constant) if rest.is_empty() => Some(self.constant(constant)?),
                    Name::Type(_) => None,
                };
                if let Some(value) = value {
                    return self.qualify_all(value, rest);
                }
            }
            missing.get_or_insert_with(|| {
                let names: Vec<&str> = candidate
                    .names
                    .iter()
                    .filter(|(_, kind)| !matches!(kind, Name::Type(_)))
                    .map(|(name, _)| &**name)
                    .collect();
                no_such_attribute(&names.join(", "))
            });
        }
        Err(missing.unwrap_or_else(broken))
    }

    fn variable(&mut self, slot: u32) -> Result<Value<'a>, Error> {
        match self.known_variable(slot)? {
            Some(value) => Ok(value),
            None => {
                let name = self.program.variables.get(slot as usize).map_or("", |name| name);
                Err(no_such_attribute(name))
            }
        }
    }

    /// Returns the value of a variable, looking it up the first time.
    fn known_variable(&mut self, slot: u32) -> Result<Option<Value<'a>>, Error> {
        let (Some(state), Some(name)) =
            (self.slots.get_mut(slot as usize), self.program.variables.get(slot as usize))
        else {
            return Err(broken());
        };
        if let Slot::Unasked = state {
            *state = self.activation.find(name).map_or(Slot::Missing, Slot::Found);
        }
        match state {
            Slot::Found(result) => result.clone().map(Some),
            _ => Ok(None),
        }
    }

    fn local(&mut self, local: u32) -> Result<Value<'a>, Error> {
        match self.locals.get(local as usize) {
            Some(Local::Set(result)) => result.clone(),
            Some(Local::Lazy(init)) => {
                let result = self.eval(*init);
                if let Some(local) = self.locals.get_mut(local as usize) {
                    *local = Local::Set(result.clone());
                }
                result
            }
            _ => Err(broken()),
        }
    }

    /// Looks up one qualifier after the other. After an optional one, what is missing is no error.
    fn qualify_all(&mut self, base: Value<'a>, qualifiers: &'a [Qualifier]) -> Result<Value<'a>, Error> {
        let (mut value, mut optional) = match base {
            Value::Optional(None) => return Ok(base),
            Value::Optional(Some(value)) => ((*value).clone(), true),
            base => (base, false),
        };
        for qualifier in qualifiers {
            optional = optional || qualifier.is_optional();
            match self.qualify_one(&value, qualifier, optional)? {
                Some(next) => value = next,
                None => return Ok(Value::Optional(None)),
            }
        }
        if optional { Ok(Value::Optional(Some(Arc::new(value)))) } else { Ok(value) }
    }

    fn qualify_one(
        &mut self,
        value: &Value<'a>,
        qualifier: &Qualifier,
        optional: bool,
    ) -> Result<Option<Value<'a>>, Error> {
        let (result, test) = match qualifier {
            Qualifier::Constant { key, test, .. } => {
                let Some(key) = self.program.constants.get(*key as usize) else { return Err(broken()) };
                (qualify(value, key, optional || *test), *test)
            }
            Qualifier::Attribute { attribute, .. } => match self.resolve(*attribute) {
                Ok(key) => (qualify_by(value, &key, optional), false),
                Err(error) => (Err(error), false),
            },
            Qualifier::Node { node, .. } => {
                let key = self.eval(*node);
                match key {
                    Ok(key) => (qualify_by(value, &key, optional), false),
                    Err(error) => (Err(error), false),
                }
            }
        };
        if result.as_ref().is_err_and(Error::is_fatal) {
            return result;
        }
        if !optional || matches!(result, Ok(Some(_))) {
            self.context.charge(LOOKUP)?;
        }
        match result {
            Ok(found) if test && !optional => Ok(Some(Value::Bool(found.is_some()))),
            result => result,
        }
    }
}

/// Looks up a key that was computed.
fn qualify_by<'a>(value: &Value<'a>, key: &Value<'_>, optional: bool) -> Result<Option<Value<'a>>, Error> {
    match key {
        Value::String(_) | Value::Int(_) | Value::Uint(_) | Value::Bool(_) | Value::Double(_) => {
            qualify(value, key, optional)
        }
        _ => Err(invalid_qualifier(key)),
    }
}

/// Reports that nothing can be looked up by a value of this type.
pub(super) fn invalid_qualifier(key: &Value<'_>) -> Error {
    Error::new(format!("invalid qualifier type: {}", go_type(key)))
}

/// Looks up a key: nothing if it is missing and may be.
fn qualify<'a>(value: &Value<'a>, key: &Value<'_>, may_miss: bool) -> Result<Option<Value<'a>>, Error> {
    let found = match value {
        Value::Map(map) => map.find(key)?,
        Value::List(list) => {
            let index = index_of(key)?;
            let found = usize::try_from(index).ok().and_then(|index| list.get(index));
            if found.is_none() && !may_miss {
                return Err(Error::new(format!("index out of bounds: {}", Plain(key))));
            }
            return Ok(found);
        }
        Value::Object(object) => {
            let Value::String(field) = key else {
                return Err(Error::no_such_overload());
            };
            if may_miss {
                match object.is_set(field) {
                    Some(true) => {}
                    Some(false) => return Ok(None),
                    None => return Err(Error::new(format!("no such field '{}'", &**field))),
                }
            }
            return match object.get(field) {
                Some(value) => Ok(Some(value)),
                None => Err(Error::new(format!("no such field '{}'", &**field))),
            };
        }
        _ => None,
    };
    if found.is_none() && !may_miss {
        return Err(Error::new(format!("no such key: {}", Plain(key))));
    }
    Ok(found)
}

/// Returns the index that a value stands for.
pub(crate) fn index_of(key: &Value<'_>) -> Result<i64, Error> {
    let index = match key {
        Value::Int(index) => Some(*index),
        Value::Uint(index) => i64::try_from(*index).ok(),
        Value::Double(index) => double_to_int(*index),
        _ => return Err(Error::new(format!("unsupported index type '{}' in list", key.type_().name()))),
    };
    index.ok_or_else(|| Error::new(format!("unsupported index value {} in list", Plain(key))))
}

fn no_such_attribute(name: &str) -> Error {
    Error::new(format!("no such attribute(s): {name}"))
}

/// Returns the name that cel-go's errors have for a value's type in Go.
pub(super) fn go_type(value: &Value<'_>) -> Cow<'static, str> {
    Cow::Borrowed(match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::String(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::Duration(_) => "types.Duration",
        Value::Timestamp(_) => "types.Timestamp",
        Value::List(List::View(..) | List::Shared(_)) => "*types.baseList",
        Value::Map(_) => "*types.baseMap",
        Value::Object(_) => "*types.protoObj",
        Value::Type(_) => "*types.Type",
        Value::Optional(_) => "*types.Optional",
        Value::Opaque(value) => return Cow::Owned(value.type_().name().to_owned()),
    })
}
