//! `Discovery`: groups, versions and resources from discovery documents.
//!
//! There are two forms: the classic one, a list of groups and a document per group version, and the aggregated
//! one, where one document holds all. Both come down to the same: groups in the order of their importance, their
//! versions, and the resources of each. Subresources are left out, because nobody looks them up by kind.

use std::collections::HashMap;

use rhumb_meta::apidiscovery::{v2, v2beta1};
use rhumb_meta::v1::{APIGroup, APIGroupList, APIResource, APIResourceList, APIVersions};
use rhumb_meta::{GroupResource, GroupVersion};

use super::{Categories, DefaultRestMapper, DiscoveryRestMapper, Scope, Shortcuts, guess_resource};

/// Groups, versions and resources of a server.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    groups: Vec<Group>,
    stale: Vec<GroupVersion>,
}

#[derive(Clone, Debug)]
struct Group {
    name: String,
    /// Empty when the server prefers none.
    preferred_version: String,
    /// Only those whose resources are known.
    versions: Vec<Version>,
}

#[derive(Clone, Debug)]
struct Version {
    version: String,
    resources: Vec<Resource>,
}

#[derive(Clone, Debug)]
struct Resource {
    plural: String,
    /// Empty when the server doesn't tell.
    singular: String,
    kind: String,
    scope: Scope,
    short_names: Vec<String>,
    categories: Vec<String>,
}

impl Discovery {
    /// Reads unaggregated discovery: the responses of `/api` and `/apis`, and the resources of every group version.
    ///
    /// A server without the legacy group has no versions in `legacy`. Resources are taken for the versions that
    /// the groups list; a version whose resources are missing, say because its server is down, is left out.
    pub fn from_documents(
        legacy: &APIVersions,
        groups: &APIGroupList,
        resources: &[APIResourceList],
    ) -> Self {
        let resources: HashMap<&str, &[APIResource]> =
            resources.iter().map(|list| (list.group_version.as_str(), list.resources.as_slice())).collect();
        let in_place = |group_version: &str, version: &str| {
            let served = resources.get(group_version)?;
            let resources = served.iter().filter_map(Resource::from_classic).collect();
            Some(Version { version: version.to_owned(), resources })
        };
        let legacy = Group {
            name: String::new(),
            preferred_version: legacy.versions.first().cloned().unwrap_or_default(),
            versions: legacy.versions.iter().filter_map(|version| in_place(version, version)).collect(),
        };
        let named = groups.groups.iter().map(|group: &APIGroup| Group {
            name: group.name.clone(),
            preferred_version: group.preferred_version.version.clone(),
            versions: group
                .versions
                .iter()
                .filter_map(|version| in_place(&version.group_version, &version.version))
                .collect(),
        });
        Self { groups: [legacy].into_iter().chain(named).collect(), stale: Vec::new() }
    }

    /// Reads aggregated discovery: the responses of `/api` and `/apis`, in this order.
    pub fn from_aggregated<'a>(documents: impl IntoIterator<Item = &'a v2::APIGroupDiscoveryList>) -> Self {
        let mut discovery = Self::default();
        for document in documents {
            for group in &document.items {
                let versions = group.versions.iter().map(|version| {
                    let resources = version.resources.iter().filter_map(Resource::from_v2).collect();
                    (version.version.as_str(), version.freshness.as_str(), resources)
                });
                discovery.add_aggregated(&group.metadata.name, versions);
            }
        }
        discovery
    }

    /// Reads aggregated discovery of servers before Kubernetes 1.30.
    pub fn from_aggregated_v2beta1<'a>(
        documents: impl IntoIterator<Item = &'a v2beta1::APIGroupDiscoveryList>,
    ) -> Self {
        let mut discovery = Self::default();
        for document in documents {
            for group in &document.items {
                let versions = group.versions.iter().map(|version| {
                    let resources = version.resources.iter().filter_map(Resource::from_v2beta1).collect();
                    (version.version.as_str(), version.freshness.as_str(), resources)
                });
                discovery.add_aggregated(&group.metadata.name, versions);
            }
        }
        discovery
    }

    fn add_aggregated<'a>(
        &mut self,
        name: &str,
        versions: impl Iterator<Item = (&'a str, &'a str, Vec<Resource>)>,
    ) {
        let mut fresh = Vec::new();
        for (version, freshness, resources) in versions {
            if freshness == "Stale" {
                self.stale.push(GroupVersion::new(name.to_owned(), version.to_owned()));
            } else {
                fresh.push(Version { version: version.to_owned(), resources });
            }
        }
        // This form has no field for the preference: the versions come in its order.
        let preferred_version = fresh.first().map(|first| first.version.clone()).unwrap_or_default();
        self.groups.push(Group { name: name.to_owned(), preferred_version, versions: fresh });
    }

    /// Returns the stale group versions, whose resources the server couldn't refresh; they are not included elsewhere.
    pub fn stale(&self) -> &[GroupVersion] {
        &self.stale
    }

    /// Returns the mapper of these resources, without short names: see [`Discovery::shortcuts`].
    pub fn rest_mapper(&self) -> DiscoveryRestMapper {
        let members = self.versions().map(|(place, version)| version.mapper(place)).collect();
        // The legacy group goes first wherever it stands.
        let mut order = vec![GroupVersion::new_static("", "v1")];
        for group in &self.groups {
            let (preferred, others): (Vec<&Version>, Vec<&Version>) =
                group.versions.iter().partition(|version| version.version == group.preferred_version);
            order.extend(preferred.into_iter().chain(others).map(|version| group.place(version)));
        }
        DiscoveryRestMapper::new(members, &order)
    }

    /// Returns the short names of these resources.
    pub fn shortcuts(&self) -> Shortcuts {
        let mut shortcuts = Shortcuts::default();
        for (place, resource) in self.resources() {
            shortcuts.add_full_name(&place.group, &resource.plural);
            shortcuts.add_full_name(&place.group, &resource.singular);
            for short in &resource.short_names {
                shortcuts.add_short_name(short, resource.in_group(&place));
            }
        }
        shortcuts
    }

    /// Returns the categories of these resources.
    pub fn categories(&self) -> Categories {
        self.resources()
            .flat_map(|(place, resource)| {
                resource.categories.iter().map(move |category| (category.as_str(), resource.in_group(&place)))
            })
            .collect()
    }

    fn versions(&self) -> impl Iterator<Item = (GroupVersion, &Version)> {
        self.groups
            .iter()
            .flat_map(|group| group.versions.iter().map(|version| (group.place(version), version)))
    }

    fn resources(&self) -> impl Iterator<Item = (GroupVersion, &Resource)> {
        self.versions().flat_map(|(place, version)| {
            version.resources.iter().map(move |resource| (place.clone(), resource))
        })
    }
}

impl Group {
    fn place(&self, version: &Version) -> GroupVersion {
        GroupVersion::new(self.name.clone(), version.version.clone())
    }
}

impl Version {
    fn mapper(&self, place: GroupVersion) -> DefaultRestMapper {
        let mut builder = DefaultRestMapper::builder([place.clone()]);
        for resource in &self.resources {
            let kind = place.with_kind(resource.kind.clone());
            let plural = place.with_resource(resource.plural.clone());
            let singular = if resource.singular.is_empty() {
                guess_resource(&kind).singular
            } else {
                place.with_resource(resource.singular.clone())
            };
            // People type kinds in lower case too. The kind as it is comes last and so is the one found.
            let lower = place.with_kind(super::plural::lowercase(&resource.kind).into_owned());
            builder.add_specific(lower, plural.clone(), singular.clone(), resource.scope);
            builder.add_specific(kind, plural, singular, resource.scope);
            builder.add(place.with_kind(format!("{}List", resource.kind)), resource.scope);
        }
        // Every group version can hold a list of mixed kinds; no document says so.
        builder.add(place.with_kind("List"), Scope::Cluster);
        builder.build()
    }
}

impl Resource {
    fn in_group(&self, place: &GroupVersion) -> GroupResource {
        GroupResource::new(place.group.clone(), self.plural.clone())
    }

    fn from_classic(resource: &APIResource) -> Option<Self> {
        let is_subresource = resource.name.contains('/');
        (!is_subresource).then(|| Self {
            plural: resource.name.clone(),
            singular: resource.singular_name.clone(),
            kind: resource.kind.clone(),
            scope: if resource.namespaced { Scope::Namespaced } else { Scope::Cluster },
            short_names: resource.short_names.clone(),
            categories: resource.categories.clone(),
        })
    }
}

/// The two versions of the aggregated form differ in name only.
macro_rules! resource_from_aggregated {
    ($function:ident, $version:ident) => {
        impl Resource {
            /// A resource without a kind exists for the sake of its subresources and counts as none.
            fn $function(resource: &$version::APIResourceDiscovery) -> Option<Self> {
                let kind = resource.response_kind.as_ref()?;
                if kind.group.is_empty() && kind.version.is_empty() && kind.kind.is_empty() {
                    return None;
                }
                let is_subresource = resource.resource.contains('/');
                (!is_subresource).then(|| Self {
                    plural: resource.resource.clone(),
                    singular: resource.singular_resource.clone(),
                    kind: kind.kind.clone(),
                    scope: if resource.scope == "Namespaced" { Scope::Namespaced } else { Scope::Cluster },
                    short_names: resource.short_names.clone(),
                    categories: resource.categories.clone(),
                })
            }
        }
    };
}

resource_from_aggregated!(from_v2, v2);
resource_from_aggregated!(from_v2beta1, v2beta1);
