//! Declarations: variables and functions that expressions may use.

use std::sync::Arc;

use crate::ast::Literal;
use crate::types::Type;

/// A variable, or a constant.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableDecl {
    /// Its name, which may have dots.
    pub name: Arc<str>,
    /// Its type.
    pub type_: Type,
    /// Its value, if it is a constant.
    pub value: Option<Literal>,
}

/// A function with all its overloads.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDecl {
    /// Its name.
    pub name: Arc<str>,
    /// The ways to call it, in the order in which they are tried.
    pub overloads: Vec<OverloadDecl>,
}

/// One way to call a function.
#[derive(Clone, Debug, PartialEq)]
pub struct OverloadDecl {
    /// Its name among all overloads of an environment, such as `size_string`.
    pub id: Arc<str>,
    /// Whether the first parameter stands before a dot.
    pub member: bool,
    /// The parameters, the one before the dot first.
    pub params: Vec<Type>,
    /// The type of the result.
    pub result: Type,
}
