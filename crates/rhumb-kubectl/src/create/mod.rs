//! `create`: make objects, from files or from what the command line says.

mod from_files;

use rhumb_cli::command::{Action, Command, Family};
use rhumb_cli::options;

use crate::change_cause;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "create",
    family: Family::Beginner,
    about: "Create objects from files or standard input",
    long: from_files::LONG,
    usage: "-f FILENAME",
    examples: from_files::EXAMPLES,
    flags: &[
        from_files::FLAGS,
        change_cause::FLAGS,
        options::FILES,
        options::VALIDATE,
        options::SAVE_CONFIG,
        options::DRY_RUN,
        options::SELECTOR,
        options::PRINT,
    ],
    action: Action::Run(|call| Box::pin(from_files::run(call))),
    ..Command::EMPTY
};
