//! `alpha`: commands in alpha. There are none at present.

use rhumb_cli::command::{Action, Command, Family};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "alpha",
    family: Family::Other,
    about: "Commands for features in alpha",
    long: "Commands for features in alpha, which may change or go away. There are none at present.",
    usage: "",
    examples: &[("What there is", "alpha")],
    hidden: true,
    action: Action::Plain(|call| {
        call.warn("No alpha commands are available in this version of kubectl");
        Ok(())
    }),
    ..Command::EMPTY
};
