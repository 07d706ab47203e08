//! `rollout undo`: rolls back to an earlier revision.

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::Patch;
use rhumb_meta::v1::PatchOptions;
use rhumb_scheme::Unstructured;
use serde_json::{Map, Value, json};

use super::revisions::{self, Keeper, REVISION};
use super::{WORKLOADS, find, require_something};
use crate::create::refused;
use crate::{last_applied, metadata, two_way};

static FLAGS: &[Flag] = &[Flag::int("to-revision", "0", "The revision to go back to; 0 is the one before.")];

/// Annotations of a deployment that a rollback keeps, since they are not about the template.
const OWN_ANNOTATIONS: &[&str] = &[
    last_applied::ANNOTATION,
    REVISION,
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
];

/// `rollout undo`.
pub(super) static COMMAND: Command = Command {
    name: "undo",
    about: "Go back to an earlier revision of a workload",
    usage: "(TYPE NAME | TYPE/NAME) [flags]",
    examples: &[
        ("The revision before", "rollout undo deployment/web"),
        ("A certain one", "rollout undo daemonset/agent --to-revision=3"),
        ("What that would be", "rollout undo deployment/web --dry-run=server"),
    ],
    flags: &[FLAGS, options::FILES, options::DRY_RUN, options::SELECTOR, options::PRINT],
    words: Words::Of(WORKLOADS),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let dry_run = DryRun::of(call)?;
    require_something(call)?;
    let mut printer = call.printer(dry_run)?;
    let (infos, _) = find(call).await?;
    infos
        .visit(async |info| {
            let object = info.object()?;
            if metadata::annotations(object).contains_key(last_applied::ANNOTATION) {
                let program = call.program().to_owned();
                call.warn(format!(
                    "Warning: resource {} was previously managed with '{program} apply'. Rolling back will \
                     not update \
                     the {} annotation, which may cause unexpected behavior on future '{program} apply' \
                     operations. \
                     Consider using '{program} apply' with your previous configuration file instead.",
                    info.object_name(),
                    last_applied::ANNOTATION
                ));
            }
            let done = match revisions::keeper(info, "rollbacker")? {
                Keeper::ReplicaSets => deployment(call, info, dry_run).await?,
                keeper @ Keeper::Revisions(_) => revision(call, info, keeper, dry_run).await?,
            };
            crate::typed::print(&mut printer, &mut call.streams, object, &done)
        })
        .await
}

fn not_found(revision: i64) -> Failure {
    Failure::message(format!("unable to find specified revision {revision} in history"))
}

fn skipped(revision: i64) -> String {
    format!("skipped rollback (current template already matches revision {revision})")
}

async fn send(info: &Info, patch: Patch, revision: i64, dry_run: DryRun) -> Result<String, Failure> {
    let options = PatchOptions { dry_run: dry_run.param(), ..PatchOptions::default() };
    let sent = info.api()?.patch(&info.name, &patch, &options).await;
    sent.map_err(|error| refused(&format!("failed restoring revision {revision}: "), error))?;
    Ok("rolled back".to_owned())
}

/// Brings a deployment back to the template of one of its replica sets.
async fn deployment(call: &Call, info: &Info, dry_run: DryRun) -> Result<String, Failure> {
    let wanted = call.flags.int("to-revision");
    if wanted < 0 {
        return Err(not_found(wanted));
    }
    let object = info.object()?;
    let sets = revisions::of(call, info, Keeper::ReplicaSets).await?;
    let set = match wanted {
        0 => before_latest(sets).ok_or_else(|| {
            Failure::message(format!("no rollout history found for deployment {:?}", info.name))
        })?,
        wanted => {
            let set = sets.into_iter().find(|(number, _)| *number == wanted);
            set.map(|(_, set)| set).ok_or_else(|| not_found(wanted))?
        }
    };
    if dry_run == DryRun::Client {
        return revisions::described(call, &set, None);
    }
    if object.get(&["spec", "paused"]).and_then(Value::as_bool) == Some(true) {
        return Err(
            "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try \
                    again"
                .into(),
        );
    }
    let template = revisions::template(&two_way::read(&set)?);
    if template == revisions::template(&two_way::read(object)?) {
        return Ok(skipped(wanted));
    }
    let own =
        metadata::annotations(object).into_iter().filter(|(key, _)| OWN_ANNOTATIONS.contains(&key.as_str()));
    let others =
        metadata::annotations(&set).into_iter().filter(|(key, _)| !OWN_ANNOTATIONS.contains(&key.as_str()));
    let annotations: Map<String, Value> = own.chain(others).map(|(key, value)| (key, value.into())).collect();
    let patch = json!([
        {"op": "replace", "path": "/spec/template", "value": template},
        {"op": "replace", "path": "/metadata/annotations", "value": annotations},
    ]);
    send(info, Patch::Json(patch), wanted, dry_run).await
}

/// Returns the replica set with the second highest number; of several with one number, the first.
fn before_latest(mut sets: Vec<(i64, Unstructured)>) -> Option<Unstructured> {
    sets.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    sets.into_iter().nth(1).map(|(_, set)| set)
}

/// Brings a daemon set or a stateful set back to a revision.
async fn revision(call: &Call, info: &Info, keeper: Keeper, dry_run: DryRun) -> Result<String, Failure> {
    let wanted = call.flags.int("to-revision");
    if wanted < 0 {
        return Err(not_found(wanted));
    }
    let object = info.object()?;
    let mut kept = revisions::of(call, info, keeper).await?;
    if wanted == 0 && kept.len() <= 1 {
        return Err("no last revision to roll back to".into());
    }
    let found = match wanted {
        0 => {
            kept.sort_by_key(|(number, _)| *number);
            kept.into_iter().rev().nth(1)
        }
        wanted => kept.into_iter().find(|(number, _)| *number == wanted),
    };
    let (_, found) = found.ok_or_else(|| not_found(wanted))?;
    if dry_run == DryRun::Client {
        let applied = revisions::applied(object, &found)?;
        return Ok(format!("will roll back to {}", revisions::described(call, &applied, None)?));
    }
    let data = found.get(&["data"]).cloned().unwrap_or_default();
    let mut template = two_way::read(object)?.get(&["spec", "template"]).cloned().unwrap_or_default();
    template["$patch"] = "replace".into();
    if data == json!({"spec": {"template": template}}) {
        return Ok(skipped(wanted));
    }
    send(info, Patch::Strategic(data), wanted, dry_run).await
}
