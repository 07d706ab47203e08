//! Keeps the graph of what belongs to which node as the store is.

use std::sync::Arc;

use parking_lot::RwLock;
use rhumb_api::core::v1::{PersistentVolume, Pod};
use rhumb_api::resource::v1::ResourceSlice;
use rhumb_api::storage::v1::VolumeAttachment;
use rhumb_meta::Object;
use rhumb_store::{Entry, EventKind};
use tokio::sync::{mpsc::Receiver, watch};

use super::graph::{Graph, Kind, Thing};
use super::needs;
use crate::registry::feed::{From, News};
use crate::registry::{Registry, Storage};

/// The graph, and which of its sources are not complete yet.
pub(super) struct Followed {
    pub(super) graph: Arc<RwLock<Graph>>,
    missing: watch::Receiver<usize>,
}

const SOURCES: [(&str, &str, Kind); 4] = [
    ("", "pods", Kind::Pod),
    ("", "persistentvolumes", Kind::Volume),
    ("storage.k8s.io", "volumeattachments", Kind::Attachment),
    ("resource.k8s.io", "resourceslices", Kind::ResourceSlice),
];

/// Starts to follow what nodes have.
pub(super) fn start(registry: &Registry) -> Followed {
    let graph = Arc::<RwLock<Graph>>::default();
    let resources = registry.resources();
    let storages = SOURCES.iter().filter_map(|(group, resource, kind)| {
        let is_it = |found: &crate::registry::Endpoint| {
            found.resource.group == *group && found.resource.resource == *resource
        };
        let endpoint = resources.iter().find(|found| is_it(found))?;
        Some((*kind, Arc::clone(endpoint.storage.as_ref()?)))
    });
    let storages: Vec<_> = storages.collect();
    let (tell, missing) = watch::channel(storages.len());
    let tell = Arc::new(tell);
    for (kind, storage) in storages {
        let news = registry.follow(storage.prefix().clone(), From::Beginning);
        let source = Source { kind, storage, graph: Arc::clone(&graph) };
        registry.tasks.spawn(source.keep(news, Arc::clone(&tell)));
    }
    Followed { graph, missing }
}

impl Followed {
    /// Done when all that was there at the beginning is in the graph.
    pub(super) async fn filled(&self) {
        // If nobody tells any more, the server ends.
        let _ = self.missing.clone().wait_for(|missing| *missing == 0).await;
    }
}

struct Source {
    kind: Kind,
    storage: Arc<Storage>,
    graph: Arc<RwLock<Graph>>,
}

impl Source {
    async fn keep(self, mut news: Receiver<News>, missing: Arc<watch::Sender<usize>>) {
        let mut first = true;
        while let Some(news) = news.recv().await {
            match news {
                News::Anew => self.graph.write().clear(self.kind),
                News::There(entries) => entries.iter().for_each(|entry| self.put(entry)),
                News::Complete => {
                    if std::mem::take(&mut first) {
                        missing.send_modify(|missing| *missing = missing.saturating_sub(1));
                    }
                }
                News::Changes(events) => {
                    for event in events {
                        match event.kind {
                            EventKind::Put(entry) => self.put(&entry),
                            EventKind::Delete(key) => self.graph.write().remove(&self.thing(&key)),
                        }
                    }
                }
            }
        }
    }

    fn thing(&self, key: &[u8]) -> Thing {
        let (namespace, name) = self.storage.place(key);
        Thing::new(self.kind, namespace, name)
    }

    fn put(&self, entry: &Entry) {
        let thing = self.thing(&entry.key);
        // What can't be read belongs to nobody.
        let hub = self.storage.model.load(&entry.value, entry.modified).ok();
        let node = hub.as_deref().and_then(node_of);
        if let Some(node) = node.filter(|node| !node.is_empty()) {
            let needs = hub.as_deref().and_then(|hub| hub.downcast_ref()).map(needs::of_pod);
            self.graph.write().place(thing, node, needs.unwrap_or_default());
            return;
        }
        let volume = hub.as_deref().and_then(|hub| hub.downcast_ref::<PersistentVolume>());
        let claim = volume.and_then(|volume| volume.spec.claim_ref.as_ref());
        match (volume, claim) {
            (Some(volume), Some(claim)) => {
                let claim = Thing::new(Kind::Claim, &claim.namespace, &claim.name);
                self.graph.write().bind(thing, claim, needs::of_volume(volume));
            }
            _ => self.graph.write().remove(&thing),
        }
    }
}

/// The node that an object is for.
fn node_of(hub: &dyn Object) -> Option<&str> {
    if let Some(pod) = hub.downcast_ref::<Pod>() {
        return Some(&pod.spec.node_name);
    }
    if let Some(attachment) = hub.downcast_ref::<VolumeAttachment>() {
        return Some(&attachment.spec.node_name);
    }
    hub.downcast_ref::<ResourceSlice>().and_then(|slice| slice.spec.node_name.as_deref())
}
