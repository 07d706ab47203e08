//! Files of a group's crate: creation, and addition of versions.
//!
//! [`new_api`] makes a crate with one kind in one version, ready to build. [`add_version`] makes the newest
//! version's types those of another, and the hub; the version that was the newest converts to it from then on.
//! Both give files in memory; nothing is written here.
//!
//! A group has a directory per version: `types.rs`, `defaults.rs`, and `conversion.rs` in versions that are not the
//! hub, which is the newest one. What registers them is made by the generators, as everywhere.

mod add;
mod edit;
mod generated;
mod names;
mod template;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::problem::Outcome;

pub use add::{Added, add_version};
pub use names::{check_group, check_kind, check_version};

/// Files by path in the crate's directory.
pub type Files = BTreeMap<PathBuf, String>;

/// Parameters of a new group.
#[derive(Clone, Debug)]
pub struct NewApi {
    /// The group, such as `stable.example.com`.
    pub group: String,
    /// First version.
    pub version: String,
    /// First kind.
    pub kind: String,
    /// The name in paths; made of the kind if it is empty.
    pub plural: String,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// Directory of Rhumb's crates, if they are not taken from the registry.
    pub rhumb: Option<PathBuf>,
    /// Whether the crate stands in a workspace that lists it.
    pub is_member: bool,
}

/// Returns the files of a new group's crate.
///
/// # Errors
/// If a name can't be one.
pub fn new_api(api: &NewApi) -> Outcome<Files> {
    check_group(&api.group)?;
    check_version(&api.version)?;
    check_kind(&api.kind)?;
    let mut files = template::fill(api)?;
    // The crate is nowhere yet; what is generated doesn't depend on where it will be.
    generated::add(Path::new("/new-api"), &mut files)?;
    Ok(files)
}
