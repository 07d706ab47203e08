//! The text of an expression, and places in it.

/// The text of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What errors call it, `<input>` if it has no name.
    pub name: String,
    /// The text.
    pub text: String,
    /// The offsets, in code points, of one after each line break.
    pub lines: Vec<u32>,
}
