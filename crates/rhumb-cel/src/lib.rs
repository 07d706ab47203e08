//! The Common Expression Language: parser, type checker, costs and evaluation. No I/O, no clocks.

pub mod ast;
pub mod container;
pub mod decls;
pub mod errors;
mod lexer;
pub mod macros;
pub mod operators;
pub mod parser;
pub mod provider;
pub mod source;
pub mod types;
pub mod unparse;
