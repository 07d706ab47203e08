//! Keeps the snapshot of roles and bindings as the store is.

use std::sync::Arc;

use rhumb_api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use rhumb_meta::Object;
use rhumb_store::{Entry, EventKind};
use tokio::sync::mpsc::Receiver;

use super::Access;
use super::snapshot::Snapshot;
use crate::authorization::binding::Binding;
use crate::registry::feed::{From, News};
use crate::registry::{Registry, Storage};

/// What a resource has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Roles,
    Bindings,
}

/// One of the four resources that are followed.
struct Source {
    kind: Kind,
    storage: Arc<Storage>,
    news: Receiver<News>,
    /// Whether all that there is has been told.
    is_complete: bool,
}

/// Starts to follow roles and bindings.
pub(super) fn start(registry: &Registry, access: &Arc<Access>) {
    let resources = registry.resources();
    let source = |plural: &str, kind| {
        let found = resources.find("rbac.authorization.k8s.io", "v1", plural)?;
        let storage = Arc::clone(found.storage.as_ref()?);
        let news = registry.follow(storage.prefix().clone(), From::Beginning);
        Some(Source { kind, storage, news, is_complete: false })
    };
    let sources = [
        source("clusterroles", Kind::Roles),
        source("clusterrolebindings", Kind::Bindings),
        source("roles", Kind::Roles),
        source("rolebindings", Kind::Bindings),
    ];
    // A server that doesn't serve roles has none, and only masters may do anything.
    match sources {
        [Some(a), Some(b), Some(c), Some(d)] => {
            registry.tasks.spawn(keep(Arc::clone(access), [a, b, c, d]));
        }
        _ => access.publish(Snapshot::default()),
    }
}

async fn keep(access: Arc<Access>, sources: [Source; 4]) {
    let [mut a, mut b, mut c, mut d] = sources;
    let mut snapshot = Snapshot::default();
    loop {
        let (source, news) = tokio::select! {
            news = a.news.recv() => (&mut a, news),
            news = b.news.recv() => (&mut b, news),
            news = c.news.recv() => (&mut c, news),
            news = d.news.recv() => (&mut d, news),
        };
        let Some(news) = news else { return };
        source.take(news, &mut snapshot);
        // What is at hand already goes out together.
        for source in [&mut a, &mut b, &mut c, &mut d] {
            while let Ok(news) = source.news.try_recv() {
                source.take(news, &mut snapshot);
            }
        }
        // While one of them is told anew, what was known before holds.
        if [&a, &b, &c, &d].iter().all(|source| source.is_complete) {
            access.publish(snapshot.clone());
        }
    }
}

impl Source {
    fn take(&mut self, news: News, snapshot: &mut Snapshot) {
        match news {
            News::Anew => {
                self.is_complete = false;
                match self.kind {
                    Kind::Roles => snapshot.clear_roles(self.storage.namespaced),
                    Kind::Bindings => snapshot.clear_bindings(self.storage.namespaced),
                }
            }
            News::There(entries) => entries.iter().for_each(|entry| self.put(entry, snapshot)),
            News::Complete => self.is_complete = true,
            News::Changes(events) => {
                for event in events {
                    match event.kind {
                        EventKind::Put(entry) => self.put(&entry, snapshot),
                        EventKind::Delete(key) => self.drop(&key, snapshot),
                    }
                }
            }
        }
    }

    fn put(&self, entry: &Entry, snapshot: &mut Snapshot) {
        match self.storage.model.load(&entry.value, entry.modified) {
            Ok(hub) => take_in(hub, snapshot),
            // What can't be read grants nothing.
            Err(_) => self.drop(&entry.key, snapshot),
        }
    }

    fn drop(&self, key: &[u8], snapshot: &mut Snapshot) {
        let (namespace, name) = self.storage.place(key);
        match self.kind {
            Kind::Roles => snapshot.drop_role(namespace, name),
            Kind::Bindings => snapshot.drop_binding(namespace, name),
        }
    }
}

fn take_in(mut hub: Box<dyn Object>, snapshot: &mut Snapshot) {
    if let Some(role) = hub.downcast_mut::<ClusterRole>() {
        snapshot.put_role("", &role.metadata.name, std::mem::take(&mut role.rules));
    } else if let Some(role) = hub.downcast_mut::<Role>() {
        let rules = std::mem::take(&mut role.rules);
        snapshot.put_role(&role.metadata.namespace, &role.metadata.name, rules);
    } else if let Some(binding) = hub.downcast_mut::<ClusterRoleBinding>() {
        snapshot.put_binding(Binding {
            name: binding.metadata.name.clone(),
            namespace: String::new(),
            role: std::mem::take(&mut binding.role_ref),
            subjects: std::mem::take(&mut binding.subjects),
        });
    } else if let Some(binding) = hub.downcast_mut::<RoleBinding>() {
        snapshot.put_binding(Binding {
            name: binding.metadata.name.clone(),
            namespace: binding.metadata.namespace.clone(),
            role: std::mem::take(&mut binding.role_ref),
            subjects: std::mem::take(&mut binding.subjects),
        });
    }
}
