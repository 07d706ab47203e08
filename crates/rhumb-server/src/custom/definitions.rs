//! Follows all definitions: gives them their names, keeps their status, and serves what they define.
//!
//! One task does all of it, because names are given to one definition at a time. It is rung by the cache of
//! definitions
//! and first publishes what is served now, then writes what it has to say of it; its own writes come back to it as
//! changes of others do. What a definition serves is made anew only when its spec or its names change, so that a
//! change costs the same whether there are ten definitions or a thousand.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::Duration;

use rhumb_api::apiextensions::v1beta1::CustomResourceDefinition;
use rhumb_meta::Object;
use rhumb_store::cache::{CacheError, InitialEnd, WatchEvent, WatchFrom, WatchOptions, Watcher};
use rhumb_structural::names::Taken;

use super::definition::Definition;
use super::serve::Published;
use super::{finalize, status};
use crate::api::Api;
use crate::failure::Outcome;
use crate::front::health::Hook;
use crate::resource::Storage;
use crate::resource::storage::{Held, Objects};
use crate::verbs::deadline;
use crate::verbs::update::carried;

/// How long requests that are under way may use what was replaced. Watches end then.
const GRACE: Duration = Duration::from_secs(1);
/// How long a write that failed is waited for.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves what is defined, and goes on following the definitions.
///
/// # Errors
/// If definitions can't be read.
pub(crate) async fn start(api: &Arc<Api>) -> Outcome<()> {
    let hooks = &api.options.hooks;
    let Some(storage) = storage(api) else {
        hooks.done(&Hook::DEFINITIONS);
        return Ok(());
    };
    let newest = api.store.revision().await?;
    storage.cache().wait_until(newest, deadline()).await?;
    hooks.done(&[Hook::DefinitionInformers]);
    let watcher = watch(&storage)?;
    let mut follower = Follower {
        api: Arc::downgrade(api),
        watcher,
        known: BTreeMap::new(),
        published: BTreeMap::new(),
        waiting: VecDeque::new(),
        finalizing: BTreeSet::new(),
    };
    follower.take_ready(api).await;
    follower.publish(api);
    api.tasks.spawn(follower.run());
    hooks.done(&Hook::DEFINITIONS);
    Ok(())
}

fn storage(api: &Api) -> Option<Arc<Storage>> {
    api.resources().find(super::GROUP, "v1", super::RESOURCE)?.storage.clone()
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
    api: Weak<Api>,
    watcher: Watcher<Objects>,
    known: BTreeMap<String, Known>,
    published: BTreeMap<String, Arc<Published>>,
    /// The definitions whose status is to be looked at, in the order in which they came.
    waiting: VecDeque<String>,
    /// The definitions whose objects are being removed.
    finalizing: BTreeSet<String>,
}

impl Follower {
    async fn run(mut self) {
        loop {
            if let Some(api) = self.api.upgrade() {
                self.settle(&api).await;
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
    async fn take_ready(&mut self, api: &Arc<Api>) {
        while let Some(event) = ready(self.watcher.next()).await {
            match event {
                Ok(event) => self.take(api, &event),
                Err(CacheError::Closed) => return,
                Err(_) => self.begin_anew(api),
            }
        }
    }

    /// Reads all definitions again, when so much has happened that changes were lost.
    fn begin_anew(&mut self, api: &Arc<Api>) {
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

    fn take(&mut self, api: &Arc<Api>, event: &WatchEvent<Held>) {
        let Some(storage) = storage(api) else { return };
        let Some(cached) = event.object() else { return };
        if matches!(event, WatchEvent::Deleted(_)) {
            self.forget(storage.place(cached.key()).1);
        } else if let Ok(hub) = storage.hub(cached) {
            self.note(&*hub);
        }
    }

    /// Takes over what a definition says, unless something newer is known.
    fn note(&mut self, hub: &dyn Object) {
        let Some(found) = hub.downcast_ref::<CustomResourceDefinition>() else { return };
        let (name, revision) = (found.metadata.name.clone(), carried(hub).0);
        if self.known.get(&name).is_some_and(|known| known.revision >= revision) {
            return;
        }
        let definition = Arc::new(Definition::of(found));
        self.known.insert(name.clone(), Known { definition, revision });
        self.look_at(name);
    }

    /// A definition that is gone gives its names to others of its group.
    fn forget(&mut self, name: &str) {
        self.finalizing.remove(name);
        if let Some(known) = self.known.remove(name) {
            self.look_at_group(&known.definition.group, name);
        }
    }

    fn look_at(&mut self, name: String) {
        if !self.waiting.contains(&name) {
            self.waiting.push_back(name);
        }
    }

    fn look_at_group(&mut self, group: &str, except: &str) {
        let others = self.known.iter().filter(|(name, known)| {
            let definition = &known.definition;
            *name != except && definition.group == group && definition.wanted != definition.accepted
        });
        let others: Vec<String> = others.map(|(name, _)| name.clone()).collect();
        others.into_iter().for_each(|name| self.look_at(name));
    }

    /// Takes the next steps of all definitions that have changed.
    async fn settle(&mut self, api: &Arc<Api>) {
        while let Some(name) = self.waiting.pop_front() {
            let Some(definition) = self.known.get(&name).map(|known| Arc::clone(&known.definition)) else {
                continue;
            };
            if definition.ending && self.finalizing.insert(name.clone()) {
                api.tasks.spawn(finalize::run(self.api.clone(), name.clone(), definition.uid.clone()));
            }
            if !definition.is_unsettled() {
                continue;
            }
            let names_wait = definition.wanted != definition.accepted;
            let taken = if names_wait { self.taken(&definition.group) } else { Taken::default() };
            let now = api.environment.time();
            let mut changed = false;
            let edit = &mut |definition: &mut CustomResourceDefinition| {
                changed = status::step(definition, &taken, now);
                changed
            };
            match status::write(api, &name, edit).await {
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

    /// The names that a group has.
    fn taken(&self, group: &str) -> Taken {
        let mut taken = Taken::default();
        let others = self.known.values().map(|known| &known.definition);
        others.filter(|definition| definition.group == group).for_each(|definition| {
            taken.add(&definition.accepted);
        });
        taken
    }

    /// Serves what is defined now.
    fn publish(&mut self, api: &Arc<Api>) {
        let mut next = BTreeMap::new();
        let mut changed = false;
        for (name, known) in &self.known {
            let definition = &known.definition;
            if !definition.is_served() {
                continue;
            }
            let before = self.published.get(name);
            let same = before.filter(|before| Arc::ptr_eq(&before.definition, definition));
            let published = match same {
                Some(same) => Some(Arc::clone(same)),
                None => {
                    changed = true;
                    Published::new(api, Arc::clone(definition), before)
                }
            };
            next.extend(published.map(|published| (name.clone(), published)));
        }
        changed |= next.len() != self.published.len();
        if !changed {
            return;
        }
        api.serve(next.values().cloned().collect());
        for (name, old) in std::mem::replace(&mut self.published, next) {
            let stays = self.published.get(&name);
            if !stays.is_some_and(|new| Arc::ptr_eq(&new.endpoints, &old.endpoints)) {
                end(api, &old.endpoints.storage);
            }
        }
    }
}

/// Ends the watches on what is no longer served as it was, after a moment for the requests under way.
fn end(api: &Arc<Api>, storage: &Arc<Storage>) {
    if !storage.is_cached() {
        return;
    }
    let storage = Arc::downgrade(storage);
    api.tasks.spawn(async move {
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

impl Api {
    /// A definition that is served.
    pub(super) fn published(&self, name: &str) -> Option<Arc<Published>> {
        let resources = self.resources();
        resources.definitions.iter().find(|published| published.definition.name == name).cloned()
    }
}
