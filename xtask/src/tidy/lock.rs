//! Banned dependencies: there is one JSON, one YAML and one protobuf implementation.

use std::path::Path;

use super::Finding;

/// Banned crates, also transitively, with what is used instead.
const BANNED: &[(&str, &str)] = &[
    ("serde_yaml", "rhumb-codec reads and writes YAML"),
    ("serde_yml", "rhumb-codec reads and writes YAML"),
    ("serde_norway", "rhumb-codec reads and writes YAML"),
    ("simd-json", "JSON goes through serde_json and rhumb-codec"),
    ("sonic-rs", "JSON goes through serde_json and rhumb-codec"),
    ("prost", "rhumb-schema reads and writes protobuf from the description of a type"),
];

/// Checks one lock file; `path` is from the root of the tree.
pub(super) fn check(path: &Path, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let name = line.strip_prefix("name = \"").and_then(|rest| rest.strip_suffix('"'));
        if let Some((banned, instead)) = BANNED.iter().find(|(banned, _)| Some(*banned) == name) {
            let message = format!("{banned} must not be a dependency: {instead}");
            findings.push(Finding { path: path.to_owned(), line: index + 1, message });
        }
    }
    findings
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
}
