//! Libraries: sets of functions, variables and macros that an environment takes in at once.

use crate::decls::VariableDecl;
use crate::functions::Function;
use crate::macros::Macro;

pub mod standard;

pub use standard::Standard;

/// A named set of declarations with their implementations.
pub trait Library: Send + Sync {
    /// The library's name, such as `cel.lib.ext.strings`. An environment takes each name once.
    fn name(&self) -> &str;

    /// The overloads, those of one function in the order in which they are tried.
    fn functions(&self) -> Vec<Function> {
        Vec::new()
    }

    /// The variables and constants.
    fn variables(&self) -> Vec<VariableDecl> {
        Vec::new()
    }

    /// The macros.
    fn macros(&self) -> Vec<Macro> {
        Vec::new()
    }
}
