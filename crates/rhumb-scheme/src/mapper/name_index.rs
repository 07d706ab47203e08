//! Index from resource names to their meanings, with the rules for incomplete names.

use std::borrow::Cow;
use std::collections::HashMap;

use rhumb_meta::{GroupVersion, GroupVersionKind, GroupVersionResource, INTERNAL};

use super::MapperError;
use super::plural::lowercase;

/// A requested resource, normalised for comparison.
pub(super) struct Query<'a> {
    group: &'a str,
    version: &'a str,
    name: Cow<'a, str>,
}

impl<'a> Query<'a> {
    /// Prepares a lookup; there must be a name, whereas group and version may be missing.
    pub(super) fn new(resource: &'a GroupVersionResource) -> Result<Self, MapperError> {
        // Nobody registers the internal version, so it restricts nothing.
        let version = if resource.version == INTERNAL { "" } else { resource.version.as_ref() };
        let query = Self { group: &resource.group, version, name: lowercase(&resource.resource) };
        if query.name.is_empty() {
            return Err(MapperError::ResourceMissing { partial: query.to_resource() });
        }
        Ok(query)
    }

    /// Returns the name to look up, in lower case.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the resource as it was compared.
    pub(super) fn to_resource(&self) -> GroupVersionResource {
        GroupVersionResource::new(
            self.group.to_owned(),
            self.version.to_owned(),
            self.name.clone().into_owned(),
        )
    }
}

/// Result type of lookups.
pub(super) trait Answer: Clone + PartialEq {
    /// Returns group, version and name; results within a group version are ordered by name.
    fn parts(&self) -> (&str, &str, &str);
}

impl Answer for GroupVersionResource {
    fn parts(&self) -> (&str, &str, &str) {
        (&self.group, &self.version, &self.resource)
    }
}

impl Answer for GroupVersionKind {
    fn parts(&self) -> (&str, &str, &str) {
        (&self.group, &self.version, &self.kind)
    }
}

/// One meaning of a name, with the place where it is registered.
#[derive(Clone, Debug)]
struct Meaning<T> {
    place: GroupVersion,
    answer: T,
}

/// Names with their meanings in order of preference.
#[derive(Clone, Debug)]
pub(super) struct NameIndex<T>(HashMap<String, Vec<Meaning<T>>>);

impl<T: Answer> NameIndex<T> {
    /// Indexes registered names; the group versions in `preference` come first, in that order.
    pub(super) fn new(
        names: impl IntoIterator<Item = (GroupVersionResource, T)>,
        preference: &[GroupVersion],
    ) -> Self {
        let mut index: HashMap<String, Vec<Meaning<T>>> = HashMap::new();
        for (name, answer) in names {
            let place = name.group_version();
            index.entry(name.resource.into_owned()).or_default().push(Meaning { place, answer });
        }
        let rank = |group: &str, version: &str| {
            // A group version listed twice has the later rank.
            preference
                .iter()
                .rposition(|preferred| preferred.group == group && preferred.version == version)
                .unwrap_or(usize::MAX)
        };
        for meanings in index.values_mut() {
            meanings.sort_by(|left, right| {
                let (left, right) = (left.answer.parts(), right.answer.parts());
                (rank(left.0, left.1), left).cmp(&(rank(right.0, right.1), right))
            });
        }
        Self(index)
    }

    /// Returns all registered names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the distinct meanings of a name.
    pub(super) fn select(&self, query: &Query<'_>) -> Vec<T> {
        let Some(meanings) = self.0.get(query.name()) else { return Vec::new() };
        let within = |accept: &dyn Fn(&GroupVersion) -> bool| {
            let mut found: Vec<T> = Vec::new();
            for meaning in meanings {
                if accept(&meaning.place) && !found.contains(&meaning.answer) {
                    found.push(meaning.answer.clone());
                }
            }
            found
        };
        match (query.group, query.version) {
            ("", "") => within(&|_| true),
            ("", version) => within(&|place| place.version == version),
            (group, "") => {
                let exact = within(&|place| place.group == group);
                if exact.is_empty() { within(&|place| place.group.starts_with(group)) } else { exact }
            }
            (group, version) => {
                // A full name means one thing, even if two resources claim the same singular.
                let mut found = within(&|place| place.group == group && place.version == version);
                found.truncate(1);
                found
            }
        }
    }
}
