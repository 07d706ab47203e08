//! Namespaces that are to be deleted: they are emptied, say meanwhile what keeps them, and go when nothing
//! does.

mod conditions;
mod content;

use crate::loopback::{Client, Loopback, ObjectRef, WeakLoopback};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use rhumb_api::core::v1::Namespace;
use rhumb_meta::Object;
use rhumb_store::EventKind;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::base::failure::Outcome;
use crate::registry::Storage;
use crate::registry::feed::{From, News};

/// What keeps a namespace until it is empty.
const FINALIZER: &str = "kubernetes";
/// How many namespaces are emptied at the same time.
const AT_ONCE: usize = 10;
/// How long to wait before a namespace that isn't empty is looked at again: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));

/// Starts to empty namespaces that are to be deleted.
pub(super) fn start(api: &Loopback) {
    let resources = api.resources();
    let found = resources.find("", "v1", "namespaces").and_then(|found| found.storage.clone());
    let Some(storage) = found else { return };
    let news = api.follow(storage.prefix().clone(), From::Beginning);
    api.tasks().spawn(run(api.downgrade(), storage, news));
}

async fn run(api: WeakLoopback, storage: Arc<Storage>, mut news: tokio::sync::mpsc::Receiver<News>) {
    let permits = Arc::new(Semaphore::new(AT_ONCE));
    let mut going: JoinSet<String> = JoinSet::new();
    let mut known: HashSet<String> = HashSet::new();
    loop {
        let entries = tokio::select! {
            news = news.recv() => match news {
                Some(News::There(entries)) => entries,
                Some(News::Changes(events)) => {
                    let put = |kind| match kind {
                        EventKind::Put(entry) => Some(entry),
                        EventKind::Delete(_) => None,
                    };
                    events.into_iter().filter_map(|event| put(event.kind)).collect()
                }
                Some(News::Anew | News::Complete) => continue,
                None => return,
            },
            Some(gone) = going.join_next(), if !going.is_empty() => {
                if let Ok(name) = gone {
                    known.remove(&name);
                }
                continue;
            }
        };
        for entry in entries {
            let name = storage.place(&entry.key).1.to_owned();
            let due = storage.model.load(&entry.value, entry.modified).is_ok_and(|hub| is_due(&*hub));
            if due && known.insert(name.clone()) {
                going.spawn(see_off(api.clone(), name, Arc::clone(&permits)));
            }
        }
    }
}

/// Whether a namespace is to be deleted and waits to be emptied.
fn is_due(hub: &dyn Object) -> bool {
    hub.downcast_ref::<Namespace>().is_some_and(|namespace| {
        namespace.metadata.deletion_timestamp.is_some()
            && namespace.spec.finalizers.iter().any(|finalizer| finalizer == FINALIZER)
    })
}

/// Empties a namespace, however often it takes.
async fn see_off(api: WeakLoopback, name: String, permits: Arc<Semaphore>) -> String {
    let (mut pause, longest) = PAUSES;
    loop {
        {
            // The permits are never taken away, and waiting for one takes none of the server's strength.
            let _permit = permits.acquire().await;
            let Some(api) = api.upgrade() else { return name };
            if attempt(&api, &name).await.unwrap_or(false) {
                return name;
            }
        }
        tokio::time::sleep(pause).await;
        pause = pause.saturating_mul(2).min(longest);
    }
}

/// Tries to empty a namespace once; true if it needs no further care.
async fn attempt(api: &Loopback, name: &str) -> Outcome<bool> {
    let inner = Client::controller(api, "namespace-controller");
    let resources = api.resources();
    let Some(endpoint) = resources.find("", "v1", "namespaces") else { return Ok(true) };
    let place = ObjectRef::new(endpoint, "", name);
    let Some(found) = inner.get(&place).await? else { return Ok(true) };
    let Some(namespace) = found.downcast_ref::<Namespace>().filter(|_| is_due(&*found)) else {
        return Ok(true);
    };
    let since = namespace.metadata.deletion_timestamp.unwrap_or_default();
    let uid = namespace.metadata.uid.clone();

    let emptied = content::empty(&inner, name, since).await;
    let now = api.environment().time();
    let mut probe = namespace.status.clone();
    if probe.phase != "Terminating" || conditions::update(&mut probe, &emptied.findings, now) {
        let mut edit = |object: &mut dyn Object| {
            if let Some(namespace) = object.downcast_mut::<Namespace>() {
                namespace.status.phase = "Terminating".to_owned();
                conditions::update(&mut namespace.status, &emptied.findings, now);
            }
        };
        inner.change(&place, Some("status"), &uid, &mut edit).await?;
    }
    if !emptied.is_done() {
        return Ok(false);
    }
    let mut edit = |object: &mut dyn Object| {
        if let Some(namespace) = object.downcast_mut::<Namespace>() {
            namespace.spec.finalizers.retain(|finalizer| finalizer != FINALIZER);
        }
    };
    match inner.change(&place, Some("finalize"), &uid, &mut edit).await {
        Err(failure) if !failure.is_not_found() => Err(failure),
        _ => Ok(true),
    }
}
