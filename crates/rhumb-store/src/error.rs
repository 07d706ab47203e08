//! What can go wrong, for whoever asked.

use std::fmt;

use crate::revision::Revision;

/// Why a store did not do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// The revision lies before what is still known: read the present and go on from there.
    Compacted {
        /// Everything before this revision is gone.
        oldest: Revision,
    },
    /// The revision has not happened yet.
    Future {
        /// The newest revision there is.
        newest: Revision,
    },
    /// The transaction is larger than the store takes.
    TooLarge {
        /// Its size in bytes.
        size: usize,
        /// The largest that is taken.
        limit: usize,
    },
    /// The transaction is not one: it changes a key twice, or a key is empty.
    Invalid(String),
    /// There is no such lease, or it has expired.
    NoLease,
    /// The store is closed, or closing.
    Closed,
    /// The answer didn't come in time. Whether the write happened is not known.
    Timeout,
    /// The disk failed. The store refuses every further write, because it can't tell what of the last one is kept.
    Failed(String),
    /// What lies on the disk is not what was written there.
    Corrupt(String),
    /// The remote store can't be reached or answered with an error of its own.
    Unavailable(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Compacted { oldest } => {
                write!(f, "the requested revision has been compacted; the oldest one kept is {oldest}")
            }
            StoreError::Future { newest } => {
                write!(f, "the requested revision is a future one; the newest one is {newest}")
            }
            StoreError::TooLarge { size, limit } => {
                write!(f, "the request is too large: {size} bytes, and at most {limit} are taken")
            }
            StoreError::Invalid(why) => f.write_str(why),
            StoreError::NoLease => f.write_str("the requested lease is not there"),
            StoreError::Closed => f.write_str("the store is closed"),
            StoreError::Timeout => f.write_str("the store didn't answer in time"),
            StoreError::Failed(why) => {
                write!(f, "the disk failed, and nothing is written until a restart: {why}")
            }
            StoreError::Corrupt(why) => f.write_str(why),
            StoreError::Unavailable(why) => write!(f, "the store can't be reached: {why}"),
        }
    }
}

impl std::error::Error for StoreError {}
