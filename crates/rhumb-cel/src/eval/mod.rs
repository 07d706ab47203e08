//! Evaluation: a checked expression becomes a flat program, which is evaluated over values that it only borrows.

mod context;
mod error;

pub use context::{Context, Limits};
pub use error::{Error, ErrorKind};
