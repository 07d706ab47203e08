//! Checks all imports against the rules.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::rules::{Disposition, Restrictions, Rule};
use super::tree::{Forest, Module};
use super::workspace::Workspace;
use super::{FILE, Request};
use crate::problem::{Outcome, Place, Problem, Problems, shown};

/// Import graph.
struct Graph<'a> {
    workspace: &'a Workspace,
    /// Imports by module.
    imports: BTreeMap<String, BTreeMap<String, Place>>,
    /// Importers by module.
    importers: BTreeMap<String, BTreeSet<String>>,
}

/// Direction in the graph.
#[derive(Clone, Copy)]
enum Direction {
    /// Imports of a module.
    Imports,
    /// Importers of a module.
    Importers,
}

/// Returns the imports that rules forbid.
pub(super) fn verify(
    workspace: &Workspace,
    forest: &Forest<'_>,
    request: &Request,
    read: &dyn Fn(&str) -> Result<Restrictions, String>,
) -> Outcome<Vec<Problem>> {
    let paths = request.paths.iter().map(|path| {
        let found = path.canonicalize();
        found.map_err(|error| Problems::from(Problem::file(path, error)))
    });
    let paths = paths.collect::<Outcome<Vec<PathBuf>>>()?;
    let graph = Graph::of(workspace, forest);
    let mut files = Files { root: workspace.root.clone(), read, known: BTreeMap::new() };
    let mut forbidden = Vec::new();
    for (tree, path, module) in modules(forest) {
        let file = module.file.canonicalize().unwrap_or_else(|_| module.file.clone());
        if !paths.is_empty() && !paths.iter().any(|path| file.starts_with(path)) {
            continue;
        }
        let restrictions = files.of(&module.dir)?;
        if restrictions.is_empty() {
            continue;
        }
        let name = forest.name(tree, path);
        for direction in [Direction::Imports, Direction::Importers] {
            graph.check(&name, &restrictions, direction, &mut forbidden);
        }
    }
    Ok(forbidden)
}

fn modules<'a>(forest: &'a Forest<'_>) -> impl Iterator<Item = (usize, &'a str, &'a Module)> {
    forest.trees.iter().enumerate().flat_map(|(place, tree)| {
        tree.modules.iter().map(move |(path, module)| (place, path.as_str(), module))
    })
}

/// Returns the name of a module without what its crate is.
fn bare(name: &str) -> &str {
    name.split(" ((").next().unwrap_or(name)
}

impl<'a> Graph<'a> {
    fn of(workspace: &'a Workspace, forest: &Forest<'_>) -> Self {
        let mut graph = Graph { workspace, imports: BTreeMap::new(), importers: BTreeMap::new() };
        for (tree, path, _) in modules(forest) {
            let (name, imports) = (forest.name(tree, path), forest.imports_of(tree, path));
            for import in imports.keys() {
                graph.importers.entry(import.clone()).or_default().insert(name.clone());
            }
            graph.imports.insert(name, imports);
        }
        graph
    }

    /// Returns the neighbours of a module or crate.
    fn next(&self, name: &str, direction: Direction) -> Vec<&str> {
        match direction {
            Direction::Importers => {
                self.importers.get(name).into_iter().flatten().map(String::as_str).collect()
            }
            Direction::Imports => match self.imports.get(name) {
                Some(imports) => imports.keys().map(String::as_str).collect(),
                None => {
                    let of_crate = self.workspace.dependencies.get(name.split("::").next().unwrap_or(name));
                    of_crate.into_iter().flatten().map(String::as_str).collect()
                }
            },
        }
    }

    /// Returns all modules reachable from a module, each with its predecessor.
    fn reach<'b>(&'b self, name: &'b str, direction: Direction) -> BTreeMap<&'b str, &'b str> {
        let mut found = BTreeMap::new();
        let mut queue = VecDeque::from([name]);
        while let Some(from) = queue.pop_front() {
            for to in self.next(from, direction) {
                if to != name && !found.contains_key(to) {
                    found.insert(to, from);
                    queue.push_back(to);
                }
            }
        }
        found
    }

    /// Checks the imports of a module in one direction against the rules of the files that are for it.
    fn check(&self, name: &str, files: &[Rc<RuleFile>], direction: Direction, forbidden: &mut Vec<Problem>) {
        let rules = |file: &Restrictions| match direction {
            Direction::Imports => file.rules.len(),
            Direction::Importers => file.inverse_rules.len(),
        };
        if files.iter().all(|file| rules(&file.restrictions) == 0) {
            return;
        }
        for (import, from) in self.reach(name, direction) {
            // The tests of a module, and the program beside a library, may be called as that is.
            if bare(import) == bare(name) {
                continue;
            }
            let is_direct = from == name;
            let said = match decide(bare(import), is_direct, files, direction) {
                Decision::Fine => continue,
                Decision::Forbidden(file) => format!("is forbidden by {}", shown(file).display()),
                Decision::Undecided => "did not match any rule".to_owned(),
            };
            let arrow = match (direction, is_direct) {
                (Direction::Imports, true) => "->",
                (Direction::Imports, false) => "-->",
                (Direction::Importers, true) => "<-",
                (Direction::Importers, false) => "<--",
            };
            let through = if is_direct { String::new() } else { format!(", through \"{from}\"") };
            let message = format!("\"{name}\" {arrow} \"{import}\" {said}{through}");
            let place = match direction {
                Direction::Imports => self.place(name, import),
                Direction::Importers => self.place(import, name),
            };
            forbidden.push(match place {
                Some(place) => Problem::at(place, message),
                None => Problem::new(message),
            });
        }
    }

    /// Returns the position of a direct import.
    fn place(&self, name: &str, import: &str) -> Option<&Place> {
        self.imports.get(name)?.get(import)
    }
}

/// Decision of all rules about an import.
enum Decision<'a> {
    Fine,
    Forbidden(&'a Path),
    Undecided,
}

fn decide<'a>(
    import: &str,
    is_direct: bool,
    files: &'a [Rc<RuleFile>],
    direction: Direction,
) -> Decision<'a> {
    let mut matched = false;
    for file in files {
        let rules: &[Rule] = match direction {
            Direction::Imports => &file.restrictions.rules,
            Direction::Importers => &file.restrictions.inverse_rules,
        };
        for rule in rules.iter().filter(|rule| (is_direct || rule.transitive) && (rule.selector)(import)) {
            matched = true;
            match rule.evaluate(import) {
                Disposition::Allowed => return Decision::Fine,
                Disposition::Forbidden => return Decision::Forbidden(&file.path),
                Disposition::Unknown => {}
            }
        }
    }
    if matched { Decision::Undecided } else { Decision::Fine }
}

/// A file with rules.
struct RuleFile {
    path: PathBuf,
    restrictions: Restrictions,
}

/// Files with rules, each read once.
struct Files<'a> {
    root: PathBuf,
    read: &'a dyn Fn(&str) -> Result<Restrictions, String>,
    known: BTreeMap<PathBuf, Option<Rc<RuleFile>>>,
}

impl Files<'_> {
    /// Returns the files that are for what is in a directory, the closest first.
    fn of(&mut self, dir: &Path) -> Outcome<Vec<Rc<RuleFile>>> {
        let mut found = Vec::new();
        for dir in dir.ancestors() {
            found.extend(self.at(dir)?);
            if dir == self.root {
                break;
            }
        }
        Ok(found)
    }

    fn at(&mut self, dir: &Path) -> Outcome<Option<Rc<RuleFile>>> {
        if let Some(known) = self.known.get(dir) {
            return Ok(known.clone());
        }
        let file = dir.join(FILE);
        let refused = |error: String| Problems::from(Problem::file(&shown(&file), error));
        let found = match file.is_file() {
            false => None,
            true => {
                let text = std::fs::read_to_string(&file).map_err(|error| refused(error.to_string()))?;
                let restrictions = (self.read)(&text).map_err(refused)?;
                Some(Rc::new(RuleFile { path: file, restrictions }))
            }
        };
        self.known.insert(dir.to_path_buf(), found.clone());
        Ok(found)
    }
}
