//! Files and directories of a command line.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use rhumb_kustomize::{Disk, Notice, Options, Reorder};
use rhumb_scheme::Unstructured;

use super::Origin;
use crate::Failure;

/// File name extensions of files with objects.
pub const FILE_EXTENSIONS: &[&str] = &["json", "yaml", "yml"];

/// Values of `-f`, `-k` and `-R`.
#[derive(Clone, Debug, Default)]
pub struct FileOptions {
    /// Files, directories, URLs, patterns; `-` is standard input.
    pub filenames: Vec<String>,
    /// A directory with a kustomization.
    pub kustomize: String,
    /// Whether to go down into directories.
    pub recursive: bool,
}

impl FileOptions {
    /// Reports whether nothing is named.
    pub fn is_empty(&self) -> bool {
        self.filenames.is_empty() && self.kustomize.is_empty()
    }

    /// Refuses to go on without any.
    ///
    /// # Errors
    /// Neither `-f` nor `-k` was given.
    pub fn require(&self) -> Result<(), Failure> {
        match self.is_empty() {
            true => Err(Failure::message("must specify one of -f and -k")),
            false => Ok(()),
        }
    }

    pub(super) fn check(&self) -> Result<(), Failure> {
        if !self.filenames.is_empty() && !self.kustomize.is_empty() {
            return Err(Failure::message("only one of -f or -k can be specified"));
        }
        if !self.kustomize.is_empty() && self.recursive {
            return Err(Failure::message("the -k flag can't be used with -f or -R"));
        }
        Ok(())
    }
}

/// Returns the objects that a kustomization comes to, and what is to be said about it.
pub(super) fn kustomize(root: &Path, err: &mut dyn Write) -> Result<Vec<(Unstructured, Origin)>, Failure> {
    let options = Options { reorder: Reorder::None, ..Options::default() };
    let built = rhumb_kustomize::build(&Disk, root, &options).map_err(|error| {
        notices(error.notices(), err);
        Failure::message(error.to_string())
    })?;
    notices(&built.notices, err);
    let objects = built.objects.into_iter();
    Ok(objects
        .filter_map(|object| {
            // Where it was written is of more help than where it was put together.
            let source = object.file.unwrap_or_else(|| root.display().to_string());
            Some((Unstructured::new(object.value)?, Origin { source, ..Origin::default() }))
        })
        .collect())
}

/// Says what a kustomization has to say.
fn notices(notices: &[Notice], err: &mut dyn Write) {
    for notice in notices {
        let (Notice::Warning(text) | Notice::Log(text)) = notice;
        let _ = writeln!(err, "{text}");
    }
}

/// Returns the files that names mean, `-` left as it is: directories are taken apart, patterns followed.
///
/// # Errors
/// A name means nothing, or can't be read.
pub fn expand_files(options: &FileOptions) -> Result<Vec<String>, Failure> {
    let mut files = Vec::new();
    for name in &options.filenames {
        if name == "-" {
            files.push(name.clone());
            continue;
        }
        for path in expand(name)? {
            let mut found = Vec::new();
            walk(Path::new(&path), options.recursive, &mut found)?;
            files.extend(found.into_iter().map(|path| path.display().to_string()));
        }
    }
    Ok(files)
}

/// Returns the paths that a name means: itself, or what matches it as a pattern.
pub(super) fn expand(name: &str) -> Result<Vec<String>, Failure> {
    if fs::symlink_metadata(name).is_ok() || fs::metadata(name).is_ok() {
        return Ok(vec![name.to_owned()]);
    }
    let matches = match name.contains(['*', '?', '[']) {
        true => matching(name),
        false => Vec::new(),
    };
    match matches.is_empty() {
        true => Err(Failure::message(format!("the path {name:?} does not exist"))),
        false => Ok(matches),
    }
}

/// Collects the files at a path: itself, or those of a directory with matching extensions, ordered by name.
pub(super) fn walk(path: &Path, recursive: bool, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::message(format!("the path {:?} cannot be accessed: {error}", path.display().to_string()))
    };
    if !fs::metadata(path).map_err(unreadable)?.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort();
    for entry in entries {
        let is_dir = fs::symlink_metadata(&entry).is_ok_and(|metadata| metadata.is_dir());
        if is_dir {
            if recursive {
                walk(&entry, true, found)?;
            }
        } else if entry
            .extension()
            .and_then(|ending| ending.to_str())
            .is_some_and(|ending| FILE_EXTENSIONS.contains(&ending))
        {
            found.push(entry);
        }
    }
    Ok(())
}

/// Returns the paths that match a pattern with `*`, `?` and `[a-z]` in any of its parts, in order.
fn matching(pattern: &str) -> Vec<String> {
    let (mut found, parts) = match pattern.strip_prefix('/') {
        Some(rest) => (vec!["/".to_owned()], rest),
        None => (vec![String::new()], pattern),
    };
    for part in parts.split('/').filter(|part| !part.is_empty()) {
        let mut next = Vec::new();
        for base in &found {
            let join = |name: &str| match base.as_str() {
                "" => name.to_owned(),
                base if base.ends_with('/') => format!("{base}{name}"),
                base => format!("{base}/{name}"),
            };
            if !part.contains(['*', '?', '[']) {
                let path = join(part);
                if fs::symlink_metadata(&path).is_ok() {
                    next.push(path);
                }
                continue;
            }
            let Ok(entries) = fs::read_dir(if base.is_empty() { "." } else { base }) else { continue };
            let mut names: Vec<String> =
                entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.sort();
            let letters: Vec<char> = part.chars().collect();
            next.extend(
                names
                    .iter()
                    .filter(|name| matches(&letters, &name.chars().collect::<Vec<_>>()))
                    .map(|name| join(name)),
            );
        }
        found = next;
    }
    found
}

/// Reports whether a name matches a pattern.
fn matches(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        (['*', rest @ ..], _) => (0..=name.len()).any(|at| matches(rest, name.get(at..).unwrap_or_default())),
        (['?', rest @ ..], [_, name @ ..]) => matches(rest, name),
        (['[', rest @ ..], [letter, name @ ..]) => {
            let Some(end) = rest.iter().skip(1).position(|next| *next == ']').map(|at| at + 1) else {
                return false;
            };
            let (set, after) = rest.split_at(end);
            let (negated, set) = match set {
                ['^', set @ ..] => (true, set),
                set => (false, set),
            };
            let mut within = false;
            let mut set = set;
            while let [first, tail @ ..] = set {
                match tail {
                    ['-', last, tail @ ..] => {
                        within |= (*first..=*last).contains(letter);
                        set = tail;
                    }
                    tail => {
                        within |= first == letter;
                        set = tail;
                    }
                }
            }
            within != negated && matches(after.get(1..).unwrap_or_default(), name)
        }
        ([first, rest @ ..], [letter, name @ ..]) => first == letter && matches(rest, name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_as_a_shell_does() {
        let check = |pattern: &str, name: &str| {
            matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        assert!(check("*.yaml", "a.yaml"));
        assert!(check("[ab]?.yml", "bx.yml"));
        assert!(!check("[^ab].yml", "a.yml"));
        assert!(check("[a-c]*", "cat"));
        assert!(!check("a*b", "ac"));
    }
}
