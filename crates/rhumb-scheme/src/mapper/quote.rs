//! How names are written inside error messages: as Go's `%q` writes them, because tools compare the messages.

use std::fmt::{self, Write};

/// A text that prints between double quotes, with everything that cannot be printed escaped.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&rhumb_schema::text::quoted(self.0))
    }
}

/// Values that print between brackets, separated by spaces, as Go prints a list.
pub(super) struct Listed<'a, T>(pub(super) &'a [T]);

impl<T: fmt::Display> fmt::Display for Listed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (index, value) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_char(' ')?;
            }
            write!(f, "{value}")?;
        }
        f.write_char(']')
    }
}
