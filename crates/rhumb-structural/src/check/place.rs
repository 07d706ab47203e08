//! Paths within values, formatted only for errors.

use std::cell::Cell;
use std::fmt;

/// Maximum number of bytes of formatted paths per value; responses hold far less.
const MAX_WRITTEN: usize = 256 << 20;

/// Path within a value.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// The value itself, and how many bytes were written out within it.
    Root(&'a Cell<usize>),
    /// A field that the schema names.
    Field(&'a Place<'a>, &'a str),
    /// Any other field.
    Other(&'a Place<'a>, &'a str),
    /// An element of a list.
    Item(&'a Place<'a>, usize),
}

impl Place<'_> {
    /// Reports whether nothing is written out for it.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Place::Root(_) => true,
            Place::Field(above, name) => name.is_empty() && above.is_empty(),
            Place::Other(..) | Place::Item(..) => false,
        }
    }

    /// Formats the path.
    pub(super) fn text(&self) -> String {
        let mut steps = Vec::new();
        let mut place = self;
        while let Place::Field(above, _) | Place::Other(above, _) | Place::Item(above, _) = place {
            steps.push(place);
            place = above;
        }
        let mut text = String::new();
        let Place::Root(written) = place else { return text };
        if written.get() > MAX_WRITTEN {
            return text;
        }
        for step in steps.into_iter().rev() {
            match step {
                Place::Root(_) => {}
                Place::Field(_, name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(name);
                }
                Place::Other(_, name) => {
                    text.push('.');
                    text.push_str(name);
                }
                Place::Item(_, index) => text.push_str(&format!("[{index}]")),
            }
        }
        written.set(written.get() + text.len());
        text
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
