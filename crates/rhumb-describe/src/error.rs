//! Errors of describing an object.

use std::error::Error as StdError;
use std::fmt;

use rhumb_meta::labels::LabelSelectorError;

/// Error of describing an object.
#[derive(Debug)]
#[non_exhaustive]
pub enum DescribeError {
    /// The server refused, or there was no answer.
    Client(rhumb_client::Error),
    /// The object's selector makes no sense, so its pods can't be found.
    Selector(LabelSelectorError),
    /// The object holds no certificate request that can be read. What is wrong with it.
    CertificateRequest(String),
}

impl fmt::Display for DescribeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(error) => error.fmt(f),
            Self::Selector(error) => error.fmt(f),
            Self::CertificateRequest(what) => write!(f, "Error parsing CSR: {what}"),
        }
    }
}

impl StdError for DescribeError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            // Its text is given as ours, so what stands behind it follows.
            Self::Client(error) => error.source(),
            Self::Selector(_) | Self::CertificateRequest(_) => None,
        }
    }
}

impl From<rhumb_client::Error> for DescribeError {
    fn from(error: rhumb_client::Error) -> Self {
        Self::Client(error)
    }
}

impl From<LabelSelectorError> for DescribeError {
    fn from(error: LabelSelectorError) -> Self {
        Self::Selector(error)
    }
}
