//! A definition as endpoints.

use std::sync::{Arc, OnceLock};

use rhumb_api::resources::Verb;
use rhumb_meta::{GroupResource, GroupVersionKind};

use super::definition::Definition;
use super::model::Custom;
use super::version::Source;
use crate::registry::custom::pieces::Pieces;
use crate::registry::{Endpoint, Model, Part, Registry, Storage};

/// What can be done with custom resources, in the order in which discovery tells it.
pub(crate) const VERBS: &[Verb] = &[
    Verb::Delete,
    Verb::DeleteCollection,
    Verb::Get,
    Verb::List,
    Verb::Patch,
    Verb::Create,
    Verb::Update,
    Verb::Watch,
];
/// What can be done while the definition is going.
pub(crate) const LAST_VERBS: &[Verb] =
    &[Verb::Delete, Verb::DeleteCollection, Verb::Get, Verb::List, Verb::Watch];
/// What can be done with what stands below objects.
pub(crate) const PART_VERBS: &[Verb] = &[Verb::Get, Verb::Patch, Verb::Update];

const SCALE: GroupVersionKind = GroupVersionKind::new_static("autoscaling", "v1", "Scale");

/// The endpoints of a definition. They stay while its spec and its names do.
pub(crate) struct Endpoints {
    model: Arc<Custom>,
    /// Where its objects are kept.
    pub(crate) storage: Arc<Storage>,
    /// One for each version, also for those that are not served.
    pub(crate) all: Vec<Arc<Endpoint>>,
    /// The place of the version that objects are stored in.
    pub(crate) stored: usize,
}

/// A definition that is served.
pub(crate) struct Published {
    /// What it says.
    pub(crate) definition: Arc<Definition>,
    /// What answers requests.
    pub(crate) endpoints: Arc<Endpoints>,
    /// Where the definition is kept.
    pub(crate) source: Arc<Source>,
    /// What documents have of it.
    pub(crate) pieces: Arc<Pieces>,
}

impl Published {
    /// The endpoints of the versions that are served.
    pub(crate) fn served(&self) -> impl Iterator<Item = &Arc<Endpoint>> {
        let versions = self.definition.versions.iter();
        versions.zip(&self.endpoints.all).filter(|(version, _)| version.served).map(|(_, endpoint)| endpoint)
    }

    /// A definition beside what was served of it before, if anything was.
    pub(crate) fn new(
        registry: &Registry,
        definition: Arc<Definition>,
        before: Option<&Arc<Published>>,
    ) -> Option<Arc<Self>> {
        if let Some(before) = before.filter(|before| before.definition.serves_as(&definition)) {
            before.endpoints.model.set_terminating(definition.terminating);
            return Some(Arc::new(Published {
                definition,
                endpoints: Arc::clone(&before.endpoints),
                source: Arc::clone(&before.source),
                pieces: Arc::clone(&before.pieces),
            }));
        }
        let source = Arc::new(source(registry, &definition)?);
        let endpoints = Arc::new(endpoints(registry, &definition, &source)?);
        let pieces = Arc::new(Pieces::new(&definition));
        Some(Arc::new(Published { definition, endpoints, source, pieces }))
    }
}

/// Where a definition is kept.
fn source(registry: &Registry, definition: &Definition) -> Option<Source> {
    let resources = registry.resources();
    let storage = resources.find(super::GROUP, "v1", super::RESOURCE)?.storage.as_ref()?;
    let key = storage.key("", &definition.name).ok()?;
    Some(Source { cache: storage.cache().clone(), model: Arc::clone(&storage.model), key })
}

fn endpoints(registry: &Registry, definition: &Definition, source: &Arc<Source>) -> Option<Endpoints> {
    let names = &definition.accepted;
    let resource = GroupResource::new(definition.group.clone(), names.plural.clone());
    let model = Arc::new(Custom::new(definition, Arc::clone(source))?);
    let path = format!("{}/{}/{}", registry.prefix, definition.group, names.plural);
    let storage = Arc::new(Storage::new(
        resource.clone(),
        definition.namespaced,
        &path,
        Arc::clone(&model) as Arc<dyn Model>,
        Arc::clone(&registry.store),
        registry.tasks.clone(),
    ));
    let endpoint = |(place, version): (usize, &super::version::Version)| {
        let part = |name: &str, kind: &GroupVersionKind| Part {
            name: name.to_owned(),
            kind: kind.clone(),
            verbs: PART_VERBS.to_vec(),
        };
        let status = version.defined.has_status.then(|| part("status", &version.kind));
        let scale = version.defined.scale.as_ref().map(|_| part("scale", &SCALE));
        Arc::new(Endpoint {
            kind: version.kind.clone(),
            list_kind: names.list_kind.clone(),
            resource: resource.clone(),
            namespaced: definition.namespaced,
            verbs: VERBS.to_vec(),
            parts: status.into_iter().chain(scale).collect(),
            model: Arc::clone(&model) as Arc<dyn Model>,
            storage: Some(Arc::clone(&storage)),
            form: u32::try_from(place).unwrap_or_default(),
            returns_deleted: false,
            warning: version.defined.warning.clone(),
            followed: OnceLock::new(),
        })
    };
    let all = model.all().iter().enumerate().map(endpoint).collect();
    let stored = definition.versions.iter().position(|version| version.storage)?;
    Some(Endpoints { model, storage, all, stored })
}
