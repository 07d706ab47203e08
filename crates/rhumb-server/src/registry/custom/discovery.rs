//! What discovery says of custom resources, beside the built-in ones.
//!
//! Groups stand behind the built-in ones. In the list of groups they are ordered as Kubernetes orders the
//! services that it registers for them, by `VERSION.GROUP`; in the one document of all they are ordered by name.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use rhumb_api::resources::Verb;
use rhumb_meta::GroupVersion;
use rhumb_meta::apidiscovery::v2;
use rhumb_meta::v1::{
    APIGroup, APIGroupList, APIResource, APIResourceList, GroupVersionForDiscovery, GroupVersionKind,
    ObjectMeta, TypeMeta, Verbs,
};
use sha2::{Digest, Sha256};

use super::ServedDefinitions;
use super::definition::{DefinedVersion, Definition};
use super::serve::{LAST_VERBS, PART_VERBS, VERBS};
use super::told::{ToldGroup, ToldVersion};

fn texts(verbs: &[Verb]) -> Vec<String> {
    verbs.iter().map(|verb| verb.as_str().to_owned()).collect()
}

/// What can be done with objects of a definition.
fn verbs(definition: &Definition) -> Vec<String> {
    texts(if definition.terminating { LAST_VERBS } else { VERBS })
}

fn version_of(group: &str, version: &str) -> GroupVersionForDiscovery {
    GroupVersionForDiscovery { group_version: format!("{group}/{version}"), version: version.to_owned() }
}

/// Puts custom versions before those that a group has already.
fn extend(group: &mut APIGroup, versions: &[ToldVersion]) {
    let known = std::mem::take(&mut group.versions);
    let news = versions.iter().map(|version| version_of(&group.name, &version.name));
    group.versions = news.filter(|new| !known.iter().any(|known| known.version == new.version)).collect();
    group.versions.extend(known);
    group.preferred_version = group.versions.first().cloned().unwrap_or_default();
}

fn new_group(name: &str, versions: &[ToldVersion]) -> APIGroup {
    let mut group = APIGroup { name: name.to_owned(), ..APIGroup::default() };
    extend(&mut group, versions);
    group
}

/// Adds the groups of custom resources to the list of groups.
pub(crate) fn extend_groups(list: &mut APIGroupList, definitions: &ServedDefinitions) {
    let mut news = Vec::new();
    for (group, versions) in definitions.groups() {
        let name = group.name();
        match list.groups.iter_mut().find(|group| group.name == name) {
            Some(group) => extend(group, versions),
            None => {
                let first = versions.iter().map(|version| format!("{}.{name}", version.name)).min();
                news.push((first, new_group(name, versions)));
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
    let versions = definitions.versions_of(name);
    if versions.is_empty() {
        return built_in;
    }
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
    for (group, versions) in definitions.groups() {
        match list.items.iter_mut().find(|found| found.metadata.name == group.name()) {
            Some(found) => {
                let known = std::mem::take(&mut found.versions);
                let is_new =
                    |version: &&ToldVersion| !known.iter().any(|known| known.version == version.name);
                let news = versions.iter().filter(is_new);
                found.versions = news.map(|version| in_group(group, version, definitions)).collect();
                found.versions.extend(known);
            }
            None => list.items.push(new_aggregated(group, versions, definitions)),
        }
    }
}

/// The groups of custom resources in the one document of all, as JSON and in their order; none if one of them is
/// built in, too.
pub(crate) fn encoded_groups(
    definitions: &ServedDefinitions,
    is_built_in: impl Fn(&str) -> bool,
) -> Option<Vec<Bytes>> {
    let encoded = |(group, versions): (&ToldGroup, &[ToldVersion])| {
        if is_built_in(group.name()) {
            return None;
        }
        let made = group.discovery.get_or_init(|| {
            definitions.made.add_group();
            let mut out = Vec::new();
            rhumb_schema::text::encode(&new_aggregated(group, versions, definitions), &mut out);
            out.into_boxed_slice().into()
        });
        Some(made.clone())
    };
    definitions.groups().map(encoded).collect()
}

/// A group of the one document of all.
fn new_aggregated(
    group: &ToldGroup,
    versions: &[ToldVersion],
    definitions: &ServedDefinitions,
) -> v2::APIGroupDiscovery {
    v2::APIGroupDiscovery {
        metadata: ObjectMeta { name: group.name().to_owned(), ..ObjectMeta::default() },
        versions: versions.iter().map(|version| in_group(group, version, definitions)).collect(),
        ..v2::APIGroupDiscovery::default()
    }
}

/// A version of a group of the one document of all.
fn in_group(
    group: &ToldGroup,
    version: &ToldVersion,
    definitions: &ServedDefinitions,
) -> v2::APIVersionDiscovery {
    let place = GroupVersion::new(group.name().to_owned(), version.name.clone());
    aggregated(&place, definitions)
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
