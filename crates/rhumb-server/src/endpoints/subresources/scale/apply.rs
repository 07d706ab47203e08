//! Applying a configuration of a Scale: it is merged into the Scale that an object is shown as, beside the owners that
//! the object's number has, and both are carried over to the object.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use rhumb_api::autoscaling::v1::Scale;
use rhumb_codec::{Format, Strictness};
use rhumb_meta::v1::{ManagedFieldsEntry, PatchOptions};
use rhumb_meta::{FieldsV1, GroupVersionKind};
use rhumb_patch::apply::{self, FieldSet, OneVersion, Operation, PathElement, Type};
use rhumb_schema::RawJson;
use serde_json::Value as Json;

use super::{external, in_version, scale_of, scaled, shown, timeless};
use crate::base::failure::{Failure, Outcome};
use crate::endpoints::context::RequestContext;
use crate::endpoints::handlers::update::{Changed, check_patched};
use crate::endpoints::subresources::read_object;
use crate::registry::managed_fields;
use crate::registry::storage::Current;
use crate::registry::tree::tree_of;

/// Where a Scale has the number.
const OF_SCALE: [&str; 2] = ["spec", "replicas"];

/// What applying a configuration of a Scale makes of an object.
pub(super) fn apply(
    call: &mut RequestContext<'_>,
    current: &Current,
    kind: &GroupVersionKind,
    config: &Json,
    options: &PatchOptions,
) -> Outcome<Changed> {
    let endpoint = Arc::clone(&call.endpoint);
    let (own, api_version) = (endpoint.kind.api_version(), kind.api_version());
    let entries = current.hub.metadata().map(|meta| meta.managed_fields.clone()).unwrap_or_default();
    let number = Number { path: number_path(call, current)?, api_version: &own };
    let table = call.api.scheme.known_type(kind).map(|known| known.desc);
    let table = table.ok_or_else(|| Failure::internal("Scale is no known kind"))?;
    let nothing = in_version(call, kind, Scale::default())?;
    let through = apply::Endpoint {
        schema: Type::of(table),
        api_version: &api_version,
        kind: &kind.kind,
        subresource: "scale",
        empty: &tree_of(&*nothing),
        filters: &BTreeMap::new(),
        versions: &OneVersion,
    };
    let live = tree_of(&*external(call, kind, &*current.hub)?);
    let owners = number.owners_of_scale(&entries, &api_version);
    let force = options.force == Some(true);
    let now = call.api.environment.time();
    let applied = through
        .apply(&live, config, &owners, &options.field_manager, force, now)
        .map_err(|error| error.status())?;
    if !applied.changed {
        return Ok(Changed { hub: current.hub.clone_object(), based_on_current: true });
    }
    let text = applied.object.to_string();
    let mut object = read_object(call, text.as_bytes(), Format::Json, kind, &[], Strictness::Ignore)?;
    check_patched(call, &mut *object)?;
    let mut hub = scaled(call, current, &scale_of(&*object)?)?;
    let mut fields = Some(number.owners_of_object(&entries, applied.managed_fields));
    hub.edit_metadata(&mut |meta| meta.managed_fields = fields.take().unwrap_or_default());
    let names_revision = config.pointer("/metadata/resourceVersion").is_some();
    Ok(Changed { hub: timeless(hub), based_on_current: !names_revision })
}

/// Where objects of a kind have the number.
struct Number<'a> {
    path: Vec<PathElement>,
    /// The version that the path is of.
    api_version: &'a str,
}

impl Number<'_> {
    /// The owners of the number, as a Scale shows them.
    fn owners_of_scale(&self, entries: &[ManagedFieldsEntry], api_version: &str) -> Vec<ManagedFieldsEntry> {
        let owners = entries.iter().filter(|entry| fields_of(entry).is_some_and(|set| set.has(&self.path)));
        let shown = owners.map(|entry| ManagedFieldsEntry {
            api_version: api_version.to_owned(),
            fields_v1: Some(fields(&FieldSet::of_fields(&[&OF_SCALE]))),
            ..entry.clone()
        });
        shown.collect()
    }

    /// The owners of an object whose number is owned by others than before.
    fn owners_of_object(
        &self,
        entries: &[ManagedFieldsEntry],
        of_scale: Vec<ManagedFieldsEntry>,
    ) -> Vec<ManagedFieldsEntry> {
        // Who applied the Scale, by name and subresource, by which appliers are told apart.
        let mut appliers: HashMap<(&str, &str), usize> = HashMap::new();
        for (place, owner) in of_scale.iter().enumerate() {
            if owner.operation == Operation::Apply.as_str() {
                appliers.entry((owner.manager.as_str(), owner.subresource.as_str())).or_insert(place);
            }
        }
        let mut known = HashSet::new();
        let mut kept = Vec::with_capacity(entries.len() + 1);
        for entry in entries {
            let Some(mut set) = fields_of(entry).filter(|set| set.has(&self.path)) else {
                kept.push(entry.clone());
                continue;
            };
            // As in Kubernetes, who updated the object is somebody else than who updated it as a Scale, by version.
            if entry.operation == Operation::Apply.as_str()
                && let Some(place) = appliers.remove(&(entry.manager.as_str(), entry.subresource.as_str()))
            {
                known.insert(place);
                kept.push(entry.clone());
                continue;
            }
            set.subtract(&self.alone());
            if !set.is_empty() {
                kept.push(ManagedFieldsEntry { fields_v1: Some(fields(&set)), ..entry.clone() });
            }
        }
        let owns_number = |owner: &ManagedFieldsEntry| {
            fields_of(owner).is_some_and(|set| set.has(&OF_SCALE.map(PathElement::field)))
        };
        let others = of_scale.into_iter().enumerate().filter(|(place, _)| !known.contains(place));
        let further = others.map(|(_, owner)| owner).filter(owns_number).map(|owner| ManagedFieldsEntry {
            api_version: self.api_version.to_owned(),
            fields_v1: Some(fields(&self.alone())),
            time: None,
            ..owner
        });
        kept.extend(further);
        kept
    }

    fn alone(&self) -> FieldSet {
        let mut set = FieldSet::default();
        set.insert(self.path.iter().cloned());
        set
    }
}

fn fields_of(entry: &ManagedFieldsEntry) -> Option<FieldSet> {
    FieldSet::from_json(entry.fields_v1.as_ref()?.0.as_bytes()).ok()
}

fn fields(set: &FieldSet) -> FieldsV1 {
    FieldsV1(RawJson(set.to_json()))
}

/// Where objects of the kind keep the number: found by changing it, because only the kind knows.
fn number_path(call: &RequestContext<'_>, current: &Current) -> Outcome<Vec<PathElement>> {
    let mut scale = shown(call, &*current.hub)?;
    scale.spec.replicas = scale.spec.replicas.wrapping_add(1).max(1);
    let mut other = current.hub.clone_object();
    call.endpoint.model.set_scale(&mut *other, &scale);
    let before = managed_fields::tree(&call.endpoint, &*current.hub)?;
    let after = managed_fields::tree(&call.endpoint, &*other)?;
    let mut path = Vec::new();
    find_difference(&before, &after, &mut path);
    Ok(path)
}

fn find_difference(before: &Json, after: &Json, path: &mut Vec<PathElement>) {
    let (Json::Object(_), Json::Object(fields)) = (before, after) else { return };
    for (name, value) in fields {
        let old = before.get(name).unwrap_or(&Json::Null);
        if old != value {
            path.push(PathElement::field(name));
            return find_difference(old, value, path);
        }
    }
}
