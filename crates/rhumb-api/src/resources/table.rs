//! A selection of the resources, made for lookups.

use std::collections::HashMap;
use std::fmt;

use rhumb_meta::{GroupKind, GroupResource, GroupVersion, GroupVersionKind, GroupVersionResource};
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
    /// The version that objects are stored in, if somebody chose another than the usual one.
    stored_in: Option<&'static str>,
}

/// Why objects of a resource can't be stored in a version.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StorageVersionError {
    /// No such resource is served.
    NoResource(GroupResource),
    /// Its objects are not stored.
    NotStored(GroupResource),
    /// Its objects are stored under another group, whose versions count.
    Elsewhere(GroupResource, GroupVersion),
    /// The resource has no such version.
    NoVersion(GroupResource, String),
}

impl fmt::Display for StorageVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoResource(resource) => write!(f, "no resource {resource} is served"),
            Self::NotStored(resource) => write!(f, "objects of {resource} are not stored"),
            Self::Elsewhere(resource, gv) => {
                let group = if gv.group.is_empty() { "the core group" } else { &gv.group };
                write!(f, "objects of {resource} are stored with those of {group}")
            }
            Self::NoVersion(resource, version) => write!(f, "{resource} has no version {version}"),
        }
    }
}

impl std::error::Error for StorageVersionError {}

/// What a path names: a resource or something below it.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The resource.
    pub served: &'a Served,
    /// What is below it, if that is named.
    pub subresource: Option<&'static Subresource>,
}

impl ResourceTable {
    /// What Kubernetes serves with every version switched on, and the versions that earlier releases served.
    ///
    /// Alpha versions that went within a few releases without a successor of the same shape are in the Scheme alone.
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

    /// Stores objects of a resource in another version of its group than the usual one. It needn't be a version that
    /// is served; what was stored in another is read all the same. Resources of other groups whose objects are the
    /// same follow.
    ///
    /// # Errors
    /// If objects of the resource are not stored, or it has no such version.
    pub fn store_in(&mut self, resource: &GroupResource, version: &str) -> Result<(), StorageVersionError> {
        let (group, plural) = (&resource.group, &resource.resource);
        let found =
            self.resource(resource).ok_or_else(|| StorageVersionError::NoResource(resource.clone()))?;
        match found.storage_version() {
            None => return Err(StorageVersionError::NotStored(resource.clone())),
            Some(gv) if gv.group != *group => {
                return Err(StorageVersionError::Elsewhere(resource.clone(), gv));
            }
            Some(_) => {}
        }
        let mut versions = found.resource.versions.iter().chain(found.resource.former_versions);
        let version = versions
            .find(|known| **known == version)
            .ok_or_else(|| StorageVersionError::NoVersion(resource.clone(), version.to_owned()))?;
        for served in self.served.iter_mut().filter(|served| served.resource.plural == *plural) {
            if served.storage_version().is_some_and(|gv| gv.group == *group) {
                served.stored_in = Some(version);
            }
        }
        Ok(())
    }

    /// A resource in its most wanted version.
    pub fn resource(&self, resource: &GroupResource) -> Option<&Served> {
        let is_it =
            |served: &&Served| served.group == resource.group && served.resource.plural == resource.resource;
        self.served.iter().find(is_it)
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
    /// A resource in one of the versions that it has, or had.
    pub fn new(group: &'static str, version: &'static str, resource: &'static Resource) -> Self {
        let is_former = resource.former_versions.contains(&version);
        Served { group, version, resource, is_former, stored_in: None }
    }

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
        let usual = self.resource.storage_version(self.group)?;
        Some(match self.stored_in {
            Some(version) => GroupVersion::new(usual.group, version),
            None => usual,
        })
    }

    /// Whether nobody chose the version that its objects are stored in.
    pub fn is_stored_as_usual(&self) -> bool {
        self.stored_in.is_none()
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
            let served = Served::new(group.name, version, resource);
            (served.is_former || resource.versions.contains(version)).then_some(served)
        })
    })
}
