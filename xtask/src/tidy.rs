//! Source rules that no compiler checks.
//!
//! Each rule is a function from text to findings, so it can be tested on a bad example; this module walks the
//! tree and hands every file to the rules that concern it.

mod edges;
mod lock;
mod modules;
mod source;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::workspace::Workspace;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The file, from the root.
    path: PathBuf,
    /// The line, counted from 1.
    line: usize,
    /// Description.
    message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.message)
    }
}

/// Directories with our sources.
const SOURCE: &[&str] = &["crates", "xtask", "fuzz", "clients"];

/// Directories in them without sources.
const NOT_SOURCE: &[&str] = &["target", "corpus", "artifacts"];

/// Reads the tree and fails with everything it found.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let (files, findings) = check(workspace.root())?;
    for finding in &findings {
        eprintln!("{finding}");
    }
    match findings.len() {
        0 => {
            println!("tidy: {files} files, nothing to say");
            Ok(())
        }
        count => Err(Failure::new(format!("tidy: {count} findings in {files} files"))),
    }
}

/// Prints what the layers of our crates import, and fails where one imports from above or modules do in a circle.
pub(crate) fn print_modules(workspace: &Workspace) -> Result<(), Failure> {
    let files = sources(workspace.root())?;
    let mut count = 0;
    for layered in modules::LAYERED {
        let graph = modules::Graph::of(layered.source, &files);
        print!("{}:\n{}", layered.source, graph.describe(layered.layers));
        println!("import cycle: {} modules", graph.in_circles());
        let findings = graph.check(layered.layers);
        count += findings.len();
        for finding in findings {
            eprintln!("{finding}");
        }
    }
    if count == 0 { Ok(()) } else { Err(Failure::new(format!("tidy: {count} findings"))) }
}

/// The Rust files of a tree, by their path from its root.
fn sources(root: &Path) -> Result<Vec<(PathBuf, String)>, Failure> {
    let mut paths = Vec::new();
    list(&root.join("crates"), &mut paths)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).map_err(Failure::file("read", path))?;
        Ok((path.strip_prefix(root).unwrap_or(path).to_owned(), text))
    };
    paths.iter().map(read).collect()
}

/// Applies every rule to a tree; returns how many files were read, and what is wrong in order of place.
fn check(root: &Path) -> Result<(usize, Vec<Finding>), Failure> {
    let mut paths = Vec::new();
    for directory in SOURCE {
        list(&root.join(directory), &mut paths)?;
    }
    let locks = ["Cargo.lock", "fuzz/Cargo.lock"].map(|path| root.join(path));
    paths.extend(locks.into_iter().filter(|path| path.is_file()));

    let mut findings = Vec::new();
    let mut manifests = Vec::new();
    let mut rust = Vec::new();
    for path in &paths {
        let text = fs::read_to_string(path).map_err(Failure::file("read", path))?;
        let path = path.strip_prefix(root).unwrap_or(path);
        match path.file_name().and_then(|name| name.to_str()) {
            Some("Cargo.lock") => findings.extend(lock::check(path, &text)),
            Some("Cargo.toml") if edges::concerns(path) => manifests.push((path.to_owned(), text)),
            Some(name) if name.ends_with(".rs") => {
                findings.extend(source::check(path, &text));
                rust.push((path.to_owned(), text));
            }
            _ => {}
        }
    }
    for layered in modules::LAYERED {
        findings.extend(modules::Graph::of(layered.source, &rust).check(layered.layers));
    }
    findings.extend(edges::check(&manifests, edges::ORDER));
    findings.extend(edges::check_versions(&manifests));
    findings.sort();
    Ok((paths.len(), findings))
}

/// Collects the Rust files and manifests below a directory, in order of name.
fn list(directory: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if !directory.is_dir() {
        return Ok(());
    }
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory).map_err(Failure::file("list", directory))? {
        entries.push(entry.map_err(Failure::file("list", directory))?.path());
    }
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !name.starts_with('.') && !NOT_SOURCE.contains(&&*name) {
                list(&path, paths)?;
            }
        } else if name.ends_with(".rs") || name == "Cargo.toml" {
            paths.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let workspace = Workspace::locate().unwrap();
        let (files, findings) = check(workspace.root()).unwrap();
        assert!(files > 10, "only {files} files were found below {}", workspace.root().display());
        let findings: Vec<String> = findings.iter().map(Finding::to_string).collect();
        assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
    }

    #[test]
    fn a_finding_is_a_place_and_a_sentence() {
        let finding = Finding { path: "a/b.rs".into(), line: 3, message: "is odd".into() };
        assert_eq!(finding.to_string(), "a/b.rs:3: is odd");
    }
}
