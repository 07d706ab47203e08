//! What discovery says about a table of resources.
//!
//! Two forms exist: a document per group version with lists of groups above them, and one document for all.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rhumb_meta::apidiscovery::{v2, v2beta1};
use rhumb_meta::v1::{
    APIGroup, APIGroupList, APIResource, APIResourceList, APIVersions, GroupVersionForDiscovery,
    GroupVersionKind, ServerAddressByClientCIDR, TypeMeta, Verbs,
};
use rhumb_meta::{GroupVersion, GroupVersionKind as KindName, v1};
use rhumb_scheme::mapper::Scope;
use sha2::{Digest, Sha256};

use super::{Gives, ResourceTable, Served, Subresource, Verb};

impl ResourceTable {
    /// What `/api` answers: the versions of the core group, and the addresses to reach the server by.
    pub fn api_versions(&self, addresses: Vec<ServerAddressByClientCIDR>) -> APIVersions {
        let core = self.group_versions().into_iter().filter(|place| place.group.is_empty());
        APIVersions {
            type_meta: named("", "APIVersions"),
            versions: core.map(|place| place.version.into_owned()).collect(),
            server_address_by_client_cidrs: addresses,
        }
    }

    /// What `/apis` answers: the groups except the core group.
    pub fn group_list(&self) -> APIGroupList {
        let groups = self.grouped().into_iter().filter(|(name, _)| !name.is_empty());
        APIGroupList {
            type_meta: named("v1", "APIGroupList"),
            groups: groups.map(|(name, versions)| api_group(name, &versions)).collect(),
        }
    }

    /// What `/apis/GROUP` answers, if the group has anything here.
    pub fn group(&self, name: &str) -> Option<APIGroup> {
        let (name, versions) = self.grouped().into_iter().find(|(known, _)| *known == name)?;
        Some(APIGroup { type_meta: named("v1", "APIGroup"), ..api_group(name, &versions) })
    }

    /// What `/apis/GROUP/VERSION` answers.
    pub fn resource_list(&self, place: &GroupVersion) -> APIResourceList {
        let mut resources: Vec<APIResource> = Vec::new();
        for served in self.in_version(place) {
            resources.push(served.to_api_resource());
            resources.extend(served.subresources().map(|below| served.to_api_subresource(below)));
        }
        resources.sort_by(|one, other| one.name.cmp(&other.name));
        // The core group is older than the version of these documents, and answers without one.
        let api_version = if place.group.is_empty() { "" } else { "v1" };
        APIResourceList {
            type_meta: named(api_version, "APIResourceList"),
            group_version: place.to_string(),
            resources,
        }
    }

    /// What `/api` answers in the aggregated form: the core group.
    pub fn aggregated_core(&self) -> v2::APIGroupDiscoveryList {
        self.aggregate(str::is_empty)
    }

    /// What `/apis` answers in the aggregated form: all other groups.
    pub fn aggregated(&self) -> v2::APIGroupDiscoveryList {
        self.aggregate(|group| !group.is_empty())
    }

    fn aggregate(&self, wanted: fn(&str) -> bool) -> v2::APIGroupDiscoveryList {
        let groups = self.grouped().into_iter().filter(|(name, _)| wanted(name));
        let items = groups.map(|(name, versions)| v2::APIGroupDiscovery {
            metadata: v1::ObjectMeta { name: name.to_owned(), ..Default::default() },
            versions: versions.iter().map(|place| self.aggregate_version(place)).collect(),
            ..Default::default()
        });
        v2::APIGroupDiscoveryList {
            type_meta: named("apidiscovery.k8s.io/v2", "APIGroupDiscoveryList"),
            items: items.collect(),
            ..Default::default()
        }
    }

    fn aggregate_version(&self, place: &GroupVersion) -> v2::APIVersionDiscovery {
        v2::APIVersionDiscovery {
            version: place.version.to_string(),
            resources: self.in_version(place).map(|served| served.to_aggregated()).collect(),
            freshness: "Current".to_owned(),
        }
    }

    /// The groups with their versions, in order.
    fn grouped(&self) -> Vec<(&'static str, Vec<GroupVersion>)> {
        let mut groups: Vec<(&'static str, Vec<GroupVersion>)> = Vec::new();
        for served in self.iter() {
            let place = served.group_version();
            match groups.last_mut() {
                Some((name, versions)) if *name == served.group => {
                    if versions.last() != Some(&place) {
                        versions.push(place);
                    }
                }
                _ => groups.push((served.group, vec![place])),
            }
        }
        groups
    }
}

impl Served {
    fn to_api_resource(self) -> APIResource {
        let resource = self.resource;
        APIResource {
            name: resource.plural.to_owned(),
            singular_name: resource.singular(),
            namespaced: resource.scope == Scope::Namespaced,
            kind: resource.kind.to_owned(),
            verbs: Verbs(texts(resource.verbs)),
            short_names: owned(resource.short_names),
            categories: owned(resource.categories),
            storage_version_hash: self.storage_version_hash().unwrap_or_default(),
            ..Default::default()
        }
    }

    fn to_api_subresource(self, below: &Subresource) -> APIResource {
        let kind = self.shown_kind(below);
        APIResource {
            name: format!("{}/{}", self.resource.plural, below.name),
            namespaced: self.resource.scope == Scope::Namespaced,
            group: kind.group,
            version: kind.version,
            kind: kind.kind,
            verbs: Verbs(texts(below.verbs)),
            ..Default::default()
        }
    }

    fn to_aggregated(self) -> v2::APIResourceDiscovery {
        let resource = self.resource;
        let mut subresources: Vec<v2::APISubresourceDiscovery> = self
            .subresources()
            .map(|below| v2::APISubresourceDiscovery {
                subresource: below.name.to_owned(),
                response_kind: Some(Box::new(self.shown_kind(below))),
                accepted_types: Vec::new(),
                verbs: texts(below.verbs),
            })
            .collect();
        subresources.sort_by(|one, other| one.subresource.cmp(&other.subresource));
        v2::APIResourceDiscovery {
            resource: resource.plural.to_owned(),
            response_kind: Some(Box::new(local_kind(resource.kind))),
            scope: format!("{:?}", resource.scope),
            singular_resource: resource.singular(),
            verbs: texts(resource.verbs),
            short_names: owned(resource.short_names),
            categories: owned(resource.categories),
            subresources,
        }
    }

    /// The kind of a subresource as documents show it: group and version only where they are another's.
    fn shown_kind(&self, below: &Subresource) -> GroupVersionKind {
        match below.gives {
            Gives::Object => local_kind(self.resource.kind),
            Gives::Kind(kind) => local_kind(kind),
            Gives::OwnKind(_) | Gives::Foreign(..) => {
                let kind = self.kind_of(below);
                GroupVersionKind {
                    group: kind.group.into_owned(),
                    version: kind.version.into_owned(),
                    kind: kind.kind.into_owned(),
                }
            }
        }
    }

    /// A short hash of the group, version and kind that objects are stored in. Clients that compare it
    /// notice when that changes.
    pub fn storage_version_hash(&self) -> Option<String> {
        Some(storage_version_hash(&self.storage_version()?.with_kind(self.resource.kind)))
    }
}

/// A short hash of the group, version and kind that objects are stored in, as discovery tells it.
pub fn storage_version_hash(stored: &KindName) -> String {
    let text = format!("{}/{}/{}", stored.group, stored.version, stored.kind);
    BASE64_STANDARD.encode(Sha256::digest(text).iter().take(8).copied().collect::<Vec<u8>>())
}

/// The same document for clients that ask for the older version.
pub fn to_v2beta1(list: v2::APIGroupDiscoveryList) -> v2beta1::APIGroupDiscoveryList {
    let subresource = |below: v2::APISubresourceDiscovery| v2beta1::APISubresourceDiscovery {
        subresource: below.subresource,
        response_kind: below.response_kind,
        accepted_types: below.accepted_types,
        verbs: below.verbs,
    };
    let resource = |resource: v2::APIResourceDiscovery| v2beta1::APIResourceDiscovery {
        resource: resource.resource,
        response_kind: resource.response_kind,
        scope: resource.scope,
        singular_resource: resource.singular_resource,
        verbs: resource.verbs,
        short_names: resource.short_names,
        categories: resource.categories,
        subresources: resource.subresources.into_iter().map(subresource).collect(),
    };
    let version = |version: v2::APIVersionDiscovery| v2beta1::APIVersionDiscovery {
        version: version.version,
        resources: version.resources.into_iter().map(resource).collect(),
        freshness: version.freshness,
    };
    let group = |group: v2::APIGroupDiscovery| v2beta1::APIGroupDiscovery {
        type_meta: group.type_meta,
        metadata: group.metadata,
        versions: group.versions.into_iter().map(version).collect(),
    };
    v2beta1::APIGroupDiscoveryList {
        type_meta: named("apidiscovery.k8s.io/v2beta1", "APIGroupDiscoveryList"),
        metadata: list.metadata,
        items: list.items.into_iter().map(group).collect(),
    }
}

fn api_group(name: &str, versions: &[GroupVersion]) -> APIGroup {
    let versions: Vec<GroupVersionForDiscovery> = versions
        .iter()
        .map(|place| GroupVersionForDiscovery {
            group_version: place.to_string(),
            version: place.version.to_string(),
        })
        .collect();
    APIGroup {
        name: name.to_owned(),
        preferred_version: versions.first().cloned().unwrap_or_default(),
        versions,
        ..Default::default()
    }
}

fn named(api_version: &str, kind: &str) -> TypeMeta {
    TypeMeta { api_version: api_version.to_owned(), kind: kind.to_owned() }
}

fn local_kind(kind: &str) -> GroupVersionKind {
    GroupVersionKind { kind: kind.to_owned(), ..Default::default() }
}

fn texts(verbs: &[Verb]) -> Vec<String> {
    verbs.iter().map(|verb| verb.as_str().to_owned()).collect()
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
