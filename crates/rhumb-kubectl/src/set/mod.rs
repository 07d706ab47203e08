//! `set`: sets fields of objects.

mod change;
mod env;
mod env_sources;
mod image;
mod resources;
mod selector;
mod service_account;
mod subject;

pub(crate) use change::LOCAL_ONLY;
pub(crate) use resources::quantities;

use rhumb_cli::command::{Command, Family};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "set",
    family: Family::Beginner,
    about: "Set certain fields of objects",
    usage: "SUBCOMMAND",
    examples: &[
        ("Another image for a deployment", "set image deployment/web nginx=nginx:1.27"),
        ("An environment variable", "set env deployment/web LEVEL=debug"),
    ],
    commands: &[&[
        &image::COMMAND,
        &resources::COMMAND,
        &selector::COMMAND,
        &subject::COMMAND,
        &service_account::COMMAND,
        &env::COMMAND,
    ]],
    ..Command::EMPTY
};
