//! Quoting of names in errors like Go's `%q`, because tools compare messages.

use std::fmt::{self, Write};

/// Displays a text in double quotes with escapes.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&rhumb_schema::text::quoted(self.0))
    }
}

/// Displays values in brackets, separated by spaces, as Go prints slices.
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
