//! Errors of requesting a certificate.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use super::{PairError, StoreError};
use crate::config::ConfigError;

/// Error of requesting a certificate.
#[derive(Debug)]
#[non_exhaustive]
pub enum CertificateError {
    /// The client could not be created.
    Client(ConfigError),
    /// No key or request for it could be made.
    Key(String),
    /// The server was asked and did not take the request.
    Request(crate::Error),
    /// A request of that name exists but is for another certificate; says why.
    Incompatible(String),
    /// The request was denied.
    Denied {
        /// Why, in a word.
        reason: String,
        /// Why, for people.
        message: String,
    },
    /// The signer could not sign.
    Failed {
        /// Why, in a word.
        reason: String,
        /// Why, for people.
        message: String,
    },
    /// The request is gone, or another one has its name.
    Deleted {
        /// The name.
        name: String,
    },
    /// The request was not signed in time.
    Timeout(Duration),
    /// The signed certificate doesn't match the key.
    Pair(PairError),
    /// Certificate and key could not be kept.
    Store(StoreError),
    /// The certificate lacks something that was asked for. It is used all the same.
    NotAsAsked,
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::Client(_) => f.write_str("there is no client to request certificates with"),
            CertificateError::Key(what) => {
                write!(f, "unable to generate a certificate signing request: {what}")
            }
            CertificateError::Request(_) => f.write_str("cannot create certificate signing request"),
            CertificateError::Incompatible(why) => write!(f, "retrieved csr is not compatible: {why}"),
            CertificateError::Denied { reason, message } => {
                write!(f, "certificate signing request is denied, reason: {reason}, message: {message}")
            }
            CertificateError::Failed { reason, message } => {
                write!(f, "certificate signing request failed, reason: {reason}, message: {message}")
            }
            CertificateError::Deleted { name } => write!(f, "csr {name:?} was deleted"),
            CertificateError::Timeout(after) => write!(f, "the certificate was not signed within {after:?}"),
            CertificateError::Pair(_) => f.write_str("what was signed can't be used"),
            CertificateError::Store(_) => f.write_str("unable to store the new cert/key pair"),
            CertificateError::NotAsAsked => f.write_str("the certificate lacks something that was asked for"),
        }
    }
}

impl StdError for CertificateError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            CertificateError::Client(error) => Some(error),
            CertificateError::Request(error) => Some(error),
            CertificateError::Pair(error) => Some(error),
            CertificateError::Store(error) => Some(error),
            _ => None,
        }
    }
}

impl From<PairError> for CertificateError {
    fn from(error: PairError) -> Self {
        CertificateError::Pair(error)
    }
}

impl From<StoreError> for CertificateError {
    fn from(error: StoreError) -> Self {
        CertificateError::Store(error)
    }
}
