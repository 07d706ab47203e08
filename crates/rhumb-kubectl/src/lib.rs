//! The commands of kubectl.
//!
//! Each command is a module with its table ([`rhumb_cli::command::Command`]) and what it does. [`COMMANDS`] lists them
//! all; [`main`] runs one.

mod api_versions;
mod create;
mod last_applied;
mod get;
mod pod_spec;
mod pods;
mod run_command;
mod set;
mod two_way;
mod typed;

pub use run_command::{main, run};

use rhumb_cli::command::Command;

/// All commands, in the order in which mistyped ones are guessed at.
pub static COMMANDS: &[&Command] = &[
    &api_versions::COMMAND,
    &create::COMMAND,
    &get::COMMAND,
    &set::COMMAND,
    &pods::attach::COMMAND,
    &pods::cp::COMMAND,
    &pods::exec::COMMAND,
    &pods::logs::COMMAND,
    &pods::port_forward::COMMAND,
];

/// kubectl: nothing but its commands.
pub const KUBECTL: Command = Command {
    name: "kubectl",
    about: "Work with the objects of a Kubernetes API server.",
    usage: "[flags] [options]",
    commands: &[COMMANDS],
    ..Command::EMPTY
};
