//! Registry: the resources of a server, what each of them is (models and strategies) and where its objects are stored.

pub(crate) mod allocation;
pub(crate) mod built_in;
pub(crate) mod cached;
pub(crate) mod custom;
pub(crate) mod deadline;
mod deletion;
pub(crate) mod deprecation;
pub(crate) mod expiry;
pub(crate) mod feed;
pub(crate) mod finalizers;
pub(crate) mod forms;
pub(crate) mod group;
mod install;
pub(crate) mod managed_fields;
pub(crate) mod message;
pub(crate) mod model;
pub(crate) mod reading;
pub(crate) mod storage;
pub(crate) mod tree;
pub(crate) mod unsupported;
pub(crate) mod watch_frames;
mod write_through;

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use rhumb_api::resources::{ResourceTable, Verb};
use rhumb_meta::apidiscovery::v2::APIGroupDiscoveryList;
use rhumb_meta::v1::{APIGroup, APIGroupList, APIResourceList};
use rhumb_meta::{GroupKind, GroupResource, GroupVersion, GroupVersionKind};
use rhumb_print::Printers;
use rhumb_scheme::Scheme;
use rhumb_store::Store;

pub(crate) use model::Model;
pub(crate) use storage::Storage;

use self::allocation::Allocator;
use self::group::{ApiGroup, Kinds};
use crate::base::environment::Environment;
use crate::base::failure::{Failure, Outcome};
use crate::base::tasks::Tasks;
use crate::registry::custom::{ServedDefinitions, discovery};
use crate::registry::managed_fields::Followed;

/// What a registry is made from.
pub(crate) struct Setup<'a> {
    /// The store.
    pub(crate) store: Arc<dyn Store>,
    /// The resources to serve.
    pub(crate) table: Arc<ResourceTable>,
    /// The groups beside the built-in ones that the table has resources of.
    pub(crate) groups: &'a [ApiGroup],
    /// What all keys in the store begin with.
    pub(crate) prefix: &'a str,
    /// The networks that services get their addresses from, the first one by default.
    pub(crate) service_networks: &'a [(IpAddr, u8)],
    /// How long events are kept.
    pub(crate) event_lifetime: Duration,
    /// Time and randomness.
    pub(crate) environment: Environment,
}

/// The resources of one server: what they are, where they are stored, and what runs beside requests for that.
pub(crate) struct Registry {
    /// The store.
    pub(crate) store: Arc<dyn Store>,
    /// All built-in types.
    pub(crate) scheme: Arc<Scheme>,
    /// The columns of tables.
    pub(crate) printers: Arc<Printers>,
    /// Time and randomness.
    pub(crate) environment: Environment,
    /// The tasks that end with the server.
    pub(crate) tasks: Tasks,
    /// What all keys in the store begin with.
    pub(crate) prefix: String,
    /// The built-in resources.
    pub(crate) table: Arc<ResourceTable>,
    /// Addresses and ports of Services.
    pub(crate) allocator: Arc<Allocator>,
    resources: ArcSwap<Resources>,
}

impl Registry {
    /// Makes the registry of a server.
    ///
    /// # Errors
    /// If a group that the server's user brings can't be served.
    pub(crate) fn new(setup: Setup<'_>) -> Outcome<Arc<Self>> {
        let Setup { store, mut table, groups, prefix, service_networks, event_lifetime, environment } = setup;
        for group in groups {
            group.choose_storage_versions(Arc::make_mut(&mut table)).map_err(Failure::internal)?;
        }
        let kinds = Kinds::new(groups, &table).map_err(Failure::internal)?;
        let tasks = Tasks::new();
        let installing = install::Installing { store: &store, groups, prefix, event_lifetime, tasks: &tasks };
        let resources = installing.resources(&table, &kinds);
        let allocator = Allocator::new(
            &resources,
            Arc::clone(&store),
            prefix,
            service_networks,
            environment.clone(),
            tasks.clone(),
        );
        Ok(Arc::new(Registry {
            store,
            scheme: kinds.scheme,
            printers: kinds.printers,
            environment,
            tasks,
            prefix: prefix.to_owned(),
            table,
            allocator: Arc::new(allocator),
            resources: ArcSwap::from_pointee(resources),
        }))
    }

    /// What is served at this moment.
    pub(crate) fn resources(&self) -> Arc<Resources> {
        self.resources.load_full()
    }

    /// Serves other custom resources from now on.
    pub(crate) fn serve(&self, definitions: ServedDefinitions) {
        let next = self.resources().with(definitions);
        self.resources.store(Arc::new(next));
    }
}

/// A part of an object that has a path of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its name, as in `status`.
    pub(crate) name: String,
    /// The kind that it takes and gives.
    pub(crate) kind: GroupVersionKind,
    /// What can be done with it.
    pub(crate) verbs: Vec<Verb>,
}

/// A resource in one version.
pub(crate) struct Endpoint {
    /// The kind of its objects.
    pub(crate) kind: GroupVersionKind,
    /// The kind of their lists.
    pub(crate) list_kind: String,
    /// The resource.
    pub(crate) resource: GroupResource,
    /// Whether its objects live in namespaces.
    pub(crate) namespaced: bool,
    /// What can be done with it.
    pub(crate) verbs: Vec<Verb>,
    /// What stands below its objects.
    pub(crate) parts: Vec<Part>,
    /// What its objects are.
    pub(crate) model: Arc<dyn Model>,
    /// Where they are kept; nowhere for questions, which are answered and forgotten.
    pub(crate) storage: Option<Arc<Storage>>,
    /// Tells the encoded forms of this version from those of others of the same storage.
    pub(crate) form: u32,
    /// Whether a deletion is answered with what was deleted rather than with its name.
    pub(crate) returns_deleted: bool,
    /// What clients of this version are told.
    pub(crate) warning: Option<String>,
    /// What following the owners of fields needs, made when it is first needed.
    pub(crate) followed: OnceLock<Followed>,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// The group and version.
    pub(crate) fn place(&self) -> GroupVersion {
        self.kind.group_version()
    }

    /// What it is found by.
    fn path(&self) -> String {
        key(&self.kind.group, &self.kind.version, &self.resource.resource)
    }

    /// Whether the resource, or a part of its objects, knows a verb.
    pub(crate) fn knows(&self, verb: Verb, part: &str) -> bool {
        let verbs = match part {
            "" => &self.verbs,
            name => match self.part(name) {
                Some(part) => &part.verbs,
                None => return false,
            },
        };
        verbs.contains(&verb)
    }

    /// The part of that name.
    pub(crate) fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }
}

/// All resources that a server has at a moment. A change makes a new one of these.
pub(crate) struct Resources {
    built_in: Arc<HashMap<String, Arc<Endpoint>>>,
    /// The definitions that are served.
    pub(crate) definitions: ServedDefinitions,
    pub(crate) scheme: Arc<Scheme>,
    /// The groups that have built-in resources.
    groups: Arc<HashSet<&'static str>>,
    /// The built-in ones, for documents.
    pub(crate) table: Arc<ResourceTable>,
}

impl Resources {
    /// Resources without any, beside a table of the built-in ones.
    pub(crate) fn new(table: Arc<ResourceTable>, scheme: Arc<Scheme>) -> Self {
        Resources {
            built_in: Arc::default(),
            definitions: ServedDefinitions::default(),
            scheme,
            groups: Arc::new(table.iter().map(|served| served.group).collect()),
            table,
        }
    }

    /// Adds a built-in resource in a version.
    pub(crate) fn add(&mut self, endpoint: Arc<Endpoint>) {
        Arc::make_mut(&mut self.built_in).insert(endpoint.path(), endpoint);
    }

    /// The built-in resources, and those of other definitions.
    pub(crate) fn with(&self, definitions: ServedDefinitions) -> Self {
        Resources {
            built_in: Arc::clone(&self.built_in),
            definitions,
            scheme: Arc::clone(&self.scheme),
            groups: Arc::clone(&self.groups),
            table: Arc::clone(&self.table),
        }
    }

    /// Whether a group has built-in resources. All paths of such a group belong to them: what is defined there is
    /// told of, and can't be reached.
    pub(crate) fn is_built_in(&self, group: &str) -> bool {
        self.groups.contains(group)
    }

    /// The resource of that name.
    pub(crate) fn find(&self, group: &str, version: &str, resource: &str) -> Option<&Arc<Endpoint>> {
        if let Some(found) = self.built_in.get(&key(group, version, resource)) {
            return Some(found);
        }
        let published = self.definitions.get(group, resource)?;
        let endpoint = published.served().find(|endpoint| endpoint.kind.version == version)?;
        (!self.is_built_in(group)).then_some(endpoint)
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Endpoint>> {
        let reached = self.definitions.iter().filter(|found| !self.is_built_in(&found.definition.group));
        self.built_in.values().chain(reached.flat_map(|published| published.served()))
    }

    /// The other endpoints whose objects are kept together with those of one: other versions of its resource, and
    /// resources of other groups that are the same objects.
    pub(crate) fn sharing<'a>(&'a self, endpoint: &'a Endpoint) -> impl Iterator<Item = &'a Arc<Endpoint>> {
        let built_in = self.built_in.values();
        let custom = self.definitions.get(&endpoint.resource.group, &endpoint.resource.resource);
        let all = built_in.chain(custom.into_iter().flat_map(|published| published.served()));
        all.filter(move |other| {
            let is_same = |(one, two): (&Arc<Storage>, &Arc<Storage>)| Arc::ptr_eq(one, two);
            other.storage.as_ref().zip(endpoint.storage.as_ref()).is_some_and(is_same)
                && (other.kind.version != endpoint.kind.version || other.resource != endpoint.resource)
        })
    }

    /// The endpoints whose objects are of a group.
    fn of_group<'a>(&'a self, group: &str) -> impl Iterator<Item = &'a Arc<Endpoint>> {
        let is_built_in = self.is_built_in(group);
        let built_in = self.built_in.values().filter(move |endpoint| endpoint.kind.group == group);
        let custom = self.definitions.of_group(group).filter(move |_| !is_built_in);
        built_in.chain(custom.flat_map(|published| published.served()))
    }

    /// The endpoint whose objects are of a kind.
    pub(crate) fn by_kind(&self, kind: &GroupVersionKind) -> Option<&Arc<Endpoint>> {
        self.of_group(&kind.group).find(|endpoint| endpoint.kind == *kind)
    }

    /// An endpoint whose objects are of a kind, in whatever version.
    pub(crate) fn by_group_kind(&self, kind: &GroupKind) -> Option<&Arc<Endpoint>> {
        self.of_group(&kind.group).find(|endpoint| endpoint.kind.kind == kind.kind)
    }
}

/// The documents of discovery.
impl Resources {
    /// All resources of `/api` or `/apis` in one document.
    pub(crate) fn aggregated(&self, core: bool) -> APIGroupDiscoveryList {
        if core {
            return self.table.aggregated_core();
        }
        let mut list = self.table.aggregated();
        discovery::extend_aggregated(&mut list, &self.definitions);
        list
    }

    /// The groups and versions that only custom resources are in, with what changes when their documents do.
    pub(crate) fn custom_versions(&self) -> impl Iterator<Item = (GroupVersion, &str)> {
        let all = self.definitions.groups().flat_map(|(group, versions)| {
            versions.iter().map(|version| {
                (GroupVersion::new(group.name().to_owned(), version.name.clone()), version.hash.as_str())
            })
        });
        all.filter(|(place, _)| !self.is_built_in_place(place))
    }

    /// The groups and versions that only custom resources are in.
    fn custom_places(&self) -> Vec<GroupVersion> {
        self.custom_versions().map(|(place, _)| place).collect()
    }

    /// The groups and versions that there are.
    pub(crate) fn places(&self) -> Vec<GroupVersion> {
        let mut places = self.table.group_versions();
        places.extend(self.custom_places());
        places
    }

    /// Whether a version of a group has built-in resources.
    pub(crate) fn is_built_in_place(&self, place: &GroupVersion) -> bool {
        self.is_built_in(&place.group)
            && self.table.iter().any(|served| place.group == served.group && place.version == served.version)
    }

    /// Whether a version of a group has resources.
    pub(crate) fn is_place(&self, place: &GroupVersion) -> bool {
        self.is_built_in_place(place) || self.definitions.in_place(place).next().is_some()
    }

    /// What `/apis` answers.
    pub(crate) fn group_list(&self) -> APIGroupList {
        let mut list = self.table.group_list();
        discovery::extend_groups(&mut list, &self.definitions);
        list
    }

    /// What `/apis/GROUP` answers.
    pub(crate) fn group(&self, name: &str) -> Option<APIGroup> {
        discovery::group(self.table.group(name), name, &self.definitions)
    }

    /// What `/apis/GROUP/VERSION` answers.
    pub(crate) fn resource_list(&self, place: &GroupVersion) -> Option<APIResourceList> {
        if self.is_built_in_place(place) {
            return Some(self.table.resource_list(place));
        }
        discovery::resource_list(place, &self.definitions)
    }
}

fn key(group: &str, version: &str, resource: &str) -> String {
    format!("{group}/{version}/{resource}")
}
