//! Errors of negotiation, with Kubernetes' messages and status codes.

use std::fmt;

use rhumb_meta::v1::{Status, StatusReason};

use crate::Format;

/// Error of negotiation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NegotiationError {
    /// None of these media types is acceptable to the client: 406.
    NotAcceptable(Vec<String>),
    /// None of these media types, which are all that a kind can be written in, is acceptable: 406.
    NotAcceptableConversion {
        /// The kind that was asked for.
        target: String,
        /// The media types it can be written in.
        accepted: Vec<String>,
    },
    /// The body is in none of these media types: 415. Patches list their own types here.
    UnsupportedMediaType(Vec<String>),
}

impl NegotiationError {
    pub(super) fn not_acceptable(formats: &[Format]) -> Self {
        NegotiationError::NotAcceptable(media_types(formats))
    }

    pub(super) fn stream_not_acceptable(formats: &[Format]) -> Self {
        NegotiationError::NotAcceptable(stream_media_types(formats))
    }

    pub(super) fn unsupported(formats: &[Format]) -> Self {
        NegotiationError::UnsupportedMediaType(media_types(formats))
    }

    pub(super) fn stream_unsupported(formats: &[Format]) -> Self {
        NegotiationError::UnsupportedMediaType(stream_media_types(formats))
    }

    /// Returns the Status for the client.
    pub fn status(&self) -> Status {
        let reason = match self {
            NegotiationError::NotAcceptable(_) | NegotiationError::NotAcceptableConversion { .. } => {
                StatusReason::NotAcceptable
            }
            NegotiationError::UnsupportedMediaType(_) => StatusReason::UnsupportedMediaType,
        };
        Status::failure(reason, self.to_string())
    }
}

impl fmt::Display for NegotiationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NegotiationError::NotAcceptable(accepted) => {
                write!(f, "only the following media types are accepted: {}", accepted.join(", "))
            }
            NegotiationError::NotAcceptableConversion { target, accepted } => write!(
                f,
                "only the following media types are accepted when converting to {target}: {}",
                accepted.join(", ")
            ),
            NegotiationError::UnsupportedMediaType(accepted) => write!(
                f,
                "the body of the request was in an unknown format - accepted media types include: {}",
                accepted.join(", ")
            ),
        }
    }
}

impl std::error::Error for NegotiationError {}

impl From<&NegotiationError> for Status {
    fn from(error: &NegotiationError) -> Self {
        error.status()
    }
}

fn media_types(formats: &[Format]) -> Vec<String> {
    formats.iter().map(|format| format.media_type().to_owned()).collect()
}

fn stream_media_types(formats: &[Format]) -> Vec<String> {
    formats.iter().filter_map(|format| format.stream_media_type()).map(str::to_owned).collect()
}
