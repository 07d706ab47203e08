//! `version`: prints client and server versions.

use rhumb_cli::command::{Action, Command, Family, Flag};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::config::ConfigError;
use rhumb_client::discovery::VersionInfo;
use rhumb_codec::{json, yaml};
use rhumb_schema::Schema;
use rhumb_schema::text::indent_by;

/// Version of kubectl that this is compatible with, and our own.
pub(crate) const VERSION: &str = concat!("v1.36.4+rhumb-", env!("CARGO_PKG_VERSION"));

/// Version of kustomize that this is compatible with.
const KUSTOMIZE_VERSION: &str = "v5.8.1";

/// Maximum difference of minor versions between client and server.
const MAX_SKEW: u64 = 1;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "version",
    family: Family::Other,
    about: "Show the version of the client and of the server",
    examples: &[
        ("Both versions", "version"),
        ("Only that of the client, without asking a server", "version --client"),
        ("All that is known about them", "version -o json"),
    ],
    flags: &[&[
        Flag::bool("client", "Show the client's version only; no server is asked."),
        Flag::text("output", "How to print.").short('o').choices(&["yaml", "json"]),
    ]],
    action: Action::Plain(run),
    ..Command::EMPTY
};

/// What is printed with `-o`.
#[derive(Clone, Default, Schema)]
struct Versions {
    #[field(0)]
    client_version: Option<VersionInfo>,
    #[field(0)]
    kustomize_version: String,
    #[field(0)]
    server_version: Option<VersionInfo>,
}

fn run(call: &mut Call) -> Outcome {
    // The client's version is known without a runtime, which costs more time than all the rest.
    if call.flags.bool("client") {
        return print(call, None);
    }
    super::run_command::block_on(run_with_server(call))
}

async fn run_with_server(call: &mut Call) -> Outcome {
    let client = match call.factory.client() {
        Ok(client) => Some(client.clone()),
        Err(Failure::Config(ConfigError::Empty)) => None,
        Err(failure) => return Err(failure),
    };
    if !call.args.is_empty() {
        return Err(Failure::message(format!("extra arguments: {}", call.listed_args())));
    }
    let server = match client {
        Some(client) => Some(client.discovery().version().await),
        None => None,
    };
    let (server, failure) = match server {
        Some(Ok(server)) => (Some(server), None),
        Some(Err(error)) => (None, Some(Failure::from(error))),
        None => (None, None),
    };
    print(call, server.as_ref())?;
    if let Some(warning) = server.as_ref().map(skew).transpose()?.flatten() {
        if call.flags.bool("warnings-as-errors") {
            return Err(Failure::message(warning));
        }
        call.warn(format!("Warning: {warning}"));
    }
    failure.map_or(Ok(()), Err)
}

fn print(call: &mut Call, server: Option<&VersionInfo>) -> Outcome {
    let versions = Versions {
        client_version: Some(client_version()),
        kustomize_version: KUSTOMIZE_VERSION.to_owned(),
        server_version: server.cloned(),
    };
    let mut text = Vec::new();
    json::encode(&versions, &mut text);
    match call.flags.text("output") {
        "" => {
            call.line(format!("Client Version: {VERSION}"))?;
            call.line(format!("Kustomize Version: {KUSTOMIZE_VERSION}"))?;
            match server {
                Some(server) => call.line(format!("Server Version: {}", server.git_version)),
                None => Ok(()),
            }
        }
        "json" => {
            let mut indented = Vec::new();
            indent_by(2, &text, &mut indented);
            call.line(String::from_utf8_lossy(&indented))
        }
        "yaml" => {
            let tree = serde_json::from_slice(&text).unwrap_or_default();
            let mut out = Vec::new();
            yaml::from_json_value(&tree, &mut out);
            call.line(String::from_utf8_lossy(&out))
        }
        _ => Err(Failure::message("--output must be 'yaml' or 'json'")),
    }
}

fn client_version() -> VersionInfo {
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    VersionInfo {
        major: "1".to_owned(),
        minor: "36".to_owned(),
        git_version: VERSION.to_owned(),
        build_date: "1970-01-01T00:00:00Z".to_owned(),
        compiler: "rustc".to_owned(),
        platform: format!("{}/{arch}", std::env::consts::OS),
        ..VersionInfo::default()
    }
}

/// Returns a warning if the difference is larger.
fn skew(server: &VersionInfo) -> Result<Option<String>, Failure> {
    let ours = numbers(VERSION).unwrap_or_default();
    let Some(theirs) = numbers(&server.git_version) else {
        let version = &server.git_version;
        return Err(Failure::message(format!(
            "server version error: could not parse {version:?} as version"
        )));
    };
    if ours.0 == theirs.0 && ours.1.abs_diff(theirs.1) <= MAX_SKEW {
        return Ok(None);
    }
    Ok(Some(format!(
        "version difference between client ({}.{}) and server ({}.{}) exceeds the supported minor version skew of \
         +/-{MAX_SKEW}",
        ours.0, ours.1, theirs.0, theirs.1
    )))
}

/// Refuses to work with a server of another version, as `--match-server-version` asks.
pub(crate) async fn check_match(call: &Call) -> Outcome {
    let server = call.factory.client()?.discovery().version().await?;
    if are_one_release(&server.git_version, VERSION) {
        return Ok(());
    }
    let (server, client) = (shown(&server), shown(&client_version()));
    Err(Failure::message(format!("server version (&{server}) differs from client version ({client})!\n")))
}

/// Reports whether two versions are of one release of Kubernetes, whoever built them: that stands behind a plus sign.
fn are_one_release(one: &str, other: &str) -> bool {
    fn release(version: &str) -> &str {
        version.split_once('+').map_or(version, |(release, _)| release)
    }
    release(one) == release(other)
}

/// Formats a version as Go shows a value in full.
fn shown(version: &VersionInfo) -> String {
    let fields = [
        ("Major", &version.major),
        ("Minor", &version.minor),
        ("EmulationMajor", &version.emulation_major),
        ("EmulationMinor", &version.emulation_minor),
        ("MinCompatibilityMajor", &version.min_compatibility_major),
        ("MinCompatibilityMinor", &version.min_compatibility_minor),
        ("GitVersion", &version.git_version),
        ("GitCommit", &version.git_commit),
        ("GitTreeState", &version.git_tree_state),
        ("BuildDate", &version.build_date),
        ("GoVersion", &version.go_version),
        ("Compiler", &version.compiler),
        ("Platform", &version.platform),
    ];
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}:{value:?}")).collect();
    format!("version.Info{{{}}}", fields.join(", "))
}

/// Returns the major and the minor version of `v1.36.4`.
pub(crate) fn numbers(version: &str) -> Option<(u64, u64)> {
    let mut parts = version.strip_prefix('v').unwrap_or(version).splitn(3, '.');
    let (major, minor) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let patch = parts.next()?;
    patch.starts_with(|digit: char| digit.is_ascii_digit()).then_some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_minor_version_apart_is_fine() {
        let server =
            |version: &str| VersionInfo { git_version: version.to_owned(), ..VersionInfo::default() };
        assert!(skew(&server("v1.35.0")).unwrap().is_none());
        assert!(skew(&server("v1.37.0-alpha.1+abc")).unwrap().is_none());
        assert!(skew(&server("v1.34.9")).unwrap().is_some_and(|text| text.contains("(1.34)")));
        assert!(skew(&server("nonsense")).is_err());
    }

    #[test]
    fn who_built_a_release_does_not_matter() {
        let numbers = VERSION.split('+').next().unwrap();
        assert!(are_one_release(numbers, VERSION));
        assert!(are_one_release(&format!("{numbers}+k3s1"), VERSION));
        assert!(!are_one_release("v1.30.0", VERSION));
    }
}
