//! File access of a build, and resolution of paths in kustomizations.

use std::io;
use std::path::{Path, PathBuf};

use crate::fault::{Fault, Outcome, fail};
use crate::origin::{clean, join};
use crate::remote;

/// File system of a build.
///
/// Paths are absolute when they come from here, but for the root that the caller named.
pub trait Files {
    /// Returns the content of a file.
    ///
    /// # Errors
    /// If it can't be read.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Returns a path made absolute, with nothing else changed.
    ///
    /// # Errors
    /// If there is no current directory to begin at.
    fn absolute(&self, path: &Path) -> io::Result<PathBuf>;

    /// Returns an absolute path with symbolic links and `..` followed.
    ///
    /// # Errors
    /// If something on the way does not exist.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;

    /// Reports whether a path leads to a directory.
    fn is_dir(&self, path: &Path) -> bool;

    /// Reports whether a path leads to anything, be it a link that leads nowhere.
    fn exists(&self, path: &Path) -> bool;
}

/// The local file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn absolute(&self, path: &Path) -> io::Result<PathBuf> {
        std::path::absolute(path)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn exists(&self, path: &Path) -> bool {
        std::fs::symlink_metadata(path).is_ok()
    }
}

/// Restrictions on files other than kustomizations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LoadRestrictions {
    /// Files in and below the kustomization's directory.
    #[default]
    RootOnly,
    /// All files.
    None,
}

/// Reads files for the kustomization in one directory.
#[derive(Clone)]
pub(crate) struct Loader<'a> {
    files: &'a dyn Files,
    restrictions: LoadRestrictions,
    root: String,
    /// The directories whose kustomizations led here.
    visited: Vec<String>,
}

impl<'a> Loader<'a> {
    /// Creates a loader for the directory that a build begins in.
    pub(crate) fn new(
        files: &'a dyn Files,
        restrictions: LoadRestrictions,
        root: &str,
    ) -> Outcome<Loader<'a>> {
        if remote::is_repository(root) || remote::is_url(root) {
            return Err(remote::refusal(root));
        }
        let mut loader = Loader { files, restrictions, root: String::new(), visited: Vec::new() };
        loader.root = loader.directory(root).map_err(|error| error.under("must build at directory"))?;
        Ok(loader)
    }

    pub(crate) fn root(&self) -> &str {
        &self.root
    }

    /// Returns a loader for a directory that this kustomization names.
    pub(crate) fn descend(&self, path: &str) -> Outcome<Loader<'a>> {
        if path.is_empty() {
            return fail("new root cannot be empty");
        }
        if remote::is_repository(path) {
            return Err(remote::refusal(path));
        }
        if path.starts_with('/') {
            return fail(format!("new root '{path}' cannot be absolute"));
        }
        let root = self
            .directory(&join(&self.root, path))
            .map_err(|error| error.under("must build at directory"))?;
        let mut visited = self.visited.clone();
        visited.push(self.root.clone());
        for seen in visited.iter().rev() {
            if is_within(seen, &root) {
                return fail(format!(
                    "cycle detected: candidate root '{root}' contains visited root '{seen}'"
                ));
            }
        }
        Ok(Loader { files: self.files, restrictions: self.restrictions, root, visited })
    }

    /// Returns the content of a file that this kustomization names.
    pub(crate) fn load(&self, path: &str) -> Outcome<Vec<u8>> {
        if remote::is_url(path) {
            return Err(remote::refusal(path));
        }
        let path = if path.starts_with('/') { path.to_owned() } else { join(&self.root, path) };
        let real = match self.restrictions {
            LoadRestrictions::None => path,
            LoadRestrictions::RootOnly => {
                let (directory, file) = self.resolve(&path)?;
                let Some(file) = file else { return fail(format!("'{path}' must resolve to a file")) };
                if !is_within(&directory, &self.root) {
                    return fail(format!("security; file '{path}' is not in or below '{}'", self.root));
                }
                join(&directory, &file)
            }
        };
        self.files.read(Path::new(&real)).map_err(|error| {
            let doing = if self.files.is_dir(Path::new(&real)) { "read" } else { "open" };
            Fault(format!("{doing} {real}: {}", describe(&error)))
        })
    }

    fn directory(&self, path: &str) -> Outcome<String> {
        if path.is_empty() {
            return fail("directory path cannot be empty");
        }
        match self.resolve(path).map_err(|error| error.under("not a valid directory"))? {
            (directory, None) => Ok(directory),
            (_, Some(_)) => fail(format!("'{path}': file is not directory")),
        }
    }

    /// Returns the directory, and the file in it if the path leads to one, with all links followed.
    fn resolve(&self, path: &str) -> Outcome<(String, Option<String>)> {
        let absolute = self
            .files
            .absolute(Path::new(path))
            .map_err(|error| Fault(format!("abs path error on '{path}' : {}", describe(&error))))?;
        let absolute = clean(&absolute.to_string_lossy());
        let real = self.files.resolve(Path::new(&absolute)).map_err(|error| {
            let problem = match self.first_missing(&absolute) {
                Some(missing) => format!("lstat {missing}: no such file or directory"),
                None => describe(&error),
            };
            Fault(format!("evalsymlink failure on '{path}' : {problem}"))
        })?;
        let real_text = real.to_string_lossy().into_owned();
        if self.files.is_dir(&real) {
            return Ok((real_text, None));
        }
        match real_text.rsplit_once('/') {
            Some(("", file)) => Ok(("/".to_owned(), Some(file.to_owned()))),
            Some((directory, file)) => Ok((directory.to_owned(), Some(file.to_owned()))),
            None => Ok((real_text, None)),
        }
    }

    /// Returns the shortest beginning of a path that does not exist, if what is before it is a directory.
    fn first_missing(&self, path: &str) -> Option<String> {
        let ends = path.match_indices('/').map(|(at, _)| at).skip(1).chain([path.len()]);
        for end in ends {
            let part = path.get(..end)?;
            if !self.files.exists(Path::new(part)) {
                let before = Path::new(part).parent()?;
                return self.files.is_dir(before).then(|| part.to_owned());
            }
        }
        None
    }
}

/// Reports whether a directory is another or lies below it.
fn is_within(path: &str, directory: &str) -> bool {
    directory == "/"
        || path == directory
        || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns an error in the words of Unix, without Rust's number.
fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotADirectory => "not a directory".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        _ => error.to_string(),
    }
}
