//! The store's clock: one step per transaction.

use std::fmt;

/// A moment in the store's life. It only ever grows; 0 is before the first transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

impl Revision {
    /// Before the first transaction; as a condition on a key: the key is not there.
    pub const ZERO: Revision = Revision(0);

    /// The revision after this one.
    #[must_use]
    pub fn next(self) -> Revision {
        Revision(self.0.saturating_add(1))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
