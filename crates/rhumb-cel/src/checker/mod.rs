//! The type checker: what each node of an expression means, of which type it is, and what is wrong with it.
//!
//! The tree stays as it was parsed. What names and calls mean is in tables by node, so that one tree can be checked in
//! several environments.

use std::sync::Arc;

use crate::ast::{Ast, Expr, ExprId, Literal};
use crate::env::Environment;
use crate::errors::Errors;
use crate::types::Type;

mod assign;
mod calls;
mod check;
mod formats;
mod validate;

pub use check::check;
pub use validate::Validator;

/// An expression with the types and meanings of its nodes.
#[derive(Clone, Debug)]
pub struct CheckedAst {
    /// The expression as it was parsed.
    ast: Arc<Ast>,
    /// The types by node.
    types: Vec<Option<Type>>,
    /// What names and calls mean, by node.
    references: Vec<Option<Reference>>,
}

/// What a name or a call means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reference {
    /// The full name of a variable or constant (also of a node `a.b` that is one variable), or of the message that is
    /// created. For a call `a.b.f(x)` whose `a.b` is only the namespace of `f`: the function's full name, and what
    /// stands before the dot is no argument.
    pub name: Option<Arc<str>>,
    /// The value of a constant.
    pub value: Option<Literal>,
    /// The overloads that a call may mean, in the order in which they were declared.
    pub overloads: Vec<Arc<str>>,
}

impl CheckedAst {
    /// Returns the expression as it was parsed.
    pub fn ast(&self) -> &Arc<Ast> {
        &self.ast
    }

    /// Returns the root.
    pub fn root(&self) -> &Expr {
        &self.ast.expr
    }

    /// Returns the type of the whole.
    pub fn result(&self) -> &Type {
        self.type_of(self.ast.expr.id)
    }

    /// Returns the type of a node, `dyn` if it has none.
    pub fn type_of(&self, id: ExprId) -> &Type {
        self.types.get(id as usize).and_then(Option::as_ref).unwrap_or(&Type::Dyn)
    }

    /// Returns what a node means, if it is a name or a call.
    pub fn reference(&self, id: ExprId) -> Option<&Reference> {
        self.references.get(id as usize)?.as_ref()
    }

    /// Visits the full names of the variables, constants and messages that the expression names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.references.iter().flatten().filter_map(|reference| reference.name.as_deref())
    }
}

impl Environment {
    /// Checks an expression that was parsed.
    pub fn check(&self, ast: &Arc<Ast>) -> Result<CheckedAst, Errors> {
        check(ast, self)
    }
}
