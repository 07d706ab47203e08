//! Errors of registering strategies.

use std::fmt;

use rhumb_meta::GroupKind;

/// Error of registering a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegisterError {
    /// The kind has one already.
    KindTaken(GroupKind),
    /// The type has one already.
    TypeTaken(&'static str),
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterError::KindTaken(kind) => write!(f, "the kind {kind} has a strategy already"),
            RegisterError::TypeTaken(name) => write!(f, "the type {name} has a strategy already"),
        }
    }
}

impl std::error::Error for RegisterError {}
