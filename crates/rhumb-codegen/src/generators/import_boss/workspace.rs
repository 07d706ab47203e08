//! Crates and dependencies of a workspace, by `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::problem::{Outcome, Problem, shown};
use crate::source::{cargo_metadata, cargo_metadata_without_dependencies};

/// A workspace.
#[derive(Default)]
pub(super) struct Workspace {
    /// Root directory.
    pub(super) root: PathBuf,
    /// Targets.
    pub(super) targets: Vec<Target>,
    /// The crates that each crate depends on, by the names of libraries.
    pub(super) dependencies: BTreeMap<String, BTreeSet<String>>,
}

/// A library or binary target.
pub(super) struct Target {
    /// Crate name.
    pub(super) name: String,
    /// Suffix of its module names, unless it is a library: ` ((bin))`.
    pub(super) suffix: String,
    /// The file it begins with.
    pub(super) file: PathBuf,
    /// The libraries that its code can name, by the names that it has for them.
    pub(super) externs: BTreeMap<String, String>,
    /// Additional crates that its tests can use.
    pub(super) test_externs: BTreeMap<String, String>,
}

/// Purpose of a dependency.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Normal,
    Tests,
    Build,
}

impl Workspace {
    /// Returns the workspace that a directory is in.
    pub(super) fn around(dir: &Path) -> Outcome<Workspace> {
        let whole = std::path::absolute(dir).unwrap_or_else(|_| dir.to_path_buf());
        let home = whole.ancestors().find(|dir| dir.join("Cargo.toml").is_file());
        let home = home.ok_or_else(|| Problem::file(dir, "there is no Cargo.toml here or above"))?;
        // Without what a build has fetched, cargo still knows the workspace itself.
        let metadata = cargo_metadata(home).or_else(|_| cargo_metadata_without_dependencies(home));
        let metadata = metadata.map_err(|error| Problem::file(&shown(home), error))?;
        let read = Metadata::of(&metadata).and_then(|metadata| metadata.workspace());
        Ok(read.ok_or_else(|| Problem::file(&shown(home), "the answer of cargo metadata can't be read"))?)
    }
}

/// Output of `cargo metadata`.
struct Metadata<'a> {
    whole: &'a Json,
    /// The packages by their ids.
    packages: BTreeMap<&'a str, &'a Json>,
    /// The names of their libraries.
    libraries: BTreeMap<&'a str, String>,
}

impl<'a> Metadata<'a> {
    fn of(whole: &'a Json) -> Option<Self> {
        let (mut packages, mut libraries) = (BTreeMap::new(), BTreeMap::new());
        for package in list(whole, "packages") {
            let id = text(package, "id")?;
            if let Some(name) = list(package, "targets").find(|target| is_library(target)).and_then(name_of) {
                libraries.insert(id, name);
            }
            packages.insert(id, package);
        }
        Some(Metadata { whole, packages, libraries })
    }

    fn workspace(&self) -> Option<Workspace> {
        let mut workspace =
            Workspace { root: PathBuf::from(text(self.whole, "workspace_root")?), ..Workspace::default() };
        for id in self.packages.keys() {
            if let Some(name) = self.libraries.get(id) {
                let named = self.named(id).into_iter().filter(|(_, _, purpose)| *purpose == Purpose::Normal);
                workspace.dependencies.insert(name.clone(), named.map(|(_, library, _)| library).collect());
            }
        }
        for id in list(self.whole, "workspace_members").filter_map(Json::as_str) {
            let Some(package) = self.packages.get(id) else { continue };
            for target in list(package, "targets") {
                workspace.targets.extend(self.target(id, target));
            }
        }
        Some(workspace)
    }

    /// Returns the libraries that a package's code may name: what it calls them, what they are called, and in what
    /// code.
    fn named(&self, id: &str) -> Vec<(String, String, Purpose)> {
        let mut found = Vec::new();
        let nodes = self.whole.get("resolve").into_iter().flat_map(|resolve| list(resolve, "nodes"));
        let node = nodes.into_iter().find(|node| text(node, "id") == Some(id));
        for dependency in node.into_iter().flat_map(|node| list(node, "deps")) {
            let library = text(dependency, "pkg").and_then(|id| self.libraries.get(id));
            let (Some(name), Some(library)) = (text(dependency, "name"), library) else { continue };
            for kind in list(dependency, "dep_kinds") {
                found.push((name.to_owned(), library.clone(), purpose(kind)));
            }
        }
        if node.is_some() {
            return found;
        }
        // Cargo has not looked for the dependencies: their libraries are taken to be called as they are.
        let declared = self.packages.get(id).into_iter().flat_map(|package| list(package, "dependencies"));
        for dependency in declared {
            let Some(own) = text(dependency, "name").map(|name| name.replace('-', "_")) else { continue };
            let name = text(dependency, "rename").map_or_else(|| own.clone(), |name| name.replace('-', "_"));
            found.push((name, own, purpose(dependency)));
        }
        found
    }

    fn target(&self, id: &str, target: &Json) -> Option<Target> {
        let kind = list(target, "kind").next()?.as_str()?;
        let (suffix, wanted) = match kind {
            "custom-build" => (" ((build))".to_owned(), Purpose::Build),
            _ if is_library(target) => (String::new(), Purpose::Normal),
            "bin" => (" ((bin))".to_owned(), Purpose::Normal),
            kind => (format!(" (({kind}))"), Purpose::Tests),
        };
        let named = self.named(id);
        let of = |purposes: &[Purpose]| {
            let named = named.iter().filter(|(_, _, purpose)| purposes.contains(purpose));
            named.map(|(name, library, _)| (name.clone(), library.clone())).collect::<BTreeMap<_, _>>()
        };
        let mut externs = match wanted {
            Purpose::Tests => of(&[Purpose::Normal, Purpose::Tests]),
            wanted => of(&[wanted]),
        };
        if let (Some(library), true) = (self.libraries.get(id), wanted != Purpose::Build) {
            externs.insert(library.clone(), library.clone());
        }
        Some(Target {
            name: name_of(target)?,
            suffix,
            file: PathBuf::from(text(target, "src_path")?),
            externs,
            test_externs: of(&[Purpose::Tests]),
        })
    }
}

fn list<'a>(value: &'a Json, key: &str) -> impl Iterator<Item = &'a Json> {
    value.get(key).and_then(Json::as_array).into_iter().flatten()
}

fn text<'a>(value: &'a Json, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

fn name_of(target: &Json) -> Option<String> {
    Some(text(target, "name")?.replace('-', "_"))
}

fn is_library(target: &Json) -> bool {
    list(target, "kind").filter_map(Json::as_str).any(|kind| kind.ends_with("lib") || kind == "proc-macro")
}

fn purpose(dependency: &Json) -> Purpose {
    match text(dependency, "kind") {
        Some("dev") => Purpose::Tests,
        Some("build") => Purpose::Build,
        _ => Purpose::Normal,
    }
}
