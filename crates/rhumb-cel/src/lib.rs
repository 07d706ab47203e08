//! The Common Expression Language: parser, type checker, costs and evaluation. No I/O, no clocks.

pub mod ast;
pub mod container;
pub mod decls;
pub mod errors;
pub mod operators;
pub mod provider;
pub mod source;
pub mod types;
