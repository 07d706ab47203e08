//! `PriorityRestMapper`: chooses between several results by group and version.

use rhumb_meta::{GroupKind, GroupVersionKind, GroupVersionResource};

use super::{Choices, MapperError, RestMapper, RestMapping};

/// Wildcard in patterns.
pub const ANY: &str = "*";

/// Chooses one result where another mapper has several.
///
/// The patterns are applied one after the other, and each narrows the answers to those it matches. A pattern that
/// matches none is skipped. The search ends when one answer is left; when the patterns run out before that, the
/// name is ambiguous.
#[derive(Clone, Debug)]
pub struct PriorityRestMapper<M> {
    delegate: M,
    resources: Vec<GroupVersionResource>,
    kinds: Vec<GroupVersionKind>,
}

impl<M> PriorityRestMapper<M> {
    /// Creates a mapper that selects among `delegate`'s results by patterns, the most important first. [`ANY`] matches
    /// any part.
    pub fn new(delegate: M, resources: Vec<GroupVersionResource>, kinds: Vec<GroupVersionKind>) -> Self {
        Self { delegate, resources, kinds }
    }
}

impl<M: RestMapper> RestMapper for PriorityRestMapper<M> {
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, MapperError> {
        self.delegate.kinds_for(resource)
    }

    fn resources_for(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<Vec<GroupVersionResource>, MapperError> {
        self.delegate.resources_for(resource)
    }

    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, MapperError> {
        let mappings = self.delegate.rest_mappings(kind, versions)?;
        // The versions that the caller wants go before everything else.
        let wanted: Vec<GroupVersionKind> = versions
            .iter()
            .map(|version| GroupVersionKind::new(kind.group.clone(), (*version).to_owned(), ANY))
            .collect();
        let patterns = wanted.iter().chain(&self.kinds);
        narrow(mappings, patterns, |pattern, mapping| kind_matches(pattern, &mapping.kind)).map_err(
            |mappings| {
                let kinds = mappings.into_iter().map(|mapping| mapping.kind).collect();
                MapperError::ambiguous_kind(kind, kinds)
            },
        )
    }

    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, MapperError> {
        self.delegate.rest_mappings(kind, versions)
    }

    fn resource_singularizer(&self, resource: &str) -> Result<String, MapperError> {
        self.delegate.resource_singularizer(resource)
    }

    fn kind_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionKind, MapperError> {
        narrow(self.delegate.kinds_for(resource)?, &self.kinds, kind_matches).map_err(|kinds| {
            MapperError::AmbiguousResource { partial: resource.clone(), choices: Choices::Kinds(kinds) }
        })
    }

    fn resource_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionResource, MapperError> {
        narrow(self.delegate.resources_for(resource)?, &self.resources, resource_matches).map_err(
            |resources| MapperError::AmbiguousResource {
                partial: resource.clone(),
                choices: Choices::Resources(resources),
            },
        )
    }
}

/// Returns the one candidate that the patterns leave, or all candidates when they leave more.
fn narrow<'a, T, P: 'a>(
    mut candidates: Vec<T>,
    patterns: impl IntoIterator<Item = &'a P>,
    matches: impl Fn(&P, &T) -> bool,
) -> Result<T, Vec<T>> {
    let mut remaining: Vec<usize> = (0..candidates.len()).collect();
    for pattern in patterns {
        if remaining.len() == 1 {
            break;
        }
        let is_match =
            |index: &usize| candidates.get(*index).is_some_and(|candidate| matches(pattern, candidate));
        let matching: Vec<usize> = remaining.iter().copied().filter(is_match).collect();
        if !matching.is_empty() {
            remaining = matching;
        }
    }
    match remaining.as_slice() {
        [chosen] => Ok(candidates.swap_remove(*chosen)),
        _ => Err(candidates),
    }
}

fn part_matches(pattern: &str, part: &str) -> bool {
    pattern == ANY || pattern == part
}

fn resource_matches(pattern: &GroupVersionResource, resource: &GroupVersionResource) -> bool {
    part_matches(&pattern.group, &resource.group)
        && part_matches(&pattern.version, &resource.version)
        && part_matches(&pattern.resource, &resource.resource)
}

fn kind_matches(pattern: &GroupVersionKind, kind: &GroupVersionKind) -> bool {
    part_matches(&pattern.group, &kind.group)
        && part_matches(&pattern.version, &kind.version)
        && part_matches(&pattern.kind, &kind.kind)
}
