//! Checks what the tests need, and installs it where possible or says what to do.

use std::fs;

use crate::etcd;
use crate::failure::Failure;
use crate::process::{self, cargo, program};
use crate::workspace::Workspace;

/// Checks everything and installs what is missing; all that could not be helped is reported at once.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let mut missing = Vec::new();
    if let Err(failure) = rust_version(workspace) {
        missing.push(failure.to_string());
    }
    for need in NEEDS {
        match need.check(workspace) {
            Some(found) => println!("setup: {} ({found})", need.name),
            None => missing.extend(need.provide(workspace).err()),
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(Failure::new(format!("setup:\n  {}", missing.join("\n  ")))) }
}

/// The compiler must be at least as new as the workspace says.
fn rust_version(workspace: &Workspace) -> Result<(), Failure> {
    let manifest = workspace.root().join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(Failure::file("read", &manifest))?;
    let oldest = text
        .lines()
        .find_map(|line| line.strip_prefix("rust-version"))
        .and_then(|rest| rest.split('"').nth(1))
        .ok_or_else(|| Failure::new("Cargo.toml states no rust-version"))?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let found = process::output(program(workspace, rustc).arg("--version"))
        .ok_or_else(|| Failure::new("rustc is missing: install Rust, for instance from https://rustup.rs"))?;
    if !is_at_least(&found, oldest) {
        let advice = "run `rustup update stable`, or install a newer Rust";
        return Err(Failure::new(format!("Rust {oldest} or newer is needed and this is {found}: {advice}")));
    }
    println!("setup: Rust {oldest} or newer ({found})");
    Ok(())
}

/// Compares what `rustc --version` prints with a version of two or three numbers.
fn is_at_least(printed: &str, oldest: &str) -> bool {
    let numbers = |text: &str| -> Vec<u32> {
        text.split(['.', '-', '+']).map_while(|part| part.parse().ok()).take(3).collect()
    };
    let found = printed.split_whitespace().nth(1).map(numbers).unwrap_or_default();
    !found.is_empty() && found >= numbers(oldest)
}

/// A required tool.
struct Need {
    /// Name and purpose.
    name: &'static str,
    /// Check whether it is installed.
    probe: Probe,
    /// Installation.
    install: Install,
    /// Advice if it can't be installed.
    advice: &'static str,
}

/// Check whether a tool is installed: a program with `--version`.
enum Probe {
    /// An etcd, wherever the tests look for one.
    Etcd,
    /// A subcommand of cargo.
    Cargo(&'static str),
    /// A program, or the one named by an environment variable.
    Program { variable: &'static str, default: &'static str },
    /// A program, in its own words: some have another flag for their version.
    Saying(&'static str, &'static str),
}

/// Installation method.
enum Install {
    /// Into the build directory.
    Etcd,
    /// As a toolchain component, by rustup.
    Component(&'static str),
    /// As a system package, by apt-get as root.
    Package(&'static str),
}

/// All required tools. The tests need neither Go nor a cluster.
static NEEDS: &[Need] = &[
    Need {
        name: "rustfmt, for fmt",
        probe: Probe::Cargo("fmt"),
        install: Install::Component("rustfmt"),
        advice: "run `rustup component add rustfmt`, or install your system's rustfmt package",
    },
    Need {
        name: "clippy, for lint",
        probe: Probe::Cargo("clippy"),
        install: Install::Component("clippy"),
        advice: "run `rustup component add clippy`, or install your system's clippy package",
    },
    Need {
        name: "a C compiler, for the linker and mimalloc",
        probe: Probe::Program { variable: "CC", default: "cc" },
        install: Install::Package("gcc"),
        advice: "install gcc or clang, for instance with `apt-get install gcc`",
    },
    Need {
        name: "a C++ compiler, for libFuzzer",
        probe: Probe::Program { variable: "CXX", default: "c++" },
        install: Install::Package("g++"),
        advice: "install g++ or clang++, for instance with `apt-get install g++`",
    },
    Need {
        name: "tmux, for the tests of the terminal",
        probe: Probe::Saying("tmux", "-V"),
        install: Install::Package("tmux"),
        advice: "install tmux, for instance with `apt-get install tmux`",
    },
    Need {
        name: "etcd, for the tests of the store",
        probe: Probe::Etcd,
        install: Install::Etcd,
        advice: "install etcd 3.4 or newer, for instance with `apt-get install etcd-server`, or set RHUMB_ETCD to the \
                 path of one",
    },
    Need {
        name: "zsh, for its completion",
        probe: Probe::Saying("zsh", "--version"),
        install: Install::Package("zsh"),
        advice: "install zsh, for instance with `apt-get install zsh`",
    },
    Need {
        name: "fish, for its completion",
        probe: Probe::Saying("fish", "--version"),
        install: Install::Package("fish"),
        advice: "install fish, for instance with `apt-get install fish`",
    },
];

impl Need {
    /// The version found, if it is there.
    fn check(&self, workspace: &Workspace) -> Option<String> {
        let mut command = match self.probe {
            Probe::Etcd => return etcd::check(workspace),
            Probe::Saying(name, flag) => return process::output(program(workspace, name).arg(flag)),
            Probe::Cargo(subcommand) => cargo(workspace, [subcommand]),
            Probe::Program { variable, default } => {
                program(workspace, std::env::var_os(variable).unwrap_or_else(|| default.into()))
            }
        };
        let printed = process::output(command.arg("--version"))?;
        Some(printed.lines().next().unwrap_or_default().to_owned())
    }

    /// Installs it and looks again; otherwise says what to do.
    fn provide(&self, workspace: &Workspace) -> Result<(), String> {
        println!("setup: missing: {}; installing it", self.name);
        let installed = match self.install {
            Install::Etcd => etcd::install(workspace),
            Install::Component(name) => {
                process::run(program(workspace, "rustup").args(["component", "add", name]))
            }
            Install::Package(name) => install_package(workspace, name),
        };
        let problem = match installed {
            Ok(()) => match self.check(workspace) {
                Some(found) => {
                    println!("setup: {} ({found})", self.name);
                    return Ok(());
                }
                None => "it was installed but still can't be started".to_owned(),
            },
            Err(failure) => failure.to_string(),
        };
        Err(format!("missing: {}; it could not be installed ({problem}): {}", self.name, self.advice))
    }
}

/// Installs a package of the system, which only root may.
pub(crate) fn install_package(workspace: &Workspace, name: &str) -> Result<(), Failure> {
    if process::output(program(workspace, "id").arg("-u")).as_deref() != Some("0") {
        return Err(Failure::new("only root may install packages"));
    }
    let apt = |arguments: &[&str]| {
        process::run(program(workspace, "apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    // The package lists may be missing or old, but may also do: a failure to renew them is not yet one.
    let _ = apt(&["update", "-q"]);
    apt(&["install", "-q", "-y", "--no-install-recommends", name])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_rust_compare_by_number() {
        for (printed, oldest, expect) in [
            ("rustc 1.95.0 (59807616e 2026-04-14)", "1.95", true),
            ("rustc 1.95.0", "1.95.0", true),
            ("rustc 1.100.2", "1.95", true),
            ("rustc 2.0.0", "1.95", true),
            ("rustc 1.97.0-nightly (abc 2026-05-01)", "1.95", true),
            ("rustc 1.94.1", "1.95", false),
            ("rustc 1.95.0", "1.95.1", false),
            ("rustc 1.9.0", "1.95", false),
            ("", "1.95", false),
            ("something else", "1.95", false),
        ] {
            assert_eq!(is_at_least(printed, oldest), expect, "{printed} against {oldest}");
        }
    }
}
