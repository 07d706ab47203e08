//! What discovery says of custom resources, beside the built-in ones.
//!
//! Groups stand behind the built-in ones. In the list of groups they are ordered as Kubernetes orders the
//! services that it registers for them, by `VERSION.GROUP`; in the one document of all they are ordered by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rhumb_api::resources::Verb;
use rhumb_meta::GroupVersion;
use rhumb_meta::apidiscovery::v2;
use rhumb_meta::v1::{
    APIGroup, APIGroupList, APIResource, APIResourceList, GroupVersionForDiscovery, GroupVersionKind,
    ObjectMeta, TypeMeta, Verbs,
};
use rhumb_meta::version::sort_preferred_first;
use sha2::{Digest, Sha256};

use super::definition::{DefinedVersion, Definition};
use super::serve::{LAST_VERBS, PART_VERBS, VERBS};
use super::{Published, ServedDefinitions};

fn texts(verbs: &[Verb]) -> Vec<String> {
    verbs.iter().map(|verb| verb.as_str().to_owned()).collect()
}

/// What can be done with objects of a definition.
fn verbs(definition: &Definition) -> Vec<String> {
    texts(if definition.terminating { LAST_VERBS } else { VERBS })
}

/// The served versions of each group that discovery tells of, the preferred ones first.
fn groups<'a>(definitions: impl Iterator<Item = &'a Arc<Published>>) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let told = definitions.map(|published| &*published.definition);
    for definition in told.filter(|definition| definition.established) {
        for version in definition.served_versions() {
            let versions = groups.entry(&definition.group).or_default();
            if !versions.contains(&version) {
                versions.push(version);
            }
        }
    }
    groups.values_mut().for_each(|versions| sort_preferred_first(versions));
    groups
}

fn version_of(group: &str, version: &str) -> GroupVersionForDiscovery {
    GroupVersionForDiscovery { group_version: format!("{group}/{version}"), version: version.to_owned() }
}

/// Puts custom versions before those that a group has already.
fn extend(group: &mut APIGroup, versions: &[&str]) {
    let known = std::mem::take(&mut group.versions);
    let news = versions.iter().map(|version| version_of(&group.name, version));
    group.versions = news.filter(|new| !known.iter().any(|known| known.version == new.version)).collect();
    group.versions.extend(known);
    group.preferred_version = group.versions.first().cloned().unwrap_or_default();
}

fn new_group(name: &str, versions: &[&str]) -> APIGroup {
    let mut group = APIGroup { name: name.to_owned(), ..APIGroup::default() };
    extend(&mut group, versions);
    group
}

/// Adds the groups of custom resources to the list of groups.
pub(crate) fn extend_groups(list: &mut APIGroupList, definitions: &ServedDefinitions) {
    let mut news = Vec::new();
    for (name, versions) in groups(definitions.iter()) {
        match list.groups.iter_mut().find(|group| group.name == name) {
            Some(group) => extend(group, &versions),
            None => {
                let first = versions.iter().map(|version| format!("{version}.{name}")).min();
                news.push((first, new_group(name, &versions)));
            }
        }
    }
    news.sort_by(|(one, _), (other, _)| one.cmp(other));
    list.groups.extend(news.into_iter().map(|(_, group)| group));
}

/// A group with its custom versions, beside the built-in one of that name, if there is one.
pub(crate) fn group(
    built_in: Option<APIGroup>,
    name: &str,
    definitions: &ServedDefinitions,
) -> Option<APIGroup> {
    let groups = groups(definitions.of_group(name));
    let Some(versions) = groups.get(name) else { return built_in };
    let type_meta = TypeMeta { api_version: "v1".to_owned(), kind: "APIGroup".to_owned() };
    let mut group =
        built_in.unwrap_or_else(|| APIGroup { type_meta, name: name.to_owned(), ..APIGroup::default() });
    extend(&mut group, versions);
    Some(group)
}

/// The versions of a place.
fn in_place<'a>(
    definitions: &'a ServedDefinitions,
    place: &GroupVersion,
) -> impl Iterator<Item = (&'a Definition, &'a DefinedVersion)> {
    definitions.in_place(place).filter_map(|published| {
        let definition = &*published.definition;
        Some((definition, definition.version(&place.version)?))
    })
}

/// The resources of a version; `None` if there are no custom ones.
pub(crate) fn resource_list(
    place: &GroupVersion,
    definitions: &ServedDefinitions,
) -> Option<APIResourceList> {
    let mut resources = Vec::new();
    for (definition, version) in in_place(definitions, place) {
        let names = &definition.accepted;
        let below = |name: &str| APIResource {
            name: format!("{}/{name}", names.plural),
            namespaced: definition.namespaced,
            verbs: Verbs(texts(PART_VERBS)),
            ..APIResource::default()
        };
        resources.push(APIResource {
            name: names.plural.clone(),
            singular_name: names.singular.clone(),
            namespaced: definition.namespaced,
            kind: names.kind.clone(),
            verbs: Verbs(verbs(definition)),
            short_names: names.short_names.clone(),
            categories: names.categories.clone(),
            storage_version_hash: storage_hash(definition).unwrap_or_default(),
            ..APIResource::default()
        });
        if version.has_status {
            resources.push(APIResource { kind: names.kind.clone(), ..below("status") });
        }
        if version.scale.is_some() {
            let (group, version, kind) = ("autoscaling".to_owned(), "v1".to_owned(), "Scale".to_owned());
            resources.push(APIResource { group, version, kind, ..below("scale") });
        }
    }
    let type_meta = TypeMeta { api_version: "v1".to_owned(), kind: "APIResourceList".to_owned() };
    let list = APIResourceList { type_meta, group_version: place.to_string(), resources };
    (!list.resources.is_empty()).then_some(list)
}

/// A hash of what objects are stored as, if that version is served.
fn storage_hash(definition: &Definition) -> Option<String> {
    let version = definition.storage_version().filter(|version| version.served)?;
    let text = format!("{}/{}/{}", definition.group, version.name, definition.wanted.kind);
    Some(BASE64_STANDARD.encode(Sha256::digest(text).iter().take(8).copied().collect::<Vec<u8>>()))
}

/// Adds the custom resources to the one document of all.
pub(crate) fn extend_aggregated(list: &mut v2::APIGroupDiscoveryList, definitions: &ServedDefinitions) {
    for (name, versions) in groups(definitions.iter()) {
        let found = |version: &&str| {
            let place = GroupVersion::new(name.to_owned(), (*version).to_owned());
            aggregated(&place, definitions)
        };
        match list.items.iter_mut().find(|group| group.metadata.name == name) {
            Some(group) => {
                let known = std::mem::take(&mut group.versions);
                let is_new = |version: &&&str| !known.iter().any(|known| known.version == ***version);
                group.versions = versions.iter().filter(is_new).map(found).collect();
                group.versions.extend(known);
            }
            None => list.items.push(v2::APIGroupDiscovery {
                metadata: ObjectMeta { name: name.to_owned(), ..ObjectMeta::default() },
                versions: versions.iter().map(found).collect(),
                ..v2::APIGroupDiscovery::default()
            }),
        }
    }
}

fn aggregated(place: &GroupVersion, definitions: &ServedDefinitions) -> v2::APIVersionDiscovery {
    let kind = |group: &str, version: &str, kind: &str| {
        Some(Box::new(GroupVersionKind {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        }))
    };
    let below = |name: &str, response_kind| v2::APISubresourceDiscovery {
        subresource: name.to_owned(),
        response_kind,
        verbs: texts(PART_VERBS),
        ..v2::APISubresourceDiscovery::default()
    };
    let resource = |(definition, version): (&Definition, &DefinedVersion)| {
        let names = &definition.accepted;
        let own = || kind(&place.group, &place.version, &names.kind);
        let status = version.has_status.then(|| below("status", own()));
        let scale = version.scale.as_ref().map(|_| below("scale", kind("autoscaling", "v1", "Scale")));
        v2::APIResourceDiscovery {
            resource: names.plural.clone(),
            response_kind: own(),
            scope: if definition.namespaced { "Namespaced" } else { "Cluster" }.to_owned(),
            singular_resource: names.singular.clone(),
            verbs: verbs(definition),
            short_names: names.short_names.clone(),
            categories: names.categories.clone(),
            subresources: status.into_iter().chain(scale).collect(),
        }
    };
    let mut resources: Vec<_> = in_place(definitions, place).map(resource).collect();
    resources.sort_by(|one, other| one.resource.cmp(&other.resource));
    v2::APIVersionDiscovery { version: place.version.to_string(), resources, freshness: "Current".to_owned() }
}
