//! Import restrictions between the modules of a workspace.
//!
//! A file `.import-restrictions` in the directory of a module is for that module and all below it, and so are those
//! of the directories above, up to the workspace's root. Its `rules` are about what the modules import, its
//! `inverseRules` about what imports them. A rule is for the imports that its selector matches; of these, what has
//! one of its forbidden prefixes is forbidden, and else what has one of the allowed ones is allowed. The closest
//! file is asked first, and in it one rule after the other; the first that says either decides. What a selector
//! matches and no rule decides is forbidden too. Rules are about what a module itself imports, and with
//! `transitive` also about what its imports import.
//!
//! A module imports another if a path in it leads there, by `use` or in code. Its name is that of its crate with
//! its path in it, `rhumb_api::apps::v1`; in crates that are no libraries, with what they are behind it,
//! `rhumb::gen ((bin))`, which prefixes and selectors don't see. What is re-exported counts as a part of the module
//! that it is taken from. Of crates beyond the workspace names are as they are written, up to the first type:
//! `std::fs::read`. What such a crate imports are the crates it depends on.

mod paths;
mod rules;
mod tree;
mod verify;
mod workspace;

use std::path::PathBuf;

use crate::problem::{Outcome, Problem};

pub use rules::{Compile, Restrictions, Rule, Selector};

/// Name of files with rules.
pub const FILE: &str = ".import-restrictions";

/// What to check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// A directory of the workspace.
    pub dir: PathBuf,
    /// The files and directories whose modules are verified. Where there is none, those of the whole workspace are.
    pub paths: Vec<PathBuf>,
}

/// Returns the imports that rules forbid, each with its place.
///
/// # Errors
/// If the workspace, its source or a file with rules can't be read.
pub fn verify(
    request: &Request,
    read: &dyn Fn(&str) -> Result<Restrictions, String>,
) -> Outcome<Vec<Problem>> {
    let workspace = workspace::Workspace::around(&request.dir)?;
    let forest = tree::Forest::read(&workspace)?;
    verify::verify(&workspace, &forest, request, read)
}
