//! Combined mappers.

use std::sync::Arc;

use rhumb_meta::{GroupKind, GroupVersionKind, GroupVersionResource};

use super::{MapperError, RestMapper, RestMapping};

/// Queries all mappers and combines their results.
///
/// A mapper that finds nothing doesn't matter as long as another one does.
#[derive(Clone, Default)]
pub struct MultiRestMapper {
    members: Vec<Arc<dyn RestMapper>>,
}

/// Returns the first unambiguous result of several mappers.
///
/// Where several answers may come back, it does what [`MultiRestMapper`] does.
#[derive(Clone, Default)]
pub struct FirstHitRestMapper {
    all: MultiRestMapper,
}

impl MultiRestMapper {
    /// Creates a mapper that queries these in order.
    pub fn new(members: impl IntoIterator<Item = Arc<dyn RestMapper>>) -> Self {
        Self { members: members.into_iter().collect() }
    }
}

impl FirstHitRestMapper {
    /// Creates a mapper that queries these in order.
    pub fn new(members: impl IntoIterator<Item = Arc<dyn RestMapper>>) -> Self {
        Self { all: MultiRestMapper::new(members) }
    }

    /// Returns the first answer; or, when nobody has one, all reasons, unless all are the same: nothing was found.
    fn first<T>(
        &self,
        ask: impl Fn(&dyn RestMapper) -> Result<T, MapperError>,
        nobody: impl FnOnce() -> MapperError,
    ) -> Result<T, MapperError> {
        let mut errors = Vec::new();
        for member in &self.all.members {
            match ask(member) {
                Ok(answer) => return Ok(answer),
                Err(error) => errors.push(error),
            }
        }
        if errors.len() > 1 && !errors.iter().all(MapperError::is_no_match) {
            return Err(MapperError::Aggregate(errors));
        }
        Err(errors.into_iter().next().unwrap_or_else(nobody))
    }
}

impl RestMapper for MultiRestMapper {
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, MapperError> {
        union(&self.members, resource, |member| member.kinds_for(resource))
    }

    fn resources_for(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<Vec<GroupVersionResource>, MapperError> {
        union(&self.members, resource, |member| member.resources_for(resource))
    }

    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, MapperError> {
        single_mapping(&self.members, kind, versions)
    }

    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, MapperError> {
        all_mappings(&self.members, kind, versions)
    }

    fn resource_singularizer(&self, resource: &str) -> Result<String, MapperError> {
        let mut outcome = Err(MapperError::NoSingular { resource: resource.to_owned() });
        for member in &self.members {
            outcome = member.resource_singularizer(resource);
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }
}

impl RestMapper for FirstHitRestMapper {
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, MapperError> {
        self.all.kinds_for(resource)
    }

    fn resources_for(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<Vec<GroupVersionResource>, MapperError> {
        self.all.resources_for(resource)
    }

    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, MapperError> {
        self.first(
            |member| member.rest_mapping(kind, versions),
            || MapperError::no_kind_match(kind, versions),
        )
    }

    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, MapperError> {
        self.all.rest_mappings(kind, versions)
    }

    fn resource_singularizer(&self, resource: &str) -> Result<String, MapperError> {
        self.all.resource_singularizer(resource)
    }

    fn kind_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionKind, MapperError> {
        self.first(
            |member| member.kind_for(resource),
            || MapperError::NoResourceMatch { partial: resource.clone() },
        )
    }

    fn resource_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionResource, MapperError> {
        self.first(
            |member| member.resource_for(resource),
            || MapperError::NoResourceMatch { partial: resource.clone() },
        )
    }
}

/// Returns the answers of all members, each once and in the order they came.
pub(super) fn union<M, T: PartialEq>(
    members: impl IntoIterator<Item = M>,
    resource: &GroupVersionResource,
    ask: impl Fn(M) -> Result<Vec<T>, MapperError>,
) -> Result<Vec<T>, MapperError> {
    let mut all: Vec<T> = Vec::new();
    for member in members {
        match ask(member) {
            Ok(answers) => {
                for answer in answers {
                    if !all.contains(&answer) {
                        all.push(answer);
                    }
                }
            }
            Err(error) if error.is_no_match() => {}
            Err(error) => return Err(error),
        }
    }
    if all.is_empty() {
        return Err(MapperError::NoResourceMatch { partial: resource.clone() });
    }
    Ok(all)
}

/// Returns the mapping that exactly one member has.
pub(super) fn single_mapping<M: RestMapper>(
    members: impl IntoIterator<Item = M>,
    kind: &GroupKind,
    versions: &[&str],
) -> Result<RestMapping, MapperError> {
    let (found, errors) = ask_all(members, |member| member.rest_mapping(kind, versions));
    match super::only(found) {
        Ok(mapping) => Ok(mapping),
        Err(found) if !found.is_empty() => {
            let kinds = found.into_iter().map(|mapping| mapping.kind).collect();
            Err(MapperError::ambiguous_kind(kind, kinds))
        }
        Err(_) if errors.is_empty() => Err(MapperError::no_kind_match(kind, versions)),
        Err(_) => Err(MapperError::Aggregate(errors)),
    }
}

/// Returns the mappings of all members; a member that fails spoils the whole.
pub(super) fn all_mappings<M: RestMapper>(
    members: impl IntoIterator<Item = M>,
    kind: &GroupKind,
    versions: &[&str],
) -> Result<Vec<RestMapping>, MapperError> {
    let (found, errors) = ask_all(members, |member| member.rest_mappings(kind, versions));
    if !errors.is_empty() {
        return Err(MapperError::Aggregate(errors));
    }
    let found: Vec<RestMapping> = found.into_iter().flatten().collect();
    if found.is_empty() {
        return Err(MapperError::no_kind_match(kind, versions));
    }
    Ok(found)
}

/// Returns every member's answer, and every failure other than having found nothing.
fn ask_all<M, T>(
    members: impl IntoIterator<Item = M>,
    ask: impl Fn(M) -> Result<T, MapperError>,
) -> (Vec<T>, Vec<MapperError>) {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for member in members {
        match ask(member) {
            Ok(answer) => found.push(answer),
            Err(error) if error.is_no_match() => {}
            Err(error) => errors.push(error),
        }
    }
    (found, errors)
}
