//! Expressions of admission policies and match conditions: what they may use, how they are compiled and evaluated.
//!
//! Nothing here knows a policy as a whole, or an object of the API: a caller compiles expressions one by one with a
//! [`Compiler`], and evaluates them in a [`Scope`] with the values that a request has.

mod compile;
mod scope;
mod types;

#[cfg(test)]
mod tests;

pub use compile::{CompileError, CompileErrorKind, Compiled, Compiler, Declarations, Wanted};
pub use scope::{Composed, Expression, Inputs, OUT_OF_BUDGET, Scope, Stop, Variable};
