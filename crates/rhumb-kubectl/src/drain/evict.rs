//! Evicts or deletes pods and waits until they are gone.

use std::time::Duration;

use rhumb_api::core::v1::Pod;
use rhumb_cli::options::DryRun;
use rhumb_cli::{Call, Failure, Outcome, Progress};
use rhumb_client::{Api, Error, to_unstructured};
use rhumb_meta::GroupVersion;
use rhumb_meta::v1::DeleteOptions;
use tokio::time::{Instant, sleep_until};

use super::filter::is_skipped;

/// Pause before an eviction is retried that a disruption budget refused.
const RETRY: Duration = Duration::from_secs(5);

/// Interval of checks whether a pod is gone.
const POLL: Duration = Duration::from_secs(1);

/// State of a pod's eviction.
enum Stage {
    /// To be evicted at this time.
    Evict(Instant),
    /// Evicted; check again at this time whether it is gone.
    Gone(Instant),
}

/// Result of a step.
enum Step {
    Next(Stage),
    Done,
}

/// Takes pods off their node, all at the same time, and waits until they are gone.
pub(super) async fn all(call: &mut Call, pods: Vec<Pod>, dry_run: DryRun) -> Outcome {
    if pods.is_empty() {
        return Ok(());
    }
    let timeout = call.flags.duration("timeout");
    let deadline = crate::watching::deadline(timeout);
    let evicts = !call.flags.bool("disable-eviction") && can_evict(call).await?;
    let options = DeleteOptions {
        grace_period_seconds: Some(call.flags.int("grace-period")).filter(|seconds| *seconds >= 0),
        dry_run: dry_run.param(),
        ..DeleteOptions::default()
    };
    if !evicts {
        for pod in &pods {
            match api(call, pod)?.delete(&pod.metadata.name, &options).await {
                Ok(_) => {}
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    let now = Instant::now();
    let stage = || if evicts { Stage::Evict(now) } else { Stage::Gone(now) };
    let mut waiting: Vec<(Pod, Stage)> = pods.into_iter().map(|pod| (pod, stage())).collect();
    let mut failures = Vec::new();
    let mut progress = Progress::new(&call.streams);
    while !waiting.is_empty() {
        let mut still = Vec::new();
        for (mut pod, stage) in waiting {
            let (Stage::Evict(time) | Stage::Gone(time)) = stage;
            let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if time > Instant::now() && !is_late {
                still.push((pod, stage));
                continue;
            }
            let done = match stage {
                Stage::Evict(_) => evict(call, &mut pod, &options, dry_run, is_late.then_some(timeout)).await,
                Stage::Gone(_) if is_late => Err(late(&pod, evicts)),
                Stage::Gone(_) => look(call, &pod, evicts).await,
            };
            match done {
                Ok(Step::Next(stage)) => still.push((pod, stage)),
                Ok(Step::Done) => {}
                Err(failure @ Failure::Output(_)) => return Err(failure),
                Err(failure) if evicts => failures.push(failure),
                Err(failure) => return Err(failure),
            }
        }
        waiting = still;
        let next = waiting.iter().map(|(_, stage)| match stage {
            Stage::Evict(time) | Stage::Gone(time) => *time,
        });
        if let Some(next) = next.min() {
            let pause = sleep_until(deadline.map_or(next, |deadline| next.min(deadline)));
            let text = format!("Waiting until {} more pods are gone", waiting.len());
            progress.during(&mut call.streams.err, &text, pause).await;
        }
    }
    // They are told as several even if there is one.
    if failures.is_empty() { Ok(()) } else { Err(Failure::Many(failures)) }
}

fn api(call: &Call, pod: &Pod) -> Result<Api<Pod>, Failure> {
    Ok(call.factory.client()?.resource::<Pod>().namespace(&pod.metadata.namespace))
}

/// Reports whether the server can evict pods.
async fn can_evict(call: &Call) -> Result<bool, Failure> {
    let listed = call.factory.discovery()?.resources(&GroupVersion::new_static("", "v1")).await?;
    Ok(listed
        .resources
        .iter()
        .any(|known| known.name == "pods/eviction" && known.kind == "Eviction" && !known.group.is_empty()))
}

fn late(pod: &Pod, evicts: bool) -> Failure {
    let (namespace, name) = (&pod.metadata.namespace, &pod.metadata.name);
    match evicts {
        true => Failure::message(format!(
            "error when waiting for pod {name:?} in namespace {namespace:?} to terminate: context deadline \
             exceeded"
        )),
        false => Failure::message("context deadline exceeded"),
    }
}

/// Tells a pod to end, unless its budget keeps it.
async fn evict(
    call: &mut Call,
    pod: &mut Pod,
    options: &DeleteOptions,
    dry_run: DryRun,
    late_after: Option<Duration>,
) -> Result<Step, Failure> {
    let (namespace, name) = (pod.metadata.namespace.clone(), pod.metadata.name.clone());
    call.line(format!("evicting pod {namespace}/{name}{}", dry_run.suffix()))?;
    if let Some(timeout) = late_after {
        let nanoseconds = i64::try_from(timeout.as_nanos()).unwrap_or(i64::MAX);
        let timeout = rhumb_meta::Duration(nanoseconds);
        return Err(format!(
            "error when evicting pods/{name:?} -n {namespace:?}: global timeout reached: {timeout}"
        )
        .into());
    }
    let pods = api(call, pod)?;
    let retry = match pods.evict(&name, options).await {
        Ok(()) if dry_run == DryRun::Server => return Ok(Step::Done),
        Ok(()) => return Ok(Step::Next(Stage::Gone(Instant::now()))),
        Err(error) if error.is_not_found() => return Ok(Step::Done),
        Err(error) if error.is_too_many_requests() => {
            let why = Failure::from(error).bare();
            format!("error when evicting pods/{name:?} -n {namespace:?} (will retry after 5s): {why}")
        }
        Err(error) if is_namespace_terminating(&error) => {
            if pod.metadata.deletion_timestamp.is_some() {
                return Ok(Step::Next(Stage::Gone(Instant::now())));
            }
            let why = Failure::from(error).bare();
            format!(
                "error when evicting pod {name:?} from terminating namespace {namespace:?} (will retry \
                 after 5s): {why}"
            )
        }
        Err(error) => {
            let why = Failure::from(error).bare();
            return Err(format!("error when evicting pods/{name:?} -n {namespace:?}: {why}").into());
        }
    };
    call.warn(retry);
    if let Ok(fresh) = pods.get(&name).await {
        *pod = fresh;
    }
    Ok(Step::Next(Stage::Evict(Instant::now() + RETRY)))
}

fn is_namespace_terminating(error: &Error) -> bool {
    let Error::Status(status) = error else { return false };
    let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
    error.is_forbidden() && causes.iter().any(|cause| cause.reason == "NamespaceTerminating")
}

/// Looks whether a pod is gone, or another one of its name is there, and says so.
async fn look(call: &mut Call, pod: &Pod, evicts: bool) -> Result<Step, Failure> {
    let name = &pod.metadata.name;
    let gone = match api(call, pod)?.get(name).await {
        Ok(found) if found.metadata.uid != pod.metadata.uid => true,
        Ok(found) => {
            if is_skipped(call, &found) {
                let limit = call.flags.int("skip-wait-for-delete-timeout");
                let text = format!("pod {name:?} has DeletionTimestamp older than {limit} seconds, skipping");
                call.line(text)?;
                return Ok(Step::Done);
            }
            false
        }
        Err(error) if error.is_not_found() => true,
        Err(error) => {
            say(call, pod, if evicts { "eviction failed" } else { "deletion failed" })?;
            let failure = Failure::from(error);
            return Err(match evicts {
                true => {
                    let namespace = &pod.metadata.namespace;
                    failure.context(&format!(
                        "error when waiting for pod {name:?} in namespace {namespace:?} to terminate"
                    ))
                }
                false => failure,
            });
        }
    };
    if !gone {
        return Ok(Step::Next(Stage::Gone(Instant::now() + POLL)));
    }
    say(call, pod, if evicts { "evicted" } else { "deleted" })?;
    Ok(Step::Done)
}

fn say(call: &mut Call, pod: &Pod, what: &str) -> Outcome {
    let mut printer = call.printer(DryRun::None)?;
    printer.print(&mut call.streams, &to_unstructured(pod), what)
}
