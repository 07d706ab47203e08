//! Attached `run`: waits for the pod, attaches, returns its exit code, removes it.

use std::io::Write;
use std::time::Duration;

use rhumb_api::core::v1::{Pod, PodLogOptions};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::from_unstructured;
use rhumb_meta::{GroupResource, GroupVersionResource};
use rhumb_scheme::Unstructured;

use crate::deletion::Deletion;
use crate::pods::attach::{Attaching, attach as attach_pod};
use crate::pods::choose::container_or_default;
use crate::watching::{self, Seen};
use crate::{metadata, typed};

/// Timeout of reading output from before the session.
const EARLIER_OUTPUT: Duration = Duration::from_secs(5);

/// Waits until the pod runs, attaches to it, and ends as its process does.
pub(super) async fn attach(call: &mut Call, pod: &Unstructured, timeout: Duration) -> Outcome {
    let (namespace, name) =
        (metadata::text(pod, "namespace").to_owned(), metadata::text(pod, "name").to_owned());
    let pod = wait(call, &namespace, &name, timeout, |pod| is_over(pod) || is_ready(pod)).await?;
    let attaching = Attaching {
        container: String::new(),
        stdin: call.flags.bool("stdin"),
        tty: call.flags.bool("tty"),
        quiet: call.flags.bool("quiet"),
        detach_keys: call.flags.text("detach-keys").to_owned(),
        command: format!("{} attach", call.program()),
    };
    if is_over(&pod) {
        logs(call, &pod, &attaching).await?;
    } else {
        match tokio::time::timeout(EARLIER_OUTPUT, logs(call, &pod, &attaching)).await {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => {
                call.warn(format!("warning: couldn't fetch pre-attach logs: {}", failure.bare()));
            }
            Err(_) => call.warn("warning: couldn't fetch pre-attach logs: context deadline exceeded"),
        }
        if let Err(failure) = attach_pod(call, &pod, &attaching).await {
            let why = failure.bare();
            call.warn(format!(
                "warning: couldn't attach to pod/{name}, falling back to streaming logs: {why}"
            ));
            logs(call, &pod, &attaching).await?;
        }
    }
    let restart = call.flags.text("restart").to_owned();
    let ends =
        matches!(restart.as_str(), "Never" | "OnFailure") || (restart.is_empty() && call.flags.bool("stdin"));
    if call.flags.bool("leave-stdin-open") || !ends {
        return Ok(());
    }
    let never = restart == "Never";
    let done = |pod: &Pod| pod.status.phase == "Succeeded" || (never && is_over(pod));
    exit(&wait(call, &namespace, &name, timeout, done).await?)
}

/// Converts the end of the pod to the result of the command.
fn exit(pod: &Pod) -> Outcome {
    let (namespace, name) = (&pod.metadata.namespace, &pod.metadata.name);
    match pod.status.phase.as_str() {
        "Succeeded" => Ok(()),
        "Failed" => {
            let state =
                pod.status.container_statuses.first().and_then(|status| status.state.terminated.as_ref());
            match state.filter(|state| state.exit_code != 0) {
                Some(state) => Err(Failure::Exit {
                    code: u8::try_from(state.exit_code & 0xff).unwrap_or(1),
                    message: Some(format!(
                        "pod {namespace}/{name} terminated ({})\n{}",
                        state.reason, state.message
                    )),
                }),
                None => Err(format!("pod {namespace}/{name} failed with unknown exit code").into()),
            }
        }
        phase => Err(format!("pod {namespace}/{name} left in phase {phase}").into()),
    }
}

fn is_over(pod: &Pod) -> bool {
    matches!(pod.status.phase.as_str(), "Succeeded" | "Failed")
}

fn is_ready(pod: &Pod) -> bool {
    let mut conditions = pod.status.conditions.iter();
    pod.status.phase == "Running"
        && conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

async fn wait(
    call: &Call,
    namespace: &str,
    name: &str,
    timeout: Duration,
    done: impl Fn(&Pod) -> bool,
) -> Result<Pod, Failure> {
    let client = call.factory.client()?;
    let pods = client.dynamic(&GroupVersionResource::new_static("", "v1", "pods")).namespace(namespace);
    let found = watching::until(&pods, name, watching::deadline(timeout), |seen| match seen {
        Seen::There(object) => {
            let pod: Pod = from_unstructured(object)?;
            Ok(done(&pod).then_some(pod))
        }
        Seen::Deleted => Err(watching::not_found(&GroupResource::new_static("", "pods"), "")),
        Seen::Missing => Ok(None),
    });
    // Who interrupts the command still wants the pod removed.
    tokio::select! {
        found = found => found?.ok_or_else(|| Failure::message("timed out waiting for the condition")),
        _ = tokio::signal::ctrl_c() => Err(Failure::exit(130)),
    }
}

/// Prints what the container has written so far.
async fn logs(call: &mut Call, pod: &Pod, attaching: &Attaching) -> Outcome {
    let container = container_or_default(call, pod, &attaching.container, attaching.quiet)?;
    let options = PodLogOptions { container: container.name.to_owned(), ..PodLogOptions::default() };
    let client = call.factory.client()?.clone();
    let pods = client.core_v1().pods(&pod.metadata.namespace);
    let mut output = pods.log(&pod.metadata.name, &options).await?;
    while let Some(piece) = output.next().await {
        call.streams.out.write_all(&piece?)?;
    }
    Ok(call.streams.out.flush()?)
}

/// Deletes what was made.
pub(super) async fn remove(call: &mut Call, objects: &[Unstructured]) -> Outcome {
    let mut deletion = Deletion::of(&call.flags, &mut call.streams)?;
    deletion.ignore_not_found = true;
    deletion.wait = false;
    deletion.grace_period = -1;
    let quiet = call.flags.bool("quiet");
    for object in objects {
        let kind = typed::kind_of(object);
        let word = match &*kind.group {
            "" => kind.kind.to_lowercase(),
            group => format!("{}.{group}", kind.kind.to_lowercase()),
        };
        let name = [metadata::text(object, "name").to_owned()];
        let builder = call.factory.builder().continue_on_error();
        let builder = builder.namespace(metadata::text(object, "namespace")).default_namespace();
        let infos = builder.names_of(&word, &name).flatten().build().await?;
        // What a quiet command says about deletions goes nowhere.
        let out = quiet.then(|| std::mem::replace(&mut call.streams.out, Box::new(std::io::sink())));
        let done = deletion.run(call, infos).await;
        if let Some(out) = out {
            call.streams.out = out;
        }
        done?;
    }
    Ok(())
}
