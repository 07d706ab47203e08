//! `rollout status`: reports a rollout until it is complete.

use std::io::Write;

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::options;
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome, Progress};
use rhumb_scheme::Unstructured;
use serde_json::Value;

use super::revisions::revision_of;
use super::{WORKLOADS, find, require_something};
use crate::typed;
use crate::watching::{self, Seen};

static FLAGS: &[Flag] = &[
    Flag::bool("watch", "Go on until the rollout is done.").short('w').default("true"),
    Flag::int("revision", "0", "Fail if another revision is being rolled out; 0 is any."),
    Flag::duration("timeout", "0s", "How long to wait; 0 is for ever."),
];

/// `rollout status`.
pub(super) static COMMAND: Command = Command {
    name: "status",
    about: "Show how far a rollout is, until it is done",
    usage: "(TYPE NAME | TYPE/NAME) [flags]",
    examples: &[
        ("Wait for a deployment", "rollout status deployment/web"),
        ("At most a minute", "rollout status deployment/web --timeout=1m"),
        ("Only look", "rollout status daemonset/agent --watch=false"),
    ],
    flags: &[options::FILES, FLAGS, options::SELECTOR],
    words: Words::Of(WORKLOADS),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    require_something(call)?;
    let revision = call.flags.int("revision");
    if revision < 0 {
        return Err(format!("revision must be a positive integer: {revision}").into());
    }
    let (infos, namespace) = find(call).await?;
    let mut found = false;
    infos
        .visit(async |info| {
            found = true;
            follow(call, info, revision).await
        })
        .await?;
    if !found {
        call.warn(format!("No resources found in {namespace} namespace."));
    }
    Ok(())
}

async fn follow(call: &mut Call, info: &Info, revision: i64) -> Outcome {
    let kind = &info.mapping.kind;
    let status = match (&*kind.group, &*kind.kind) {
        ("apps" | "extensions", "Deployment") => deployment,
        ("apps" | "extensions", "DaemonSet") => daemon_set,
        ("apps", "StatefulSet") => stateful_set,
        _ => return Err(format!("no status viewer has been implemented for {}", kind.group_kind()).into()),
    };
    let watch = call.flags.bool("watch");
    let deadline = watching::deadline(call.flags.duration("timeout"));
    let mut progress = Progress::new(&call.streams).only_if(watch);
    // Where both end up on one terminal, what is told replaces the line that says how long it has taken.
    let clear: &[u8] = if progress.is_wanted() && call.streams.out_is_terminal { b"\r\x1b[K" } else { b"" };
    let text = format!("Waiting for {}", info.object_name());
    let (api, out) = (info.api()?, &mut call.streams.out);
    let mut last_seen = String::new();
    let done = watching::until(&api, &info.name, deadline, |seen| match seen {
        Seen::There(object) => {
            // A list that follows a watch tells again what is known.
            let version = typed::text(object, &["metadata", "resourceVersion"]);
            if version == last_seen {
                return Ok(None);
            }
            version.clone_into(&mut last_seen);
            let (text, is_done) = status(object, revision)?;
            out.write_all(clear)?;
            out.write_all(text.as_bytes())?;
            out.flush()?;
            Ok((is_done || !watch).then_some(()))
        }
        Seen::Deleted => Err("object has been deleted".into()),
        Seen::Missing => Ok(None),
    });
    let done = progress.during(&mut call.streams.err, &text, done).await?;
    done.ok_or_else(|| Failure::message("timed out waiting for the condition"))
}

type Status = Result<(String, bool), Failure>;

fn number(object: &Unstructured, path: &[&str]) -> i64 {
    object.get(path).and_then(Value::as_i64).unwrap_or_default()
}

fn waiting(text: String) -> Status {
    Ok((text, false))
}

fn deployment(object: &Unstructured, revision: i64) -> Status {
    let name = typed::text(object, &["metadata", "name"]);
    if revision > 0 {
        let running = revision_of(object).map_err(|error| {
            Failure::message(format!("cannot get the revision of deployment {name:?}: {error}"))
        })?;
        if revision != running {
            let text =
                format!("desired revision ({revision}) is different from the running revision ({running})");
            return Err(text.into());
        }
    }
    let status = |field: &str| number(object, &["status", field]);
    if number(object, &["metadata", "generation"]) > status("observedGeneration") {
        return waiting("Waiting for deployment spec update to be observed...\n".to_owned());
    }
    let conditions = object.get(&["status", "conditions"]).and_then(Value::as_array).into_iter().flatten();
    let mut conditions = conditions.filter(|condition| condition.get("type") == Some(&"Progressing".into()));
    if conditions.next().and_then(|condition| condition.get("reason"))
        == Some(&"ProgressDeadlineExceeded".into())
    {
        return Err(format!("deployment {name:?} exceeded its progress deadline").into());
    }
    let (updated, total) = (status("updatedReplicas"), status("replicas"));
    let available = status("availableReplicas");
    let begin = format!("Waiting for deployment {name:?} rollout to finish:");
    if let Some(wanted) = object.get(&["spec", "replicas"]).and_then(Value::as_i64)
        && updated < wanted
    {
        return waiting(format!("{begin} {updated} out of {wanted} new replicas have been updated...\n"));
    }
    if total > updated {
        return waiting(format!("{begin} {} old replicas are pending termination...\n", total - updated));
    }
    if available < updated {
        return waiting(format!("{begin} {available} of {updated} updated replicas are available...\n"));
    }
    Ok((format!("deployment {name:?} successfully rolled out\n"), true))
}

fn requires_rolling_update(object: &Unstructured) -> Outcome {
    match typed::text(object, &["spec", "updateStrategy", "type"]) {
        "RollingUpdate" => Ok(()),
        _ => Err("rollout status is only available for RollingUpdate strategy type".into()),
    }
}

fn daemon_set(object: &Unstructured, _: i64) -> Status {
    requires_rolling_update(object)?;
    let name = typed::text(object, &["metadata", "name"]);
    let status = |field: &str| number(object, &["status", field]);
    if number(object, &["metadata", "generation"]) > status("observedGeneration") {
        return waiting("Waiting for daemon set spec update to be observed...\n".to_owned());
    }
    let (wanted, updated) = (status("desiredNumberScheduled"), status("updatedNumberScheduled"));
    let available = status("numberAvailable");
    let begin = format!("Waiting for daemon set {name:?} rollout to finish:");
    if updated < wanted {
        return waiting(format!("{begin} {updated} out of {wanted} new pods have been updated...\n"));
    }
    if available < wanted {
        return waiting(format!("{begin} {available} of {wanted} updated pods are available...\n"));
    }
    Ok((format!("daemon set {name:?} successfully rolled out\n"), true))
}

fn stateful_set(object: &Unstructured, _: i64) -> Status {
    requires_rolling_update(object)?;
    let status = |field: &str| number(object, &["status", field]);
    let observed = status("observedGeneration");
    if observed == 0 || number(object, &["metadata", "generation"]) > observed {
        return waiting("Waiting for statefulset spec update to be observed...\n".to_owned());
    }
    let wanted = object.get(&["spec", "replicas"]).and_then(Value::as_i64);
    let updated = status("updatedReplicas");
    if let Some(missing) =
        wanted.map(|wanted| wanted - status("readyReplicas")).filter(|missing| *missing > 0)
    {
        return waiting(format!("Waiting for {missing} pods to be ready...\n"));
    }
    if let Some(rolling) = object.get(&["spec", "updateStrategy", "rollingUpdate"]) {
        let partition = rolling.get("partition").and_then(Value::as_i64);
        if let (Some(wanted), Some(partition)) = (wanted, partition)
            && updated < wanted - partition
        {
            let wanted = wanted - partition;
            return waiting(format!(
                "Waiting for partitioned roll out to finish: {updated} out of {wanted} new pods have been \
                 updated...\n"
            ));
        }
        let text = format!("partitioned roll out complete: {updated} new pods have been updated...\n");
        return Ok((text, true));
    }
    let text = |field: &str| typed::text(object, &["status", field]);
    let (update, current) = (text("updateRevision"), text("currentRevision"));
    if update != current {
        return waiting(format!(
            "waiting for statefulset rolling update to complete {updated} pods at revision {update}...\n"
        ));
    }
    let pods = status("currentReplicas");
    Ok((format!("statefulset rolling update complete {pods} pods at revision {current}...\n"), true))
}
