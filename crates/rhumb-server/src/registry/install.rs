//! Installs the resources of a table: gives each its model, its storage and its endpoint.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rhumb_api::resources::{GROUPS, ResourceTable, Served};
use rhumb_scheme::mapper::Scope;
use rhumb_store::Store;

use super::built_in::BuiltIn;
use super::expiry::Expiry;
use super::group::{ApiGroup, Kinds};
use super::{Endpoint, Model, Part, Resources, Storage, deprecation};
use crate::base::tasks::Tasks;

/// What installed resources share.
pub(super) struct Installing<'a> {
    pub(super) store: &'a Arc<dyn Store>,
    pub(super) groups: &'a [ApiGroup],
    pub(super) prefix: &'a str,
    pub(super) event_lifetime: Duration,
    pub(super) tasks: &'a Tasks,
}

impl Installing<'_> {
    /// The resources of a table.
    pub(super) fn resources(&self, table: &Arc<ResourceTable>, kinds: &Kinds) -> Resources {
        let mut resources = Resources::new(Arc::clone(table), Arc::clone(&kinds.scheme));
        let mut storages: HashMap<String, (Arc<Storage>, u32)> = HashMap::new();
        for served in table.iter() {
            let brought = self.groups.iter().find(|group| group.table().name == served.group);
            let model: Arc<dyn Model> = Arc::new(BuiltIn::new(kinds, *served, brought));
            let namespaced = served.resource.scope == Scope::Namespaced;
            let resource = served.gvr().group_resource();
            let mut form = 0;
            let storage = served.storage_version().map(|_| {
                let path = format!("{}/{}", self.prefix, storage_path(served));
                let (storage, forms) = storages.entry(path.clone()).or_insert_with(|| {
                    let mut storage = Storage::new(
                        resource.clone(),
                        namespaced,
                        &path,
                        Arc::clone(&model),
                        Arc::clone(self.store),
                        self.tasks.clone(),
                    );
                    if served.resource.plural == "events" && brought.is_none() {
                        storage.expiry = Some(Expiry::after(self.event_lifetime));
                    }
                    (Arc::new(storage), 0)
                });
                form = *forms;
                *forms += 1;
                Arc::clone(storage)
            });
            let parts = served.subresources().map(|below| Part {
                name: below.name.to_owned(),
                kind: served.kind_of(below),
                verbs: below.verbs.to_vec(),
            });
            resources.add(Arc::new(Endpoint {
                kind: served.gvk(),
                list_kind: served.resource.list_kind(),
                resource,
                namespaced,
                verbs: served.resource.verbs.to_vec(),
                parts: parts.collect(),
                model,
                storage,
                form,
                returns_deleted: served.resource.returns_deleted,
                warning: deprecation::warning(served),
                followed: OnceLock::new(),
            }));
        }
        resources
    }
}

/// Where a resource's objects are in the store, behind the prefix.
fn storage_path(served: &Served) -> String {
    match (served.group, served.resource.plural) {
        ("", "replicationcontrollers") => "controllers".to_owned(),
        ("", "endpoints") => "services/endpoints".to_owned(),
        ("", "nodes") => "minions".to_owned(),
        ("", "services") => "services/specs".to_owned(),
        ("extensions" | "networking.k8s.io", "ingresses") => "ingress".to_owned(),
        (group @ ("apiextensions.k8s.io" | "apiregistration.k8s.io"), plural) => format!("{group}/{plural}"),
        // Custom resources stand under their group, and so do those that have a type of their own.
        (group, plural) if !GROUPS.iter().any(|known| known.name == group) => format!("{group}/{plural}"),
        (_, plural) => plural.to_owned(),
    }
}
