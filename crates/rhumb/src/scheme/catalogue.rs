//! Groups with their versions and kinds, from the Scheme or from a server's discovery.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use rhumb_api::resources::{ResourceTable, Served, storage_version_hash};
use rhumb_client::discovery::ServerResources;
use rhumb_meta::{GroupVersion, GroupVersionKind};
use rhumb_scheme::{ConversionKind, KnownType, Scheme, SchemeBuilder};

/// An API group with its versions in order of priority.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) versions: Vec<String>,
    /// Preferred version.
    pub(super) preferred: String,
    pub(super) kinds: Vec<Kind>,
}

/// A kind in the versions of its group.
pub(super) struct Kind {
    pub(super) name: String,
    /// One entry per version; `None` where the version lacks the kind.
    pub(super) versions: Vec<Option<InVersion>>,
}

/// State of a kind in one version.
#[derive(Clone, Copy)]
pub(super) struct InVersion {
    pub(super) conversion: ConversionKind,
    pub(super) is_served: bool,
    pub(super) is_stored: bool,
}

/// Filter for kinds of a version's own: neither meta kinds, which every version has, nor lists.
pub(super) struct OwnKinds(BTreeSet<String>);

impl OwnKinds {
    pub(super) fn new() -> Result<Self> {
        let gv = GroupVersion::new_static("", "v1");
        let mut builder = SchemeBuilder::new("");
        builder.add_to_group_version(&gv)?;
        let scheme = builder.freeze()?;
        Ok(OwnKinds(scheme.known_types(&gv).iter().map(|known| known.gvk.kind.to_string()).collect()))
    }

    pub(super) fn of<'a>(&self, scheme: &'a Scheme, gv: &GroupVersion) -> Vec<KnownType<'a>> {
        let is_list = |kind: &str| {
            kind.strip_suffix("List").is_some_and(|of| scheme.recognizes(&gv.with_kind(of.to_owned())))
        };
        let mut own = scheme.known_types(gv);
        own.retain(|known| !self.0.contains(&*known.gvk.kind) && !is_list(&known.gvk.kind));
        own
    }
}

/// Returns an error unless a group is registered.
pub(super) fn check_group(scheme: &Scheme, group: &str) -> Result<()> {
    if scheme.is_group_registered(group) {
        return Ok(());
    }
    let mut groups: Vec<String> =
        scheme.preferred_versions().iter().map(|gv| format!("{:?}", gv.group)).collect();
    groups.dedup();
    bail!("no group {group:?} is registered. Known are: {}", groups.join(", "))
}

/// Describes a registered group, with what `rhumb serve` serves and stores by default.
pub(super) fn registered(scheme: &Scheme, name: &str) -> Result<Group> {
    check_group(scheme, name)?;
    let own = OwnKinds::new()?;
    let (served, everything) = (ResourceTable::stable(), ResourceTable::everything());
    let versions = scheme.prioritized_versions(name);
    let preferred = versions.iter().find(|gv| served.in_version(gv).next().is_some()).or(versions.first());
    let names: BTreeSet<String> =
        versions.iter().flat_map(|gv| own.of(scheme, gv)).map(|known| known.gvk.kind.to_string()).collect();
    let in_version = |gvk: GroupVersionKind| {
        let below = |served: &Served| served.subresources().any(|below| served.kind_of(below) == gvk);
        scheme.recognizes(&gvk).then(|| InVersion {
            conversion: scheme.conversion_kind(&gvk),
            is_served: served.by_kind(&gvk).is_some() || served.iter().any(below),
            is_stored: everything.by_kind(&gvk).and_then(Served::storage_version)
                == Some(gvk.group_version()),
        })
    };
    let kinds = names.into_iter().map(|name| Kind {
        versions: versions.iter().map(|gv| in_version(gv.with_kind(name.clone()))).collect(),
        name,
    });
    Ok(Group {
        name: name.to_owned(),
        kinds: kinds.collect(),
        preferred: preferred.map(|gv| gv.version.to_string()).unwrap_or_default(),
        versions: versions.iter().map(|gv| gv.version.to_string()).collect(),
    })
}

/// Describes the groups that a server serves. How kinds convert is known for kinds in the Scheme only.
pub(super) fn served(scheme: &Scheme, found: &ServerResources, only: Option<&str>) -> Result<Vec<Group>> {
    let mut groups = Vec::new();
    for group in found.groups.groups.iter().filter(|group| only.is_none_or(|only| group.name == only)) {
        let versions: Vec<String> = group.versions.iter().map(|one| one.version.clone()).collect();
        let gv = |version: &str| GroupVersion::new(group.name.clone(), version.to_owned());
        let mut kinds: BTreeMap<String, Vec<Option<InVersion>>> = BTreeMap::new();
        for (at, version) in versions.iter().enumerate() {
            let resources = found.version(&gv(version)).map(|list| list.resources.as_slice());
            for resource in resources.unwrap_or_default() {
                // Subresources may have kinds of other groups.
                if !resource.group.is_empty() && resource.group != group.name {
                    continue;
                }
                let of_kind = |version: &str| gv(version).with_kind(resource.kind.clone());
                let row = kinds.entry(resource.kind.clone()).or_insert_with(|| vec![None; versions.len()]);
                let mut is_stored = |version: &String| {
                    storage_version_hash(&of_kind(version)) == resource.storage_version_hash
                };
                let stored = versions.iter().position(&mut is_stored);
                if let Some(slot) = row.get_mut(at) {
                    let was_stored = slot.is_some_and(|known| known.is_stored);
                    *slot = Some(InVersion {
                        conversion: scheme.conversion_kind(&of_kind(version)),
                        is_served: true,
                        is_stored: was_stored || stored == Some(at),
                    });
                }
            }
        }
        groups.push(Group {
            name: group.name.clone(),
            preferred: group.preferred_version.version.clone(),
            kinds: kinds.into_iter().map(|(name, versions)| Kind { name, versions }).collect(),
            versions,
        });
    }
    match only {
        Some(group) if groups.is_empty() => {
            let names: Vec<String> =
                found.groups.groups.iter().map(|one| format!("{:?}", one.name)).collect();
            bail!("the server has no group {group:?}. It has: {}", names.join(", "))
        }
        _ => Ok(groups),
    }
}
