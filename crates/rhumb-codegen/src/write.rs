//! Writes generated files, or compares them with the disk.
//!
//! A file that is as it should be is not touched, so that builds don't begin anew. A changed one is written beside its
//! place and then moved there: whoever reads it sees the old or the new text, never a part.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::problem::{Outcome, Problem, Problems, shown};

/// Result of writing files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files that were not there.
    pub new: Vec<PathBuf>,
    /// Files that were different.
    pub changed: Vec<PathBuf>,
    /// Number of unchanged files.
    pub unchanged: usize,
}

/// Writes the files that are not as they should be.
///
/// # Errors
/// If a file can't be read or written. Files already in their places then stay.
pub fn write(files: &BTreeMap<PathBuf, String>) -> Outcome<Written> {
    let mut written = Written::default();
    let mut waiting = Vec::new();
    let prepared = files.iter().try_for_each(|(path, text)| {
        match read(path)? {
            Some(old) if old == *text => {
                written.unchanged += 1;
                return Ok(());
            }
            Some(_) => written.changed.push(path.clone()),
            None => written.new.push(path.clone()),
        }
        let beside = beside(path);
        let parent = path.parent().unwrap_or(Path::new("."));
        let refused = |error: io::Error| Problems::from(Problem::file(&shown(path), error));
        fs::create_dir_all(parent).map_err(refused)?;
        waiting.push((beside.clone(), path));
        fs::write(&beside, text).map_err(refused)
    });
    // Every text is on the disk before the first old file gives way.
    let moved = prepared.and_then(|()| {
        waiting.iter().try_for_each(|(beside, path)| {
            fs::rename(beside, path).map_err(|error| Problem::file(&shown(path), error).into())
        })
    });
    if moved.is_err() {
        for (beside, _) in &waiting {
            // It may have been moved already, or never been made.
            drop(fs::remove_file(beside));
        }
    }
    moved.map(|()| written)
}

/// Returns a unified diff between the disk and generated files; empty if they are equal.
///
/// # Errors
/// If a file can't be read.
pub fn verify(files: &BTreeMap<PathBuf, String>) -> Outcome<String> {
    let mut diff = String::new();
    let mut problems = Problems::default();
    for (path, text) in files {
        let Some(old) = problems.take(read(path)) else { continue };
        let name = shown(path).display().to_string();
        match old {
            Some(old) if old == *text => {}
            Some(old) => diff.push_str(&unified(&old, text, &format!("a/{name}"), &format!("b/{name}"))),
            None => diff.push_str(&unified("", text, "/dev/null", &format!("b/{name}"))),
        }
    }
    problems.or(diff)
}

fn unified(old: &str, new: &str, old_name: &str, new_name: &str) -> String {
    TextDiff::from_lines(old, new).unified_diff().context_radius(3).header(old_name, new_name).to_string()
}

/// Returns the text of a file, `None` if it isn't there. What is no text is different from any text.
fn read(path: &Path) -> Outcome<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Problem::file(&shown(path), error).into()),
    }
}

/// Returns a name beside a file that no build takes for source.
fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", std::process::id()));
    path.with_file_name(name)
}
