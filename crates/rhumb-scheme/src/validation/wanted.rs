//! Loops over long lists that end when nobody wants their outcome any more.

use rhumb_schema::budget;

/// An iterator that ends early.
pub trait Wanted: Iterator + Sized {
    /// The same elements, for as long as the work at hand is wanted.
    fn wanted(self) -> impl Iterator<Item = Self::Item> {
        self.take_while(|_| !budget::is_stopped())
    }
}

impl<I: Iterator> Wanted for I {}
