//! The documents of custom resources, made of their definitions when somebody asks for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_api::resources::ResourceTable;
use rhumb_meta::GroupVersion;
use rhumb_openapi::Documents;
use rhumb_structural::openapi::{self, Resource};
use serde_json::Value as Json;

use super::Published;
use crate::documents::settings;
use crate::resource::Resources;
use crate::resource::built_in::tree_of;

impl Published {
    /// The definition in the version that clients write it in, without the schemas that they are not told of.
    fn tree(&self) -> Option<Json> {
        let source = &self.source;
        let (_, snapshot) = source.cache.snapshot()?;
        let cached = snapshot.get(&source.key)?;
        let hub = source.model.load(cached.value(), cached.revision()).ok()?;
        let mut tree = tree_of(&*source.model.external(hub, &super::KIND).ok()?);
        let versions = tree.pointer_mut("/spec/versions").and_then(Json::as_array_mut);
        for version in versions.into_iter().flatten().filter_map(Json::as_object_mut) {
            let name = version.get("name").and_then(Json::as_str).unwrap_or_default();
            if self.definition.version(name).is_some_and(|version| !version.presentable) {
                version.remove("schema");
            }
        }
        Some(tree)
    }

    fn is_in(&self, place: &GroupVersion) -> bool {
        let definition = &self.definition;
        definition.established
            && definition.group == place.group
            && definition.version(&place.version).is_some_and(|version| version.served)
    }
}

impl Resources {
    /// The definitions that have something in a version.
    fn defined_in(&self, place: &GroupVersion) -> impl Iterator<Item = &Arc<Published>> {
        self.definitions.iter().filter(move |published| published.is_in(place))
    }

    /// The groups and versions that only custom resources are in.
    pub(crate) fn custom_places(&self) -> Vec<GroupVersion> {
        let established = self.definitions.iter().filter(|published| published.definition.established);
        let places = established.flat_map(|published| {
            let definition = &published.definition;
            let served = definition.versions.iter().filter(|version| version.served);
            served.map(|version| GroupVersion::new(definition.group.clone(), version.name.clone()))
        });
        let built_in = self.table.group_versions();
        let mut places: Vec<GroupVersion> = places.filter(|place| !built_in.contains(place)).collect();
        places.sort_by(|one, other| (&one.group, &one.version).cmp(&(&other.group, &other.version)));
        places.dedup();
        places
    }

    /// What changes when the document of the custom resources in a version does, without making it.
    pub(crate) fn custom_hash(&self, place: &GroupVersion) -> String {
        let of = |published: &Arc<Published>| {
            let definition = &published.definition;
            format!("{} {} {:?}", definition.uid, definition.generation, definition.accepted)
        };
        let text: Vec<String> = self.defined_in(place).map(of).collect();
        rhumb_openapi::hash(text.join("\n").as_bytes())
    }

    /// The OpenAPI document of a version that only custom resources are in.
    pub(crate) fn custom_v3(&self, place: &GroupVersion) -> Option<Json> {
        if self.table.group_versions().contains(place) {
            return None;
        }
        let definitions: Vec<Json> =
            self.defined_in(place).filter_map(|published| published.tree()).collect();
        let resources: Vec<Resource<'_>> =
            definitions.iter().filter_map(|definition| Resource::of(definition, &place.version)).collect();
        (!resources.is_empty()).then(|| openapi::v3(&resources, self.own_models()))
    }

    /// The parts that custom resources have in the one document of OpenAPI 2.
    pub(crate) fn custom_v2(&self) -> Vec<Json> {
        let established = self.definitions.iter().filter(|published| published.definition.established);
        let part = |published: &Arc<Published>| {
            let tree = published.tree()?;
            let served = published.definition.versions.iter().filter(|version| version.served);
            let resources: Vec<Resource<'_>> =
                served.filter_map(|version| Resource::of(&tree, &version.name)).collect();
            (!resources.is_empty()).then(|| openapi::v2(&resources))
        };
        established.filter_map(part).collect()
    }

    /// The server's own models that those of custom resources refer to. The apps have all of them.
    fn own_models(&self) -> &BTreeMap<String, Json> {
        self.models.get_or_init(|| {
            let (table, settings) = (ResourceTable::stable(), settings());
            let text = Documents::new(&self.scheme, &table, &settings).v3("apis/apps/v1").unwrap_or_default();
            let mut document: Json = serde_json::from_slice(&text).unwrap_or_default();
            match document.pointer_mut("/components/schemas").map(Json::take) {
                Some(Json::Object(models)) => models.into_iter().collect(),
                _ => BTreeMap::new(),
            }
        })
    }
}
