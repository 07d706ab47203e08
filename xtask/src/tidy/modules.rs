//! The direction of imports between the modules of one crate: layers, and siblings without cycles.
//!
//! A layer is a top-level module. The layers of a crate stand in one order, and a module may import only from its own
//! layer and those below. Within a directory the siblings, each with all that is below it, must not import each
//! other in a circle. A module and its own children are one thing and may use each other. What a module exports
//! again counts as an import of the module that it comes from. Tests are free of both rules.

mod imports;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use self::imports::{Import, imports};
use super::Finding;

/// A crate whose modules stand in layers.
pub(super) struct Layered {
    /// Where its source is, from the root of the tree.
    pub(super) source: &'static str,
    /// Its layers, lowest first. The crate's root stands above all of them.
    pub(super) layers: &'static [&'static str],
}

/// The crates with layers. To add a layer, find the place where everything before it may be used by it.
pub(super) const LAYERED: &[Layered] = &[Layered {
    source: "crates/rhumb-server/src",
    layers: &[
        "base",
        "registry",
        "authentication",
        "authorization",
        "admission",
        "endpoints",
        "loopback",
        "controlplane",
        "controllers",
        "filters",
        "http",
        "config",
        "server",
    ],
}];

/// A module by its path from the crate's root, which is empty for the root itself.
type Module = Vec<String>;

/// The modules of a crate and what they import.
pub(super) struct Graph {
    files: BTreeMap<Module, PathBuf>,
    /// By importer and imported, where that stands first.
    edges: BTreeMap<(Module, Module), usize>,
}

impl Graph {
    /// Reads the files of a crate, each by its path from the root of the tree.
    pub(super) fn of(source: &str, files: &[(PathBuf, String)]) -> Self {
        let own = files.iter().filter_map(|(path, text)| Some((module(source, path)?, path, text)));
        let own: Vec<_> = own.collect();
        let known: BTreeMap<Module, PathBuf> =
            own.iter().map(|(module, path, _)| (module.clone(), (*path).clone())).collect();
        let all: Vec<(&Module, Vec<Import>)> =
            own.iter().map(|(module, _, text)| (module, imports(module, text))).collect();
        let mut exports: BTreeMap<Module, Module> = BTreeMap::new();
        for (module, imports) in &all {
            for import in imports.iter().filter(|import| import.is_export) {
                if let Some(name) = import.path.last() {
                    let mut called = (*module).clone();
                    called.push(name.clone());
                    exports.insert(called, import.path.clone());
                }
            }
        }
        let mut edges = BTreeMap::new();
        for (module, imports) in all {
            for import in imports {
                let from = target(&known, &exports, &import.path);
                if let Some(from) = from.filter(|from| from != module) {
                    edges.entry((module.clone(), from)).or_insert(import.line);
                }
            }
        }
        Graph { files: known, edges }
    }

    /// Every import from a layer above, and every circle of siblings.
    pub(super) fn check(&self, layers: &[&str]) -> Vec<Finding> {
        let place = |module: &Module| match module.first() {
            None => Some(layers.len()),
            Some(layer) => layers.iter().position(|known| known == layer),
        };
        let mut findings = Vec::new();
        let mut report = |module: &Module, line: usize, message: String| {
            let path = self.files.get(module).cloned().unwrap_or_default();
            findings.push(Finding { path, line, message });
        };
        for module in self.files.keys().filter(|module| place(module).is_none()) {
            report(module, 1, "its layer is not in the table of xtask/src/tidy/modules.rs".to_owned());
        }
        for ((module, from), line) in &self.edges {
            if place(from) > place(module) {
                report(module, *line, format!("imports {} from a layer above", shown(from)));
            }
        }
        for circle in self.circles() {
            let names: Vec<String> = circle.iter().map(|module| shown(module)).collect();
            if let Some(first) = circle.iter().next() {
                report(first, 1, format!("is in a circle of imports: {}", names.join(", ")));
            }
        }
        findings
    }

    /// The modules that import each other in a circle, as sets of siblings.
    fn circles(&self) -> Vec<BTreeSet<Module>> {
        let mut siblings: BTreeMap<Module, BTreeMap<Module, BTreeSet<Module>>> = BTreeMap::new();
        for (module, from) in self.edges.keys() {
            let common = module.iter().zip(from).take_while(|(one, other)| one == other).count();
            // One of them is below the other.
            let (Some(one), Some(other)) = (module.get(..=common), from.get(..=common)) else { continue };
            let parent = module.get(..common).unwrap_or_default().to_vec();
            siblings.entry(parent).or_default().entry(one.to_vec()).or_default().insert(other.to_vec());
        }
        siblings.values().flat_map(circles_of).collect()
    }

    /// How many modules are in a circle.
    pub(super) fn in_circles(&self) -> usize {
        self.circles().iter().map(BTreeSet::len).sum()
    }

    /// What each layer imports, highest first.
    pub(super) fn describe(&self, layers: &[&str]) -> String {
        let mut text = String::new();
        for layer in layers.iter().rev() {
            let of = |module: &Module| module.first().is_some_and(|first| first == layer);
            let from: BTreeSet<&str> = self
                .edges
                .keys()
                .filter(|(module, from)| of(module) && !of(from))
                .filter_map(|(_, from)| from.first().map(String::as_str))
                .collect();
            let from: Vec<&str> =
                layers.iter().rev().filter(|known| from.contains(*known)).copied().collect();
            text.push_str(&format!("{layer} -> {}\n", from.join(", ")));
        }
        text
    }
}

/// The module of a file; none if it is not of this crate, or has tests.
fn module(source: &str, path: &Path) -> Option<Module> {
    let mut module: Module = Vec::new();
    for part in path.strip_prefix(source).ok()?.with_extension("").iter() {
        module.push(part.to_string_lossy().into_owned());
    }
    if module.iter().any(|part| part == "tests") {
        return None;
    }
    if module.last().is_some_and(|last| last == "mod") || module == ["lib"] {
        module.pop();
    }
    Some(module)
}

/// The module that a path leads to, whatever names it goes by on the way.
fn target(
    known: &BTreeMap<Module, PathBuf>,
    exports: &BTreeMap<Module, Module>,
    path: &[String],
) -> Option<Module> {
    // Names lead elsewhere a few times at most; in a circle they lead nowhere.
    const MOST: usize = 8;
    let mut path = path.to_vec();
    for _ in 0..MOST {
        let length = (0..=path.len())
            .rev()
            .find(|length| path.get(..*length).is_some_and(|module| known.contains_key(module)))?;
        let named = path.get(..=length).and_then(|named| exports.get(named));
        match named.filter(|next| path.get(..=length) != Some(next.as_slice())) {
            Some(next) => {
                let rest = path.get(length + 1..).unwrap_or_default().to_vec();
                path = next.iter().cloned().chain(rest).collect();
            }
            None => return path.get(..length).map(<[String]>::to_vec),
        }
    }
    None
}

fn shown(module: &[String]) -> String {
    if module.is_empty() { "the crate's root".to_owned() } else { module.join("::") }
}

/// The sets of modules that reach each other.
fn circles_of(edges: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let reached = |from: &Module| {
        let mut seen: BTreeSet<&Module> = BTreeSet::new();
        let mut next: Vec<&Module> = edges.get(from).into_iter().flatten().collect();
        while let Some(module) = next.pop() {
            if seen.insert(module) {
                next.extend(edges.get(module).into_iter().flatten());
            }
        }
        seen
    };
    let mut circles: Vec<BTreeSet<Module>> = Vec::new();
    let all: BTreeMap<&Module, BTreeSet<&Module>> =
        edges.keys().map(|module| (module, reached(module))).collect();
    for (module, seen) in all.iter().filter(|(module, seen)| seen.contains(**module)) {
        if circles.iter().any(|circle| circle.contains(*module)) {
            continue;
        }
        let back = |other: &&&Module| all.get(**other).is_some_and(|seen| seen.contains(*module));
        circles.push(seen.iter().filter(back).map(|other| (*other).clone()).collect());
    }
    circles
}
