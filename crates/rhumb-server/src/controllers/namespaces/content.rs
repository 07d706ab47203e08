//! Deletes what is in a namespace, resource by resource, and counts what is left.

use crate::loopback::{Client, ObjectRef};
use std::sync::Arc;

use rhumb_api::core::v1::Pod;
use rhumb_api::resources::Verb;
use rhumb_meta::v1::DeleteOptions;
use rhumb_meta::{Object, Time};
use rhumb_store::Entry;
use tokio::task::JoinSet;

use super::conditions::Findings;
use crate::base::failure::{Failure, Outcome};
use crate::registry::Endpoint;

/// How many objects are deleted at the same time: they share the store's trips to the disk.
const AT_ONCE: usize = 32;

/// What became of the content of a namespace.
#[derive(Debug, Default)]
pub(super) struct Emptied {
    /// What to say about it.
    pub(super) findings: Findings,
    /// Whether something is left that will go in time.
    pub(super) waits: bool,
}

impl Emptied {
    /// Whether nothing is left and nothing went wrong.
    pub(super) fn is_done(&self) -> bool {
        !self.waits && self.findings.failures.is_empty()
    }
}

/// Deletes everything in a namespace that was to be deleted at some time. Pods go first: until they are gone,
/// all that they may need stays.
pub(super) async fn empty(inner: &Client, namespace: &str, since: Time) -> Emptied {
    let mut emptied = Emptied::default();
    let (pods, others): (Vec<_>, Vec<_>) =
        endpoints(inner).into_iter().partition(|endpoint| is_pods(endpoint));
    for endpoint in &pods {
        empty_one(inner, endpoint, namespace, since, &mut emptied).await;
    }
    if !emptied.findings.remaining.is_empty() {
        // What is left of the pods alone is not told, as in Kubernetes.
        emptied.findings.remaining.clear();
        emptied.findings.finalizers.clear();
        emptied.waits = true;
        return emptied;
    }
    for endpoint in &others {
        empty_one(inner, endpoint, namespace, since, &mut emptied).await;
    }
    emptied
}

fn is_pods(endpoint: &Endpoint) -> bool {
    endpoint.resource.group.is_empty() && endpoint.resource.resource == "pods"
}

/// The resources that a namespace can have objects of, each once, whatever versions and groups it is served
/// in.
fn endpoints(inner: &Client) -> Vec<Arc<Endpoint>> {
    let resources = inner.api().resources();
    let deletable = |endpoint: &&Arc<Endpoint>| {
        endpoint.namespaced
            && endpoint.storage.is_some()
            && [Verb::Delete, Verb::List].iter().all(|verb| endpoint.verbs.contains(verb))
    };
    let mut all: Vec<Arc<Endpoint>> = resources.iter().filter(deletable).cloned().collect();
    all.sort_by(|a, b| {
        (&a.resource.group, &a.resource.resource).cmp(&(&b.resource.group, &b.resource.resource))
    });
    let mut seen = Vec::new();
    all.retain(|endpoint| {
        let place = endpoint.storage.as_ref().map(|storage| storage.prefix().clone());
        let new = !seen.contains(&place);
        if new {
            seen.push(place);
        }
        new
    });
    all
}

async fn empty_one(
    inner: &Client,
    endpoint: &Arc<Endpoint>,
    namespace: &str,
    since: Time,
    emptied: &mut Emptied,
) {
    match delete_all(inner, endpoint, namespace, since).await {
        Ok(None) => {}
        Ok(Some(left)) => {
            let name = format!("{}.{}", endpoint.resource.resource, endpoint.resource.group);
            emptied.findings.remaining.insert(name, left.objects);
            let waits = left.graceful || !left.finalizers.is_empty();
            for finalizer in left.finalizers {
                *emptied.findings.finalizers.entry(finalizer).or_default() += 1;
            }
            emptied.waits |= waits;
            if !waits {
                emptied.findings.failures.push(format!(
                    "unexpected items still remain in namespace: {namespace} for gvr: {}/{}, Resource={}",
                    endpoint.kind.group, endpoint.kind.version, endpoint.resource.resource
                ));
            }
        }
        Err(failure) => emptied.findings.failures.push(failure.to_string()),
    }
}

/// What is left of a resource.
struct Left {
    objects: usize,
    /// The finalizers of all that is left, those of several objects several times.
    finalizers: Vec<String>,
    /// Whether it was given time to go.
    graceful: bool,
}

async fn delete_all(
    inner: &Client,
    endpoint: &Arc<Endpoint>,
    namespace: &str,
    since: Time,
) -> Outcome<Option<Left>> {
    let entries = inner.entries(endpoint, namespace).await?;
    if entries.is_empty() {
        return Ok(None);
    }
    let graceful = is_pods(endpoint) && {
        let passed = inner.api().environment().time().unix_seconds().saturating_sub(since.unix_seconds());
        longest_grace(endpoint, &entries) > passed
    };
    delete_each(inner, endpoint, &entries).await?;
    let left = inner.entries(endpoint, namespace).await?;
    if left.is_empty() {
        return Ok(None);
    }
    let finalizers = left
        .iter()
        .filter_map(|entry| load(endpoint, entry))
        .flat_map(|hub| hub.metadata().map(|meta| meta.finalizers.clone()).unwrap_or_default());
    Ok(Some(Left { objects: left.len(), finalizers: finalizers.collect(), graceful }))
}

fn load(endpoint: &Endpoint, entry: &Entry) -> Option<Box<dyn Object>> {
    endpoint.model.load(&entry.value, entry.modified).ok()
}

/// The most seconds that any pod that still runs takes to end.
fn longest_grace(endpoint: &Endpoint, entries: &[Entry]) -> i64 {
    let grace = |entry: &Entry| {
        let hub = load(endpoint, entry)?;
        let pod = hub.downcast_ref::<Pod>()?;
        let over = matches!(pod.status.phase.as_str(), "Succeeded" | "Failed");
        pod.spec.termination_grace_period_seconds.filter(|_| !over)
    };
    entries.iter().filter_map(grace).max().unwrap_or(0)
}

async fn delete_each(inner: &Client, endpoint: &Arc<Endpoint>, entries: &[Entry]) -> Outcome<()> {
    let Some(storage) = &endpoint.storage else { return Ok(()) };
    let mut running: JoinSet<Outcome<()>> = JoinSet::new();
    let mut outcome = Ok(());
    for entry in entries {
        if running.len() >= AT_ONCE {
            outcome = outcome.and(joined(running.join_next().await));
        }
        let (namespace, name) = storage.place(&entry.key);
        let (inner, place) = (inner.clone(), ObjectRef::new(endpoint, namespace, name));
        running.spawn(async move {
            let options = DeleteOptions {
                propagation_policy: Some("Background".to_owned()),
                ..DeleteOptions::default()
            };
            match inner.delete(&place, options).await {
                Err(failure) if !failure.is_not_found() => Err(failure),
                _ => Ok(()),
            }
        });
    }
    while !running.is_empty() {
        outcome = outcome.and(joined(running.join_next().await));
    }
    outcome
}

fn joined(done: Option<Result<Outcome<()>, tokio::task::JoinError>>) -> Outcome<()> {
    match done {
        Some(Ok(outcome)) => outcome,
        Some(Err(error)) => Err(Failure::internal(error)),
        None => Ok(()),
    }
}
