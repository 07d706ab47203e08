//! Preferences: command aliases and flag defaults from `~/.kube/kuberc`.
//!
//! Whoever has no such file pays for one look. `KUBERC=off` or `KUBECTL_KUBERC=false` turn it off, `KUBERC=FILE` and
//! `--kuberc` name another file.

mod apply;
mod preference;
mod set;
mod view;

pub(crate) use apply::{Applied, apply};

use rhumb_cli::command::{Command, Family};
use rhumb_cli::{Call, Failure};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "kuberc",
    family: Family::Other,
    about: "Look at your preferences and change them",
    long: "Look at your preferences and change them. They are in ~/.kube/kuberc, apart from the clusters and users of \
        a kubeconfig: short names for commands, and values that flags have when they are not given.",
    usage: "SUBCOMMAND",
    examples: &[
        ("What is set", "kuberc view"),
        (
            "Print YAML unless something else is asked for",
            "kuberc set --section defaults --command get --option output=yaml",
        ),
    ],
    commands: &[&[&set::COMMAND, &view::COMMAND]],
    ..Command::EMPTY
};

/// Returns the file of a command, and whether it was named.
fn file(call: &Call) -> Result<(String, bool), Failure> {
    let environment = call.factory.environment();
    match preference::file(environment, call.flags.text("kuberc")).map_err(Failure::message)? {
        Some(file) => Ok(file),
        None => Err(Failure::message("KUBERC is disabled via KUBERC=off environment variable")),
    }
}
