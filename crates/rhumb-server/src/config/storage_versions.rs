//! Which versions objects are stored in, where they are others than usual: `--storage-versions`.

use rhumb_api::resources::{ResourceTable, StorageVersionError};
use rhumb_meta::GroupResource;

use super::{Setting, Takes, parts};

pub(super) const VERSIONS: Setting = Setting {
    name: "storage-versions",
    takes: Takes::Values("RESOURCE.GROUP=VERSION,..."),
    help: "Storage version of a resource, such as horizontalpodautoscalers.autoscaling=v1; objects stored in other \
           versions stay readable [default: the preferred version]",
    apply: |options, value| options.storage_versions.add(value),
};

/// Versions for storage, by resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorageVersions {
    chosen: Vec<(GroupResource, String)>,
}

impl StorageVersions {
    /// Stores objects of a resource in a version. Of several for a resource the last one counts.
    pub fn choose(&mut self, resource: GroupResource, version: impl Into<String>) {
        self.chosen.push((resource, version.into()));
    }

    /// Adds what one flag says: pairs with commas between them.
    ///
    /// # Errors
    /// If a part is no pair of a resource and a version.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        for part in parts(text) {
            let (resource, version) = part
                .split_once('=')
                .filter(|(resource, version)| !resource.is_empty() && !version.is_empty())
                .ok_or_else(|| {
                    format!("{part:?} is not a resource and a version, as in deployments.apps=v1")
                })?;
            self.choose(GroupResource::parse(resource), version);
        }
        Ok(())
    }

    /// Notes the versions in a table.
    ///
    /// # Errors
    /// If the table has no such resource, or the resource no such version.
    pub fn apply(&self, table: &mut ResourceTable) -> Result<(), StorageVersionError> {
        self.chosen.iter().try_for_each(|(resource, version)| table.store_in(resource, version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_and_noted_in_the_table() {
        let mut versions = StorageVersions::default();
        versions.add("horizontalpodautoscalers.autoscaling=v1, deployments.apps=v1beta1").unwrap();
        versions.add("deployments.apps=v1beta2").unwrap();
        let mut table = ResourceTable::stable();
        versions.apply(&mut table).unwrap();
        let stored = |group: &str, plural: &str| {
            table
                .resource(&GroupResource::new(group.to_owned(), plural.to_owned()))
                .unwrap()
                .storage_version()
        };
        assert_eq!(stored("autoscaling", "horizontalpodautoscalers").unwrap().to_string(), "autoscaling/v1");
        assert_eq!(stored("apps", "deployments").unwrap().to_string(), "apps/v1beta2");
        for text in ["deployments.apps", "=v1", "deployments.apps="] {
            let refused = StorageVersions::default().add(text).unwrap_err();
            assert_eq!(
                refused,
                format!("{text:?} is not a resource and a version, as in deployments.apps=v1")
            );
        }
        let mut unknown = StorageVersions::default();
        unknown.add("pods=v9").unwrap();
        assert_eq!(unknown.apply(&mut table).unwrap_err().to_string(), "pods has no version v9");
    }
}
