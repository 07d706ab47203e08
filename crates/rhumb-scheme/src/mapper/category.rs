//! Categories of resources, such as `all`.

use std::collections::HashMap;

use rhumb_meta::GroupResource;

/// Categories with their resources.
///
/// A resource that is served in several versions is listed once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Categories {
    members: HashMap<String, Vec<GroupResource>>,
}

impl Categories {
    /// Returns the resources of a category, or `None` when there is no such category.
    pub fn expand(&self, category: &str) -> Option<&[GroupResource]> {
        self.members.get(category).map(Vec::as_slice)
    }

    /// Returns the names of all categories, sorted.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.members.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// Replaces the categories in a comma-separated list of resources by their members: `all,secrets` becomes
    /// `pods,deployments.apps,secrets`.
    pub fn replace_aliases(&self, text: &str) -> String {
        let replaced: Vec<String> = text
            .split(',')
            .map(|name| match self.expand(name) {
                Some(resources) => {
                    resources.iter().map(GroupResource::to_string).collect::<Vec<_>>().join(",")
                }
                None => name.to_owned(),
            })
            .collect();
        replaced.join(",")
    }
}

impl<N: Into<String>> FromIterator<(N, GroupResource)> for Categories {
    fn from_iter<I: IntoIterator<Item = (N, GroupResource)>>(pairs: I) -> Self {
        let mut categories = Self::default();
        categories.extend(pairs);
        categories
    }
}

impl<N: Into<String>> Extend<(N, GroupResource)> for Categories {
    fn extend<I: IntoIterator<Item = (N, GroupResource)>>(&mut self, pairs: I) {
        for (name, resource) in pairs {
            let members = self.members.entry(name.into()).or_default();
            if !members.contains(&resource) {
                members.push(resource);
            }
        }
    }
}
