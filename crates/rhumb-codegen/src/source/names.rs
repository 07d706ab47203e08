//! Loaded modules and name resolution. Modules are loaded when a name leads to them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::crates::Crate;
use super::disk::Disk;
use super::graph::Graph;
use super::modules::{ChildBody, Module};
use crate::namer::version::is_version;
use crate::problem::{Outcome, Problem, Problems, shown};

/// Everything loaded so far.
#[derive(Default)]
pub(crate) struct Sources {
    /// Files.
    pub(crate) disk: Disk,
    crates: BTreeMap<String, Crate>,
    modules: BTreeMap<String, Module>,
    /// Source directories of crates that cargo doesn't find.
    elsewhere: BTreeMap<String, PathBuf>,
    /// Locations of crates without a path in manifests.
    graph: Graph,
    /// Modules that are packages because they were asked for.
    pub(crate) requested: BTreeSet<String>,
    /// The globs that are being followed, as a module and a name: re-exports may go round in a circle.
    trail: BTreeSet<(String, String)>,
    /// Problems of loading modules during name resolution.
    pub(crate) problems: Problems,
}

/// Target of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A declared type: the path of its module and its name there.
    Type(String, String),
    /// A module by its path.
    Module(String),
    /// Something in a crate whose source is not at hand, by its path.
    Beyond(String),
    /// Something in a module that is neither a type nor a module: a function, a constant, a trait.
    Other(String),
}

/// Maximum length of an import chain, for source that doesn't compile.
const LONGEST: usize = 64;

impl Sources {
    pub(crate) fn new(elsewhere: &[(String, PathBuf)], disk: Disk) -> Self {
        Sources { disk, elsewhere: elsewhere.iter().cloned().collect(), ..Sources::default() }
    }

    /// Returns a loaded module.
    pub(crate) fn get(&self, path: &str) -> Option<&Module> {
        self.modules.get(path)
    }

    /// Returns a module mutably.
    pub(crate) fn get_mut(&mut self, path: &str) -> Option<&mut Module> {
        self.modules.get_mut(path)
    }

    /// Returns the crate of a path.
    pub(crate) fn crate_of(&self, path: &str) -> Option<&Crate> {
        self.crates.get(path.split("::").next().unwrap_or(path))
    }

    /// Adds a crate, and gives the path of its root module.
    pub(crate) fn add(&mut self, found: Crate) -> Outcome<String> {
        let name = found.name.clone();
        if let Some(known) = self.crates.get(&name) {
            if known.root != found.root || known.source != found.source {
                return Err(Problem::new(format!(
                    "two crates are called {name}: {} and {}; ask for one of them at a time",
                    shown(&known.source).display(),
                    shown(&found.source).display()
                ))
                .into());
            }
            return Ok(name);
        }
        let module = match &found.root {
            Some(root) => Module::of_file(&self.disk, root, found.source.clone(), true)?,
            None => Module::of_directory(&found.source)?,
        };
        self.crates.insert(name.clone(), found);
        self.modules.insert(name.clone(), module);
        Ok(name)
    }

    /// Returns the path of the module that a file is, with its crate read as far as it leads there.
    pub(crate) fn module_of_file(&mut self, file: &Path) -> Outcome<String> {
        let mut last = None;
        for found in Crate::around(&self.disk, file)? {
            if found.root.as_deref() == Some(file) {
                return self.add(found);
            }
            let Ok(below) = file.strip_prefix(&found.source) else { continue };
            let mut parts: Vec<String> =
                below.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if parts.last().is_some_and(|part| part == "mod") {
                parts.pop();
            }
            let mut path = self.add(found)?;
            let mut reached = true;
            for part in parts {
                let next = format!("{path}::{part}");
                match self.read(&next) {
                    Ok(true) => path = next,
                    Ok(false) => reached = false,
                    Err(problems) => return Err(problems),
                }
                if !reached {
                    last = Some((path.clone(), part));
                    break;
                }
            }
            if reached && self.get(&path).is_some_and(|module| module.file.path == file) {
                return Ok(path);
            }
        }
        let (module, part) = last.unwrap_or_default();
        Err(Problem::file(&shown(file), format!("no module leads here: declare `mod {part};` in {module}"))
            .into())
    }

    /// Reads a module whose parent was read. `false` if there is none of that name.
    pub(crate) fn read(&mut self, path: &str) -> Outcome<bool> {
        if self.modules.contains_key(path) {
            return Ok(true);
        }
        let Some((above, name)) = path.rsplit_once("::") else { return Ok(false) };
        let Some(parent) = self.modules.get_mut(above) else { return Ok(false) };
        let (dir, file) = (parent.dir.join(name), parent.file.clone());
        let Some(child) = parent.children.get_mut(name) else { return Ok(false) };
        let public = child.public;
        let module = match &mut child.body {
            ChildBody::Inline(items) => Module::inline(file, dir, public, items.take().unwrap_or_default()),
            ChildBody::Files(files) => {
                let Some(found) = files.iter().find(|file| self.disk.is_file(file)) else { return Ok(false) };
                // A `#[path]` may lead anywhere; what is below is then found beside the file.
                let dir = match found.file_name().is_some_and(|name| name == "mod.rs") {
                    true => found.parent().unwrap_or(Path::new(".")).to_path_buf(),
                    false => found.with_extension(""),
                };
                Module::of_file(&self.disk, found, dir, public)?
            }
        };
        self.modules.insert(path.to_owned(), module);
        Ok(true)
    }

    /// Returns the names of the modules directly below one that was read.
    pub(crate) fn children(&self, path: &str) -> Vec<String> {
        self.modules.get(path).map(|module| module.children.keys().cloned().collect()).unwrap_or_default()
    }

    /// Reports whether a module is a package of its own: it is public, or named like a version, or was asked for.
    pub(crate) fn is_package(&self, path: &str) -> bool {
        let name = path.rsplit("::").next().unwrap_or(path);
        is_version(name)
            || !path.contains("::")
            || self.requested.contains(path)
            || self.modules.get(path).is_some_and(|module| module.public)
    }

    /// Returns the package that a module belongs to.
    pub(crate) fn home(&self, module: &str) -> String {
        let mut path = module;
        while !self.is_package(path) {
            match path.rsplit_once("::") {
                Some((above, _)) => path = above,
                None => break,
            }
        }
        path.to_owned()
    }

    /// Reports whether a module itself declares or imports a name, which then is not the language's.
    pub(crate) fn names(&self, module: &str, name: &str) -> bool {
        self.modules.get(module).is_some_and(|scope| {
            scope.types.contains_key(name)
                || scope.imports.iter().any(|import| import.name.as_deref() == Some(name))
        })
    }

    /// Resolves a path in a module.
    pub(crate) fn find(&mut self, module: &str, path: &[String]) -> Option<Found> {
        self.trail.clear();
        self.follow(module, path, LONGEST)
    }

    fn follow(&mut self, module: &str, path: &[String], left: usize) -> Option<Found> {
        let left = left.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        let mut found = match first.as_str() {
            "crate" => Found::Module(module.split("::").next().unwrap_or(module).to_owned()),
            "self" => Found::Module(module.to_owned()),
            "super" => Found::Module(module.rsplit_once("::")?.0.to_owned()),
            name => match self.inside(module, name, left) {
                Some(found) => found,
                // A crate alone is nothing that could be meant.
                None if rest.is_empty() => return None,
                None => self.outside(module, name)?,
            },
        };
        for (index, name) in rest.iter().enumerate() {
            found = match found {
                Found::Module(module) if name == "super" => {
                    Found::Module(module.rsplit_once("::")?.0.to_owned())
                }
                Found::Module(module) => self.inside(&module, name, left)?,
                Found::Beyond(path) => {
                    let rest = rest.get(index..).unwrap_or_default();
                    return Some(Found::Beyond(format!("{path}::{}", rest.join("::"))));
                }
                // What is in a type or a constant is no name of a type.
                Found::Type(..) | Found::Other(_) => return None,
            };
        }
        Some(found)
    }

    /// Resolves a name in the scope of a module, including imports.
    fn inside(&mut self, module: &str, name: &str, left: usize) -> Option<Found> {
        let left = left.checked_sub(1)?;
        let scope = self.modules.get(module)?;
        if scope.types.contains_key(name) {
            return Some(Found::Type(module.to_owned(), name.to_owned()));
        }
        if scope.children.contains_key(name) {
            let path = format!("{module}::{name}");
            match self.read(&path) {
                Ok(true) => return Some(Found::Module(path)),
                Ok(false) => {}
                Err(problems) => self.problems.0.extend(problems.0),
            }
        }
        let scope = self.modules.get(module)?;
        if scope.declares_other(name) {
            return Some(Found::Other(format!("{module}::{name}")));
        }
        let named = scope.imports.iter().find(|import| import.name.as_deref() == Some(name));
        if let Some(path) = named.map(|import| import.path.clone()) {
            // `use a::a` and the like lead to themselves unless the crate is meant.
            return match path.first().is_some_and(|first| first == name) {
                true => self.through_crate(module, &path, left),
                false => self.follow(module, &path, left).or_else(|| self.through_crate(module, &path, left)),
            };
        }
        let globs = scope.globs();
        let step = (module.to_owned(), name.to_owned());
        if globs.is_empty() || !self.trail.insert(step.clone()) {
            return None;
        }
        let found = globs.into_iter().find_map(|path| match self.follow(module, &path, left)? {
            Found::Module(target) if target != module => self.inside(&target, name, left),
            _ => None,
        });
        // What was not found here is not looked for again before the search ends.
        if found.is_some() {
            self.trail.remove(&step);
        }
        found
    }

    fn through_crate(&mut self, module: &str, path: &[String], left: usize) -> Option<Found> {
        let (first, rest) = path.split_first()?;
        match self.outside(module, first)? {
            Found::Module(krate) if !rest.is_empty() => {
                let inner: Vec<String> =
                    std::iter::once("self".to_owned()).chain(rest.iter().cloned()).collect();
                self.follow(&krate, &inner, left)
            }
            Found::Beyond(krate) if !rest.is_empty() => {
                Some(Found::Beyond(format!("{krate}::{}", rest.join("::"))))
            }
            found => Some(found),
        }
    }

    /// Returns a crate by the name that a module's crate has for it.
    fn outside(&mut self, module: &str, name: &str) -> Option<Found> {
        let own = self.crates.get(module.split("::").next().unwrap_or(module))?;
        if own.name == name {
            return Some(Found::Module(name.to_owned()));
        }
        // What can be meant in `serde_json` is known without its source.
        if matches!(name, "std" | "core" | "alloc" | "serde_json") {
            return Some(Found::Beyond(name.to_owned()));
        }
        let dir = match (self.elsewhere.get(name), own.dependencies.get(name)) {
            (Some(dir), _) | (None, Some(Some(dir))) => Some(dir.clone()),
            (None, Some(None)) => self.graph.find(&own.dir, name),
            (None, None) => None,
        };
        let Some(dir) = dir else {
            // Names of crates are in lower case, and nothing else that can be the first part of a path is left.
            let like_crate = name.starts_with(|first: char| first.is_ascii_lowercase());
            return like_crate.then(|| Found::Beyond(name.to_owned()));
        };
        match Crate::at(&self.disk, &dir).and_then(|found| self.add(found)) {
            Ok(path) => Some(Found::Module(path)),
            Err(problems) => {
                self.problems.0.extend(problems.0);
                None
            }
        }
    }

    /// Returns a path of a module as it can be written in another module of the same crate: from `crate`, or from a
    /// crate's name. What is in nobody's scope is left as it is.
    pub(crate) fn absolute(&mut self, module: &str, path: &[String]) -> Vec<String> {
        self.trail.clear();
        self.anchor(module, path, LONGEST).unwrap_or_else(|| path.to_vec())
    }

    fn anchor(&mut self, module: &str, path: &[String], left: usize) -> Option<Vec<String>> {
        let left = left.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        let from_root = |module: &str| {
            std::iter::once("crate").chain(module.split("::").skip(1)).map(str::to_owned).collect::<Vec<_>>()
        };
        let mut start = match first.as_str() {
            "crate" => vec!["crate".to_owned()],
            "self" => from_root(module),
            "super" => from_root(module.rsplit_once("::")?.0),
            name => {
                let scope = self.modules.get(module)?;
                let declares = scope.types.contains_key(name)
                    || scope.children.contains_key(name)
                    || scope.declares_other(name);
                let named = scope.imports.iter().find(|import| import.name.as_deref() == Some(name));
                if declares {
                    let mut start = from_root(module);
                    start.push(name.to_owned());
                    start
                } else if let Some(target) = named.map(|import| import.path.clone()) {
                    match target.first().is_some_and(|first| first == name) {
                        true => target,
                        false => self.anchor(module, &target, left)?,
                    }
                } else {
                    self.anchor_glob(module, name, left).unwrap_or_else(|| vec![name.to_owned()])
                }
            }
        };
        for part in rest {
            match part.as_str() {
                "super" => drop(start.pop()),
                part => start.push(part.to_owned()),
            }
        }
        Some(start)
    }

    fn anchor_glob(&mut self, module: &str, name: &str, left: usize) -> Option<Vec<String>> {
        let globs = self.modules.get(module)?.globs();
        globs.into_iter().find_map(|path| match self.follow(module, &path, left)? {
            Found::Module(target) if target != module => {
                self.inside(&target, name, left)?;
                let mut start = self.anchor(module, &path, left)?;
                start.push(name.to_owned());
                Some(start)
            }
            _ => None,
        })
    }
}
