//! `completion`: scripts for shells, and the hidden command that they call.
//!
//! A script calls the program with `__complete` and the words so far, the last of which may be empty. The answer is a
//! line for each candidate, with a tab and a description behind it if there is one, and a last line with a number
//! that says what else the shell may do. The protocol is that of the library that kubectl is made with, so its scripts
//! work with this program, and those of this one with kubectl.

mod candidates;
mod objects;
mod scripts;

pub(crate) use candidates::answer;

use rhumb_cli::command::{Action, Command, Family, Words};
use rhumb_cli::{Call, Outcome};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "completion",
    family: Family::Settings,
    about: "Print a script that completes commands in a shell (bash, zsh, fish or powershell)",
    long: "Print a script for a shell. Once the shell has read it, it completes commands, flags and their values, and \
        types and names of objects from the cluster.",
    usage: "SHELL",
    examples: &[
        ("For this bash", "completion bash > /tmp/completion && source /tmp/completion"),
        ("For each bash from now on", "completion bash >> ~/.bashrc"),
        ("For zsh", "completion zsh > \"${fpath[1]}/_kubectl\""),
        ("For fish", "completion fish > ~/.config/fish/completions/kubectl.fish"),
        ("For PowerShell", "completion powershell | Out-String | Invoke-Expression"),
    ],
    words: Words::Fixed(&["bash", "fish", "powershell", "zsh"]),
    action: Action::Plain(run),
    ..Command::EMPTY
};

fn run(call: &mut Call) -> Outcome {
    let [shell] = call.args.as_slice() else {
        let message = if call.args.is_empty() {
            "Shell not specified."
        } else {
            "Too many arguments. Expected only the shell type."
        };
        return Err(call.usage(message));
    };
    match scripts::script(shell, call.program()) {
        Some(script) => call.text(script),
        None => Err(call.usage(format!("Unsupported shell type {shell:?}."))),
    }
}
