//! A selection of the resources, made for lookups.

use std::collections::HashMap;

use rhumb_meta::{GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource};
use rhumb_scheme::mapper::{Discovery, DiscoveryRestMapper, ShortcutExpander};

use super::{GROUPS, Gives, Group, Resource, Subresource};

/// The resources that a server has switched on, or that a client knows without asking.
///
/// They come in the order of groups, within a group in that of versions, and then by name.
#[derive(Clone, Debug)]
pub struct ResourceTable {
    served: Vec<Served>,
    by_resource: HashMap<GroupVersionResource, usize>,
    by_kind: HashMap<GroupVersionKind, usize>,
}

/// A resource in one version.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    /// The group.
    pub group: &'static str,
    /// The version.
    pub version: &'static str,
    /// The resource.
    pub resource: &'static Resource,
    /// Whether Kubernetes once served this and no longer does.
    pub is_former: bool,
}

/// What a path names: a resource or something below it.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The resource.
    pub served: &'a Served,
    /// What is below it, if that is named.
    pub subresource: Option<&'static Subresource>,
}

impl ResourceTable {
    /// Everything that was ever served.
    pub fn everything() -> Self {
        Self::select(|_| true)
    }

    /// Everything that Kubernetes serves today, with every version switched on.
    pub fn current() -> Self {
        Self::select(|served| !served.is_former)
    }

    /// What Kubernetes serves if nobody asks for more: the versions that are neither alpha nor beta.
    pub fn stable() -> Self {
        Self::select(|served| !served.is_former && served.is_stable())
    }

    /// The built-in resources that are wanted.
    pub fn select(wanted: impl FnMut(&Served) -> bool) -> Self {
        Self::of(GROUPS, wanted)
    }

    /// The resources of some groups that are wanted. The groups may be anybody's; each has one place.
    pub fn of(
        groups: impl IntoIterator<Item = &'static Group>,
        mut wanted: impl FnMut(&Served) -> bool,
    ) -> Self {
        let served: Vec<Served> = groups.into_iter().flat_map(all).filter(|served| wanted(served)).collect();
        let index = |key: fn(&Served) -> _| served.iter().map(key).zip(0..).collect::<HashMap<_, _>>();
        let by_resource = index(Served::gvr);
        let by_kind = served.iter().map(Served::gvk).zip(0..).collect();
        Self { by_resource, by_kind, served }
    }

    /// All resources.
    pub fn iter(&self) -> impl Iterator<Item = &Served> {
        self.served.iter()
    }

    /// The resources of one group version.
    pub fn in_version(&self, place: &GroupVersion) -> impl Iterator<Item = &Served> {
        self.served.iter().filter(move |served| served.is_in(place))
    }

    /// The group versions that have any resource here, in order.
    pub fn group_versions(&self) -> Vec<GroupVersion> {
        let mut places: Vec<GroupVersion> = self.served.iter().map(Served::group_version).collect();
        places.dedup();
        places
    }

    /// The resource or subresource of that name, as in `pods` or `pods/eviction`.
    pub fn find(&self, group: &str, version: &str, resource: &str) -> Option<Found<'_>> {
        let (plural, below) = match resource.split_once('/') {
            Some((plural, below)) => (plural, Some(below)),
            None => (resource, None),
        };
        let key = GroupVersionResource::new(group.to_owned(), version.to_owned(), plural.to_owned());
        let served = self.served.get(*self.by_resource.get(&key)?)?;
        let subresource = match below {
            Some(name) => Some(served.subresource(name)?),
            None => None,
        };
        Some(Found { served, subresource })
    }

    /// The resource whose objects are of a kind.
    pub fn by_kind(&self, kind: &GroupVersionKind) -> Option<&Served> {
        self.served.get(*self.by_kind.get(kind)?)
    }

    /// The resources whose objects are of a kind, whatever the version; the most wanted version first.
    pub fn by_group_kind<'a>(&'a self, kind: &'a GroupKind) -> impl Iterator<Item = &'a Served> {
        self.served
            .iter()
            .filter(move |served| served.group == kind.group && served.resource.kind == kind.kind)
    }

    /// The mapper from what people type to these resources, with their short names.
    pub fn mapper(&self) -> ShortcutExpander<DiscoveryRestMapper> {
        let discovery = Discovery::from_documents(
            &self.api_versions(Vec::new()),
            &self.group_list(),
            &self.group_versions().iter().map(|place| self.resource_list(place)).collect::<Vec<_>>(),
        );
        ShortcutExpander::new(discovery.rest_mapper(), discovery.shortcuts())
    }
}

impl Served {
    /// The group and version.
    pub fn group_version(&self) -> GroupVersion {
        GroupVersion::new_static(self.group, self.version)
    }

    /// The full name of the resource.
    pub fn gvr(&self) -> GroupVersionResource {
        self.group_version().with_resource(self.resource.plural)
    }

    /// The full name of its objects' kind.
    pub fn gvk(&self) -> GroupVersionKind {
        self.group_version().with_kind(self.resource.kind)
    }

    /// The group and version its objects are stored in, if they are stored.
    pub fn storage_version(&self) -> Option<GroupVersion> {
        self.resource.storage_version(self.group)
    }

    /// Whether the version is neither alpha nor beta.
    pub fn is_stable(&self) -> bool {
        self.version.bytes().skip(1).all(|byte| byte.is_ascii_digit())
    }

    /// What stands below its objects in this version.
    pub fn subresources(&self) -> impl Iterator<Item = &'static Subresource> + use<> {
        let version = self.version;
        self.resource
            .subresources
            .iter()
            .filter(move |below| below.versions.is_empty() || below.versions.contains(&version))
    }

    /// The subresource of that name in this version.
    pub fn subresource(&self, name: &str) -> Option<&'static Subresource> {
        self.subresources().find(|below| below.name == name)
    }

    /// The full name of the kind that a subresource of it takes and gives.
    pub fn kind_of(&self, subresource: &Subresource) -> GroupVersionKind {
        match subresource.gives {
            Gives::Object => self.gvk(),
            Gives::Kind(kind) | Gives::OwnKind(kind) => self.group_version().with_kind(kind),
            Gives::Foreign(group, version, kind) => GroupVersion::new_static(group, version).with_kind(kind),
        }
    }

    fn is_in(&self, place: &GroupVersion) -> bool {
        self.group == place.group && self.version == place.version
    }
}

/// Every resource of a group in every version, in the table's order.
fn all(group: &'static Group) -> impl Iterator<Item = Served> {
    group.versions.iter().flat_map(|version| {
        group.resources.iter().filter_map(|resource| {
            let is_former = resource.former_versions.contains(version);
            let is_there = is_former || resource.versions.contains(version);
            is_there.then_some(Served { group: group.name, version, resource, is_former })
        })
    })
}
