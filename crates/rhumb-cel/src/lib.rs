//! The Common Expression Language: parser, type checker, costs and evaluation. No I/O, no clocks.

pub mod ast;
pub mod checker;
pub mod container;
pub mod cost;
pub mod decls;
pub mod env;
pub mod errors;
pub mod eval;
pub mod functions;
mod lexer;
pub mod library;
pub mod macros;
pub mod operators;
pub mod parser;
pub mod pattern;
pub mod provider;
pub mod source;
pub mod time;
pub mod types;
pub mod unparse;
pub mod value;
