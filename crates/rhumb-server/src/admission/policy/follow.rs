//! The policies and bindings that there are, kept as the store is.
//!
//! Requests read a set that is swapped as a whole when one of them changes. What this server has written itself is
//! waited for, so that a policy is in force once its creation was answered.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rhumb_api::admissionregistration::v1::{ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding};
use rhumb_meta::Object;
use rhumb_store::{Entry, EventKind, Revision};
use tokio::sync::{mpsc::Receiver, watch};
use tokio::time::timeout;

use super::definition::{Binding, Policy};
use crate::registry::feed::{From, News};
use crate::registry::{Registry, Storage};

const GROUP: &str = "admissionregistration.k8s.io";

/// How long a request waits for the first set.
const READY: Duration = Duration::from_secs(10);
/// How long a request waits for what was written before it.
const WRITTEN: Duration = Duration::from_secs(1);

/// A policy that is bound.
pub(super) struct Hook {
    /// The policy.
    pub(super) policy: Arc<Policy>,
    /// Its bindings, by name.
    pub(super) bindings: Vec<Arc<Binding>>,
}

/// All policies that are bound, by name.
#[derive(Default)]
pub(super) struct Hooks {
    /// The policies.
    pub(super) all: Vec<Hook>,
    /// The revisions up to which changes of policies and of bindings are known.
    seen: [Revision; 2],
}

/// What requests read.
pub(crate) struct Followed {
    storages: [Arc<Storage>; 2],
    hooks: watch::Receiver<Option<Arc<Hooks>>>,
    /// The newest revision that was waited for in vain.
    given_up: AtomicU64,
}

/// Starts to follow policies and bindings; `None` if the server has none.
pub(super) fn start(registry: &Registry) -> Option<Followed> {
    let resources = registry.resources();
    let storage = |plural: &str| {
        let mut found = resources.iter().filter(|found| found.resource.group == GROUP);
        let endpoint = found.find(|found| found.resource.resource == plural)?;
        endpoint.storage.clone()
    };
    let storages = [storage("validatingadmissionpolicies")?, storage("validatingadmissionpolicybindings")?];
    // What is read afterwards has all that was written before.
    let seen = storages.each_ref().map(|storage| storage.written());
    let news = storages.each_ref().map(|storage| registry.follow(storage.prefix().clone(), From::Beginning));
    let (tell, hooks) = watch::channel(None);
    registry.tasks.spawn(Known::new(storages.clone(), seen).keep(news, tell));
    Some(Followed { storages, hooks, given_up: AtomicU64::new(0) })
}

impl Followed {
    /// Whether there is surely no policy that is bound.
    pub(super) fn is_empty(&self) -> bool {
        self.hooks.borrow().as_ref().is_some_and(|hooks| hooks.all.is_empty() && self.is_current(hooks))
    }

    fn is_current(&self, hooks: &Hooks) -> bool {
        let given_up = Revision(self.given_up.load(Ordering::Relaxed));
        let pairs = self.storages.iter().zip(hooks.seen);
        pairs.into_iter().all(|(storage, seen)| {
            let written = storage.written();
            written <= seen || written <= given_up
        })
    }

    /// The policies with all that was written through this server; `None` if there are none yet.
    pub(super) async fn hooks(&self) -> Option<Arc<Hooks>> {
        let mut hooks = self.hooks.clone();
        let first = timeout(READY, hooks.wait_for(Option::is_some)).await;
        // If nobody tells any more, the server ends.
        drop(first.ok()?.ok()?);
        let is_current =
            |hooks: &Option<Arc<Hooks>>| hooks.as_ref().is_some_and(|hooks| self.is_current(hooks));
        let waited = timeout(WRITTEN, hooks.wait_for(is_current)).await.map(|found| found.is_ok());
        if waited.is_err() {
            let written = self.storages.each_ref().map(|storage| storage.written().0);
            self.given_up.fetch_max(written.into_iter().max().unwrap_or_default(), Ordering::Relaxed);
        }
        let found = hooks.borrow();
        found.clone()
    }
}

/// What is known of the store.
struct Known {
    storages: [Arc<Storage>; 2],
    policies: BTreeMap<String, Arc<Policy>>,
    bindings: BTreeMap<String, Arc<Binding>>,
    seen: [Revision; 2],
    is_complete: [bool; 2],
}

/// The places of the two resources.
const POLICIES: usize = 0;
const BINDINGS: usize = 1;

impl Known {
    fn new(storages: [Arc<Storage>; 2], seen: [Revision; 2]) -> Self {
        let (policies, bindings) = (BTreeMap::new(), BTreeMap::new());
        Known { storages, policies, bindings, seen, is_complete: [false; 2] }
    }

    async fn keep(mut self, news: [Receiver<News>; 2], tell: watch::Sender<Option<Arc<Hooks>>>) {
        let [mut policies, mut bindings] = news;
        loop {
            let (which, news) = tokio::select! {
                news = policies.recv() => (POLICIES, news),
                news = bindings.recv() => (BINDINGS, news),
            };
            let Some(news) = news else { return };
            self.take(which, news);
            // What is at hand already goes out together.
            while let Ok(news) = policies.try_recv() {
                self.take(POLICIES, news);
            }
            while let Ok(news) = bindings.try_recv() {
                self.take(BINDINGS, news);
            }
            // While one of them is told anew, what was known before holds.
            if self.is_complete == [true; 2] {
                tell.send_replace(Some(Arc::new(self.hooks())));
            }
        }
    }

    fn take(&mut self, which: usize, news: News) {
        match news {
            News::Anew => {
                self.complete(which, false);
                match which {
                    POLICIES => self.policies.clear(),
                    _ => self.bindings.clear(),
                }
            }
            News::There(entries) => entries.iter().for_each(|entry| self.put(which, entry)),
            News::Complete => self.complete(which, true),
            News::Changes(events) => {
                for event in events {
                    self.saw(which, event.revision);
                    match event.kind {
                        EventKind::Put(entry) => self.put(which, &entry),
                        EventKind::Delete(key) => self.drop(which, &key),
                    }
                }
            }
        }
    }

    fn complete(&mut self, which: usize, is_complete: bool) {
        if let Some(known) = self.is_complete.get_mut(which) {
            *known = is_complete;
        }
    }

    fn saw(&mut self, which: usize, revision: Revision) {
        if let Some(seen) = self.seen.get_mut(which) {
            *seen = revision.max(*seen);
        }
    }

    fn put(&mut self, which: usize, entry: &Entry) {
        self.saw(which, entry.modified);
        let Some(storage) = self.storages.get(which) else { return };
        let hub = storage.model.load(&entry.value, entry.modified);
        // What can't be read is in force no more.
        let Ok(hub) = hub else { return self.drop(which, &entry.key) };
        self.put_object(&*hub);
    }

    fn put_object(&mut self, hub: &dyn Object) {
        if let Some(policy) = hub.downcast_ref::<ValidatingAdmissionPolicy>() {
            let name = policy.metadata.name.clone();
            // A new status doesn't change what was compiled.
            if self.policies.get(&name).is_none_or(|known| !known.is_of(policy)) {
                self.policies.insert(name, Arc::new(Policy::of(policy)));
            }
        } else if let Some(binding) = hub.downcast_ref::<ValidatingAdmissionPolicyBinding>() {
            self.bindings.insert(binding.metadata.name.clone(), Arc::new(Binding::of(binding)));
        }
    }

    fn drop(&mut self, which: usize, key: &[u8]) {
        let Some(storage) = self.storages.get(which) else { return };
        let (_, name) = storage.place(key);
        match which {
            POLICIES => drop(self.policies.remove(name)),
            _ => drop(self.bindings.remove(name)),
        }
    }

    fn hooks(&self) -> Hooks {
        let mut bound: BTreeMap<&str, Vec<Arc<Binding>>> = BTreeMap::new();
        for binding in self.bindings.values() {
            bound.entry(&binding.spec.policy_name).or_default().push(Arc::clone(binding));
        }
        let hook = |(name, bindings): (&str, Vec<Arc<Binding>>)| {
            Some(Hook { policy: Arc::clone(self.policies.get(name)?), bindings })
        };
        Hooks { all: bound.into_iter().filter_map(hook).collect(), seen: self.seen }
    }
}
