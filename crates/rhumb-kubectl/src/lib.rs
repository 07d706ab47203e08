//! The commands of kubectl.
//!
//! Each command is a module with its table ([`rhumb_cli::command::Command`]) and what it does. [`COMMANDS`] lists them
//! all; [`main`] runs one.

mod alpha;
mod api_resources;
mod api_versions;
mod cluster_info;
mod completion;
mod config;
mod explain;
mod kuberc;
mod plugin;
mod proxy;
mod run_command;
mod show_options;
#[cfg(test)]
mod table_tests;
mod top;
mod version;

pub use run_command::{main, run};

use rhumb_cli::command::Command;

/// All commands, in the order in which mistyped ones are guessed at.
pub static COMMANDS: &[&Command] = &[
    &explain::COMMAND,
    &cluster_info::COMMAND,
    &top::COMMAND,
    &proxy::COMMAND,
    &completion::COMMAND,
    &alpha::COMMAND,
    &api_resources::COMMAND,
    &api_versions::COMMAND,
    &config::COMMAND,
    &kuberc::COMMAND,
    &plugin::COMMAND,
    &version::COMMAND,
    &show_options::COMMAND,
];

/// kubectl: nothing but its commands.
pub const KUBECTL: Command = Command {
    name: "kubectl",
    about: "Work with the objects of a Kubernetes API server.",
    usage: "[flags] [options]",
    commands: &[COMMANDS],
    ..Command::EMPTY
};
