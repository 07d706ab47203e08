//! Finding packages and reading their source.

mod comments;
mod crates;
mod modules;

pub use comments::{Comment, CommentKind, scan};

use std::path::PathBuf;

use crate::problem::Outcome;
use crate::universe::{self, Universe};

/// What to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Paths of modules (`src/apps/v1`, `src/apps/v1.rs`), with `/...` behind for all modules below too; directories of
    /// crates, or names of crates of the workspace, for all of their modules.
    pub paths: Vec<String>,
    /// Where the sources of crates are that no manifest says, by their names in Rust.
    pub crates: Vec<(String, PathBuf)>,
}

/// Reads the packages that are asked for, and from others what they mention.
///
/// # Errors
/// What can't be found, read or parsed.
pub fn load(request: &Request) -> Outcome<Universe> {
    universe::build(request)
}
