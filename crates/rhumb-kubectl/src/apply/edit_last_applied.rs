//! `apply edit-last-applied`: edits the last-applied configuration.

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::options;

use super::CLIENT_SIDE_MANAGER;
use crate::change_cause;
use crate::editor::{Mode, Session};

/// The command.
pub(super) static COMMAND: Command = Command {
    name: "edit-last-applied",
    about: "Edit what was applied last, as the object's annotation has it",
    long: "Opens what was applied last in the editor that KUBE_EDITOR or EDITOR names, and keeps what was changed in \
           the object's annotation. The object itself stays as it is until the next apply.",
    usage: "(RESOURCE/NAME | -f FILENAME)",
    examples: &[
        ("Of a Deployment", "apply edit-last-applied deployment/web"),
        ("Of what a file names, as JSON", "apply edit-last-applied -f web.yaml -o json"),
    ],
    flags: &[FLAGS, change_cause::FLAGS, options::PRINT, options::FILES, options::VALIDATE],
    words: Words::TypesAndNames,
    action: Action::Run(|call| {
        Box::pin(async move { Session::of(call, Mode::LastApplied)?.run(call).await })
    }),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::bool("windows-line-endings", "Give the editor lines with Windows' ends."),
    options::field_manager(CLIENT_SIDE_MANAGER),
];
