//! Choosing the version to convert to.

use rhumb_meta::{GroupVersion, GroupVersionKind, GroupVersions, INTERNAL};

/// Picks the target kind of a conversion out of the kinds an object could have.
pub trait GroupVersioner {
    /// The kind to convert to, if the target has one for any of these.
    fn kind_for(&self, kinds: &[GroupVersionKind]) -> Option<GroupVersionKind>;
    /// A text that is equal for versioners that choose alike, for errors and caches.
    fn identifier(&self) -> String;
}

impl GroupVersioner for GroupVersion {
    fn kind_for(&self, kinds: &[GroupVersionKind]) -> Option<GroupVersionKind> {
        self.kind_for_group_version_kinds(kinds)
    }
    fn identifier(&self) -> String {
        GroupVersion::identifier(self)
    }
}

impl GroupVersioner for GroupVersions {
    fn kind_for(&self, kinds: &[GroupVersionKind]) -> Option<GroupVersionKind> {
        self.kind_for_group_version_kinds(kinds)
    }
    fn identifier(&self) -> String {
        GroupVersions::identifier(self)
    }
}

/// To the internal version, in whatever group the object has.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToInternal;

impl GroupVersioner for ToInternal {
    fn kind_for(&self, kinds: &[GroupVersionKind]) -> Option<GroupVersionKind> {
        let kind = kinds.iter().find(|kind| kind.version == INTERNAL).or(kinds.first())?;
        Some(GroupVersionKind::new(kind.group.clone(), INTERNAL, kind.kind.clone()))
    }
    fn identifier(&self) -> String {
        "internal".into()
    }
}

/// To the first of some versions whose group the object has; groups in `as_is` beyond those keep their version.
#[derive(Clone, Debug)]
pub struct ToGroups {
    /// The version to take.
    pub target: GroupVersion,
    /// Groups whose kinds are turned into the target's.
    pub accepted_groups: Vec<String>,
}

impl GroupVersioner for ToGroups {
    fn kind_for(&self, kinds: &[GroupVersionKind]) -> Option<GroupVersionKind> {
        let exact = kinds.iter().find(|kind| kind.group_version() == self.target);
        exact.cloned().or_else(|| {
            let kind = kinds.iter().find(|kind| self.accepted_groups.iter().any(|group| *group == kind.group))?;
            Some(self.target.with_kind(kind.kind.clone()))
        })
    }
    fn identifier(&self) -> String {
        format!("{}:{}", self.target.identifier(), self.accepted_groups.join(","))
    }
}
