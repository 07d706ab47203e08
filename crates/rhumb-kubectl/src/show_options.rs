//! `options`: prints the global flags.

use rhumb_cli::command::{Action, Command, Family, global_options};
use rhumb_cli::{Call, Outcome};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "options",
    family: Family::Other,
    about: "Show the flags that all commands have",
    usage: "",
    examples: &[("All of them", "options"), ("Those for a kubeconfig", "options | grep -A1 kubeconfig")],
    action: Action::Plain(run),
    ..Command::EMPTY
};

fn run(call: &mut Call) -> Outcome {
    call.line("These flags can be given to any command:\n")?;
    let text = global_options(rhumb_cli::global::FLAGS);
    call.text(text)
}
