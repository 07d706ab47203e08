//! Counts what the objects of namespaces use, and writes it into the status of their quotas.
//!
//! Requests are charged when they are admitted. Here is found out what was given back: by objects that were deleted,
//! pods that came to an end, and requests that were charged and then failed. A namespace is counted anew some time
//! after something happened in it, so that what happens together is counted together; the larger a namespace is, the
//! rarer it is counted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use rhumb_api::core::v1::ResourceQuota;
use rhumb_meta::{GroupResource, Object};
use rhumb_policy::ResourceList;
use rhumb_policy::quota::{self, Evaluator};
use rhumb_store::{Event, EventKind, Key};
use tokio::time::{Instant, sleep_until};

use crate::base::failure::{Failure, Outcome};
use crate::loopback::{Client, Loopback, ObjectRef, WeakLoopback, all, unless_gone};
use crate::registry::Storage;
use crate::registry::feed::{From, News};

/// How soon after a change a namespace is counted.
const SOON: Duration = Duration::from_millis(200);
/// How many times as long as a count took nothing is counted.
const REST: u32 = 10;
/// How long to wait before what failed is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// Starts to count.
pub(super) fn start(api: &Loopback) {
    let resources = api.resources();
    let Some(storage) = resources.find("", "v1", "resourcequotas").and_then(|found| found.storage.clone())
    else {
        return;
    };
    let quotas = api.follow(storage.prefix().clone(), From::Beginning);
    let everything = api.follow(Key::from(format!("{}/", api.prefix())), From::Now);
    let counter = Counter { api: api.downgrade(), storage, quotas: BTreeMap::new(), due: BTreeMap::new() };
    api.tasks().spawn(counter.run(quotas, everything));
}

struct Counter {
    api: WeakLoopback,
    storage: Arc<Storage>,
    /// The quotas of each namespace that has any.
    quotas: BTreeMap<String, BTreeSet<String>>,
    /// When namespaces are to be counted.
    due: BTreeMap<String, Instant>,
}

type Hear = tokio::sync::mpsc::Receiver<News>;

/// The namespace of a key: what stands before the name. For objects in no namespace it is something else, which no
/// namespace with quotas is called, or one is counted in vain.
fn namespace_of(key: &[u8]) -> Option<&str> {
    std::str::from_utf8(key).ok()?.rsplit('/').nth(1)
}

impl Counter {
    async fn run(mut self, mut quotas: Hear, mut everything: Hear) {
        loop {
            let next = self.due.values().min().copied();
            let ready = async {
                match next {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                news = quotas.recv() => match news {
                    Some(news) => self.see_quotas(news),
                    None => return,
                },
                news = everything.recv() => match news {
                    Some(News::Changes(events)) => events.iter().for_each(|event| self.see(event)),
                    Some(News::Anew) => {
                        let all: Vec<String> = self.quotas.keys().cloned().collect();
                        all.iter().for_each(|namespace| self.want(namespace, SOON));
                    }
                    Some(_) => {}
                    None => return,
                },
                () = ready => {
                    if !self.count_due().await {
                        return;
                    }
                }
            }
        }
    }

    fn want(&mut self, namespace: &str, after: Duration) {
        if self.quotas.contains_key(namespace) && !self.due.contains_key(namespace) {
            self.due.insert(namespace.to_owned(), Instant::now() + after);
        }
    }

    fn see_quotas(&mut self, news: News) {
        match news {
            News::Anew => self.quotas.clear(),
            News::Complete => {}
            News::There(entries) => entries.iter().for_each(|entry| self.see_quota(&entry.key)),
            News::Changes(events) => {
                for event in events {
                    match event.kind {
                        EventKind::Put(entry) => self.see_quota(&entry.key),
                        EventKind::Delete(key) => {
                            let (namespace, name) = self.storage.place(&key);
                            if let Some(known) = self.quotas.get_mut(namespace) {
                                known.remove(name);
                                if known.is_empty() {
                                    self.quotas.remove(namespace);
                                    self.due.remove(namespace);
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn see_quota(&mut self, key: &Key) {
        let (namespace, name) = self.storage.place(key);
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        let is_new = self.quotas.entry(namespace.clone()).or_default().insert(name);
        // A new quota refuses everything until it is counted.
        let after = if is_new { Duration::ZERO } else { SOON };
        if is_new {
            self.due.remove(&namespace);
        }
        self.want(&namespace, after);
    }

    fn see(&mut self, event: &Event) {
        // Writes of quotas are seen by themselves, and those of their status would never end.
        if event.key().starts_with(self.storage.prefix()) {
            return;
        }
        if let Some(namespace) = namespace_of(event.key()).map(str::to_owned) {
            self.want(&namespace, SOON);
        }
    }

    /// Counts the namespaces whose time has come; false if the server has ended.
    async fn count_due(&mut self) -> bool {
        let now = Instant::now();
        let due: Vec<String> =
            self.due.iter().filter(|(_, at)| **at <= now).map(|(name, _)| name.clone()).collect();
        for namespace in due {
            let Some(api) = self.api.upgrade() else { return false };
            let counted = count(&api, &namespace).await;
            self.due.remove(&namespace);
            if counted.is_err() {
                self.want(&namespace, PAUSE);
            }
        }
        // Nothing is counted for a while that depends on how long this took.
        let rest = now.elapsed().saturating_mul(REST);
        let earliest = Instant::now() + rest;
        self.due.values_mut().for_each(|at| *at = (*at).max(earliest));
        true
    }
}

/// Counts a namespace and writes what has changed.
async fn count(api: &Loopback, namespace: &str) -> Outcome<()> {
    let inner = Client::controller(api, "resourcequota-controller");
    let resources = api.resources();
    let Some(endpoint) = resources.find("", "v1", "resourcequotas") else { return Ok(()) };
    let Some(_alone) = api.quota_gates().count(namespace).await else {
        return Err(Failure::internal("requests that have charged quotas take too long"));
    };
    // The quotas are read before what they count: one that another server charges in between is not written.
    let quotas = all(&inner, endpoint, namespace).await?;
    let quotas: Vec<&ResourceQuota> = quotas.iter().filter_map(|quota| quota.downcast_ref()).collect();
    let mut objects: BTreeMap<(String, String), Vec<Box<dyn Object>>> = BTreeMap::new();
    for quota in &quotas {
        for wanted in quota::tracked(&quota.spec.hard) {
            if objects.contains_key(&wanted) {
                continue;
            }
            let resource = GroupResource::new(wanted.0.clone(), wanted.1.clone());
            let mut endpoints = resources.iter();
            let found = endpoints.find(|known| known.resource == resource && known.storage.is_some());
            let found = match found {
                Some(found) => all(&inner, found, namespace).await?,
                None => Vec::new(),
            };
            objects.insert(wanted, found);
        }
    }
    let now = api.environment().time();
    let mut failed = Ok(());
    for quota in quotas {
        let counted = objects.iter().filter_map(|((group, resource), objects)| {
            let evaluator = Evaluator::of(group, resource)?;
            Some((evaluator, objects.iter().map(|object| &**object).collect()))
        });
        let counted = quota::used(&quota.spec, counted, now);
        let place = ObjectRef::new(endpoint, namespace, &quota.metadata.name);
        if let Err(failure) = unless_gone(write(&inner, &place, quota, counted).await) {
            failed = Err(failure);
        }
    }
    failed
}

/// Writes what a quota has used, if that is not what it says, and if nobody has charged it meanwhile.
async fn write(
    inner: &Client,
    place: &ObjectRef,
    quota: &ResourceQuota,
    counted: ResourceList,
) -> Outcome<()> {
    let hard = quota.spec.hard.clone();
    // What can't be counted stays as it was.
    let mut used = quota.status.used.clone();
    used.extend(counted);
    used.retain(|name, _| hard.contains_key(name));
    if quota.status.hard == hard && quota::equals(&quota.status.used, &used) {
        return Ok(());
    }
    let read = quota.metadata.resource_version.clone();
    let mut edit = |mut hub: Box<dyn Object>| {
        if let Some(found) = hub.downcast_mut::<ResourceQuota>() {
            if found.metadata.resource_version != read {
                return Err(Failure::modified(&place.endpoint.resource, &place.name));
            }
            found.status.hard.clone_from(&hard);
            found.status.used.clone_from(&used);
        }
        Ok(hub)
    };
    inner.remake(place, Some("status"), Some(&quota.metadata.uid), &mut edit).await.map(|_| ())
}
