//! Classification of errors by their meaning for the reflector's revision.

use crate::Error;

/// Next step after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The server no longer has, or does not have yet, the revision that was asked for.
    RevisionUnavailable,
    /// The server can't answer at all now. It says nothing about the revision, so what was asked can be asked
    /// again.
    Unreachable,
    /// Anything else: what comes next can't be known, and all must be read anew.
    Other,
}

pub(super) fn verdict(error: &Error) -> Verdict {
    if error.is_resource_expired() || error.is_gone() || error.is_resource_version_too_large() {
        return Verdict::RevisionUnavailable;
    }
    // A token that ran out is renewed by the time of the next attempt.
    let refused = error.is_too_many_requests() || error.is_service_unavailable() || error.is_unauthorized();
    match error {
        Error::Connection(_) | Error::Timeout(_) | Error::Credentials(_) => Verdict::Unreachable,
        _ if refused => Verdict::Unreachable,
        _ => Verdict::Other,
    }
}
