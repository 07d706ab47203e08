//! Collects the files of a directory, deterministically and without leaving it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::pattern::Pattern;
use crate::problem::{Outcome, Problem, Problems, shown};

/// A file to embed.
pub(super) struct Found {
    /// Path from the directory, separated by `/`.
    pub path: String,
    /// Contents.
    pub bytes: Vec<u8>,
}

/// Returns the files of a directory and of those in it, in the order of their paths.
///
/// Hidden files and the backups of editors are left out, as is what a pattern matches.
pub(super) fn gather(dir: &Path, skip: &[Pattern]) -> Outcome<Vec<Found>> {
    let root = dir.canonicalize().map_err(|error| Problem::file(&shown(dir), error))?;
    if !root.is_dir() {
        return Err(Problem::file(&shown(dir), "is no directory").into());
    }
    let mut walk = Walk { dir, root, skip, found: Vec::new(), problems: Problems::default() };
    walk.enter(dir, "");
    // Directories were walked one by one; `a/b` stands behind `a.b` only when all paths are in order.
    walk.found.sort_by(|one, other| one.path.cmp(&other.path));
    walk.problems.or(walk.found)
}

struct Walk<'a> {
    dir: &'a Path,
    /// The directory without links in its path.
    root: PathBuf,
    skip: &'a [Pattern],
    found: Vec<Found>,
    problems: Problems,
}

impl Walk<'_> {
    fn enter(&mut self, dir: &Path, below: &str) {
        let entries = fs::read_dir(dir).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let Some(entries) = self.read(entries, dir) else { return };
        for entry in entries {
            let place = entry.path();
            let Ok(name) = entry.file_name().into_string() else {
                self.refuse(&place, "its name is no UTF-8");
                continue;
            };
            let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
            let is_noise = name.starts_with('.') || name.ends_with('~');
            if is_noise || self.skip.iter().any(|pattern| pattern.matches(&path)) {
                continue;
            }
            let Some(kind) = self.read(entry.file_type(), &place) else { continue };
            if kind.is_dir() {
                self.enter(&place, &path);
            } else if kind.is_file() || kind.is_symlink() && self.may_follow(&place) {
                if let Some(bytes) = self.read(fs::read(&place), &place) {
                    self.found.push(Found { path, bytes });
                }
            } else if !kind.is_symlink() {
                self.refuse(&place, "is neither a file nor a directory");
            }
        }
    }

    /// Reports whether a link leads to a file of the directory. If not, it is said why.
    fn may_follow(&mut self, link: &Path) -> bool {
        let Some(target) = self.read(link.canonicalize(), link) else { return false };
        if !target.starts_with(&self.root) {
            let dir = shown(self.dir).display().to_string();
            self.refuse(
                link,
                &format!("is a link that leads out of {dir}: put the file itself there, or skip it"),
            );
            return false;
        }
        if !target.is_file() {
            self.refuse(
                link,
                "is a link to a directory: what is in it is embedded under its own path; skip the link",
            );
            return false;
        }
        true
    }

    fn read<T>(&mut self, result: io::Result<T>, place: &Path) -> Option<T> {
        result.map_err(|error| self.refuse(place, &error.to_string())).ok()
    }

    fn refuse(&mut self, place: &Path, why: &str) {
        self.problems.push(Problem::file(&shown(place), why));
    }
}
