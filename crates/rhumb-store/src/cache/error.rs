//! Why the cache doesn't answer.

use std::fmt;

use crate::error::StoreError;
use crate::revision::Revision;

/// Why a read or a watch can't be answered from the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheError {
    /// The revision has not been seen in the time that the caller gave.
    TooLarge {
        /// The revision asked for.
        requested: Revision,
        /// The newest one seen.
        current: Revision,
    },
    /// The revision is no longer known. A list can be begun anew, or be continued at the newest revision.
    Expired {
        /// The revision asked for.
        requested: Revision,
        /// The oldest one from which a watch can go on.
        oldest: Revision,
        /// The newest one seen.
        newest: Revision,
    },
    /// The cache has not been filled yet.
    NotReady,
    /// The cache has no index of that name.
    NoIndex(String),
    /// The cache is no longer filled.
    Closed,
    /// The store had to be asked and gave an error.
    Store(StoreError),
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CacheError::TooLarge { requested, current } => {
                write!(f, "Too large resource version: {requested}, current: {current}")
            }
            CacheError::Expired { requested, oldest, .. } => {
                write!(f, "too old resource version: {requested} ({oldest})")
            }
            CacheError::NotReady => f.write_str("storage is (re)initializing"),
            CacheError::NoIndex(name) => write!(f, "there is no index {name:?}"),
            CacheError::Closed => f.write_str("the cache is closed"),
            CacheError::Store(_) => f.write_str("the store gave an error"),
        }
    }
}

impl std::error::Error for CacheError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CacheError::Store(error) => Some(error),
            _ => None,
        }
    }
}
