//! `rhumb gen`: from types to code.

mod layout;
mod sample;

use rhumb_cli::command::{Command, Family};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "gen",
    family: Family::Rhumb,
    about: "Write code from types",
    usage: "COMMAND",
    commands: &[&[&layout::NEW_API, &layout::ADD_VERSION]],
    stands_alone: true,
    ..Command::EMPTY
};
