//! Generated files of a group, made before any of its files is written.

use std::path::Path;

use super::Files;
use crate::file_type::FileTypes;
use crate::generator::Options;
use crate::problem::{Outcome, Problem};
use crate::source::{Request, load};
use crate::{generators, run};

/// Adds the files of all generators whose modules the crate in a directory declares. The files that are there already
/// are those that differ from the disk.
///
/// # Errors
/// What the generators find wrong.
pub(super) fn add(root: &Path, files: &mut Files) -> Outcome<()> {
    let root = root.canonicalize().or_else(|_| std::path::absolute(root));
    let root = root.map_err(|error| Problem::file(Path::new("."), error))?;
    let request = Request {
        paths: vec![root.display().to_string()],
        unwritten: files.iter().map(|(path, text)| (root.join(path), text.clone())).collect(),
        ..Request::default()
    };
    let universe = load(&request)?;
    let tools = generators::declared(&universe);
    let made = run::run(&universe, &tools, &Options::default(), &FileTypes::default())?;
    for (path, text) in made.files {
        let below = path.strip_prefix(&root).map(Path::to_path_buf).unwrap_or(path);
        files.insert(below, text);
    }
    Ok(())
}
