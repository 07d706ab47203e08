//! Modules of a workspace's crates, and their paths.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use quote::ToTokens;
use syn::{Attribute, Item};

use super::paths::{self, Path as Written};
use super::workspace::{Target, Workspace};
use crate::problem::{Outcome, Place, Problem, shown};
use crate::source::{Disk, Import, SourceFile, imports, is_test, path_attribute};

/// All modules by crate.
pub(super) struct Forest<'a> {
    pub(super) trees: Vec<Tree<'a>>,
    /// The places of libraries among the trees, by name.
    libraries: BTreeMap<&'a str, usize>,
}

/// Modules of a crate by path.
pub(super) struct Tree<'a> {
    pub(super) target: &'a Target,
    pub(super) modules: BTreeMap<String, Module>,
}

/// A module.
pub(super) struct Module {
    /// The file it stands in.
    pub(super) file: PathBuf,
    /// The directory that the files of its children stand in.
    pub(super) dir: PathBuf,
    /// Whether it is only there for tests.
    is_test: bool,
    children: BTreeSet<String>,
    /// Imports with their local names.
    imports: Vec<Import>,
    /// The paths in it, with their places.
    paths: Vec<(Written, Place)>,
}

/// Target of a path.
struct Found {
    home: Home,
    /// Whether the path ends in it: what follows is a part of a type or the like.
    ended: bool,
}

/// Location of an item.
#[derive(PartialEq, Eq)]
enum Home {
    /// A module of the workspace: index of its crate, and path.
    Module(usize, String),
    /// Beyond it.
    Beyond(String),
}

impl Found {
    fn module(tree: usize, path: impl Into<String>) -> Self {
        Found { home: Home::Module(tree, path.into()), ended: false }
    }

    fn beyond(path: impl Into<String>) -> Self {
        Found { home: Home::Beyond(path.into()), ended: false }
    }
}

/// Maximum length of an import chain, for source that doesn't compile.
const LONGEST: usize = 32;

/// Crates of the language.
const LANGUAGE: &[&str] = &["std", "core", "alloc", "proc_macro", "test"];

impl<'a> Forest<'a> {
    /// Reads the modules of all crates.
    pub(super) fn read(workspace: &'a Workspace) -> Outcome<Forest<'a>> {
        let mut forest = Forest { trees: Vec::new(), libraries: BTreeMap::new() };
        for target in &workspace.targets {
            if target.suffix.is_empty() {
                forest.libraries.insert(&target.name, forest.trees.len());
            }
            let mut tree = Tree { target, modules: BTreeMap::new() };
            let dir = target.file.parent().unwrap_or(Path::new(".")).to_path_buf();
            tree.read(&Disk::default(), &target.name, &target.file, dir, false)?;
            forest.trees.push(tree);
        }
        Ok(forest)
    }

    /// Returns the imports of a module, each with its first position.
    pub(super) fn imports_of(&self, tree: usize, path: &str) -> BTreeMap<String, Place> {
        let mut found = BTreeMap::new();
        let Some(module) = self.module(tree, path) else { return found };
        for (written, place) in &module.paths {
            let start = match written.from_crates {
                true => self.named(tree, module, written.parts.first()),
                false => self.first(tree, path, &written.parts, LONGEST),
            };
            let Some(start) = start else { continue };
            let name = match self.rest(start, written.parts.get(1..).unwrap_or_default()).home {
                Home::Module(tree, path) => self.name(tree, &path),
                Home::Beyond(path) => path,
            };
            found.entry(name).or_insert_with(|| place.clone());
        }
        found
    }

    /// Returns the name of a module, by which it is told apart from all others.
    pub(super) fn name(&self, tree: usize, path: &str) -> String {
        let suffix = self.trees.get(tree).map(|tree| tree.target.suffix.as_str()).unwrap_or_default();
        format!("{path}{suffix}")
    }

    fn module(&self, tree: usize, path: &str) -> Option<&Module> {
        self.trees.get(tree)?.modules.get(path)
    }

    /// Resolves the first segment of a path in a module.
    fn first(&self, tree: usize, path: &str, parts: &[String], left: usize) -> Option<Found> {
        let left = left.checked_sub(1)?;
        let module = self.module(tree, path)?;
        let first = parts.first()?;
        match first.as_str() {
            "crate" => return Some(Found::module(tree, &self.trees.get(tree)?.target.name)),
            "self" => return Some(Found::module(tree, path)),
            "super" => return Some(Found::module(tree, above(path)?)),
            _ => {}
        }
        if module.children.contains(first) {
            return Some(Found::module(tree, format!("{path}::{first}")));
        }
        let import = module.imports.iter().find(|import| import.name.as_ref() == Some(first));
        if let Some(import) = import {
            // `use a::a` and the like lead to the crate.
            let itself = import.path.first() == Some(first);
            let start = match itself {
                true => self.named(tree, module, Some(first)),
                false => self.first(tree, path, &import.path, left),
            };
            return Some(self.rest(start?, import.path.get(1..).unwrap_or_default()));
        }
        if let Some(found) = self.named(tree, module, Some(first)) {
            return Some(found);
        }
        let globs = module.imports.iter().filter(|import| import.name.is_none());
        globs.into_iter().find_map(|import| {
            let start = self.first(tree, path, &import.path, left)?;
            match self.rest(start, import.path.get(1..).unwrap_or_default()).home {
                Home::Module(other, found) if (other, found.as_str()) != (tree, path) => {
                    let glob = self.module(other, &found)?;
                    let has = glob.children.contains(first)
                        || glob.imports.iter().any(|import| import.name.as_ref() == Some(first));
                    has.then(|| self.first(other, &found, std::slice::from_ref(first), left))?
                }
                _ => None,
            }
        })
    }

    /// Returns the crate that a module has a name for.
    fn named(&self, tree: usize, module: &Module, name: Option<&String>) -> Option<Found> {
        let (name, target) = (name?, self.trees.get(tree)?.target);
        let tests = module.is_test.then(|| target.test_externs.get(name)).flatten();
        match target.externs.get(name).or(tests) {
            Some(library) => Some(match self.libraries.get(library.as_str()) {
                Some(tree) => Found::module(*tree, library),
                None => Found::beyond(library),
            }),
            None => LANGUAGE.contains(&name.as_str()).then(|| Found::beyond(name)),
        }
    }

    /// Resolves the remaining segments of a path, as far as there are modules.
    fn rest(&self, start: Found, parts: &[String]) -> Found {
        let mut found = start;
        for part in parts {
            if found.ended {
                break;
            }
            found = match found.home {
                Home::Module(tree, path) => {
                    let child = self.module(tree, &path).is_some_and(|module| module.children.contains(part));
                    let next = match (part.as_str(), child) {
                        ("super", _) => above(&path),
                        ("self", _) => Some(path.clone()),
                        (_, true) => Some(format!("{path}::{part}")),
                        // What the module declares, or has from elsewhere, is a part of it.
                        _ => None,
                    };
                    let ended = next.is_none();
                    Found { home: Home::Module(tree, next.unwrap_or(path)), ended }
                }
                Home::Beyond(path) if part.starts_with(|first: char| first.is_uppercase()) => {
                    Found { home: Home::Beyond(path), ended: true }
                }
                Home::Beyond(path) => Found::beyond(format!("{path}::{part}")),
            };
        }
        found
    }
}

fn above(path: &str) -> Option<String> {
    path.rsplit_once("::").map(|(above, _)| above.to_owned())
}

impl Tree<'_> {
    /// Reads a file as a module, and the modules below it.
    fn read(&mut self, disk: &Disk, path: &str, file: &Path, dir: PathBuf, is_test: bool) -> Outcome<()> {
        let (source, parsed) = SourceFile::read(disk, file)?;
        if self.modules.contains_key(path) {
            return Err(Problem::file(&shown(file), format!("there is a second module {path}")).into());
        }
        let mut attributes = Vec::new();
        scan_attributes(&source, &parsed.attrs, &mut attributes);
        self.take(disk, path, &source, parsed.items, dir, is_test)?;
        if let Some(module) = self.modules.get_mut(path) {
            module.paths.extend(attributes);
        }
        Ok(())
    }

    fn take(
        &mut self,
        disk: &Disk,
        path: &str,
        source: &Rc<SourceFile>,
        items: Vec<Item>,
        dir: PathBuf,
        is_test: bool,
    ) -> Outcome<()> {
        let mut module = Module {
            file: source.path.clone(),
            dir: dir.clone(),
            is_test,
            children: BTreeSet::new(),
            imports: Vec::new(),
            paths: Vec::new(),
        };
        let mut children = Vec::new();
        for item in items {
            match item {
                Item::Use(item) => {
                    let mut found = Vec::new();
                    imports(&item.tree, &mut Vec::new(), false, &mut found);
                    let line = item.use_token.span.start().line;
                    for import in &found {
                        let from_crates = item.leading_colon.is_some();
                        let written = Written { parts: import.path.clone(), from_crates, line };
                        module.paths.push((written, source.place(line)));
                    }
                    module.imports.append(&mut found);
                }
                Item::ExternCrate(item) => {
                    let (name, line) = (item.ident.to_string(), item.ident.span().start().line);
                    let written = Written { parts: vec![name.clone()], from_crates: true, line };
                    module.paths.push((written, source.place(line)));
                    if let Some((_, alias)) = item.rename {
                        let name = vec![name];
                        module.imports.push(Import {
                            name: Some(alias.to_string()),
                            path: name,
                            public: false,
                        });
                    }
                }
                Item::Mod(item) => {
                    scan_attributes(source, &item.attrs, &mut module.paths);
                    let name = item.ident.to_string();
                    let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
                    children.push((name, item));
                }
                item => scan(source, item, &mut module.paths),
            }
        }
        let mut below = Vec::new();
        for (name, item) in children {
            let for_tests = is_test || self::is_test(&item.attrs);
            let child = format!("{path}::{name}");
            // Of modules that are there on one platform or another the first counts.
            if !module.children.insert(name.clone()) {
                continue;
            }
            match item.content {
                Some((_, items)) => {
                    self.take(disk, &child, source, items, dir.join(&name), for_tests)?;
                }
                None => match file_of(source, &dir, &name, &item.attrs) {
                    Some((file, dir)) => below.push((child, file, dir, for_tests)),
                    // It is made by a build, or is not there on this platform.
                    None => drop(module.children.remove(&name)),
                },
            }
        }
        self.modules.insert(path.to_owned(), module);
        for (child, file, dir, for_tests) in below {
            self.read(disk, &child, &file, dir, for_tests)?;
        }
        Ok(())
    }
}

/// Returns the file of a module, and the directory that those of its children stand in.
fn file_of(
    source: &SourceFile,
    dir: &Path,
    name: &str,
    attributes: &[Attribute],
) -> Option<(PathBuf, PathBuf)> {
    if let Some(said) = path_attribute(attributes) {
        let file = source.path.parent()?.join(said);
        let is_root = file.file_name().is_some_and(|name| name == "mod.rs");
        let dir = if is_root { file.parent()?.to_path_buf() } else { file.with_extension("") };
        return file.is_file().then_some((file, dir));
    }
    let below = dir.join(name);
    let files = [dir.join(format!("{name}.rs")), below.join("mod.rs")];
    files.into_iter().find(|file| file.is_file()).map(|file| (file, below))
}

fn scan(source: &SourceFile, tokens: impl ToTokens, found: &mut Vec<(Written, Place)>) {
    let mut paths = Vec::new();
    paths::scan(tokens.into_token_stream(), &mut paths);
    found.extend(paths.into_iter().map(|path| {
        let place = source.place(path.line);
        (path, place)
    }));
}

fn scan_attributes(source: &SourceFile, attributes: &[Attribute], found: &mut Vec<(Written, Place)>) {
    attributes.iter().for_each(|attribute| scan(source, attribute, found));
}
