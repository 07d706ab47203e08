//! Volumes, claims and classes of volume attributes that are going stay for as long as something uses them: each
//! has a finalizer, which is taken away here when nothing does.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rhumb_api::core::v1::{PersistentVolume, PersistentVolumeClaim, Pod};
use rhumb_meta::Object;
use rhumb_store::{Entry, EventKind};
use tokio::sync::mpsc::Receiver;

use crate::base::failure::Outcome;
use crate::loopback::{Client, Loopback, ObjectRef, WeakLoopback};
use crate::registry::Storage;
use crate::registry::feed::{From, News};
use crate::registry::finalizers::{CLAIM_FINALIZER, CLASS_FINALIZER, VOLUME_FINALIZER};

/// How long to wait before it is looked again whether something is still used.
const PAUSE: Duration = Duration::from_secs(1);

/// What is protected.
#[derive(Clone, Copy, Debug)]
pub(super) enum Protected {
    Claims,
    Volumes,
    Classes,
}

impl Protected {
    /// The group and the plural of the resource.
    fn resource(self) -> (&'static str, &'static str) {
        match self {
            Protected::Claims => ("", "persistentvolumeclaims"),
            Protected::Volumes => ("", "persistentvolumes"),
            Protected::Classes => ("storage.k8s.io", "volumeattributesclasses"),
        }
    }

    fn finalizer(self) -> &'static str {
        match self {
            Protected::Claims => CLAIM_FINALIZER,
            Protected::Volumes => VOLUME_FINALIZER,
            Protected::Classes => CLASS_FINALIZER,
        }
    }

    fn account(self) -> &'static str {
        match self {
            Protected::Claims => "pvc-protection-controller",
            Protected::Volumes => "pv-protection-controller",
            Protected::Classes => "volumeattributesclass-protection-controller",
        }
    }
}

/// Starts to let go of what nothing uses.
pub(super) fn start(api: &Loopback, protected: Protected) {
    let (group, plural) = protected.resource();
    let resources = api.resources();
    let Some(storage) = resources.find(group, "v1", plural).and_then(|found| found.storage.clone()) else {
        return;
    };
    let news = api.follow(storage.prefix().clone(), From::Beginning);
    let guard = Guard { api: api.downgrade(), protected, storage, going: BTreeMap::new() };
    api.tasks().spawn(guard.run(news));
}

struct Guard {
    api: WeakLoopback,
    protected: Protected,
    storage: Arc<Storage>,
    /// The UIDs of those that are going, by namespace and name.
    going: BTreeMap<(String, String), String>,
}

impl Guard {
    async fn run(mut self, mut news: Receiver<News>) {
        loop {
            let pause = async {
                match self.going.is_empty() {
                    true => std::future::pending().await,
                    false => tokio::time::sleep(PAUSE).await,
                }
            };
            tokio::select! {
                told = news.recv() => match told {
                    Some(told) => self.see(told),
                    None => return,
                },
                () = pause => {}
            }
            while let Ok(told) = news.try_recv() {
                self.see(told);
            }
            self.work().await;
        }
    }

    fn see(&mut self, news: News) {
        match news {
            News::Anew => self.going.clear(),
            News::There(entries) => entries.iter().for_each(|entry| self.see_entry(entry)),
            News::Complete => {}
            News::Changes(events) => {
                for event in events {
                    match event.kind {
                        EventKind::Put(entry) => self.see_entry(&entry),
                        EventKind::Delete(key) => {
                            let (namespace, name) = self.storage.place(&key);
                            self.going.remove(&(namespace.to_owned(), name.to_owned()));
                        }
                    }
                }
            }
        }
    }

    fn see_entry(&mut self, entry: &Entry) {
        let (namespace, name) = self.storage.place(&entry.key);
        let place = (namespace.to_owned(), name.to_owned());
        let loaded = self.storage.model.load(&entry.value, entry.modified).ok();
        let finalizer = self.protected.finalizer();
        let waits = loaded.as_deref().and_then(Object::metadata).filter(|meta| {
            meta.deletion_timestamp.is_some() && meta.finalizers.iter().any(|known| known == finalizer)
        });
        match waits {
            Some(meta) => self.going.insert(place, meta.uid.clone()),
            None => self.going.remove(&place),
        };
    }

    /// Lets go of what nothing uses. What fails is tried again after the pause.
    async fn work(&mut self) {
        let Some(api) = self.api.upgrade() else { return };
        let (group, plural) = self.protected.resource();
        let resources = api.resources();
        let Some(endpoint) = resources.find(group, "v1", plural) else { return };
        let inner = Client::controller(&api, self.protected.account());
        let finalizer = self.protected.finalizer();
        for ((namespace, name), uid) in &self.going {
            let place = ObjectRef::new(endpoint, namespace, name);
            if self.is_used(&inner, &place).await.unwrap_or(true) {
                continue;
            }
            let let_go = &mut |hub: &mut dyn Object| {
                hub.edit_metadata(&mut |meta| meta.finalizers.retain(|known| known != finalizer));
            };
            // The store tells how it went: an object that stays stays on the list.
            let _ = inner.change(&place, None, uid, let_go).await;
        }
    }

    async fn is_used(&self, inner: &Client, place: &ObjectRef) -> Outcome<bool> {
        match self.protected {
            Protected::Volumes => {
                let volume = inner.get(place).await?;
                let volume = volume.as_deref().and_then(|hub| hub.downcast_ref::<PersistentVolume>());
                Ok(volume.is_some_and(|volume| volume.status.phase == "Bound"))
            }
            Protected::Claims => {
                any(inner, "pods", &place.namespace, |pod: &Pod| uses(pod, &place.name)).await
            }
            Protected::Classes => {
                let is_it = |class: &Option<String>| class.as_deref() == Some(&*place.name);
                let by_volume = |volume: &PersistentVolume| is_it(&volume.spec.volume_attributes_class_name);
                let by_claim = |claim: &PersistentVolumeClaim| {
                    let aimed = claim.status.modify_volume_status.as_deref();
                    is_it(&claim.spec.volume_attributes_class_name)
                        || is_it(&claim.status.current_volume_attributes_class_name)
                        || aimed.is_some_and(|aim| aim.target_volume_attributes_class_name == place.name)
                };
                Ok(any(inner, "persistentvolumes", "", by_volume).await?
                    || any(inner, "persistentvolumeclaims", "", by_claim).await?)
            }
        }
    }
}

/// Whether a pod uses a claim of its namespace. Nothing starts on a node with a claim that is going, so that only
/// pods that are on one matter.
fn uses(pod: &Pod, claim: &str) -> bool {
    let is_over =
        pod.metadata.deletion_timestamp.is_some() && pod.metadata.deletion_grace_period_seconds == Some(0);
    !pod.spec.node_name.is_empty()
        && pod.spec.volumes.iter().any(|volume| {
            let named = volume.volume_source.persistent_volume_claim.as_ref();
            let own = volume.volume_source.ephemeral.is_some() && !is_over;
            named.is_some_and(|source| source.claim_name == claim)
                || (own && format!("{}-{}", pod.metadata.name, volume.name) == claim)
        })
}

/// Whether any object of a resource in a namespace, or in all of them, is like this.
async fn any<K: Object>(
    inner: &Client,
    plural: &str,
    namespace: &str,
    is_like: impl Fn(&K) -> bool,
) -> Outcome<bool> {
    let resources = inner.api().resources();
    let Some(endpoint) = resources.find("", "v1", plural) else { return Ok(false) };
    let entries = inner.entries(endpoint, namespace).await?;
    for entry in &entries {
        let hub = endpoint.model.load(&entry.value, entry.modified)?;
        if hub.downcast_ref::<K>().is_some_and(&is_like) {
            return Ok(true);
        }
    }
    Ok(false)
}
