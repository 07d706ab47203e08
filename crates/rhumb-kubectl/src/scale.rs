//! `scale`: sets the number of replicas.

use std::time::Duration;

use rhumb_api::autoscaling::v1::Scale;
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::{Patch, ScaleApi};
use rhumb_meta::v1::{PatchOptions, UpdateOptions};
use rhumb_scheme::Unstructured;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::change_cause::{self, Recorder};
use crate::patch::record;
use crate::writing::Writer;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "scale",
    family: Family::Deploy,
    about: "Set how many copies a Deployment, ReplicaSet, StatefulSet or the like has",
    long: "Sets the number of copies through the subresource scale, which custom resources may have as well.\n\n\
           With --current-replicas or --resource-version the number is only changed if that is what the object has \
           now.",
    usage: "[--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)",
    examples: &[
        ("Have three copies", "scale --replicas=3 deployment/web"),
        (
            "From two to three, but from nothing else",
            "scale --current-replicas=2 --replicas=3 deployment/web",
        ),
        ("Several at once", "scale --replicas=5 rs/a rs/b rs/c"),
        ("Wait until they are there", "scale --replicas=5 statefulset/db --timeout=2m"),
    ],
    flags: &[FLAGS, change_cause::FLAGS, options::PRINT, options::FILES, options::DRY_RUN, options::SELECTOR],
    words: Words::Of(&["deployment", "replicaset", "replicationcontroller", "statefulset"]),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::bool("all", "All objects of the types, in the namespace."),
    Flag::text("resource-version", "Only if the object is at this revision."),
    Flag::int("current-replicas", "-1", "Only if there are to be so many copies now; -1 is any number."),
    Flag::int("replicas", "0", "How many copies there are to be.").required(),
    Flag::duration("timeout", "0s", "How long to wait until there are so many; 0 doesn't wait."),
];

/// Interval of retries on conflicts and of polling.
const INTERVAL: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_secs(5 * 60);

/// Preconditions of a change.
struct Precondition {
    size: i64,
    revision: String,
}

async fn run(call: &mut Call) -> Outcome {
    let recorder = Recorder::of(call);
    let dry_run = DryRun::of(call)?;
    let mut printer = call.printer(dry_run)?;
    let (namespace, enforce) = call.factory.namespace()?;
    let flags = &call.flags;
    let (replicas, current) = (flags.int("replicas"), flags.int("current-replicas"));
    if replicas < 0 {
        return Err(
            "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0".into()
        );
    }
    if current < -1 {
        return Err("The --current-replicas must specify an integer of -1 or greater".into());
    }
    let infos = call
        .factory
        .builder()
        .continue_on_error()
        .namespace(&namespace)
        .default_namespace()
        .files(enforce, &options::files(flags), &mut call.streams)
        .words(flags.bool("all"), &call.args)
        .flatten()
        .label_selector(flags.text("selector"))
        .build()
        .await?;
    let (mut infos, unread) = infos.gather_ignoring(|_| false).await;
    let unread = unread.map_or(Ok(()), |failure| Err(failure.unwrapped()));
    let revision = flags.text("resource-version").to_owned();
    if !revision.is_empty() && infos.len() > 1 {
        return Err("cannot use --resource-version with multiple resources".into());
    }
    let precondition =
        (current != -1 || !revision.is_empty()).then_some(Precondition { size: current, revision });
    if infos.is_empty() {
        unread?;
        return Err("no objects passed to scale".into());
    }
    let timeout = flags.duration("timeout");
    for info in &mut infos {
        if dry_run != DryRun::Client {
            let scales = info.api()?.scale();
            let sized = scale(&scales, &info.name, replicas, precondition.as_ref(), dry_run).await;
            let size = sized.map_err(|failure| failure.at(&info.origin))?;
            if !timeout.is_zero() && dry_run == DryRun::None {
                let waited = until_scaled(&scales, &info.name, replicas, timeout).await;
                waited.map_err(|failure| failure.at(&info.origin))?;
            }
            set_replicas(info, size)?;
            let writer = Writer::default();
            record(&recorder, &writer, info, info.object()?.clone()).await;
        } else {
            set_replicas(info, replicas)?;
        }
        printer.print(&mut call.streams, info.object()?, "scaled")?;
    }
    unread
}

/// Sets the number, again and again if someone else was faster.
async fn scale(
    scales: &ScaleApi,
    name: &str,
    replicas: i64,
    precondition: Option<&Precondition>,
    dry_run: DryRun,
) -> Result<i64, Failure> {
    let deadline = Instant::now() + RETRY;
    loop {
        match scale_once(scales, name, replicas, precondition, dry_run).await {
            Ok(scale) => return Ok(i64::from(scale.spec.replicas)),
            Err(Failure::Server(error)) if error.is_conflict() => {}
            Err(failure) => return Err(failure),
        }
        if Instant::now() + INTERVAL > deadline {
            return Err("context deadline exceeded".into());
        }
        sleep(INTERVAL).await;
    }
}

async fn scale_once(
    scales: &ScaleApi,
    name: &str,
    replicas: i64,
    precondition: Option<&Precondition>,
    dry_run: DryRun,
) -> Result<Scale, Failure> {
    let Some(wanted) = precondition else {
        let patch = Patch::Merge(json!({"spec": {"replicas": replicas}}));
        let options = PatchOptions { dry_run: dry_run.param(), ..PatchOptions::default() };
        return Ok(scales.patch(name, &patch, &options).await?);
    };
    let mut scale = scales.get(name).await?;
    let found = i64::from(scale.spec.replicas);
    if wanted.size != -1 && found != wanted.size {
        return Err(format!("Expected replicas to be {}, was {found}", wanted.size).into());
    }
    let revision = &scale.metadata.resource_version;
    if !wanted.revision.is_empty() && *revision != wanted.revision {
        return Err(format!("Expected resource version to be {}, was {revision}", wanted.revision).into());
    }
    // Go cuts larger numbers as well, and the server refuses what comes out.
    #[expect(clippy::cast_possible_truncation)]
    let replicas = replicas as i32;
    scale.spec.replicas = replicas;
    let options = UpdateOptions { dry_run: dry_run.param(), ..UpdateOptions::default() };
    Ok(scales.update(name, &scale, &options).await?)
}

/// Waits until there are as many copies as wanted, or someone wants another number.
async fn until_scaled(scales: &ScaleApi, name: &str, replicas: i64, timeout: Duration) -> Outcome {
    let deadline = Instant::now() + timeout;
    let late = || {
        Failure::message(format!("timed out waiting for {} to be synced", rhumb_schema::text::quoted(name)))
    };
    loop {
        match tokio::time::timeout_at(deadline, scales.get(name)).await {
            Err(_) => return Err(late()),
            Ok(Err(error)) => return Err(error.into()),
            Ok(Ok(scale)) => {
                let wanted = i64::from(scale.spec.replicas);
                if wanted != replicas || i64::from(scale.status.replicas) == wanted {
                    return Ok(());
                }
            }
        }
        if Instant::now() + INTERVAL > deadline {
            tokio::time::sleep_until(deadline).await;
            return Err(late());
        }
        sleep(INTERVAL).await;
    }
}

/// Shows the number in an object of a built-in kind, without asking for it again.
fn set_replicas(info: &mut Info, replicas: i64) -> Outcome {
    let object: &mut Unstructured = info.object_mut()?;
    let version = object.get(&["apiVersion"]).and_then(Value::as_str).unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    if matches!(group, "" | "apps") && !object.set(&["spec", "replicas"], Value::from(replicas)) {
        return Err("value cannot be set because .spec is not a map[string]interface{}".into());
    }
    Ok(())
}
