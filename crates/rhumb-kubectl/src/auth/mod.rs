//! `auth`: identity, permissions, and reconciliation of roles.

mod can_i;
mod reconcile;
mod rules;
mod whoami;

use rhumb_cli::command::{Command, Family};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "auth",
    family: Family::Troubleshooting,
    about: "Look into who may do what",
    usage: "[flags]",
    examples: &[
        ("May I make deployments here?", "auth can-i create deployments"),
        ("Who am I?", "auth whoami"),
    ],
    commands: &[&[&can_i::COMMAND, &reconcile::COMMAND, &whoami::COMMAND]],
    ..Command::EMPTY
};
