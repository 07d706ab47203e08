//! Costs: what evaluating an expression may take, and what it took.
//!
//! A unit is about 50 ns of a small computer. Static estimates ([`estimate`]) are ranges, from the sizes that the
//! caller knows of variables; counts at run time stop an evaluation at its limit. Both count as cel-go does, which is
//! what limits in Kubernetes' API are written for.

mod estimate;
mod libraries;
mod range;
mod sizes;

pub use estimate::{CallEstimate, CostEstimator, estimate};
pub use range::Range;
pub use sizes::{Node, Path};

/// The cost of a name, and of a field of a map or object.
pub const SELECT: u64 = 1;

/// The cost of making a list.
pub const LIST: u64 = 10;

/// The cost of making a map.
pub const MAP: u64 = 30;

/// The cost of making an object.
pub const STRUCT: u64 = 40;

/// The cost of one character of a string that is gone through once.
pub const STRING_FACTOR: f64 = 0.1;

/// The cost of one character of a regular expression for a string of unit cost.
pub const REGEX_FACTOR: f64 = 0.25;
