//! Groups, versions and resources of a server, with failed versions.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use rhumb_meta::v1::{APIGroupList, APIResource, APIResourceList, APIVersions};
use rhumb_meta::{GroupResource, GroupVersion};
use rhumb_scheme::mapper::Discovery;

use crate::Error;

/// Result of discovery.
#[derive(Clone, Debug, Default)]
pub struct ServerResources {
    /// The groups in the server's order, the core group first. Versions whose resources are stale are not in them.
    pub groups: Arc<APIGroupList>,
    /// The resources and subresources of each version, in the order of the groups.
    pub resources: Vec<Arc<APIResourceList>>,
    /// The versions whose resources could not be had.
    pub failed: Vec<FailedVersion>,
}

/// A version whose resources are unavailable.
#[derive(Clone, Debug)]
pub struct FailedVersion {
    /// The group and version.
    pub version: GroupVersion,
    /// Why not.
    pub failure: VersionFailure,
}

/// Error of discovering a version.
#[derive(Clone, Debug)]
pub enum VersionFailure {
    /// The server behind it could not be reached; the API server knows only what it once had.
    Stale,
    /// The request for them failed.
    Request(Arc<Error>),
}

impl fmt::Display for FailedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.failure {
            VersionFailure::Stale => write!(f, "stale GroupVersion discovery: {}", self.version),
            VersionFailure::Request(error) => write!(f, "{error}"),
        }
    }
}

/// Error: the resources of some versions are unavailable.
#[derive(Clone, Debug)]
pub struct DiscoveryFailed(pub Vec<FailedVersion>);

impl fmt::Display for DiscoveryFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut texts: Vec<String> =
            self.0.iter().map(|failed| format!("{}: {failed}", failed.version)).collect();
        texts.sort();
        write!(f, "unable to retrieve the complete list of server APIs: {}", texts.join(", "))
    }
}

impl StdError for DiscoveryFailed {}

impl ServerResources {
    /// Returns an error about failed versions, if any. The rest is available.
    pub fn failure(&self) -> Option<DiscoveryFailed> {
        (!self.failed.is_empty()).then(|| DiscoveryFailed(self.failed.clone()))
    }

    /// Returns the resources of a version.
    pub fn version(&self, version: &GroupVersion) -> Option<&Arc<APIResourceList>> {
        let name = version.to_string();
        self.resources.iter().find(|list| list.group_version == name)
    }

    /// Returns each resource in its preferred version, or in the first that has it, without subresources.
    pub fn preferred(&self) -> Vec<APIResourceList> {
        let mut lists: Vec<APIResourceList> = Vec::new();
        // Where a resource was put, so that it can be moved to the preferred version.
        let mut chosen: HashMap<GroupResource, (usize, &APIResource)> = HashMap::new();
        let mut order: Vec<GroupResource> = Vec::new();
        for group in &self.groups.groups {
            for version in &group.versions {
                let Some(list) =
                    self.resources.iter().find(|list| list.group_version == version.group_version)
                else {
                    continue;
                };
                let place = lists.len();
                lists.push(APIResourceList {
                    group_version: version.group_version.clone(),
                    ..Default::default()
                });
                let is_preferred = version.version == group.preferred_version.version;
                for resource in list.resources.iter().filter(|resource| !resource.name.contains('/')) {
                    let name = GroupResource::new(group.name.clone(), resource.name.clone());
                    let is_new = !chosen.contains_key(&name);
                    if is_new {
                        order.push(name.clone());
                    }
                    if is_new || is_preferred {
                        chosen.insert(name, (place, resource));
                    }
                }
            }
        }
        for name in order {
            if let Some((place, resource)) = chosen.get(&name)
                && let Some(list) = lists.get_mut(*place)
            {
                list.resources.push((*resource).clone());
            }
        }
        lists
    }

    /// Converts the result for mappers, short names and categories.
    pub fn to_discovery(&self) -> Discovery {
        let resources: Vec<APIResourceList> = self.resources.iter().map(|list| (**list).clone()).collect();
        // The core group is among the groups here.
        Discovery::from_documents(&APIVersions::default(), &self.groups, &resources)
    }
}
