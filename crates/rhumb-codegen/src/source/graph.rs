//! Locations of crates from registries and git, by `cargo metadata`.
//!
//! Cargo knows, and is asked only when a type of such a crate is mentioned. It is asked not to use the network: a
//! generator works with what a build has fetched.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

/// Cached output of cargo.
#[derive(Default)]
pub(crate) struct Graph {
    /// The directories of a crate's dependencies by their names in Rust, under the directory of the crate.
    dependencies: BTreeMap<PathBuf, BTreeMap<String, PathBuf>>,
    /// The directories of crates that cargo was asked about.
    asked: BTreeSet<PathBuf>,
}

impl Graph {
    /// Returns the directory of a crate that the crate in a directory depends on, `None` if cargo can't say.
    pub(crate) fn find(&mut self, dir: &Path, name: &str) -> Option<PathBuf> {
        let dir = dir.canonicalize().ok()?;
        if !self.dependencies.contains_key(&dir) && self.asked.insert(dir.clone()) {
            let metadata = metadata(&dir).ok()?;
            self.dependencies.extend(dependencies(&metadata)?);
        }
        self.dependencies.get(&dir)?.get(name).cloned()
    }
}

/// Returns the answer of `cargo metadata`.
pub(crate) fn metadata(dir: &Path) -> Result<Json, String> {
    ask(dir, &[])
}

/// Returns the metadata without transitive dependencies, which may not be downloaded.
pub(crate) fn metadata_alone(dir: &Path) -> Result<Json, String> {
    ask(dir, &["--no-deps"])
}

fn ask(dir: &Path, more: &[&str]) -> Result<Json, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version=1", "--offline"]).args(more);
    command.arg("--manifest-path").arg(dir.join("Cargo.toml")).current_dir(dir);
    let answer = command.output().map_err(|error| format!("cargo can't be run: {error}"))?;
    match answer.status.success() {
        true => serde_json::from_slice(&answer.stdout).map_err(|error| error.to_string()),
        false => Err(String::from_utf8_lossy(&answer.stderr).trim().to_owned()),
    }
}

/// Returns the dependencies of all crates in an answer.
fn dependencies(metadata: &Json) -> Option<BTreeMap<PathBuf, BTreeMap<String, PathBuf>>> {
    let text = |value: &Json, key: &str| value.get(key).and_then(Json::as_str).map(str::to_owned);
    let mut homes = BTreeMap::new();
    for package in metadata.get("packages")?.as_array()? {
        let manifest = PathBuf::from(text(package, "manifest_path")?);
        let home = manifest.parent().and_then(|dir| dir.canonicalize().ok());
        homes.insert(text(package, "id")?, home?);
    }
    let mut found = BTreeMap::new();
    for node in metadata.get("resolve")?.get("nodes")?.as_array()? {
        let named = node.get("deps")?.as_array()?.iter().filter_map(|dependency| {
            Some((text(dependency, "name")?, homes.get(&text(dependency, "pkg")?)?.clone()))
        });
        found.insert(homes.get(&text(node, "id")?)?.clone(), named.collect());
    }
    Some(found)
}
