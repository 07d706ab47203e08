//! `rhumb scheme kinds`.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use rhumb_meta::INTERNAL;
use rhumb_scheme::{ConversionKind, Scheme};

use super::table;

/// Every kind a line: its name, the group, its versions with the preferred one first, and how they reach the hub.
pub(super) fn list(scheme: &Scheme, group: Option<&str>) -> Result<String> {
    if let Some(group) = group
        && !scheme.is_group_registered(group)
    {
        let mut groups: Vec<String> =
            scheme.preferred_versions().iter().map(|gv| format!("{:?}", gv.group)).collect();
        groups.dedup();
        bail!("no group {group:?} is registered. Known are: {}", groups.join(", "));
    }
    let mut kinds: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for known in scheme.all_known_types() {
        if group.is_some_and(|group| known.gvk.group != group) || known.gvk.version == INTERNAL {
            continue;
        }
        kinds.entry((known.gvk.group.to_string(), known.gvk.kind.to_string())).or_default();
    }
    let mut rows = vec![["KIND", "GROUP", "VERSIONS", "HUB"].map(str::to_owned).to_vec()];
    for (group, kind) in kinds.keys() {
        let versions: Vec<String> = scheme
            .prioritized_versions(group)
            .iter()
            .filter(|gv| scheme.recognizes(&gv.with_kind(kind.clone())))
            .map(|gv| match scheme.conversion_kind(&gv.with_kind(kind.clone())) {
                ConversionKind::Function => format!("{}*", gv.version),
                _ => gv.version.to_string(),
            })
            .collect();
        let hub = rhumb_meta::GroupVersionKind::new(group.clone(), INTERNAL, kind.clone());
        let hub = scheme
            .known_type(&hub)
            .map_or_else(|| "-".to_owned(), |known| format!("{}.{}", known.desc.version(), known.desc.name));
        rows.push(vec![kind.clone(), group.clone(), versions.join(","), hub]);
    }
    Ok(table(&rows) + "\n* converts through a function; the others share the hub's type\n")
}
