//! Resource quotas: limits on the total usage of a namespace.
//!
//! An [`Evaluator`] knows for one resource what its objects use, which names in a quota that concerns, and
//! which scopes an object is in. [`charge`] decides whether a request fits into the quotas of a namespace and
//! what they have used afterwards; [`used`] counts everything anew.
//!
//! Refuses: to find quotas or objects, and to write what was used.

mod arithmetic;
mod charge;
mod device_claims;
mod evaluator;
mod pods;
mod scopes;
mod services;
mod totals;
mod volume_claims;

pub use arithmetic::{add, equals, exceeding, mask, subtract, subtract_to_zero};
pub use charge::{Charge, Operation, Refusal, Request, charge};
pub use evaluator::Evaluator;
pub use totals::{tracked, used};
