//! What an error says about the revision that a reflector stands at.

use rhumb_meta::v1::StatusReason;

use crate::Error;

/// What follows from an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The server no longer has, or does not have yet, the revision that was asked for.
    RevisionUnavailable,
    /// The server can't answer at all now. It says nothing about the revision, so what was asked can be asked again.
    Unreachable,
    /// Anything else: what comes next can't be known, and all must be read anew.
    Other,
}

/// The cause in a Status that means the server hasn't come to that revision yet.
const TOO_LARGE: &str = "ResourceVersionTooLarge";

pub(super) fn verdict(error: &Error) -> Verdict {
    let status = match error {
        Error::Connection(_) | Error::Timeout(_) | Error::Credentials(_) => return Verdict::Unreachable,
        Error::Status(status) => status,
        _ => return Verdict::Other,
    };
    let too_large =
        status.details.iter().flat_map(|details| &details.causes).any(|cause| cause.reason == TOO_LARGE);
    match status.known_reason() {
        _ if too_large || status.code == 410 => Verdict::RevisionUnavailable,
        StatusReason::Expired | StatusReason::Gone => Verdict::RevisionUnavailable,
        // A token that ran out is renewed by the time of the next attempt.
        StatusReason::TooManyRequests | StatusReason::ServiceUnavailable | StatusReason::Unauthorized => {
            Verdict::Unreachable
        }
        _ => Verdict::Other,
    }
}
