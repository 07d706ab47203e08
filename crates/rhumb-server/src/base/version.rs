//! What `/version` says. Clients compare the numbers with their own; Kubernetes 1.36 is what they talk to.

use serde_json::json;

/// The version of Kubernetes that is spoken, with the build of this server behind the plus sign, where semantic
/// versions keep what doesn't count.
pub const GIT_VERSION: &str = concat!("v1.36.4+rhumb-", env!("CARGO_PKG_VERSION"));

/// The body of `/version`.
pub(crate) fn document() -> Vec<u8> {
    let fields = [
        ("major", "1"),
        ("minor", "36"),
        ("emulationMajor", "1"),
        ("emulationMinor", "36"),
        ("minCompatibilityMajor", "1"),
        ("minCompatibilityMinor", "35"),
        ("gitVersion", GIT_VERSION),
        ("gitCommit", ""),
        ("gitTreeState", ""),
        ("buildDate", "1970-01-01T00:00:00Z"),
        ("goVersion", ""),
        ("compiler", "rustc"),
        ("platform", &platform()),
    ]
    .map(|(name, value)| format!("  {}: {}", json!(name), json!(value)));
    format!("{{\n{}\n}}", fields.join(",\n")).into_bytes()
}

/// The operating system and the processor, in the words of Go.
pub(crate) fn platform() -> String {
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "386",
        "powerpc64" => "ppc64le",
        other => other,
    };
    let system = if std::env::consts::OS == "macos" { "darwin" } else { std::env::consts::OS };
    format!("{system}/{processor}")
}
