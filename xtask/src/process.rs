//! Runs other programs: from the root, without a terminal, with the command printed.

use std::env;
use std::ffi::OsStr;
use std::process::{Command, Stdio};

use crate::failure::Failure;
use crate::workspace::Workspace;

/// A command that calls cargo with these arguments from the root of the tree.
pub(crate) fn cargo<S: AsRef<OsStr>>(
    workspace: &Workspace,
    arguments: impl IntoIterator<Item = S>,
) -> Command {
    let mut command = program(workspace, env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// A command that calls a program from the root of the tree.
pub(crate) fn program(workspace: &Workspace, name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(workspace.root()).stdin(Stdio::null());
    // `cargo run` describes this very crate in the environment. Build scripts that watch those variables would
    // be run again each time the tree is built once from here and once by hand.
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(describes_this_crate) {
            command.env_remove(name);
        }
    }
    command
}

fn describes_this_crate(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_NAME", "CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE"]
        .iter()
        .any(|prefix| variable.starts_with(prefix))
}

/// Runs a command with its output on ours, after saying what is run.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    println!("$ {}", shown(command));
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("{} failed: {status}", shown(command)))) }
}

/// Runs a command with its output on ours, without saying what is run.
pub(crate) fn quiet(command: &mut Command) -> Result<(), Failure> {
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { Err(Failure::new(status.to_string())) }
}

/// Runs a command silently and returns its output, if it succeeds.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A failure for a program that could not be started at all.
pub(crate) fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot start {}: {error}", command.get_program().to_string_lossy()))
}

/// A command as one would type it, without the directories of its program.
pub(crate) fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let mut text = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}
