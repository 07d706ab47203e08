//! Authorization of requests: what an authorizer has decided is noted in the audit log, and refused in its words.

use crate::authorization::{Attributes, Decision, refusal};
use crate::base::failure::Failure;
use crate::filters::audit::Trail;

/// Settles what was decided about a request.
///
/// # Errors
/// The refusal, if it may not be answered.
pub(crate) fn settle(
    decision: Decision,
    wanted: &Attributes<'_>,
    trail: Option<&Trail>,
) -> Result<(), Failure> {
    if let Some(trail) = trail {
        trail.decided(&decision);
    }
    match decision {
        Decision::Allowed(_) => Ok(()),
        Decision::Refused(why) => Err(refusal(wanted, &why)),
    }
}
