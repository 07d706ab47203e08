//! The evaluator: computes the value of a node from those below it.

use std::sync::Arc;

use super::activation::Activation;
use super::context::Context;
use super::cost::{self, Rule};
use super::error::Error;
use super::operators::{Binary, Unary};
use super::program::{Node, NodeId, Program};
use crate::value::{Bytes, Entries, Map, Str, Value};

/// One evaluation.
pub(super) struct Run<'a, 'e> {
    pub(super) program: &'a Program,
    pub(super) activation: &'a dyn Activation,
    /// The variables that were looked up.
    pub(super) slots: Vec<Slot<'a>>,
    /// The variables of loops.
    pub(super) locals: Vec<Local<'a>>,
    pub(super) context: Context<'e>,
}

/// A variable of the activation.
#[derive(Clone)]
pub(super) enum Slot<'a> {
    Unasked,
    Missing,
    Found(Result<Value<'a>, Error>),
}

/// A variable of a loop.
#[derive(Clone)]
pub(super) enum Local<'a> {
    Unset,
    /// What a loop gathers into begins as this node's value, which is computed when it is first asked for.
    Lazy(NodeId),
    Set(Result<Value<'a>, Error>),
}

impl<'a, 'e> Run<'a, 'e> {
    pub(super) fn new(program: &'a Program, activation: &'a dyn Activation, context: Context<'e>) -> Self {
        let slots = vec![Slot::Unasked; program.variables.len()];
        let locals = vec![Local::Unset; program.locals];
        Self { program, activation, slots, locals, context }
    }

    /// Computes the value of a node.
    pub(super) fn eval(&mut self, id: NodeId) -> Result<Value<'a>, Error> {
        let Some(node) = self.program.nodes.get(id as usize) else { return Err(broken()) };
        match node {
            Node::Constant(constant) => self.constant(*constant),
            Node::Attribute(attribute) => self.attribute(*attribute),
            Node::Or(left, right) => self.junction(id, (*left, *right), true),
            Node::And(left, right) => self.junction(id, (*left, *right), false),
            Node::Equal { left, right, negated, rule } => self.equal((*left, *right), *negated, rule),
            Node::Unary { op, arg, rule } => self.unary(id, *op, *arg, rule),
            Node::Binary { op, left, right, rule } => self.binary(id, *op, (*left, *right), rule),
            Node::Match { text, pattern, compiled, rule } => {
                self.matches_constant(id, (*text, *pattern), *compiled, rule)
            }
            Node::Member { value, list } => self.member(*value, *list),
            Node::Call(call) => self.call(id, *call),
            Node::Insert { map, entry, rule } => self.insert(id, *map, *entry, rule),
            Node::OptionalOr { left, right, value } => self.optional_or(*left, *right, *value),
            Node::List { elements, optional } => self.list(id, elements, optional),
            Node::Map { entries } => self.map(id, entries),
            Node::Object(object) => self.object(id, *object),
            Node::Fold(fold) => self.fold(id, *fold),
            Node::Take(local) => self.take(*local),
        }
    }

    /// Adds the place to an error that has none.
    pub(super) fn at(&self, id: NodeId, error: Error) -> Error {
        match self.program.ids.get(id as usize) {
            Some(expr) => error.at(*expr),
            None => error,
        }
    }

    /// Returns a constant, borrowed from the program.
    pub(super) fn constant(&self, constant: u32) -> Result<Value<'a>, Error> {
        match self.program.constants.get(constant as usize) {
            Some(Value::String(Str::Shared(text))) => Ok(Value::String(Str::Borrowed(text))),
            Some(Value::Bytes(Bytes::Shared(bytes))) => Ok(Value::Bytes(Bytes::Borrowed(bytes))),
            Some(value) => Ok(value.clone()),
            None => Err(broken()),
        }
    }

    /// Computes `||` (decided by true) or `&&` (decided by false). An error counts only if nothing decides.
    fn junction(&mut self, id: NodeId, terms: (NodeId, NodeId), decides: bool) -> Result<Value<'a>, Error> {
        let mut error = None;
        for term in [terms.0, terms.1] {
            match self.eval(term) {
                Ok(Value::Bool(value)) if value == decides => return Ok(Value::Bool(decides)),
                Ok(Value::Bool(_)) => {}
                Ok(_) => error = error.or_else(|| Some(self.at(id, Error::no_such_overload()))),
                Err(found) if found.is_fatal() => return Err(found),
                Err(found) => error = error.or(Some(found)),
            }
        }
        error.map_or(Ok(Value::Bool(!decides)), Err)
    }

    fn equal(&mut self, sides: (NodeId, NodeId), negated: bool, rule: &Rule) -> Result<Value<'a>, Error> {
        let left = self.operand(sides.0)?;
        let right = self.operand(sides.1)?;
        let result = match (&left, &right) {
            (Ok(left), Ok(right)) => {
                self.work_of(left)?;
                Ok(Value::Bool(left.equal(right) != negated))
            }
            (Err(error), _) | (_, Err(error)) => Err(error.clone()),
        };
        rule.charge_two(&mut self.context, (&left, &right), &result)?;
        result
    }

    /// Computes an argument; only an error that ends the evaluation is one here.
    pub(super) fn operand(&mut self, id: NodeId) -> Result<Result<Value<'a>, Error>, Error> {
        match self.eval(id) {
            Err(error) if error.is_fatal() => Err(error),
            result => Ok(result),
        }
    }

    /// Counts the work of going through a list or map, for which cel-go has no cost.
    pub(super) fn work_of(&mut self, value: &Value<'_>) -> Result<(), Error> {
        match value {
            Value::List(list) => self.context.work(list.len() as u64),
            Value::Map(map) => self.context.work(map.len() as u64),
            _ => Ok(()),
        }
    }

    fn unary(&mut self, id: NodeId, op: Unary, arg: NodeId, rule: &Rule) -> Result<Value<'a>, Error> {
        let arg = self.operand(arg)?;
        let result = match &arg {
            Ok(value) => op.apply(value.clone()).map_err(|error| self.at(id, error)),
            Err(_) if op == Unary::NotStrictlyFalse => Ok(Value::Bool(true)),
            Err(error) => Err(error.clone()),
        };
        rule.charge_one(&mut self.context, &arg, &result)?;
        result
    }

    fn binary(
        &mut self,
        id: NodeId,
        op: Binary,
        sides: (NodeId, NodeId),
        rule: &Rule,
    ) -> Result<Value<'a>, Error> {
        let left = self.operand(sides.0)?;
        let right = self.operand(sides.1)?;
        let (left, right) = match (left, right) {
            (Ok(left), Ok(right)) => (left, right),
            (left, right) => {
                let error = left.as_ref().err().or(right.as_ref().err()).cloned();
                let result = Err(error.unwrap_or_else(broken));
                rule.charge_two(&mut self.context, (&left, &right), &result)?;
                return result;
            }
        };
        // What only some operations and costs need is not done for all.
        if let Rule::Flat = rule
            && op != Binary::Matches
        {
            let result = op.apply(&mut self.context, left, right).map_err(|error| self.at(id, error));
            if result.as_ref().is_err_and(Error::is_fatal) {
                return result;
            }
            self.context.charge(1)?;
            return result;
        }
        if op == Binary::In {
            self.work_of(&right)?;
        }
        let result = match op {
            Binary::Matches => self.matches(&left, &right),
            _ => op.apply(&mut self.context, left.clone(), right.clone()),
        };
        let result = result.map_err(|error| self.at(id, error));
        if result.as_ref().is_err_and(Error::is_fatal) {
            return result;
        }
        rule.charge_two(&mut self.context, (&Ok(left), &Ok(right)), &result)?;
        result
    }

    /// Computes `in` with a list of constants, whose membership costs nothing.
    fn member(&mut self, value: NodeId, list: u32) -> Result<Value<'a>, Error> {
        let value = self.eval(value)?;
        match self.program.constants.get(list as usize) {
            Some(Value::List(list)) => Ok(Value::Bool(list.contains(&value))),
            _ => Err(broken()),
        }
    }

    fn optional_or(&mut self, left: NodeId, right: NodeId, value: bool) -> Result<Value<'a>, Error> {
        match self.eval(left)? {
            Value::Optional(None) => self.eval(right),
            Value::Optional(Some(inner)) if value => Ok((*inner).clone()),
            other => Ok(other),
        }
    }

    fn list(&mut self, id: NodeId, elements: &[NodeId], optional: &[u32]) -> Result<Value<'a>, Error> {
        self.context.allocate(elements.len() * size_of::<Value<'_>>())?;
        let result = self.elements(id, elements, optional);
        if result.as_ref().is_err_and(Error::is_fatal) {
            return result.map(Value::from);
        }
        self.context.charge(cost::LIST)?;
        result.map(Value::from)
    }

    fn elements(
        &mut self,
        id: NodeId,
        elements: &[NodeId],
        optional: &[u32],
    ) -> Result<Vec<Value<'a>>, Error> {
        let mut values = Vec::with_capacity(elements.len());
        for (at, element) in (0u32..).zip(elements) {
            let value = self.eval(*element)?;
            if !optional.contains(&at) {
                values.push(value);
                continue;
            }
            match value {
                Value::Optional(None) => {}
                Value::Optional(Some(value)) => values.push((*value).clone()),
                value => {
                    let error = format!(
                        "cannot initialize optional list element from non-optional value {}",
                        crate::value::Plain(&value)
                    );
                    return Err(self.at(id, Error::new(error)));
                }
            }
        }
        Ok(values)
    }

    fn map(&mut self, id: NodeId, entries: &[(NodeId, NodeId, bool)]) -> Result<Value<'a>, Error> {
        self.context.allocate(entries.len() * 2 * size_of::<Value<'_>>())?;
        let result = self.entries(id, entries);
        if result.as_ref().is_err_and(Error::is_fatal) {
            return result;
        }
        self.context.charge(cost::MAP)?;
        result
    }

    fn entries(&mut self, id: NodeId, entries: &[(NodeId, NodeId, bool)]) -> Result<Value<'a>, Error> {
        let mut map = Entries::new();
        for (key, value, optional) in entries {
            let key = self.eval(*key)?;
            let value = self.eval(*value)?;
            match value {
                value if !optional => map.insert(key, value),
                Value::Optional(None) => map.remove(&key),
                Value::Optional(Some(value)) => map.insert(key, (*value).clone()),
                value => return Err(self.at(id, not_optional(&key, &value))),
            }
        }
        Ok(Value::Map(Map::from(map)))
    }

    /// Adds entries to a map whose keys must not be there yet.
    fn insert(
        &mut self,
        id: NodeId,
        map: NodeId,
        (key, value): (NodeId, Option<NodeId>),
        rule: &Rule,
    ) -> Result<Value<'a>, Error> {
        let map = self.operand(map)?;
        // Three arguments are not looked at after an error, two are.
        if value.is_some() && map.is_err() {
            return map;
        }
        let first = self.operand(key)?;
        if value.is_some() && first.is_err() {
            return first;
        }
        let last = value.map(|value| self.operand(value)).transpose()?;
        let result = match (map, first, last) {
            (Ok(Value::Map(map)), Ok(key), Some(Ok(value))) => self.insert_all(map, [(key, value)]),
            (Ok(Value::Map(map)), Ok(Value::Map(more)), None) => self.insert_all(map, more.iter()),
            (Err(error), ..) | (_, Err(error), _) | (_, _, Some(Err(error))) => Err(error),
            _ => Err(Error::no_such_overload()),
        };
        let result = result.map_err(|error| self.at(id, error));
        if result.as_ref().is_err_and(Error::is_fatal) {
            return result;
        }
        rule.charge(&mut self.context, &[], &result)?;
        result
    }

    fn insert_all(
        &mut self,
        map: Map<'a>,
        more: impl IntoIterator<Item = (Value<'a>, Value<'a>)>,
    ) -> Result<Value<'a>, Error> {
        let entry = 2 * size_of::<Value<'_>>();
        let mut entries = match map {
            Map::Shared(entries) => entries,
            view => {
                self.context.allocate(view.len().saturating_mul(entry))?;
                Arc::new(view.iter().collect())
            }
        };
        if Arc::get_mut(&mut entries).is_none() {
            self.context.allocate(entries.len().saturating_mul(entry))?;
        }
        let own = Arc::make_mut(&mut entries);
        for (key, value) in more {
            if own.get(&key).is_some() {
                let key = crate::value::Plain(&key);
                return Err(Error::new(format!("insert failed: key {key} already exists")));
            }
            self.context.allocate(entry)?;
            own.insert(key, value);
        }
        Ok(Value::Map(Map::Shared(entries)))
    }

    fn take(&mut self, local: u32) -> Result<Value<'a>, Error> {
        self.context.charge(cost::LOOKUP)?;
        if let Some(Local::Lazy(init)) = self.locals.get(local as usize) {
            return self.eval(*init);
        }
        match self.locals.get_mut(local as usize).map(|local| std::mem::replace(local, Local::Unset)) {
            Some(Local::Set(result)) => result,
            _ => Err(broken()),
        }
    }
}

/// Reports that what should be an optional entry's value is none.
pub(super) fn not_optional(key: &Value<'_>, value: &Value<'_>) -> Error {
    Error::new(format!(
        "cannot initialize optional entry '{}' from non-optional value {}",
        crate::value::Plain(key),
        crate::value::Plain(value)
    ))
}

/// Reports that a program refers to what it doesn't have, which no plan does.
pub(super) fn broken() -> Error {
    Error::new("invalid program")
}
