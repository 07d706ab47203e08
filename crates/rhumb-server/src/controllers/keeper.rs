//! Objects that every namespace has: the account `default`, and the certificate that the server is known by.
//! Whoever deletes them gets them back. Where somebody else keeps the certificate otherwise, as the controllers of a
//! second server with its own authority do, it is repaired ever more rarely, so that the two don't write without end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use rhumb_api::core::v1::{ConfigMap, Namespace, ServiceAccount};
use rhumb_meta::Object;
use rhumb_store::{Entry, EventKind};

use crate::base::failure::{Failure, Outcome};
use crate::loopback::{Client, Loopback, ObjectRef, WeakLoopback};
use crate::registry::Storage;
use crate::registry::feed::{From, News};

/// What is kept in every namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// The service account that pods without one of their own get.
    Account,
    /// The config map with the certificate that the server's is checked by.
    Certificate,
}

const DESCRIPTION: &str = "kubernetes.io/description";
const DESCRIBED: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";
/// The key of the certificate.
const AUTHORITY: &str = "ca.crt";
/// How long to wait before what failed is tried again.
const PAUSE: Duration = Duration::from_secs(1);
/// How long something that was repaired is left as it is, the first time and at most.
const PATIENCE: Duration = Duration::from_secs(1);
const LONGEST_PATIENCE: Duration = Duration::from_secs(300);

impl Kept {
    fn resource(self) -> &'static str {
        match self {
            Kept::Account => "serviceaccounts",
            Kept::Certificate => "configmaps",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kept::Account => "default",
            Kept::Certificate => "kube-root-ca.crt",
        }
    }

    fn account(self) -> &'static str {
        match self {
            Kept::Account => "service-account-controller",
            Kept::Certificate => "root-ca-cert-publisher",
        }
    }

    fn object(self, authority: &str) -> Box<dyn Object> {
        let mut object: Box<dyn Object> = match self {
            Kept::Account => Box::new(ServiceAccount::default()),
            Kept::Certificate => {
                let mut map = ConfigMap::default();
                repair(&mut map, authority);
                Box::new(map)
            }
        };
        object.edit_metadata(&mut |meta| meta.name = self.name().to_owned());
        object
    }

    /// Whether an object that is there is as it should be.
    fn is_sound(self, object: &dyn Object, authority: &str) -> bool {
        let Some(map) = object.downcast_ref::<ConfigMap>() else { return true };
        map.data.len() == 1
            && map.data.get(AUTHORITY).is_some_and(|told| told == authority)
            && map.metadata.annotations.get(DESCRIPTION).is_some_and(|told| told == DESCRIBED)
    }
}

/// Gives the config map its content.
fn repair(map: &mut ConfigMap, authority: &str) {
    map.data = [(AUTHORITY.to_owned(), authority.to_owned())].into();
    map.metadata.annotations.insert(DESCRIPTION.to_owned(), DESCRIBED.to_owned());
}

/// Starts to keep an object in every namespace. There is no certificate to keep if none is known.
pub(super) fn start(api: &Loopback, kept: Kept, authority: &str) {
    if kept == Kept::Certificate && authority.is_empty() {
        return;
    }
    let resources = api.resources();
    let storage = |plural| resources.find("", "v1", plural).and_then(|found| found.storage.clone());
    let (Some(namespaces), Some(storage)) = (storage("namespaces"), storage(kept.resource())) else { return };
    let keeper = Keeper {
        api: api.downgrade(),
        kept,
        authority: authority.to_owned(),
        namespaces,
        storage,
        known: BTreeSet::new(),
        wanting: BTreeSet::new(),
        repairs: BTreeMap::new(),
    };
    let spaces = api.follow(keeper.namespaces.prefix().clone(), From::Beginning);
    let objects = api.follow(keeper.storage.prefix().clone(), From::Now);
    api.tasks().spawn(keeper.run(spaces, objects));
}

struct Keeper {
    api: WeakLoopback,
    kept: Kept,
    /// The certificate that clients check the server's by.
    authority: String,
    namespaces: Arc<Storage>,
    storage: Arc<Storage>,
    /// The namespaces that are not going.
    known: BTreeSet<String>,
    /// Those that have to be looked at.
    wanting: BTreeSet<String>,
    /// When something was repaired last, by namespace.
    repairs: BTreeMap<String, Repair>,
}

/// A repair that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Repair {
    at: Duration,
    /// How long the next one has to wait.
    patience: Duration,
}

impl Repair {
    /// A repair that follows another one. If nothing was to be repaired for a while it counts as the first.
    fn after(last: Option<Repair>, now: Duration) -> Repair {
        let contested = last.filter(|last| now < last.at + last.patience * 2);
        let patience = contested.map_or(PATIENCE, |last| (last.patience * 2).min(LONGEST_PATIENCE));
        Repair { at: now, patience }
    }

    /// How long is left to wait.
    fn left(self, now: Duration) -> Duration {
        (self.at + self.patience).saturating_sub(now)
    }
}

type Hear = tokio::sync::mpsc::Receiver<News>;

impl Keeper {
    async fn run(mut self, mut spaces: Hear, mut objects: Hear) {
        loop {
            let again = self.work().await;
            let pause = async {
                match again {
                    Some(time) => tokio::time::sleep(time).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                news = spaces.recv() => match news {
                    Some(news) => self.see_namespaces(news),
                    None => return,
                },
                news = objects.recv() => match news {
                    Some(news) => self.see_objects(news),
                    None => return,
                },
                () = pause => {}
            }
        }
    }

    fn see_namespaces(&mut self, news: News) {
        match news {
            News::Anew => self.known.clear(),
            News::Complete => {}
            News::There(entries) => entries.iter().for_each(|entry| self.see_namespace(entry)),
            News::Changes(events) => {
                for event in events {
                    match event.kind {
                        EventKind::Put(entry) => self.see_namespace(&entry),
                        EventKind::Delete(key) => {
                            let name = self.namespaces.place(&key).1;
                            self.known.remove(name);
                            self.repairs.remove(name);
                        }
                    }
                }
            }
        }
    }

    fn see_namespace(&mut self, entry: &Entry) {
        let name = self.namespaces.place(&entry.key).1;
        let Ok(hub) = self.namespaces.model.load(&entry.value, entry.modified) else { return };
        if hub.downcast_ref::<Namespace>().is_some_and(|namespace| namespace.status.phase == "Terminating") {
            self.known.remove(name);
            self.wanting.remove(name);
        } else if self.known.insert(name.to_owned()) {
            self.wanting.insert(name.to_owned());
        }
    }

    fn see_objects(&mut self, news: News) {
        match news {
            News::Anew => self.wanting.extend(self.known.iter().cloned()),
            News::There(_) | News::Complete => {}
            News::Changes(events) => {
                for event in events {
                    let (namespace, name) = self.storage.place(event.key());
                    let concerns = match event.kind {
                        EventKind::Put(_) => self.kept == Kept::Certificate,
                        EventKind::Delete(_) => true,
                    };
                    if concerns && name == self.kept.name() && self.known.contains(namespace) {
                        self.wanting.insert(namespace.to_owned());
                    }
                }
            }
        }
    }

    /// Looks at all namespaces that have to be looked at; tells when some of them must be looked at again.
    async fn work(&mut self) -> Option<Duration> {
        let mut again = None;
        let mut later = BTreeSet::new();
        while let Some(namespace) = self.wanting.pop_first() {
            let api = self.api.upgrade()?;
            let now = api.environment().elapsed();
            let last = self.repairs.get(&namespace).copied();
            let mut wait = last.map(|last| last.left(now)).filter(|left| !left.is_zero());
            if wait.is_none() {
                match ensure(&api, self.kept, &self.authority, &namespace).await {
                    Ok(Found::Unsound) => {
                        self.repairs.insert(namespace.clone(), Repair::after(last, now));
                    }
                    Ok(Found::AsItShouldBe) => {}
                    Err(failure) if is_going(&failure) => {}
                    Err(_) => wait = Some(PAUSE),
                }
            }
            if let Some(wait) = wait {
                later.insert(namespace);
                again = Some(again.map_or(wait, |again: Duration| again.min(wait)));
            }
        }
        self.wanting = later;
        again
    }
}

/// What was found in a namespace.
enum Found {
    /// All is well, or was missing and has been made.
    AsItShouldBe,
    /// Somebody had changed it, and it was repaired.
    Unsound,
}

/// Whether a namespace can't get its object because it is going, or gone.
fn is_going(failure: &Failure) -> bool {
    let details = failure.0.details.as_ref();
    failure.is_not_found()
        || details
            .is_some_and(|details| details.causes.iter().any(|cause| cause.reason == "NamespaceTerminating"))
}

async fn ensure(api: &Loopback, kept: Kept, authority: &str, namespace: &str) -> Outcome<Found> {
    let resources = api.resources();
    let Some(endpoint) = resources.find("", "v1", kept.resource()) else { return Ok(Found::AsItShouldBe) };
    let inner = Client::controller(api, kept.account());
    let place = ObjectRef::new(endpoint, namespace, kept.name());
    let Some(found) = inner.get(&place).await? else {
        return match inner.create(endpoint, namespace, kept.object(authority)).await {
            Err(failure) if !failure.is_already_exists() => Err(failure),
            _ => Ok(Found::AsItShouldBe),
        };
    };
    if kept.is_sound(&*found, authority) {
        return Ok(Found::AsItShouldBe);
    }
    let uid = found.metadata().map(|meta| meta.uid.clone()).unwrap_or_default();
    let mut edit = |object: &mut dyn Object| {
        if let Some(map) = object.downcast_mut::<ConfigMap>() {
            repair(map, authority);
        }
    };
    inner.change(&place, None, &uid, &mut edit).await.map(|_| Found::Unsound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_keep_otherwise_is_repaired_ever_more_rarely() {
        let mut last = Repair::after(None, Duration::ZERO);
        let mut waited = Vec::new();
        for _ in 0..11 {
            let left = last.left(last.at);
            waited.push(left.as_secs());
            last = Repair::after(Some(last), last.at + left);
        }
        assert_eq!(waited, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        let quiet = last.at + LONGEST_PATIENCE * 2;
        assert_eq!(Repair::after(Some(last), quiet).patience, PATIENCE);
        assert!(last.left(quiet).is_zero());
    }
}
