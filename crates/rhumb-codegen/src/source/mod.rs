//! Loads packages and their source.

mod comments;
mod crates;
mod disk;
mod graph;
mod modules;
mod names;

pub use comments::{Comment, CommentKind, scan};
pub(crate) use disk::Disk;
pub(crate) use graph::{metadata as cargo_metadata, metadata_alone as cargo_metadata_without_dependencies};
pub(crate) use modules::{
    Declared, GENERATED, Import, Module, SourceFile, imports, is_private, is_test, path_attribute,
};
pub(crate) use names::{Found, Sources};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::problem::{Outcome, Problem, shown};
use crate::universe::{self, Universe};
use crates::Crate;

/// What to load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Paths of modules (`src/apps/v1`, `src/apps/v1.rs`), with `/...` behind for all modules below too; directories
    /// of crates, or names of crates of the workspace, for all of their modules.
    pub paths: Vec<String>,
    /// Packages that are read beside those, in the same words, and that nothing is generated for: where conversions
    /// stand that are written by hand, and peers of structs that have none where tags say.
    pub peers: Vec<String>,
    /// Modules by their paths, or directories: of what was asked for, only what is in one of them is generated for.
    /// Where there is none, everything is.
    pub bounding: Vec<String>,
    /// Source directories of crates that cargo doesn't find, by crate name.
    pub crates: Vec<(String, PathBuf)>,
    /// Files that are not on the disk yet, or not as they shall be, by their whole paths.
    pub unwritten: BTreeMap<PathBuf, String>,
}

/// Reads the packages that are asked for, and from others what they mention.
///
/// # Errors
/// What can't be found, read or parsed.
pub fn load(request: &Request) -> Outcome<Universe> {
    universe::build(request)
}

/// Whether submodules are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Only the module.
    One,
    /// All submodules.
    All,
}

/// Returns the module that a word of the command line means.
pub(crate) fn locate(sources: &mut Sources, word: &str) -> Outcome<(String, Depth)> {
    let (text, depth) = match word.strip_suffix("...") {
        Some(text) => (text.trim_end_matches('/'), Depth::All),
        None => (word, Depth::One),
    };
    let text = if text.is_empty() { "." } else { text };
    let path = std::path::absolute(text).map_err(|error| Problem::file(Path::new(text), error))?;
    // `..` in the middle would hide which directory is above which.
    let path = if path.exists() { path.canonicalize().unwrap_or(path) } else { path };
    if sources.disk.is_file(&path) {
        return Ok((sources.module_of_file(&path)?, depth));
    }
    if sources.disk.is_dir(&path) {
        return directory(sources, &path, depth);
    }
    let beside = path.with_extension("rs");
    if sources.disk.is_file(&beside) {
        return Ok((sources.module_of_file(&beside)?, depth));
    }
    let here = std::env::current_dir().unwrap_or_default();
    match Crate::member(&sources.disk, &here, text) {
        Some(dir) => Ok((sources.add(Crate::at(&sources.disk, &dir)?)?, Depth::All)),
        None => Err(Problem::new(format!(
            "{word}: there is no such file or directory, and no crate of that name in the workspace"
        ))
        .into()),
    }
}

fn directory(sources: &mut Sources, path: &Path, depth: Depth) -> Outcome<(String, Depth)> {
    if sources.disk.is_file(&path.join("Cargo.toml")) {
        return Ok((sources.add(Crate::at(&sources.disk, path)?)?, Depth::All));
    }
    let inner = ["mod.rs", "lib.rs", "main.rs"].map(|name| path.join(name));
    let beside = path.with_extension("rs");
    if let Some(file) = inner.iter().chain([&beside]).find(|file| sources.disk.is_file(file)) {
        return Ok((sources.module_of_file(file)?, depth));
    }
    // A directory of files that nothing declares: each of them is a module.
    let any = path.join("any.rs");
    let loose = Crate::around(&sources.disk, &any)?.into_iter().next_back();
    match loose {
        Some(found) => Ok((sources.add(found)?, Depth::All)),
        None => Err(Problem::file(&shown(path), "there are no Rust files here").into()),
    }
}
