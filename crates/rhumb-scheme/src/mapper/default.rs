//! `DefaultRestMapper`: mapper of registered pairs.

use std::collections::{BTreeMap, HashMap};

use rhumb_meta::{GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource, INTERNAL};

use super::name_index::{NameIndex, Query};
use super::{GuessedResource, MapperError, RestMapper, RestMapping, Scope, guess_resource};

/// Mapper of the kinds that were added to it.
///
/// Answers come in the order of the group versions it was built with; those it wasn't told about come last. A
/// resource whose plural is its singular (`endpoints`) is found once.
#[derive(Clone, Debug)]
pub struct DefaultRestMapper {
    preference: Vec<GroupVersion>,
    resources: NameIndex<GroupVersionResource>,
    kinds: NameIndex<GroupVersionKind>,
    mappings: HashMap<GroupKind, Vec<RestMapping>>,
    singulars: HashMap<GroupVersionResource, GroupVersionResource>,
}

/// Builder of a [`DefaultRestMapper`].
///
/// Registering a kind or a resource again replaces what was said before.
#[derive(Clone, Debug, Default)]
pub struct DefaultRestMapperBuilder {
    preference: Vec<GroupVersion>,
    // Ordered maps, so that the same registrations always give the same mapper.
    kind_of_resource: BTreeMap<GroupVersionResource, GroupVersionKind>,
    singular_of_plural: BTreeMap<GroupVersionResource, GroupVersionResource>,
    resource_of_kind: BTreeMap<GroupVersionKind, (GroupVersionResource, Scope)>,
}

impl DefaultRestMapperBuilder {
    /// Registers a kind under the resource guessed from its name.
    pub fn add(&mut self, kind: GroupVersionKind, scope: Scope) -> &mut Self {
        let GuessedResource { plural, singular } = guess_resource(&kind);
        self.add_specific(kind, plural, singular, scope)
    }

    /// Registers a kind under a resource whose plural and singular are known.
    pub fn add_specific(
        &mut self,
        kind: GroupVersionKind,
        plural: GroupVersionResource,
        singular: GroupVersionResource,
        scope: Scope,
    ) -> &mut Self {
        self.kind_of_resource.insert(singular.clone(), kind.clone());
        self.kind_of_resource.insert(plural.clone(), kind.clone());
        self.resource_of_kind.insert(kind, (plural.clone(), scope));
        self.singular_of_plural.insert(plural, singular);
        self
    }

    /// Creates the mapper.
    pub fn build(self) -> DefaultRestMapper {
        let mut mappings: HashMap<GroupKind, Vec<RestMapping>> = HashMap::new();
        for (kind, (resource, scope)) in self.resource_of_kind {
            let mapping = RestMapping { resource, kind, scope };
            mappings.entry(mapping.kind.group_kind()).or_default().push(mapping);
        }
        let names = self.singular_of_plural.iter().flat_map(|(plural, singular)| {
            [(plural.clone(), plural.clone()), (singular.clone(), plural.clone())]
        });
        DefaultRestMapper {
            resources: NameIndex::new(names, &self.preference),
            kinds: NameIndex::new(self.kind_of_resource, &self.preference),
            mappings,
            singulars: self.singular_of_plural.into_iter().collect(),
            preference: self.preference,
        }
    }
}

impl DefaultRestMapper {
    /// Creates a builder with the preferred group versions in order.
    ///
    /// [`rest_mapping`](RestMapper::rest_mapping) without versions considers no others.
    pub fn builder(preference: impl IntoIterator<Item = GroupVersion>) -> DefaultRestMapperBuilder {
        DefaultRestMapperBuilder { preference: preference.into_iter().collect(), ..Default::default() }
    }

    /// Returns every name, plural or singular, that this mapper knows.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.kinds.names()
    }

    /// Returns every kind that this mapper knows.
    pub(super) fn group_kinds(&self) -> impl Iterator<Item = &GroupKind> {
        self.mappings.keys()
    }

    /// Returns the mappings that are wanted, or `None` when the search has no version to look at.
    fn select(&self, kind: &GroupKind, versions: &[&str]) -> Option<Vec<RestMapping>> {
        let known = self.mappings.get(kind).map_or(&[][..], Vec::as_slice);
        let in_version = |version: &str| known.iter().find(|mapping| mapping.kind.version == version);
        let mut named =
            versions.iter().filter(|version| !version.is_empty() && **version != INTERNAL).peekable();
        if named.peek().is_some() {
            return named.find_map(|version| in_version(version)).map(|mapping| vec![mapping.clone()]);
        }
        let mut preferred = self.preference.iter().filter(|place| place.group == kind.group).peekable();
        preferred.peek()?;
        Some(preferred.filter_map(|place| in_version(&place.version)).cloned().collect())
    }
}

impl RestMapper for DefaultRestMapper {
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, MapperError> {
        let kinds = self.kinds.select(&Query::new(resource)?);
        if kinds.is_empty() {
            return Err(MapperError::NoResourceMatch { partial: resource.clone() });
        }
        Ok(kinds)
    }

    fn resources_for(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<Vec<GroupVersionResource>, MapperError> {
        let query = Query::new(resource)?;
        let resources = self.resources.select(&query);
        if resources.is_empty() {
            return Err(MapperError::NoResourceMatch { partial: query.to_resource() });
        }
        Ok(resources)
    }

    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, MapperError> {
        let first = self.rest_mappings(kind, versions)?.into_iter().next();
        first.ok_or_else(|| MapperError::no_kind_match(kind, versions))
    }

    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, MapperError> {
        let Some(mappings) = self.select(kind, versions) else {
            return Err(MapperError::no_kind_match(kind, versions));
        };
        if mappings.is_empty() {
            let partial = GroupVersionResource::new(kind.group.clone(), "", kind.kind.clone());
            return Err(MapperError::NoResourceMatch { partial });
        }
        Ok(mappings)
    }

    fn resource_singularizer(&self, resource: &str) -> Result<String, MapperError> {
        let resources = self.resources_for(&GroupVersionResource::new("", "", resource.to_owned()))?;
        let mut singulars = resources.iter().filter_map(|plural| self.singulars.get(plural));
        let first = singulars.find(|singular| !singular.is_empty());
        let Some(first) = first else {
            return Err(MapperError::NoSingular { resource: resource.to_owned() });
        };
        if singulars.any(|singular| singular.resource != first.resource) {
            return Err(MapperError::AmbiguousSingular { resource: resource.to_owned(), resources });
        }
        Ok(first.resource.clone().into_owned())
    }
}
