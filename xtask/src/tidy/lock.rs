//! Banned dependencies: there is one JSON, one YAML and one protobuf implementation.

use std::path::Path;

use super::Finding;

/// A crate that must not come in, not even through others.
struct Ban {
    name: &'static str,
    /// The crates that may depend on it nevertheless.
    wrappers: &'static [&'static str],
    /// What is used instead.
    instead: &'static str,
}

/// Banned crates, also transitively.
const BANNED: &[Ban] = &[
    Ban { name: "serde_yaml", wrappers: &[], instead: "rhumb-codec reads and writes YAML" },
    Ban { name: "serde_yml", wrappers: &[], instead: "rhumb-codec reads and writes YAML" },
    Ban { name: "serde_norway", wrappers: &[], instead: "rhumb-codec reads and writes YAML" },
    Ban { name: "simd-json", wrappers: &[], instead: "JSON goes through serde_json and rhumb-codec" },
    Ban { name: "sonic-rs", wrappers: &[], instead: "JSON goes through serde_json and rhumb-codec" },
    Ban {
        name: "prost",
        // etcd's messages are no objects of the API.
        wrappers: &["rhumb-store", "tonic-prost"],
        instead: "rhumb-schema reads and writes protobuf from the description of a type",
    },
];

/// Checks one lock file; `path` is from the root of the tree.
pub(super) fn check(path: &Path, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(ban) = BANNED.iter().find(|ban| Some(ban.name) == name(line))
            && !is_wrapped(ban, text)
        {
            let message = format!("{} must not be a dependency: {}", ban.name, ban.instead);
            findings.push(Finding { path: path.to_owned(), line: index + 1, message });
        }
    }
    findings
}

/// The name of a package, on the line that says it.
fn name(line: &str) -> Option<&str> {
    line.strip_prefix("name = \"")?.strip_suffix('"')
}

/// The name of a dependency, on the line that lists it. Its version stands behind it if the lock file has several.
fn dependency(line: &str) -> Option<&str> {
    line.strip_prefix(" \"")?.split(['"', ' ']).next()
}

/// Whether a banned crate comes in only through those that may depend on it.
fn is_wrapped(ban: &Ban, text: &str) -> bool {
    let dependents = text.split("[[package]]").filter_map(|package| {
        let depends = package.lines().filter_map(dependency).any(|dependency| dependency == ban.name);
        depends.then(|| package.lines().find_map(name).unwrap_or_default())
    });
    let dependents: Vec<&str> = dependents.collect();
    !dependents.is_empty() && dependents.iter().all(|dependent| ban.wrappers.contains(dependent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_stack_is_reported_with_its_line() {
        let text = "version = 4\n\n[[package]]\nname = \"serde_json\"\n\n[[package]]\nname = \"prost\"\n\n[[package]]\n\
                    name = \"prost-like\"\ndependencies = [\n \"serde_yaml\",\n]\n";
        let findings: Vec<String> =
            check(Path::new("Cargo.lock"), text).iter().map(Finding::to_string).collect();
        let expect = "Cargo.lock:7: prost must not be a dependency: rhumb-schema reads and writes protobuf from the \
                      description of a type";
        assert_eq!(findings, [expect]);
    }

    #[test]
    fn a_crate_may_come_in_through_its_wrappers_alone() {
        let lock = |dependent: &str| {
            format!(
                "version = 4\n\n[[package]]\nname = \"prost\"\n\n[[package]]\nname = \"rhumb-store\"\ndependencies = \
                 [\n \"prost\",\n]\n\n[[package]]\nname = \"{dependent}\"\ndependencies = [\n \"bytes\",\n \"prost \
                 0.14.4\",\n]\n"
            )
        };
        let count = |dependent| check(Path::new("Cargo.lock"), &lock(dependent)).len();
        assert_eq!([count("tonic-prost"), count("kube-rs")], [0, 1]);
    }
}
