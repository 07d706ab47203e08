//! `attach`: attaches to the main process of a container.

use rhumb_api::core::v1::{Pod, PodAttachOptions};
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome};

use super::choose::{attachable, container_or_default, running_timeout};
use super::session::{self, End, Local};

const DETACH_KEYS: &str = "ctrl-p,ctrl-q";

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "attach",
    family: Family::Troubleshooting,
    about: "Attach to the running process of a container",
    usage: "(POD | TYPE/NAME) -c CONTAINER",
    examples: &[
        ("The output of a pod's container", "attach web-0"),
        ("Of another container", "attach web-0 -c helper"),
        ("With input and a terminal", "attach web-0 -c helper -i -t"),
        ("A pod of a replica set", "attach rs/web"),
    ],
    flags: &[&[
        Flag::duration("pod-running-timeout", "1m0s", "How long to wait for a pod that runs."),
        Flag::text("container", "The container; else the pod's default, or the first.").short('c'),
        Flag::bool("stdin", "Pass standard input to the process.").short('i'),
        Flag::bool("tty", "Standard input is a terminal.").short('t'),
        Flag::bool("quiet", "Print only what the process prints.").short('q'),
        Flag::text("detach-keys", "The keys that leave the process running and end the session.")
            .default(DETACH_KEYS),
    ]],
    words: Words::PodOrType,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let (namespace, _) = call.factory.namespace()?;
    let timeout = running_timeout(call).map_err(|failure| call.usage(failure.bare()))?;
    let builder = call.factory.builder().namespace(&namespace).default_namespace();
    let builder = match call.args.as_slice() {
        [] => return Err("at least 1 argument is required for attach".into()),
        [name] => builder.names_of("pods", std::slice::from_ref(name)),
        [kind, name] => builder.names_of(kind, std::slice::from_ref(name)),
        args => {
            return Err(Failure::message(format!(
                "expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw {}: [{}]",
                args.len(),
                args.join(" ")
            )));
        }
    };
    let infos = builder.build().await?.collect().await?;
    let [info] = infos.as_slice() else { return Err("expected a resource".into()) };
    let pod = attachable(info, timeout).await?;
    if matches!(pod.status.phase.as_str(), "Succeeded" | "Failed") {
        return Err(Failure::message(format!(
            "cannot attach a container in a completed pod; current phase is {}",
            pod.status.phase
        )));
    }
    let attaching = Attaching {
        container: call.flags.text("container").to_owned(),
        stdin: call.flags.bool("stdin"),
        tty: call.flags.bool("tty"),
        quiet: call.flags.bool("quiet"),
        detach_keys: call.flags.text("detach-keys").to_owned(),
        command: call.path.clone(),
    };
    attach(call, &pod, &attaching).await
}

/// Settings of attaching.
pub(crate) struct Attaching {
    /// The container; empty for the default one.
    pub(crate) container: String,
    /// Whether standard input goes there.
    pub(crate) stdin: bool,
    /// Whether a terminal is wanted.
    pub(crate) tty: bool,
    /// Whether nothing is said but what the process says.
    pub(crate) quiet: bool,
    /// The keys that leave the session.
    pub(crate) detach_keys: String,
    /// Command to attach again: `kubectl attach`.
    pub(crate) command: String,
}

/// Joins the local side to the main process of a container of a pod.
pub(crate) async fn attach(call: &mut Call, pod: &Pod, attaching: &Attaching) -> Outcome {
    let container = container_or_default(call, pod, &attaching.container, attaching.quiet)
        .map_err(|failure| failure.context("cannot attach to the container"))?;
    if attaching.tty && !container.tty && !attaching.quiet {
        call.warn(format!("error: Unable to use a TTY - container {} did not allocate one", container.name));
    }
    let local = Local::new(call, attaching.stdin, container.tty, attaching.quiet);
    if !attaching.quiet {
        call.warn(
            "All commands and output from this session will be recorded in container logs, including credentials and \
             sensitive information passed through the command prompt.",
        );
        call.warn("If you don't see a command prompt, try pressing enter.");
    }
    let options = PodAttachOptions {
        container: container.name.to_owned(),
        stdin: local.stdin,
        stdout: true,
        stderr: !local.tty,
        tty: local.tty,
        ..PodAttachOptions::default()
    };
    let keys = match attaching.detach_keys.as_str() {
        "" => session::keys(DETACH_KEYS)?,
        keys => session::keys(keys)?,
    };
    let client = call.factory.client()?.clone();
    let (namespace, name) = (&pod.metadata.namespace, &pod.metadata.name);
    let command = client.attach(namespace, name, &options).await.map_err(session::refused)?;
    let end = session::join(call, local, command, local.tty.then_some(keys.as_slice())).await?;
    if let End::Exit(exit) = end {
        session::outcome(exit)?;
    }
    if !attaching.quiet && local.stdin && local.tty {
        let again = format!("{} {name} -c {} -n {namespace} -i -t", attaching.command, container.name);
        call.line(match container.is_ephemeral() {
            true => format!(
                "Session ended, the ephemeral container will not be restarted but may be reattached using '{again}' if \
                 it is still running"
            ),
            false => format!("Session ended, resume using '{again}' command"),
        })?;
    }
    Ok(())
}
