//! The commands of kubectl.
//!
//! Each command is a module with its table ([`rhumb_cli::command::Command`]) and what it does. [`COMMANDS`] lists them
//! all; [`main`] runs one.

mod annotate;
mod api_versions;
mod apply;
mod built_in;
mod change_cause;
mod create;
mod delete;
mod deletion;
mod diff;
mod edit;
mod editor;
mod label;
mod last_applied;
mod metadata;
mod pairs;
mod patch;
mod raw;
mod replace;
mod run_command;
mod scale;
mod writing;

pub use run_command::{main, run};

use rhumb_cli::command::Command;

/// All commands, in the order in which mistyped ones are guessed at.
pub static COMMANDS: &[&Command] = &[
    &annotate::COMMAND,
    &api_versions::COMMAND,
    &apply::COMMAND,
    &create::COMMAND,
    &delete::COMMAND,
    &diff::COMMAND,
    &edit::COMMAND,
    &label::COMMAND,
    &patch::COMMAND,
    &replace::COMMAND,
    &scale::COMMAND,
];

/// kubectl: nothing but its commands.
pub const KUBECTL: Command = Command {
    name: "kubectl",
    about: "Work with the objects of a Kubernetes API server.",
    usage: "[flags] [options]",
    commands: &[COMMANDS],
    ..Command::EMPTY
};
