//! Imports of a generated file.

use std::collections::BTreeMap;

/// Imports of a file being generated. Conflicting names are renamed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imports {
    names: BTreeMap<String, String>,
    paths: BTreeMap<String, String>,
}

impl Imports {
    /// Keeps a name for the file itself.
    pub fn reserve(&mut self, name: impl Into<String>) {
        self.names.entry(name.into()).or_default();
    }

    /// Returns the file's name of an item with this path: `crate::v1::CronTab` is `CronTab`, and a second one from
    /// elsewhere `V2CronTab`.
    pub fn name(&mut self, path: &str) -> String {
        if let Some(name) = self.paths.get(path) {
            return name.clone();
        }
        let mut parts = path.rsplit("::");
        let mut name = parts.next().unwrap_or(path).to_owned();
        while self.names.contains_key(&name) {
            match parts.next() {
                Some(part) => name = super::capital(part) + &name,
                None => name.push('_'),
            }
        }
        self.names.insert(name.clone(), path.to_owned());
        self.paths.insert(path.to_owned(), name.clone());
        name
    }

    /// Returns the `use` lines of the names that are used, in order. Paths of one part need none.
    pub fn lines(&self, is_used: impl Fn(&str) -> bool) -> Vec<String> {
        let needed = self.paths.iter().filter(|(path, name)| path.contains("::") && is_used(name));
        needed
            .map(|(path, name)| match path.rsplit("::").next() == Some(name) {
                true => format!("use {path};"),
                false => format!("use {path} as {name};"),
            })
            .collect()
    }
}
