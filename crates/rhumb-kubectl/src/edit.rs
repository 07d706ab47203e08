//! `edit`: edits objects of the server in an editor.

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options;

use crate::change_cause;
use crate::editor::{Mode, Session};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "edit",
    family: Family::Intermediate,
    about: "Change objects on the server in an editor",
    long: "Opens the objects in the editor that KUBE_EDITOR or EDITOR names (vi if there is none), and sends what was \
           changed when the file is saved.\n\nWhat the server doesn't like is opened again, with the reasons at the \
           top of the file. An empty file, or one without changes, ends it. If something comes between, the file is \
           kept and its name is told.",
    usage: "(RESOURCE/NAME | -f FILENAME)",
    examples: &[
        ("A Service", "edit svc/web"),
        ("A Job, in one version of its API, as JSON", "edit job.v1.batch/once -o json"),
        ("A Deployment's status", "edit deployment web --subresource=status"),
    ],
    flags: &[
        FLAGS,
        change_cause::FLAGS,
        options::PRINT,
        options::FILES,
        options::VALIDATE,
        options::SAVE_CONFIG,
    ],
    words: Words::TypesAndNames,
    action: Action::Run(|call| Box::pin(async move { Session::of(call, Mode::Normal)?.run(call).await })),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::bool("output-patch", "Print the patch that is sent."),
    Flag::bool("windows-line-endings", "Give the editor lines with Windows' ends."),
    options::field_manager("kubectl-edit"),
    Flag::text("subresource", "Edit this subresource of the object.").choices(&["status", "scale", "resize"]),
];
