//! Keeps an APIService for each version that custom resources are served in.
//!
//! Who follows the definitions counts what they serve ([`Wanted`]); a task makes and removes registrations as these
//! counts begin and end. It knows which there are from the store, so that one that somebody else removes comes back,
//! and looks at no definition.

use crate::controlplane::standing::endpoint;
use crate::loopback::{Client, Loopback, ObjectRef, WeakLoopback, unless_gone};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rhumb_codec::Strictness;
use rhumb_meta::GroupVersion;
use rhumb_meta::v1::{DeleteOptions, Preconditions};
use rhumb_store::EventKind;
use serde_json::json;
use tokio::sync::Notify;

use crate::base::failure::Outcome;
use crate::base::health::Hook;
use crate::registry::Endpoint;
use crate::registry::feed::{From, News};

/// How long to wait before what failed is tried again.
const PAUSE: Duration = Duration::from_secs(1);
const MANAGED: &str = "kube-aggregator.kubernetes.io/automanaged";
const GROUP: &str = "apiregistration.k8s.io";

/// The steps of a start that are done when all registrations are there.
const STEPS: [Hook; 4] =
    [Hook::Registrations, Hook::LocalRegistrations, Hook::Autoregistration, Hook::Autoregistered];

/// The versions that custom resources are served in.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    versions: Mutex<Versions>,
    /// Rung when a version is wanted or no longer is.
    ring: Notify,
}

#[derive(Debug, Default)]
struct Versions {
    /// How many definitions serve each of them, by the name of its registration.
    served: BTreeMap<String, (GroupVersion, usize)>,
    /// The registrations that are to be looked at.
    changed: BTreeSet<String>,
}

/// What the registration of a version is called.
fn name_of(group: &str, version: &str) -> String {
    format!("{version}.{group}")
}

impl Wanted {
    /// Counts versions of a definition in.
    pub(crate) fn add<'a>(&self, group: &str, versions: impl Iterator<Item = &'a str>) {
        let mut all = self.versions.lock();
        for version in versions {
            let name = name_of(group, version);
            let place = GroupVersion::new(group.to_owned(), version.to_owned());
            let (_, count) = all.served.entry(name.clone()).or_insert((place, 0));
            *count += 1;
            if *count == 1 {
                all.changed.insert(name);
                self.ring.notify_one();
            }
        }
    }

    /// Counts versions of a definition out.
    pub(crate) fn remove<'a>(&self, group: &str, versions: impl Iterator<Item = &'a str>) {
        let mut all = self.versions.lock();
        for version in versions {
            let name = name_of(group, version);
            let Some((_, count)) = all.served.get_mut(&name) else { continue };
            *count -= 1;
            if *count == 0 {
                all.served.remove(&name);
                all.changed.insert(name);
                self.ring.notify_one();
            }
        }
    }

    fn look_at(&self, names: impl IntoIterator<Item = String>) {
        self.versions.lock().changed.extend(names);
        self.ring.notify_one();
    }

    /// One that is to be looked at, and the version that is wanted under its name.
    fn next(&self) -> Option<(String, Option<GroupVersion>)> {
        let mut all = self.versions.lock();
        let name = all.changed.pop_first()?;
        let place = all.served.get(&name).map(|(place, _)| place.clone());
        Some((name, place))
    }

    fn names(&self) -> Vec<String> {
        self.versions.lock().served.keys().cloned().collect()
    }
}

/// How much of what there was to do for registrations is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Settled {
    All,
    /// The rest failed and is to be tried again.
    InPart,
}

/// The registrations that there are.
pub(crate) struct Registrations {
    api: WeakLoopback,
    endpoint: Arc<Endpoint>,
    wanted: Arc<Wanted>,
    /// By name: who the server itself has made, by its uid.
    there: BTreeMap<String, Option<String>>,
}

impl Registrations {
    /// Starts to keep them. What is wanted by then must be all that is.
    pub(crate) fn start(api: &Loopback, wanted: Arc<Wanted>) {
        let hooks = Arc::clone(api.hooks());
        let endpoint = endpoint(api, GROUP, "apiservices");
        let Some((endpoint, storage)) =
            endpoint.and_then(|found| Some((found.clone(), found.storage.clone()?)))
        else {
            return hooks.done(&STEPS);
        };
        let mut news = api.follow(storage.prefix().clone(), From::Beginning);
        let mut kept = Registrations {
            api: api.downgrade(),
            endpoint: Arc::clone(&endpoint),
            wanted,
            there: BTreeMap::new(),
        };
        api.tasks().spawn(async move {
            let mut is_complete = false;
            loop {
                tokio::select! {
                    heard = news.recv() => {
                        let Some(heard) = heard else { return };
                        is_complete = kept.hear(heard, is_complete);
                    }
                    () = kept.wanted.ring.notified() => {}
                }
                if !is_complete {
                    continue;
                }
                match kept.settle().await {
                    None => return,
                    Some(Settled::All) => hooks.done(&STEPS),
                    Some(Settled::InPart) => {}
                }
            }
        });
    }

    /// Takes news in. Answers with whether all that there is has been told.
    fn hear(&mut self, news: News, is_complete: bool) -> bool {
        match news {
            News::Anew => {
                self.there.clear();
                return false;
            }
            News::There(entries) => {
                entries.iter().for_each(|entry| self.see(&entry.key, Some(&entry.value)));
            }
            News::Complete => {
                let ours = self.there.iter().filter(|(_, uid)| uid.is_some()).map(|(name, _)| name.clone());
                self.wanted.look_at(ours.chain(self.wanted.names()));
                return true;
            }
            News::Changes(events) => {
                for event in &events {
                    match &event.kind {
                        EventKind::Put(entry) => self.see(&entry.key, Some(&entry.value)),
                        EventKind::Delete(key) => self.see(key, None),
                    }
                }
            }
        }
        is_complete
    }

    fn see(&mut self, key: &[u8], value: Option<&[u8]>) {
        let Some(storage) = &self.endpoint.storage else { return };
        let name = storage.place(key).1.to_owned();
        let Some(value) = value else {
            self.there.remove(&name);
            return self.wanted.look_at([name]);
        };
        let object = self.endpoint.model.load(value, rhumb_store::Revision::ZERO).ok();
        let uid = object.as_ref().and_then(|object| {
            let meta = object.metadata()?;
            meta.labels.get(MANAGED).is_some_and(|managed| managed == "true").then(|| meta.uid.clone())
        });
        self.there.insert(name, uid);
    }

    /// Makes what is missing and removes what nobody needs, until nothing is left to do; `None` if the server is gone.
    async fn settle(&mut self) -> Option<Settled> {
        let mut failed = Vec::new();
        while let Some((name, place)) = self.wanted.next() {
            let api = self.api.upgrade()?;
            let done = match (place, self.there.get(&name)) {
                (Some(place), None) => self.make(&api, &name, &place).await,
                (None, Some(Some(uid))) => self.remove(&api, &name, uid).await,
                _ => Ok(()),
            };
            drop(api);
            if done.is_err() {
                failed.push(name);
            }
        }
        if failed.is_empty() {
            return Some(Settled::All);
        }
        // Others are not kept waiting by what fails again and again.
        tokio::time::sleep(PAUSE).await;
        self.wanted.look_at(failed);
        Some(Settled::InPart)
    }

    async fn make(&mut self, api: &Loopback, name: &str, place: &GroupVersion) -> Outcome<()> {
        let tree = json!({
            "metadata": {"name": name, "labels": {MANAGED: "true"}},
            "spec": {
                "group": place.group, "version": place.version,
                "groupPriorityMinimum": 1000, "versionPriority": 100
            }
        });
        let model = &self.endpoint.model;
        let object = model.read_tree(&self.endpoint.kind, tree, Strictness::Ignore)?.object;
        match Client::server(api).create(&self.endpoint, "", object).await {
            // It may no longer be wanted before the store tells of it.
            Ok(made) => {
                let uid = made.metadata().map(|meta| meta.uid.clone());
                self.there.insert(name.to_owned(), uid);
                Ok(())
            }
            Err(failure) if failure.is_already_exists() => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    async fn remove(&self, api: &Loopback, name: &str, uid: &str) -> Outcome<()> {
        let preconditions = Preconditions { uid: Some(uid.to_owned()), resource_version: None };
        let options =
            DeleteOptions { preconditions: Some(Box::new(preconditions)), ..DeleteOptions::default() };
        unless_gone(Client::server(api).delete(&ObjectRef::new(&self.endpoint, "", name), options).await)
    }
}
