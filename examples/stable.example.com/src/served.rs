//! What a server serves of the group, and under which names.

use rhumb_api::resources::{Group, Resource, Subresource};
use rhumb_server::ApiGroup;

use crate::{GROUP, VERSIONS, install, v1};

/// The resources of the group.
pub static RESOURCES: Group = Group {
    name: GROUP,
    versions: VERSIONS,
    resources: &[Resource::namespaced("crontabs", "CronTab")
        .short(&["ct"])
        .categories(&["all"])
        .versions(VERSIONS)
        .with(&[Subresource::STATUS])],
};

/// The group as a server takes it.
pub fn group() -> ApiGroup {
    ApiGroup::new(&RESOURCES, install).columns::<v1::CronTab>()
}
