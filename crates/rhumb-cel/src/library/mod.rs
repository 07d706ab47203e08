//! Libraries: sets of functions, variables and macros that an environment takes in at once.

use crate::decls::VariableDecl;
use crate::env::Options;
use crate::functions::Function;
use crate::macros::Macro;

mod bindings;
mod comprehensions;
mod encoders;
mod lists;
mod math;
mod optional;
mod sets;
pub mod standard;
mod strings;

pub use bindings::Bindings;
pub use comprehensions::Comprehensions;
pub use encoders::Encoders;
pub use lists::Lists;
pub use math::Math;
pub use optional::Optional;
pub use sets::Sets;
pub use standard::Standard;
pub use strings::Strings;

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

    /// Sets how expressions are parsed and checked where the library is used.
    fn configure(&self, _options: &mut Options) {}
}
