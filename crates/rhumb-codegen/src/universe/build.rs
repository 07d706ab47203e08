//! From parsed modules to the universe.

use super::Universe;
use crate::problem::Outcome;
use crate::source::Request;

pub(crate) fn build(request: &Request) -> Outcome<Universe> {
    let _ = request;
    Ok(Universe::default())
}
