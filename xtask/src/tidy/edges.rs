//! Order of our crates' dependencies.
//!
//! The crates stand in one order, and a crate may depend only on crates before it. What a crate needs for its
//! own tests is free of the order, because cargo builds that apart; a pair of strangers must not meet even there.
//!
//! Examples stand outside the order. They use what users may use, the libraries, and no crate is built from them.
//!
//! Manifests are read with a small reader of the part of TOML that dependency tables use. What it can't read it
//! reports: a check that overlooks a line would be worse than none.

use std::path::{Path, PathBuf};

use super::Finding;

/// Our crates, lowest first. Insert a new crate after those that it may use.
pub(super) const ORDER: &[&str] = &[
    "rhumb-codegen",
    "rhumb-derive",
    "rhumb-metrics",
    "rhumb-schema",
    "rhumb-cel",
    "rhumb-meta",
    "rhumb-cel-kubernetes",
    "rhumb-scheme",
    "rhumb-codec",
    "rhumb-jsonpath",
    "rhumb-structural",
    "rhumb-patch",
    "rhumb-api",
    "rhumb-validation",
    "rhumb-print",
    "rhumb-output",
    "rhumb-openapi",
    "rhumb-strategy",
    "rhumb-policy",
    "rhumb-store",
    "rhumb-queue",
    "rhumb-kustomize",
    "rhumb-client",
    "rhumb-describe",
    "rhumb-cli",
    "rhumb-kubectl",
    "rhumb-server",
    "rhumb-bench",
    "rhumb",
    "xtask",
];

/// Crates that must not depend on each other.
const STRANGERS: &[(&str, &str)] = &[("rhumb-client", "rhumb-server")];

/// Binary crates, which examples must not use.
const PROGRAMS: &[&str] = &["rhumb-bench", "rhumb", "xtask"];

/// Whether a manifest belongs to a member of the workspace: that of a crate, an example or this tool.
pub(super) fn concerns(path: &Path) -> bool {
    let parts: Vec<_> = path.iter().filter_map(|part| part.to_str()).collect();
    matches!(parts.as_slice(), ["crates" | "examples", _, "Cargo.toml"] | ["xtask", "Cargo.toml"])
}

/// Whether a manifest is that of an example.
fn is_example(path: &Path) -> bool {
    path.starts_with("examples")
}

/// Checks the manifests of all members against the order.
pub(super) fn check(manifests: &[(PathBuf, String)], order: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let examples: Vec<String> = manifests
        .iter()
        .filter(|(path, _)| is_example(path))
        .filter_map(|(_, text)| Some(read(text).name?.1))
        .collect();
    for (path, text) in manifests {
        let mut report = |line: usize, message: String| {
            findings.push(Finding { path: path.clone(), line, message });
        };
        let manifest = read(text);
        for (line, problem) in &manifest.problems {
            report(*line, problem.clone());
        }
        let Some((name_line, name)) = manifest.name else {
            report(1, "no package name was found".to_owned());
            continue;
        };
        if is_example(path) {
            for edge in manifest.edges.iter().filter(|edge| PROGRAMS.contains(&edge.to.as_str())) {
                report(edge.line, format!("{name} is an example and must not depend on {}", edge.to));
            }
            continue;
        }
        let Some(place) = place(order, &name) else {
            report(
                name_line,
                format!("{name} has no place in the order of crates (xtask/src/tidy/edges.rs)"),
            );
            continue;
        };
        for edge in manifest.edges {
            if are_strangers(&name, &edge.to) {
                report(edge.line, format!("{name} and {} never see each other", edge.to));
            } else if edge.purpose == Purpose::Product && examples.contains(&edge.to) {
                report(edge.line, format!("{name} must not depend on {}, which is an example", edge.to));
            } else if edge.purpose == Purpose::Product
                && self::place(order, &edge.to).is_some_and(|other| other >= place)
            {
                report(edge.line, format!("{name} must not depend on {}, which stands above it", edge.to));
            }
        }
    }
    findings
}

/// Finds dependencies whose version is not that of the workspace.
pub(super) fn check_versions(manifests: &[(PathBuf, String)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in manifests {
        for (line, name) in read(text).versions {
            let message = format!("the version of {name} belongs in [workspace.dependencies]");
            findings.push(Finding { path: path.clone(), line, message });
        }
    }
    findings
}

fn place(order: &[&str], name: &str) -> Option<usize> {
    order.iter().position(|known| *known == name)
}

fn are_strangers(one: &str, other: &str) -> bool {
    STRANGERS.iter().any(|pair| *pair == (one, other) || *pair == (other, one))
}

/// Contents of a manifest.
#[derive(Debug, Default)]
struct Manifest {
    name: Option<(usize, String)>,
    edges: Vec<Edge>,
    /// Dependencies that say which version they are, in place of the workspace.
    versions: Vec<(usize, String)>,
    problems: Vec<(usize, String)>,
}

/// A dependency with its position.
#[derive(Debug, PartialEq, Eq)]
struct Edge {
    line: usize,
    to: String,
    purpose: Purpose,
}

/// Purpose of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// The crate itself or its build script.
    Product,
    /// Tests.
    Tests,
}

/// Table of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    /// `[package]`.
    Package,
    /// `[dependencies]` and its kin: a dependency per line.
    Dependencies(Purpose),
    /// `[dependencies.name]`: the lines describe one dependency, the last one found.
    Dependency,
    /// Anything else.
    Other,
}

fn read(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let mut table = Table::Other;
    // Arrays may go over several lines, and what stands in them is no key.
    let mut open = 0usize;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let line = without_comment(line).trim();
        let was_open = open > 0;
        let is_header = !was_open && line.starts_with('[');
        if !is_header {
            let (opened, closed) = brackets(line);
            open = (open + opened).saturating_sub(closed);
        }
        if line.is_empty() || was_open {
            continue;
        }
        if is_header {
            table = header(line.trim_matches(['[', ']']), number, &mut manifest);
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            manifest.problems.push((number, format!("cannot read {line:?}")));
            continue;
        };
        let (key, value) = (key.trim(), value.trim());
        match table {
            Table::Package if key == "name" => manifest.name = quoted(value).map(|name| (number, name)),
            Table::Dependencies(purpose) => {
                if value.starts_with('{') && !value.ends_with('}') {
                    let problem = "a dependency over several lines; use a table of its own".to_owned();
                    manifest.problems.push((number, problem));
                }
                let name = key.split('.').next().unwrap_or(key).trim_matches('"').to_owned();
                if value.starts_with('"') || value.contains("version = ") {
                    manifest.versions.push((number, name.clone()));
                }
                let to = package(value).unwrap_or(name);
                manifest.edges.push(Edge { line: number, to, purpose });
            }
            Table::Dependency if key == "package" => {
                if let (Some(edge), Some(name)) = (manifest.edges.last_mut(), quoted(value)) {
                    edge.to = name;
                }
            }
            _ => {}
        }
    }
    manifest
}

/// Reads a table's header, `[a.b.c]` without its brackets.
fn header(path: &str, line: usize, manifest: &mut Manifest) -> Table {
    if path == "package" {
        return Table::Package;
    }
    for (key, purpose) in [
        ("dev-dependencies", Purpose::Tests),
        ("build-dependencies", Purpose::Product),
        ("dependencies", Purpose::Product),
    ] {
        // `[target.'cfg(unix)'.dependencies]` as well as `[dependencies]`, each with or without a name behind.
        let Some(rest) = after_key(path, key) else { continue };
        if rest.is_empty() {
            return Table::Dependencies(purpose);
        }
        let to = rest.trim_start_matches('.').trim_matches('"').to_owned();
        manifest.edges.push(Edge { line, to, purpose });
        return Table::Dependency;
    }
    Table::Other
}

/// Returns what follows a key in a dotted path, if the key is its first or next to last part.
fn after_key<'a>(path: &'a str, key: &str) -> Option<&'a str> {
    let at = if path.starts_with("target.") { path.find(&format!(".{key}"))? + 1 } else { 0 };
    path.get(at..)?.strip_prefix(key).filter(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The crate's real name in `{ package = "name", ... }`.
fn package(value: &str) -> Option<String> {
    let (_, rest) = value.strip_prefix('{')?.split_once("package")?;
    quoted(rest.trim_start().strip_prefix('=')?.trim_start())
}

/// The text of the string that a value begins with.
fn quoted(value: &str) -> Option<String> {
    value.strip_prefix('"')?.split_once('"').map(|(text, _)| text.to_owned())
}

fn without_comment(line: &str) -> &str {
    let mut in_string = false;
    for (at, character) in line.char_indices() {
        match character {
            '"' => in_string = !in_string,
            '#' if !in_string => return line.get(..at).unwrap_or(line),
            _ => {}
        }
    }
    line
}

/// Counts opening and closing square brackets outside strings.
fn brackets(line: &str) -> (usize, usize) {
    let outside: Vec<&str> = line.split('"').step_by(2).collect();
    let count = |bracket: char| outside.iter().map(|part| part.matches(bracket).count()).sum();
    (count('['), count(']'))
}

#[cfg(test)]
mod tests;
