//! `exec`: runs a command in a container.

use rhumb_api::core::v1::{Pod, PodExecOptions};
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::resource::FileOptions;
use rhumb_cli::{Call, Failure, Outcome};

use super::choose::{attachable, container, container_or_default, no_such_container, running_timeout};
use super::session::{self, End, Local};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "exec",
    family: Family::Troubleshooting,
    about: "Run a command in a container",
    usage: "(POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]",
    examples: &[
        ("The date in the first container of a pod", "exec web-0 -- date"),
        ("The same in another container", "exec web-0 -c helper -- date"),
        ("A shell", "exec -it web-0 -- bash"),
        ("A command in a pod of a deployment", "exec deploy/web -- ls /tmp"),
        ("Input from here", "exec -i web-0 -- sh -c 'cat > /tmp/list' < list.txt"),
    ],
    flags: &[&[
        Flag::duration("pod-running-timeout", "1m0s", "How long to wait for a pod that runs."),
        Flag::list("filename", "A file that names the pod, or what has it.").short('f').words(Words::Files),
        Flag::text("container", "The container; else the pod's default, or the first.").short('c'),
        Flag::bool("stdin", "Pass standard input to the command.").short('i'),
        Flag::bool("tty", "Give the command a terminal.").short('t'),
        Flag::bool("quiet", "Print only what the command prints.").short('q'),
    ]],
    words: Words::PodOrType,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let filenames = call.flags.list("filename");
    let name = match call.dash {
        Some(0) => None,
        _ => call.args.first().cloned(),
    };
    let command = match call.dash {
        Some(at) => call.args.get(at..).unwrap_or_default().to_vec(),
        None if call.args.len() > 1 || (!call.args.is_empty() && !filenames.is_empty()) => {
            return Err(call.usage(
                "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead",
            ));
        }
        None => Vec::new(),
    };
    let (namespace, enforce) = call.factory.namespace()?;
    let timeout = running_timeout(call).map_err(|failure| call.usage(failure.bare()))?;
    if name.is_none() && filenames.is_empty() {
        return Err("pod, type/name or --filename must be specified".into());
    }
    if command.is_empty() {
        return Err("you must specify at least one command for the container".into());
    }
    let files = FileOptions { filenames, ..FileOptions::default() };
    let infos = call
        .factory
        .builder()
        .files(enforce, &files, &mut call.streams)
        .namespace(&namespace)
        .default_namespace()
        .names_of("pods", name.as_slice())
        .build()
        .await?;
    let infos = infos.collect().await?;
    let [info] = infos.as_slice() else {
        return Err("cannot exec into multiple objects at a time".into());
    };
    let pod = attachable(info, timeout).await?;
    if matches!(pod.status.phase.as_str(), "Succeeded" | "Failed") {
        return Err(Failure::message(format!(
            "cannot exec into a container in a completed pod; current phase is {}",
            pod.status.phase
        )));
    }
    let named = call.flags.text("container").to_owned();
    let quiet = call.flags.bool("quiet");
    let container = match named.as_str() {
        "" => container_or_default(call, &pod, "", quiet)?,
        name => container(&pod, name).ok_or_else(|| no_such_container(&pod, name))?,
    };
    let container = container.name.to_owned();
    let (stdin, tty) = (call.flags.bool("stdin"), call.flags.bool("tty"));
    let local = Local::new(call, stdin, tty, quiet);
    execute(call, &pod, &container, command, local).await
}

/// Runs a command in a container, with the local side joined to it.
pub(crate) async fn execute(
    call: &mut Call,
    pod: &Pod,
    container: &str,
    command: Vec<String>,
    local: Local,
) -> Outcome {
    let options = PodExecOptions {
        container: container.to_owned(),
        command,
        stdin: local.stdin,
        stdout: true,
        stderr: !local.tty,
        tty: local.tty,
        ..PodExecOptions::default()
    };
    let client = call.factory.client()?.clone();
    let command =
        client.exec(&pod.metadata.namespace, &pod.metadata.name, &options).await.map_err(session::refused)?;
    match session::join(call, local, command, None).await? {
        End::Exit(exit) => session::outcome(exit),
        End::Detached => Ok(()),
    }
}
