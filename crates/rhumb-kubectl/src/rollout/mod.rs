//! `rollout`: status, history, and control of workload rollouts.

mod change;
mod history;
mod revisions;
mod status;
mod undo;

use rhumb_cli::command::{Command, Family, Flag};
use rhumb_cli::options;
use rhumb_cli::resource::Infos;
use rhumb_cli::{Call, Failure};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "rollout",
    family: Family::Deploy,
    about: "Follow, pause and undo the rollout of a workload",
    long: "Works on deployments, daemon sets and stateful sets.",
    usage: "SUBCOMMAND",
    examples: &[
        ("Wait until a change is everywhere", "rollout status deployment/web"),
        ("Go back to what was before", "rollout undo deployment/web"),
        ("Start all pods anew", "rollout restart daemonset/agent"),
    ],
    commands: &[&[
        &history::COMMAND,
        &change::PAUSE,
        &change::RESUME,
        &undo::COMMAND,
        &status::COMMAND,
        &change::RESTART,
    ]],
    ..Command::EMPTY
};

static MANAGER: &[Flag] = &[options::field_manager("kubectl-rollout")];

/// Types of workloads.
const WORKLOADS: &[&str] = &["deployment", "daemonset", "statefulset"];

/// Refuses a command line that names nothing.
fn require_something(call: &Call) -> Result<(), Failure> {
    let files = options::files(&call.flags);
    if call.args.is_empty() && files.filenames.is_empty() && files.kustomize.is_empty() {
        return Err("required resource not specified".into());
    }
    Ok(())
}

/// Returns the objects that the command line names, as the server has them, and the namespace to work in.
async fn find(call: &mut Call) -> Result<(Infos, String), Failure> {
    let (namespace, enforces) = call.factory.namespace()?;
    let files = options::files(&call.flags);
    let builder = call
        .factory
        .builder()
        .namespace(&namespace)
        .default_namespace()
        .files(enforces, &files, &mut call.streams)
        .label_selector(call.flags.text("selector"))
        .words(true, &call.args);
    Ok((builder.continue_on_error().latest().flatten().build().await?, namespace))
}
