//! Which types go where others are wanted, and what type variables stand for.
//!
//! A variable stands for nothing until it meets a type; then for that type, or for the most general of all that it
//! meets. What was found out on the way to a mismatch is forgotten. Every step is counted: types can be made whose
//! comparison would take forever, and the check of an expression ends when it has taken too many steps.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::env::takes;
use crate::types::{Opaque, Type};

/// The number of parts of types that the check of one expression may look at.
const STEPS: u64 = 10_000_000;

/// What type variables stand for.
pub(super) struct Substitution {
    variables: Vec<Option<Type>>,
    /// Parameters in the types of declared variables, which are type variables with a name.
    named: HashMap<Arc<str>, Type>,
    /// What was there before, since the outermost question was asked.
    undo: Vec<Undo>,
    steps: Cell<u64>,
}

enum Undo {
    Variable(u32, Option<Type>),
    Named(Arc<str>, Option<Type>),
}

/// How a type and a type variable go together.
enum Fit {
    Fits,
    /// No, but the variable might go where the type is wanted.
    Unbound,
    /// No: the variable stands for something else.
    Bound,
}

impl Substitution {
    pub(super) fn new() -> Self {
        Self { variables: Vec::new(), named: HashMap::new(), undo: Vec::new(), steps: Cell::new(STEPS) }
    }

    /// Returns a new variable.
    pub(super) fn variable(&mut self) -> Type {
        let number = u32::try_from(self.variables.len()).unwrap_or(u32::MAX);
        self.variables.push(None);
        Type::Var(number)
    }

    /// Reports whether the check has taken too many steps. All questions are answered with no from then on.
    pub(super) fn exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    /// Counts a step.
    fn step(&self) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(1));
        left > 0
    }

    /// Reports whether `from` goes where `to` is wanted, and keeps what that says of variables.
    pub(super) fn assignable(&mut self, from: &Type, to: &Type) -> bool {
        let fits = self.fits(from, to);
        self.conclude(fits)
    }

    /// Reports whether each type goes where its counterpart is wanted, and keeps what that says of variables.
    pub(super) fn all_assignable(&mut self, from: &[Type], to: &[Type]) -> bool {
        let fits = from.len() == to.len() && from.iter().zip(to).all(|(from, to)| self.fits(from, to));
        self.conclude(fits)
    }

    /// Ends a question: forgets what was found out unless the answer is yes.
    fn conclude(&mut self, fits: bool) -> bool {
        if fits {
            self.undo.clear();
        }
        while let Some(undo) = self.undo.pop() {
            match undo {
                Undo::Variable(number, before) => {
                    if let Some(slot) = self.variables.get_mut(number as usize) {
                        *slot = before;
                    }
                }
                Undo::Named(name, Some(before)) => {
                    self.named.insert(name, before);
                }
                Undo::Named(name, None) => {
                    self.named.remove(&name);
                }
            }
        }
        fits
    }

    fn fits(&mut self, from: &Type, to: &Type) -> bool {
        if !self.step() {
            return false;
        }
        if is_variable(to) {
            match self.bind(from, to) {
                Fit::Fits => return true,
                Fit::Bound => return false,
                Fit::Unbound => {}
            }
        }
        if is_variable(from) {
            return matches!(self.bind(to, from), Fit::Fits);
        }
        if is_wildcard(from) || is_wildcard(to) {
            return true;
        }
        if *from == Type::Null {
            return nullable(to);
        }
        if *to == Type::Null {
            return nullable(from);
        }
        match (from, to) {
            (Type::List(from), Type::List(to)) => self.fits(from, to),
            (Type::Map(from), Type::Map(to)) => self.fits(&from.0, &to.0) && self.fits(&from.1, &to.1),
            (Type::Opaque(from), Type::Opaque(to)) => {
                from.name == to.name
                    && from.params.len() == to.params.len()
                    && from.params.iter().zip(&to.params).all(|(from, to)| self.fits(from, to))
            }
            (Type::Type(_), Type::Type(_)) => true,
            (Type::List(_) | Type::Map(_) | Type::Opaque(_) | Type::Type(_), _) => false,
            (from, to) => takes(to, from),
        }
    }

    /// Lets a variable stand for a type, if that goes with what it stands for already.
    fn bind(&mut self, type_: &Type, variable: &Type) -> Fit {
        if self.same(type_, variable) {
            return Fit::Fits;
        }
        let Some(bound) = self.find(variable).cloned() else {
            if self.absent(variable, type_) {
                self.set(variable, type_.clone());
                return Fit::Fits;
            }
            return Fit::Unbound;
        };
        if self.same(type_, &bound) {
            return Fit::Fits;
        }
        if !self.fits(type_, &bound) {
            return Fit::Bound;
        }
        let general = self.most_general(type_, &bound).clone();
        if self.absent(variable, &general) {
            self.set(variable, general);
        }
        Fit::Fits
    }

    fn find(&self, variable: &Type) -> Option<&Type> {
        match variable {
            Type::Var(number) => self.variables.get(*number as usize)?.as_ref(),
            Type::Param(name) => self.named.get(name),
            _ => None,
        }
    }

    fn set(&mut self, variable: &Type, type_: Type) {
        match variable {
            Type::Var(number) => {
                if let Some(slot) = self.variables.get_mut(*number as usize) {
                    self.undo.push(Undo::Variable(*number, slot.replace(type_)));
                }
            }
            Type::Param(name) => {
                let before = self.named.insert(Arc::clone(name), type_);
                self.undo.push(Undo::Named(Arc::clone(name), before));
            }
            _ => {}
        }
    }

    /// Reports whether a variable doesn't occur in a type.
    fn absent(&self, variable: &Type, within: &Type) -> bool {
        if !self.step() {
            return false;
        }
        if is_variable(within) {
            return variable != within && self.find(within).is_none_or(|bound| self.absent(variable, bound));
        }
        within.parameters().all(|param| self.absent(variable, param))
    }

    /// Returns the more general of two types that go together.
    pub(super) fn most_general<'t>(&self, left: &'t Type, right: &'t Type) -> &'t Type {
        if self.as_general(left, right) { left } else { right }
    }

    /// Reports whether everything that is a `right` is a `left`.
    fn as_general(&self, left: &Type, right: &Type) -> bool {
        if !self.step() {
            return false;
        }
        if left.is_dyn() || is_variable(left) {
            return true;
        }
        if right.is_dyn() || is_variable(right) {
            return false;
        }
        match (left, right) {
            (Type::List(left), Type::List(right)) => self.as_general(left, right),
            (Type::Map(left), Type::Map(right)) => {
                self.as_general(&left.0, &right.0) && self.as_general(&left.1, &right.1)
            }
            (Type::Opaque(left), Type::Opaque(right)) => {
                left.name == right.name
                    && left.params.len() == right.params.len()
                    && left.params.iter().zip(&right.params).all(|(left, right)| self.as_general(left, right))
            }
            (Type::Type(_), Type::Type(_)) => true,
            (left, right) => self.same(left, right),
        }
    }

    /// Reports whether two types are the same, but for the permission to be null.
    pub(super) fn same(&self, left: &Type, right: &Type) -> bool {
        if !self.step() {
            return false;
        }
        match (left.unwrapped(), right.unwrapped()) {
            (Type::List(left), Type::List(right)) => Arc::ptr_eq(left, right) || self.same(left, right),
            (Type::Map(left), Type::Map(right)) => {
                Arc::ptr_eq(left, right) || self.same(&left.0, &right.0) && self.same(&left.1, &right.1)
            }
            (Type::Opaque(left), Type::Opaque(right)) => {
                Arc::ptr_eq(left, right)
                    || left.name == right.name
                        && left.params.len() == right.params.len()
                        && left.params.iter().zip(&right.params).all(|(left, right)| self.same(left, right))
            }
            (Type::Type(Some(left)), Type::Type(Some(right))) => {
                Arc::ptr_eq(left, right) || self.same(left, right)
            }
            (left, right) => left == right,
        }
    }

    /// Replaces variables by what they stand for; with `to_dyn`, those that stand for nothing by `dyn`.
    pub(super) fn substitute(&self, type_: &Type, to_dyn: bool) -> Type {
        if !self.has_variable(type_) {
            return type_.clone();
        }
        if !self.step() {
            return Type::Error;
        }
        if let Some(bound) = self.find(type_) {
            return self.substitute(bound, to_dyn);
        }
        match type_ {
            Type::Var(_) | Type::Param(_) if to_dyn => Type::Dyn,
            Type::List(element) => Type::list(self.substitute(element, to_dyn)),
            Type::Map(entry) => {
                Type::map(self.substitute(&entry.0, to_dyn), self.substitute(&entry.1, to_dyn))
            }
            Type::Type(Some(of)) => Type::type_of(self.substitute(of, to_dyn)),
            Type::Opaque(opaque) => Type::Opaque(Arc::new(Opaque {
                name: Arc::clone(&opaque.name),
                params: opaque.params.iter().map(|param| self.substitute(param, to_dyn)).collect(),
            })),
            other => other.clone(),
        }
    }

    fn has_variable(&self, type_: &Type) -> bool {
        if !self.step() {
            return false;
        }
        is_variable(type_) || type_.parameters().any(|param| self.has_variable(param))
    }

    /// Counts the parts of a type, up to `most`.
    pub(super) fn size(&self, type_: &Type, most: usize) -> usize {
        let mut size = 1;
        for param in type_.parameters() {
            if size >= most || !self.step() {
                break;
            }
            size += self.size(param, most - size);
        }
        size
    }
}

/// Replaces the parameters of an overload by the variables that stand for them at one call.
pub(super) fn instantiate(type_: &Type, params: &[Arc<str>], first: u32) -> Type {
    match type_ {
        Type::Param(name) => params
            .iter()
            .position(|param| param == name)
            .and_then(|index| u32::try_from(index).ok())
            .map_or_else(|| type_.clone(), |index| Type::Var(first.saturating_add(index))),
        Type::List(element) => Type::list(instantiate(element, params, first)),
        Type::Map(entry) => {
            Type::map(instantiate(&entry.0, params, first), instantiate(&entry.1, params, first))
        }
        Type::Type(Some(of)) => Type::type_of(instantiate(of, params, first)),
        Type::Opaque(opaque) => Type::Opaque(Arc::new(Opaque {
            name: Arc::clone(&opaque.name),
            params: opaque.params.iter().map(|param| instantiate(param, params, first)).collect(),
        })),
        other => other.clone(),
    }
}

fn is_variable(type_: &Type) -> bool {
    matches!(type_, Type::Var(_) | Type::Param(_))
}

fn is_wildcard(type_: &Type) -> bool {
    type_.is_dyn() || *type_ == Type::Error
}

/// Reports whether null goes where a type is wanted.
fn nullable(type_: &Type) -> bool {
    matches!(type_, Type::Opaque(_) | Type::Object(_) | Type::Duration | Type::Timestamp)
        || takes(type_, &Type::Null)
}
