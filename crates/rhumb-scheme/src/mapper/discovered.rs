//! `DiscoveryRestMapper`: mapper of what a server serves.

use std::collections::HashMap;

use rhumb_meta::{GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource};

use super::multi::{all_mappings, single_mapping, union};
use super::name_index::Query;
use super::plural::lowercase;
use super::{DefaultRestMapper, MapperError, PriorityRestMapper, RestMapper, RestMapping};

/// Mapper made from discovery documents by [`Discovery::rest_mapper`](super::Discovery::rest_mapper).
///
/// Where a name is found in several places, the legacy `v1` goes first, then the groups in the order in which the
/// server lists them, each with its preferred version before the others.
#[derive(Clone, Debug)]
pub struct DiscoveryRestMapper {
    inner: PriorityRestMapper<Versions>,
}

/// One mapper per group version.
///
/// Lookups go by group version, as if each mapper were asked in turn: a group that is exact in one place may well
/// be a prefix in another. The two maps say which of the mappers have anything to answer.
#[derive(Clone, Debug, Default)]
struct Versions {
    members: Vec<DefaultRestMapper>,
    by_name: HashMap<String, Vec<usize>>,
    by_kind: HashMap<GroupKind, Vec<usize>>,
}

impl DiscoveryRestMapper {
    /// Puts mappers of one group version each together; `order` lists the group versions by importance.
    pub(super) fn new(members: Vec<DefaultRestMapper>, order: &[GroupVersion]) -> Self {
        let mut versions = Versions::default();
        for (position, member) in members.iter().enumerate() {
            for name in member.names() {
                versions.by_name.entry(name.to_owned()).or_default().push(position);
            }
            for kind in member.group_kinds() {
                versions.by_kind.entry(kind.clone()).or_default().push(position);
            }
        }
        versions.members = members;
        let resources = order.iter().map(|place| place.with_resource(super::ANY)).collect();
        let kinds = order.iter().map(|place| place.with_kind(super::ANY)).collect();
        Self { inner: PriorityRestMapper::new(versions, resources, kinds) }
    }
}

impl Versions {
    fn at<'a>(&'a self, positions: Option<&'a Vec<usize>>) -> impl Iterator<Item = &'a DefaultRestMapper> {
        positions.into_iter().flatten().filter_map(|position| self.members.get(*position))
    }

    fn knowing_name(&self, name: &str) -> impl Iterator<Item = &DefaultRestMapper> {
        self.at(self.by_name.get(name))
    }

    fn knowing_kind(&self, kind: &GroupKind) -> impl Iterator<Item = &DefaultRestMapper> {
        self.at(self.by_kind.get(kind))
    }
}

impl RestMapper for Versions {
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, MapperError> {
        let query = Query::new(resource)?;
        union(self.knowing_name(query.name()), resource, |member| member.kinds_for(resource))
    }

    fn resources_for(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<Vec<GroupVersionResource>, MapperError> {
        let query = Query::new(resource)?;
        union(self.knowing_name(query.name()), resource, |member| member.resources_for(resource))
    }

    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, MapperError> {
        single_mapping(self.knowing_kind(kind), kind, versions)
    }

    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, MapperError> {
        all_mappings(self.knowing_kind(kind), kind, versions)
    }

    fn resource_singularizer(&self, resource: &str) -> Result<String, MapperError> {
        let name = lowercase(resource);
        let found = self.knowing_name(&name).find_map(|member| member.resource_singularizer(resource).ok());
        match (found, self.members.last()) {
            (Some(singular), _) => Ok(singular),
            // Whoever is asked last tells why there is no answer.
            (None, Some(last)) => last.resource_singularizer(resource),
            (None, None) => Err(MapperError::NoSingular { resource: resource.to_owned() }),
        }
    }
}

impl RestMapper for DiscoveryRestMapper {
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, MapperError> {
        self.inner.kinds_for(resource)
    }

    fn resources_for(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<Vec<GroupVersionResource>, MapperError> {
        self.inner.resources_for(resource)
    }

    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, MapperError> {
        self.inner.rest_mapping(kind, versions)
    }

    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, MapperError> {
        self.inner.rest_mappings(kind, versions)
    }

    fn resource_singularizer(&self, resource: &str) -> Result<String, MapperError> {
        self.inner.resource_singularizer(resource)
    }

    fn kind_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionKind, MapperError> {
        self.inner.kind_for(resource)
    }

    fn resource_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionResource, MapperError> {
        self.inner.resource_for(resource)
    }
}
