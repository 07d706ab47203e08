//! `rhumb scheme kinds`: lists kinds and their versions.

use std::collections::BTreeSet;

use anyhow::Result;
use rhumb_meta::{GroupVersionKind, INTERNAL};
use rhumb_scheme::{ConversionKind, Scheme};
use serde_json::{Value as Json, json};

use super::{catalogue, table};

/// A kind with its versions, the preferred one first, and how each converts to the hub.
pub(super) struct Kind {
    name: String,
    group: String,
    versions: Vec<(String, ConversionKind)>,
    /// Type of the hub, in Go's notation.
    hub: Option<String>,
}

/// Returns the kinds of one group or of all.
pub(super) fn find(scheme: &Scheme, group: Option<&str>) -> Result<Vec<Kind>> {
    if let Some(group) = group {
        catalogue::check_group(scheme, group)?;
    }
    let mut names: BTreeSet<(String, String)> = BTreeSet::new();
    for known in scheme.all_known_types() {
        if group.is_none_or(|group| known.gvk.group == group) && known.gvk.version != INTERNAL {
            names.insert((known.gvk.group.to_string(), known.gvk.kind.to_string()));
        }
    }
    let find = |(group, name): (String, String)| {
        let versions = scheme
            .prioritized_versions(&group)
            .iter()
            .map(|gv| gv.with_kind(name.clone()))
            .filter(|gvk| scheme.recognizes(gvk))
            .map(|gvk| (gvk.version.to_string(), scheme.conversion_kind(&gvk)))
            .collect();
        let hub = scheme.known_type(&GroupVersionKind::new(group.clone(), INTERNAL, name.clone()));
        let hub = hub.map(|known| format!("{}.{}", known.desc.version(), known.desc.name));
        Kind { name, group, versions, hub }
    };
    Ok(names.into_iter().map(find).collect())
}

/// Formats kinds as a table.
pub(super) fn lines(kinds: &[Kind]) -> String {
    let mut rows = vec![["KIND", "GROUP", "VERSIONS", "HUB"].map(str::to_owned).to_vec()];
    for kind in kinds {
        let version = |(name, conversion): &(String, ConversionKind)| match conversion {
            ConversionKind::Function => format!("{name}*"),
            _ => name.clone(),
        };
        let versions: Vec<String> = kind.versions.iter().map(version).collect();
        let hub = kind.hub.clone().unwrap_or_else(|| "-".to_owned());
        rows.push(vec![kind.name.clone(), kind.group.clone(), versions.join(","), hub]);
    }
    table(&rows) + "\n* converts through a function; the others share the hub's type\n"
}

/// Formats kinds as JSON.
pub(super) fn json(kinds: &[Kind]) -> Result<String> {
    let version = |(name, conversion): &(String, ConversionKind)| {
        let conversion = match conversion {
            ConversionKind::SameType => "SameType",
            ConversionKind::Function => "Function",
            ConversionKind::None => "None",
        };
        json!({"name": name, "conversion": conversion})
    };
    let kind = |kind: &Kind| {
        json!({
            "group": kind.group,
            "kind": kind.name,
            "versions": kind.versions.iter().map(version).collect::<Vec<Json>>(),
            "hub": kind.hub,
        })
    };
    Ok(serde_json::to_string_pretty(&kinds.iter().map(kind).collect::<Vec<Json>>())? + "\n")
}
