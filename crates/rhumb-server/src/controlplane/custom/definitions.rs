//! Follows all definitions: gives them their names, keeps their status, and serves what they define.
//!
//! One task does all of it, because names are given to one definition at a time. It is rung by the cache of
//! definitions and first publishes what is served now, then writes what it has to say of it; its own writes come back
//! to it as changes of others do. What a definition serves is made anew only when its spec or its names change, and
//! definitions that did not change are not looked at, so that a change costs the same whether there are ten of them
//! or a thousand.

use super::{finalize, status};
use crate::loopback::{Client, Loopback, WeakLoopback};
use crate::registry::custom::conditions;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use rhumb_api::apiextensions::v1beta1::CustomResourceDefinition;
use rhumb_meta::Object;
use rhumb_store::cache::{CacheError, InitialEnd, WatchEvent, WatchFrom, WatchOptions, Watcher};
use rhumb_structural::names::Taken;

use crate::base::failure::Outcome;
use crate::base::health::Hook;
use crate::controlplane::registrations::{Registrations, Wanted};
use crate::registry::Storage;
use crate::registry::cached::CachedObject;
use crate::registry::custom::definition::Definition;
use crate::registry::custom::names::Groups;
use crate::registry::custom::serve::Published;
use crate::registry::custom::served::ServedDefinitions;
use crate::registry::deadline::deadline;
use crate::registry::storage::Objects;
use crate::registry::tree::carried;

/// How long requests that are under way may use what was replaced. Watches end then.
const GRACE: Duration = Duration::from_secs(1);
/// How long a write that failed is waited for.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves what is defined, and goes on following the definitions.
///
/// # Errors
/// If definitions can't be read.
pub(crate) async fn start(api: &Loopback) -> Outcome<()> {
    let hooks = api.hooks();
    let Some(storage) = storage(api) else {
        hooks.done(&[Hook::DefinitionInformers, Hook::DefinitionControllers, Hook::DefinitionsServed]);
        Registrations::start(api, Arc::default());
        return Ok(());
    };
    let newest = api.store().revision().await?;
    storage.cache().wait_until(newest, deadline()).await?;
    hooks.done(&[Hook::DefinitionInformers]);
    let watcher = watch(&storage)?;
    let mut follower = Follower {
        api: api.downgrade(),
        watcher,
        known: BTreeMap::new(),
        groups: Groups::default(),
        published: BTreeMap::new(),
        served: ServedDefinitions::default(),
        changed: BTreeSet::new(),
        waiting: VecDeque::new(),
        queued: BTreeSet::new(),
        finalizing: BTreeSet::new(),
        wanted: Arc::default(),
    };
    follower.take_ready(api).await;
    follower.publish(api);
    hooks.done(&[Hook::DefinitionsServed]);
    Registrations::start(api, Arc::clone(&follower.wanted));
    api.tasks().spawn(follower.run());
    Ok(())
}

fn storage(api: &Loopback) -> Option<Arc<Storage>> {
    api.resources()
        .find(crate::registry::custom::GROUP, "v1", crate::registry::custom::RESOURCE)?
        .storage
        .clone()
}

fn watch(storage: &Storage) -> Result<Watcher<Objects>, CacheError> {
    let from = WatchFrom::Initial(InitialEnd::Unmarked);
    storage.cache().watch(WatchOptions { from, ..WatchOptions::default() })
}

/// What is known of a definition.
struct Known {
    definition: Arc<Definition>,
    /// The revision that this is of.
    revision: u64,
}

struct Follower {
    api: WeakLoopback,
    watcher: Watcher<Objects>,
    known: BTreeMap<String, Known>,
    /// The names of what is known.
    groups: Groups,
    published: BTreeMap<String, Arc<Published>>,
    /// What is published, as requests find it.
    served: ServedDefinitions,
    /// The definitions that have changed since they were published.
    changed: BTreeSet<String>,
    /// The definitions whose status is to be looked at, in the order in which they came.
    waiting: VecDeque<String>,
    /// The same, to be found.
    queued: BTreeSet<String>,
    /// The definitions whose objects are being removed.
    finalizing: BTreeSet<String>,
    /// The versions that are registered.
    wanted: Arc<Wanted>,
}

impl Follower {
    async fn run(mut self) {
        loop {
            if let Some(api) = self.api.upgrade() {
                self.settle(&api).await;
                api.hooks().done(&[Hook::DefinitionControllers]);
            }
            let event = self.watcher.next().await;
            // The server must not be kept by what waits for it, only while there is work.
            let Some(api) = self.api.upgrade() else { return };
            match event {
                Ok(event) => self.take(&api, &event),
                Err(CacheError::Closed) => return,
                Err(_) => self.begin_anew(&api),
            }
            self.take_ready(&api).await;
            self.publish(&api);
        }
    }

    /// Takes all changes that are there already.
    async fn take_ready(&mut self, api: &Loopback) {
        while let Some(event) = ready(self.watcher.next()).await {
            match event {
                Ok(event) => self.take(api, &event),
                Err(CacheError::Closed) => return,
                Err(_) => self.begin_anew(api),
            }
        }
    }

    /// Reads all definitions again, when so much has happened that changes were lost.
    fn begin_anew(&mut self, api: &Loopback) {
        let Some(storage) = storage(api) else { return };
        if let Some((_, snapshot)) = storage.cache().snapshot() {
            let there: BTreeSet<String> =
                snapshot.iter().map(|cached| storage.place(cached.key()).1.to_owned()).collect();
            let gone: Vec<String> =
                self.known.keys().filter(|name| !there.contains(*name)).cloned().collect();
            gone.iter().for_each(|name| self.forget(name));
        }
        if let Ok(watcher) = watch(&storage) {
            self.watcher = watcher;
        }
    }

    fn take(&mut self, api: &Loopback, event: &WatchEvent<CachedObject>) {
        let Some(storage) = storage(api) else { return };
        let Some(cached) = event.object() else { return };
        let name = storage.place(cached.key()).1;
        if matches!(event, WatchEvent::Deleted(_)) {
            self.forget(name);
        } else if !self.knows(name, cached.revision().0)
            && let Ok(hub) = storage.hub(cached)
        {
            self.note(&*hub);
        }
    }

    /// Whether nothing newer is to be learned of a definition from what it was at a revision.
    fn knows(&self, name: &str, revision: u64) -> bool {
        self.known.get(name).is_some_and(|known| known.revision >= revision)
    }

    /// Takes over what a definition says, unless something newer is known.
    fn note(&mut self, hub: &dyn Object) {
        let Some(found) = hub.downcast_ref::<CustomResourceDefinition>() else { return };
        let (name, revision) = (found.metadata.name.clone(), carried(hub).0);
        if self.knows(&name, revision) {
            return;
        }
        let definition = Arc::new(Definition::of(found));
        self.wanted.add(&definition.group, definition.served_versions());
        if let Some(before) = self.known.remove(&name) {
            self.let_go(&before.definition);
        }
        self.groups.enter(&definition);
        self.known.insert(name.clone(), Known { definition, revision });
        self.changed.insert(name.clone());
        self.look_at(name);
    }

    /// A definition that is gone gives its names to others of its group.
    fn forget(&mut self, name: &str) {
        self.finalizing.remove(name);
        if let Some(known) = self.known.remove(name) {
            self.let_go(&known.definition);
            self.changed.insert(name.to_owned());
            self.look_at_group(&known.definition.group, name);
        }
    }

    /// What a definition said holds no longer.
    fn let_go(&mut self, definition: &Definition) {
        self.groups.leave(definition);
        self.wanted.remove(&definition.group, definition.served_versions());
    }

    fn look_at(&mut self, name: String) {
        if self.queued.insert(name.clone()) {
            self.waiting.push_back(name);
        }
    }

    fn look_at_group(&mut self, group: &str, except: &str) {
        let others: Vec<String> = self.groups.wanting(group, except).cloned().collect();
        others.into_iter().for_each(|name| self.look_at(name));
    }

    /// Takes the next steps of all definitions that have changed.
    async fn settle(&mut self, api: &Loopback) {
        while let Some(name) = self.waiting.pop_front() {
            self.queued.remove(&name);
            let Some(definition) = self.known.get(&name).map(|known| Arc::clone(&known.definition)) else {
                continue;
            };
            if definition.ending && self.finalizing.insert(name.clone()) {
                api.tasks().spawn(finalize::run(self.api.clone(), name.clone(), definition.uid.clone()));
            }
            if !definition.is_unsettled() {
                continue;
            }
            let nothing = Taken::default();
            let taken = self.groups.taken(&definition.group).unwrap_or(&nothing);
            let now = api.environment().time();
            let mut changed = false;
            let edit = &mut |definition: &mut CustomResourceDefinition| {
                changed = conditions::settle(definition, taken, now);
                changed
            };
            match status::write(&Client::server(api), &name, edit).await {
                Ok(hub) if changed => {
                    self.note(&*hub);
                    self.look_at_group(&definition.group, &name);
                    // Who sees that a definition is established may count on being served.
                    self.publish(api);
                }
                Ok(_) => {}
                Err(failure) if failure.is_not_found() => {}
                Err(_) => {
                    self.look_at(name);
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Serves what is defined now.
    fn publish(&mut self, api: &Loopback) {
        let mut replaced = Vec::new();
        for name in std::mem::take(&mut self.changed) {
            let before = self.published.remove(&name);
            let definition = self.known.get(&name).map(|known| &known.definition);
            let definition = definition.filter(|definition| definition.is_served());
            let published = definition
                .and_then(|found| Published::new(api.registry(), Arc::clone(found), before.as_ref()));
            match &published {
                Some(published) => {
                    self.served.put(Arc::clone(published), before.as_ref());
                    self.published.insert(name, Arc::clone(published));
                }
                None => before.iter().for_each(|before| self.served.remove(before)),
            }
            if before.is_some() || published.is_some() {
                replaced.push((before, published));
            }
        }
        if replaced.is_empty() {
            return;
        }
        api.serve(self.served.clone());
        for (before, now) in &replaced {
            let Some(before) = before else { continue };
            if !now.as_ref().is_some_and(|now| Arc::ptr_eq(&now.endpoints, &before.endpoints)) {
                end(api, &before.endpoints.storage);
            }
        }
    }
}

/// Ends the watches on what is no longer served as it was, after a moment for the requests under way.
fn end(api: &Loopback, storage: &Arc<Storage>) {
    if !storage.is_cached() {
        return;
    }
    let storage = Arc::downgrade(storage);
    api.tasks().spawn(async move {
        tokio::time::sleep(GRACE).await;
        if let Some(storage) = storage.upgrade() {
            storage.close();
        }
    });
}

/// What a future gives at once; `None` if it would wait.
async fn ready<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
