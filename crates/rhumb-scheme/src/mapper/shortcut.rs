//! Short names of resources, such as `deploy` and `svc`.

use std::collections::HashMap;
use std::fmt;

use rhumb_meta::{GroupKind, GroupResource, GroupVersionKind, GroupVersionResource};

use super::quote::Quoted;
use super::{MapperError, RestMapper, RestMapping};

/// Short names of a server's resources, in the order of its groups.
#[derive(Clone, Debug, Default)]
pub struct Shortcuts {
    /// The groups in which a name is a plural or a singular.
    full_names: HashMap<String, Vec<String>>,
    /// The resources that a short name stands for, the most wanted first.
    short_names: HashMap<String, Vec<GroupResource>>,
}

/// Result of expanding a short name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// The name to look up.
    pub resource: GroupVersionResource,
    /// Resources with the same short name that lost.
    pub shadowed: Vec<GroupResource>,
}

impl Shortcuts {
    /// Records that `name` is a plural or a singular in `group`; such a name is never replaced.
    pub(super) fn add_full_name(&mut self, group: &str, name: &str) {
        let groups = self.full_names.entry(name.to_owned()).or_default();
        if !groups.iter().any(|known| known == group) {
            groups.push(group.to_owned());
        }
    }

    /// Records a short name.
    pub(super) fn add_short_name(&mut self, short: &str, resource: GroupResource) {
        let resources = self.short_names.entry(short.to_owned()).or_default();
        if !resources.contains(&resource) {
            resources.push(resource);
        }
    }

    /// Expands a short name; other names are returned unchanged.
    ///
    /// A group restricts the search to resources of that group, or, if it has none, to groups that begin so.
    pub fn expand(&self, resource: &GroupVersionResource) -> Expansion {
        let name = resource.resource.as_ref();
        let unchanged = || Expansion { resource: resource.clone(), shadowed: Vec::new() };
        let wanted = |group: &str| resource.group.is_empty() || resource.group == group;
        if self.full_names.get(name).is_some_and(|groups| groups.iter().any(|group| wanted(group))) {
            return unchanged();
        }
        let Some(candidates) = self.short_names.get(name) else { return unchanged() };
        let mut matching = candidates.iter().filter(|candidate| wanted(&candidate.group));
        if let Some(first) = matching.next() {
            // The version is dropped: the short name may belong to a resource that isn't served in it.
            return Expansion { resource: first.with_version(""), shadowed: matching.cloned().collect() };
        }
        let by_prefix =
            candidates.iter().find(|candidate| candidate.group.starts_with(resource.group.as_ref()));
        by_prefix.map_or_else(unchanged, |found| Expansion {
            resource: found.with_version(resource.version.clone()),
            shadowed: Vec::new(),
        })
    }
}

/// Receives warnings about ambiguous choices.
type WarningHandler = Box<dyn Fn(&str) + Send + Sync>;

/// Mapper that also resolves short names.
pub struct ShortcutExpander<M> {
    delegate: M,
    shortcuts: Shortcuts,
    warning_handler: Option<WarningHandler>,
}

impl<M> ShortcutExpander<M> {
    /// Creates a mapper that expands short names before it queries `delegate`.
    pub fn new(delegate: M, shortcuts: Shortcuts) -> Self {
        Self { delegate, shortcuts, warning_handler: None }
    }

    /// Sets a function for warnings about ambiguous short names.
    pub fn on_warning(mut self, handler: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.warning_handler = Some(Box::new(handler));
        self
    }

    fn expand(&self, resource: &GroupVersionResource) -> GroupVersionResource {
        let expansion = self.shortcuts.expand(resource);
        if let Some(handler) = &self.warning_handler {
            for shadowed in &expansion.shadowed {
                handler(&format!(
                    "short name {} could also match lower priority resource {shadowed}",
                    Quoted(&resource.resource)
                ));
            }
        }
        expansion.resource
    }
}

impl<M: fmt::Debug> fmt::Debug for ShortcutExpander<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShortcutExpander")
            .field("delegate", &self.delegate)
            .field("shortcuts", &self.shortcuts)
            .finish_non_exhaustive()
    }
}

impl<M: RestMapper> RestMapper for ShortcutExpander<M> {
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, MapperError> {
        self.delegate.kinds_for(&self.expand(resource))
    }

    fn resources_for(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<Vec<GroupVersionResource>, MapperError> {
        self.delegate.resources_for(&self.expand(resource))
    }

    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, MapperError> {
        self.delegate.rest_mapping(kind, versions)
    }

    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, MapperError> {
        self.delegate.rest_mappings(kind, versions)
    }

    fn resource_singularizer(&self, resource: &str) -> Result<String, MapperError> {
        let expanded = self.expand(&GroupVersionResource::new("", "", resource.to_owned()));
        self.delegate.resource_singularizer(&expanded.resource)
    }

    fn kind_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionKind, MapperError> {
        self.delegate.kind_for(&self.expand(resource))
    }

    fn resource_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionResource, MapperError> {
        self.delegate.resource_for(&self.expand(resource))
    }
}
