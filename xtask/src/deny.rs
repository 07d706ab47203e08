//! Checks dependencies with cargo-deny: licences, duplicate versions, sources. The rules are in `deny.toml`.
//!
//! The tool is used where the machine has it. Otherwise it is built once into the build directory, without
//! optimisation: that takes two minutes instead of ten, and a check takes a second either way.

use std::fs;
use std::path::PathBuf;

use crate::failure::Failure;
use crate::process;
use crate::workspace::Workspace;

/// Version that is built if none is installed.
const VERSION: &str = "0.20.2";

/// Gets the tool and runs the checks.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let program = provide(workspace)?;
    check(workspace, &program)
}

/// The path of cargo-deny, built first if need be.
pub(crate) fn provide(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let kept = workspace.tools().join("bin/cargo-deny");
    for candidate in [PathBuf::from("cargo-deny"), kept.clone()] {
        if process::output(process::program(workspace, &candidate).arg("--version")).is_some() {
            return Ok(candidate);
        }
    }
    println!("deny: building cargo-deny {VERSION}; this takes some minutes, once");
    let build = workspace.tools().join("build");
    let mut command = process::cargo(workspace, ["install", "--locked", "--debug", "--version", VERSION]);
    command.arg("--root").arg(workspace.tools()).arg("--target-dir").arg(&build);
    command.arg("cargo-deny").env("CARGO_PROFILE_DEV_DEBUG", "0");
    process::run(&mut command).map_err(|failure| {
        Failure::new(format!(
            "cargo-deny cannot be had ({failure}); it is built from crates.io: check the network, or run \
             `cargo install --locked cargo-deny` yourself"
        ))
    })?;
    // Only the binary is worth its room. If this fails, nothing but room is lost.
    let _ = fs::remove_dir_all(build);
    Ok(kept)
}

/// Runs the checks. Advisories are not among them; `deny.toml` says why.
pub(crate) fn check(workspace: &Workspace, program: &std::path::Path) -> Result<(), Failure> {
    process::run(process::program(workspace, program).args(["check", "bans", "licenses", "sources"]))
}
