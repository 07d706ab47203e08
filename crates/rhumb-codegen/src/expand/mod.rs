//! Expansion of the derives. Each function takes a struct and returns the generated code.
//!
//! It is kept small, because every crate with API types waits for it to be built.

pub mod attributes;
mod convert;
mod object;
mod resource;
mod schema;

pub use convert::convert;
pub use object::object;
pub use resource::{Words as ResourceWords, guess_plural, resource};
pub use schema::{schema, schema_of};
