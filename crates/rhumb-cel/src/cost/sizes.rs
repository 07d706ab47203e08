//! Where an expression's value comes from, and how large it can be.

use std::collections::HashMap;
use std::sync::Arc;

use super::Range;
use crate::ast::{Expr, ExprId, ExprKind, Literal};
use crate::types::Type;

/// How to get to a value from a variable: field names, `@items`, `@indices`, `@keys` and `@values`.
#[derive(Clone, Debug, Default)]
pub struct Path(Option<Arc<Step>>);

#[derive(Debug)]
struct Step {
    before: Path,
    name: Arc<str>,
}

impl Path {
    /// Returns the path of a variable.
    pub fn variable(name: &str) -> Self {
        Self::default().then(name)
    }

    /// Returns the path of a part of what this one leads to.
    pub fn then(&self, name: &str) -> Self {
        Self(Some(Arc::new(Step { before: self.clone(), name: name.into() })))
    }

    /// Reports whether nothing is known of where a value comes from.
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the number of steps.
    pub fn len(&self) -> usize {
        std::iter::successors(self.0.as_deref(), |step| step.before.0.as_deref()).count()
    }

    /// Returns the steps, the variable first.
    pub fn steps(&self) -> Vec<&str> {
        let mut steps = Vec::new();
        let mut at = self;
        while let Some(step) = &at.0 {
            steps.push(&*step.name);
            at = &step.before;
        }
        steps.reverse();
        steps
    }
}

/// A value in an expression: an operand, an argument, or an element of one.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// Where it comes from, if that is a variable.
    pub path: Path,
    /// Its type.
    pub type_: &'a Type,
    /// The expression, if it is not a part of one.
    pub expr: Option<&'a Expr>,
    /// Its size, if the expression tells.
    pub computed: Option<Range>,
}

impl Node<'_> {
    /// Returns an element of a list, or a key of a map.
    pub fn items(&self) -> Option<Self> {
        let type_ = self.type_.parameters().next()?;
        let path = if self.path.is_empty() { Path::default() } else { self.path.then("@items") };
        Some(Self { path, type_, expr: None, computed: None })
    }

    /// Returns the literal number that it is.
    pub fn literal_int(&self) -> Option<i64> {
        match self.expr?.kind {
            ExprKind::Literal(Literal::Int(number)) => Some(number),
            _ => None,
        }
    }
}

/// The sizes of what is in a list or map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) list: bool,
    pub(super) key: Range,
    pub(super) value: Range,
}

impl Entry {
    pub(super) fn or(self, other: Self) -> Self {
        Self { list: self.list, key: self.key.or(other.key), value: self.value.or(other.value) }
    }
}

/// What is known of a variable of a comprehension.
#[derive(Clone, Debug, Default)]
pub(super) struct Local {
    pub(super) path: Path,
    pub(super) size: Option<Range>,
    pub(super) entry: Option<Entry>,
}

/// Variables of comprehensions, those that hide others last.
#[derive(Default)]
pub(super) struct Locals(HashMap<Arc<str>, Vec<Local>>);

impl Locals {
    pub(super) fn push(&mut self, name: &Arc<str>, local: Local) {
        self.0.entry(Arc::clone(name)).or_default().push(local);
    }

    pub(super) fn pop(&mut self, name: &str) {
        if let Some(stack) = self.0.get_mut(name) {
            stack.pop();
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Local> {
        self.0.get(name)?.last()
    }
}

/// What has been found out, by node.
#[derive(Default)]
pub(super) struct Known {
    pub(super) paths: HashMap<ExprId, Path>,
    pub(super) sizes: HashMap<ExprId, Range>,
    pub(super) entries: HashMap<ExprId, Entry>,
}

/// Returns the size of what is written down.
pub(super) fn literal_size(expr: &Expr) -> Option<Range> {
    let size = match &expr.kind {
        ExprKind::Literal(Literal::String(text)) => text.chars().count(),
        ExprKind::Literal(Literal::Bytes(bytes)) => bytes.len(),
        ExprKind::Literal(_) => 1,
        ExprKind::List(list) => list.elements.len(),
        ExprKind::Map(map) => map.entries.len(),
        _ => return None,
    };
    u64::try_from(size).ok().map(Range::exactly)
}

/// Reports whether all values of a type have the same size.
pub(super) fn is_scalar(type_: &Type) -> bool {
    match type_.unwrapped() {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => true,
        other => other.optional_of().is_some_and(is_scalar),
    }
}
