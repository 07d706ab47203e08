//! Evaluation: a checked expression becomes a flat program, which is evaluated over values that it only borrows.
//!
//! The plan is made in [`plan`](self) with one node per step. Names are numbers of slots; what is constant is computed
//! once. Errors are values until nobody can absorb them: `&&`, `||` and the loops that are made of them go on after
//! one. Costs are counted as cel-go does, also after errors.

mod activation;
mod attribute;
mod call;
mod context;
mod cost;
mod error;
mod fold;
mod objects;
mod operators;
mod plan;
mod program;
mod run;

pub use activation::{Activation, Empty};
pub use context::{Context, Limits};
pub use cost::actual_size;
pub use error::{Error, ErrorKind};
pub use plan::PlanError;
pub use program::{CallCosts, Evaluation, Objects, Options, Program};

#[cfg(test)]
mod tests;
