//! Aggregated discovery, converted to the unaggregated form.

use std::sync::Arc;

use rhumb_meta::GroupVersion;
use rhumb_meta::apidiscovery::{v2, v2beta1};
use rhumb_meta::v1::GroupVersionKind;
use rhumb_meta::v1::{APIGroup, APIResource, APIResourceList, GroupVersionForDiscovery, Verbs};

use super::resources::{FailedVersion, VersionFailure};

/// Contents of one document.
#[derive(Debug, Default)]
pub(super) struct Split {
    pub(super) groups: Vec<APIGroup>,
    pub(super) resources: Vec<Arc<APIResourceList>>,
    pub(super) failed: Vec<FailedVersion>,
}

/// Returns the kind of a resource. Resources without one are dropped, as they can't be used.
fn kind(of: Option<&GroupVersionKind>) -> Option<&GroupVersionKind> {
    of.filter(|kind| !(kind.group.is_empty() && kind.version.is_empty() && kind.kind.is_empty()))
}

/// The two versions of the aggregated form differ in name only.
macro_rules! split {
    ($function:ident, $version:ident) => {
        pub(super) fn $function(document: &$version::APIGroupDiscoveryList) -> Split {
            let mut split = Split::default();
            for found in &document.items {
                let mut group = APIGroup { name: found.metadata.name.clone(), ..APIGroup::default() };
                for version in &found.versions {
                    let place = GroupVersion::new(group.name.clone(), version.version.clone());
                    if version.freshness == "Stale" {
                        split.failed.push(FailedVersion { version: place, failure: VersionFailure::Stale });
                        continue;
                    }
                    let name = GroupVersionForDiscovery {
                        group_version: place.to_string(),
                        version: version.version.clone(),
                    };
                    // The first that is not stale is the preferred one.
                    if group.versions.is_empty() {
                        group.preferred_version = name.clone();
                    }
                    group.versions.push(name);
                    let mut list = APIResourceList { group_version: place.to_string(), ..Default::default() };
                    for found in &version.resources {
                        let mut resource = APIResource {
                            name: found.resource.clone(),
                            singular_name: found.singular_resource.clone(),
                            namespaced: found.scope == "Namespaced",
                            verbs: Verbs(found.verbs.clone()),
                            short_names: found.short_names.clone(),
                            categories: found.categories.clone(),
                            ..APIResource::default()
                        };
                        if let Some(kind) = kind(found.response_kind.as_deref()) {
                            set_kind(&mut resource, kind);
                            list.resources.push(resource.clone());
                        }
                        for subresource in &found.subresources {
                            let Some(kind) = kind(subresource.response_kind.as_deref()) else { continue };
                            let mut below = APIResource {
                                name: format!("{}/{}", resource.name, subresource.subresource),
                                singular_name: resource.singular_name.clone(),
                                namespaced: resource.namespaced,
                                verbs: Verbs(subresource.verbs.clone()),
                                ..APIResource::default()
                            };
                            set_kind(&mut below, kind);
                            list.resources.push(below);
                        }
                    }
                    split.resources.push(Arc::new(list));
                }
                split.groups.push(group);
            }
            split
        }
    };
}

split!(split_v2, v2);
split!(split_v2beta1, v2beta1);

fn set_kind(resource: &mut APIResource, kind: &GroupVersionKind) {
    resource.group.clone_from(&kind.group);
    resource.version.clone_from(&kind.version);
    resource.kind.clone_from(&kind.kind);
}
