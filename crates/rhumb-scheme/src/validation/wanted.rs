//! Loops that end early when their request is cancelled.

use rhumb_schema::budget;

/// Iterator that ends early.
pub trait Wanted: Iterator + Sized {
    /// Returns the same elements until the current request is cancelled.
    fn wanted(self) -> impl Iterator<Item = Self::Item> {
        self.take_while(|_| !budget::is_stopped())
    }
}

impl<I: Iterator> Wanted for I {}
