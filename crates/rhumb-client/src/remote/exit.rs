//! Exit status of a command in a container.

use rhumb_codec::{Strictness, json};
use rhumb_meta::v1::Status;
use rhumb_schema::text::quoted;

use crate::Error;

/// Exit status of a command in a container.
#[derive(Clone, Debug, PartialEq)]
pub enum Exit {
    /// Well.
    Success,
    /// Exit code other than 0.
    Code(u8),
    /// The command could not run, or its exit code is unknown; the server's Status.
    Failure(Box<Status>),
}

impl Exit {
    /// Reports whether the command succeeded.
    pub fn is_success(&self) -> bool {
        *self == Exit::Success
    }

    /// Returns the exit code, if it had one.
    pub fn code(&self) -> Option<u8> {
        match self {
            Exit::Success => Some(0),
            Exit::Code(code) => Some(*code),
            Exit::Failure(_) => None,
        }
    }
}

const NON_ZERO: &str = "NonZeroExitCode";
const EXIT_CODE: &str = "ExitCode";

/// Reads what came through the channel for errors until the end. Nothing stands for success.
pub(super) fn read(message: &[u8]) -> Result<Exit, Error> {
    if message.is_empty() {
        return Ok(Exit::Success);
    }
    let broken = |what: String| Error::Unexpected(format!("error stream protocol error: {what}"));
    let mut status = Status::default();
    json::decode_into(message, &mut status, Strictness::Ignore)
        .map_err(|error| broken(format!("{error} in {}", quoted(message))))?;
    match (&*status.status, &*status.reason) {
        ("Success", _) => Ok(Exit::Success),
        ("Failure", NON_ZERO) => {
            let Some(details) = status.details else { return Err(broken("details must be set".into())) };
            let cause = details.causes.into_iter().find(|cause| cause.reason == EXIT_CODE);
            let Some(cause) = cause else { return Err(broken(format!("no {EXIT_CODE} cause given"))) };
            let code = cause.message.parse();
            code.map(Exit::Code)
                .map_err(|_| broken(format!("invalid exit code value {}", quoted(cause.message))))
        }
        ("Failure", _) => Ok(Exit::Failure(Box::new(status))),
        _ => Err(broken("unknown error".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_says_how_it_ended() {
        assert_eq!(read(b"").unwrap(), Exit::Success);
        assert_eq!(read(br#"{"metadata":{},"status":"Success"}"#).unwrap(), Exit::Success);
        let text = br#"{"status":"Failure","reason":"NonZeroExitCode","message":"command terminated",
            "details":{"causes":[{"reason":"Other","message":"x"},{"reason":"ExitCode","message":"7"}]}}"#;
        assert_eq!(read(text).unwrap().code(), Some(7));
        let Exit::Failure(status) = read(br#"{"status":"Failure","message":"no such file"}"#).unwrap() else {
            panic!("no failure")
        };
        assert_eq!(status.message, "no such file");
    }

    #[test]
    fn what_makes_no_sense_is_an_error() {
        for (text, expect) in [
            ("{}", "unknown error"),
            (r#"{"status":"Failure","reason":"NonZeroExitCode"}"#, "details must be set"),
            (r#"{"status":"Failure","reason":"NonZeroExitCode","details":{}}"#, "no ExitCode cause given"),
            (
                r#"{"status":"Failure","reason":"NonZeroExitCode",
                    "details":{"causes":[{"reason":"ExitCode","message":"300"}]}}"#,
                r#"invalid exit code value "300""#,
            ),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert_eq!(error, format!("error stream protocol error: {expect}"));
        }
        assert!(read(b"garbage").is_err());
    }
}
