//! Field managers: notes on every write whose fields are whose.

use super::tree::take_entries;
use std::collections::{BTreeMap, HashMap};

use rhumb_codec::Format;
use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_meta::{GroupVersionKind, Object};
use rhumb_patch::apply::{
    self, Applied, ApplyError, ConvertError, CreatedFields, FieldSet, Filter, RequestedFields, Versions,
};
use serde_json::Value as Json;

use crate::base::environment::Environment;
use crate::base::failure::{Failure, Outcome};
use crate::registry::{Endpoint, Model};

/// A write: to which endpoint, and the clock that its entries get their time from.
#[derive(Clone, Copy)]
pub(crate) struct Write<'a> {
    /// The endpoint.
    pub(crate) endpoint: &'a Endpoint,
    /// The clock.
    pub(crate) environment: &'a Environment,
}

/// What following the owners of fields needs of a resource in a version.
pub(crate) struct Followed {
    empty: Json,
    /// By subresource, the empty one for the object itself, and then by version.
    filters: HashMap<String, BTreeMap<String, Filter>>,
    /// The short way for new objects, if there is one.
    created: Option<CreatedFields>,
    /// Whether that way begins at the hub form of an object, and not at the form in which it came.
    from_hub: bool,
}

impl Followed {
    fn of(endpoint: &Endpoint) -> Self {
        let versions = endpoint.model.versions();
        let filters = |subresource: Option<&str>| -> BTreeMap<String, Filter> {
            let filter = |kind: &GroupVersionKind| {
                let paths = endpoint.model.reset_fields(kind, subresource);
                (!paths.is_empty()).then(|| (kind.api_version(), Filter::Exclude(FieldSet::of_fields(paths))))
            };
            versions.iter().filter_map(filter).collect()
        };
        let parts = endpoint.parts.iter().map(|part| (part.name.clone(), filters(Some(&part.name))));
        let own = filters(None);
        let empty = endpoint.model.empty_tree(&endpoint.kind);
        let hub_table = endpoint.model.hub_table(&endpoint.kind);
        let as_it_came = || {
            let table = endpoint.model.strategic(&endpoint.kind);
            table.filter(|_| endpoint.model.facts().same_fields)
        };
        let created = hub_table
            .or_else(as_it_came)
            .and_then(|table| CreatedFields::new(table, &empty, own.get(&endpoint.kind.api_version())));
        let from_hub = hub_table.is_some();
        let filters = std::iter::once((String::new(), own)).chain(parts).collect();
        Followed { empty, filters, created, from_hub }
    }
}

/// The versions of a kind.
struct Others<'a>(&'a dyn Model, &'a GroupVersionKind);

impl Others<'_> {
    fn kind(&self, api_version: &str) -> GroupVersionKind {
        GroupVersionKind::from_api_version_and_kind(api_version, &self.1.kind)
    }
}

impl Versions for Others<'_> {
    fn schema(&self, api_version: &str) -> Result<apply::Type<'_>, ConvertError> {
        self.0.apply_type(&self.kind(api_version)).ok_or(ConvertError::NoVersion)
    }

    fn convert(&self, object: &Json, api_version: &str) -> Result<Json, ConvertError> {
        let kind = self.kind(api_version);
        if self.0.apply_type(&kind).is_none() {
            return Err(ConvertError::NoVersion);
        }
        self.0.convert_tree(object, &kind).map_err(|failure| ConvertError::Failed(failure.to_string()))
    }
}

/// What a write does with an endpoint of server-side apply.
fn with_endpoint<T>(
    endpoint: &Endpoint,
    subresource: Option<&str>,
    act: impl FnOnce(&apply::Endpoint<'_>, &Followed) -> T,
) -> Option<T> {
    let followed = endpoint.followed.get_or_init(|| Followed::of(endpoint));
    let schema = endpoint.model.apply_type(&endpoint.kind)?;
    let api_version = endpoint.kind.api_version();
    let none = BTreeMap::new();
    let subresource = subresource.unwrap_or_default();
    let others = Others(&*endpoint.model, &endpoint.kind);
    let through = apply::Endpoint {
        schema,
        api_version: &api_version,
        kind: &endpoint.kind.kind,
        subresource,
        empty: &followed.empty,
        filters: followed.filters.get(subresource).unwrap_or(&none),
        versions: &others,
    };
    Some(act(&through, followed))
}

/// The entries of an object.
fn entries(object: &dyn Object) -> Vec<ManagedFieldsEntry> {
    object.metadata().map(|meta| meta.managed_fields.clone()).unwrap_or_default()
}

/// The tree of an object in the endpoint's version, without its entries.
pub(crate) fn tree(endpoint: &Endpoint, hub: &dyn Object) -> Outcome<Json> {
    endpoint.model.tree(hub, &endpoint.kind)
}

/// Whether a body asks to forget who set which fields, by an empty list that an object can't tell from none.
pub(crate) fn asks_reset(object: &dyn Object, body: &[u8], format: Format) -> bool {
    let named = body.windows(13).any(|window| window == b"managedFields");
    if !named || format == Format::Protobuf || !entries(object).is_empty() {
        return false;
    }
    let mut json = Vec::new();
    let text = match format {
        Format::Yaml => {
            let options = rhumb_codec::yaml::ReadOptions::default();
            if rhumb_codec::yaml::to_json(body, &options, &mut json).is_err() {
                return false;
            }
            json.as_slice()
        }
        _ => body,
    };
    let tree = rhumb_schema::text::parse_tree(text).unwrap_or_default();
    tree.pointer("/metadata/managedFields").is_some_and(Json::is_array)
}

/// A new object, whose fields belong to who made it.
pub(crate) fn created(write: Write<'_>, hub: Box<dyn Object>, manager: &str) -> Outcome<Box<dyn Object>> {
    created_as(write, hub, manager, None)
}

/// The entries of a new object in the form in which it came, which gets its defaults for that; none if they can be
/// told from its hub form, or only the long way.
pub(crate) fn listed(
    write: Write<'_>,
    object: &mut dyn Object,
    manager: &str,
) -> Option<Vec<ManagedFieldsEntry>> {
    let endpoint = write.endpoint;
    let now = write.environment.time();
    with_endpoint(endpoint, None, |through, followed| {
        let short = followed.created.as_ref().filter(|_| !followed.from_hub)?;
        if !entries(object).is_empty() {
            return None;
        }
        endpoint.model.fill_in(object);
        through.create(short, &*object, manager, now)
    })?
}

/// Notes who made an object, whose entries may be known already.
pub(crate) fn created_as(
    write: Write<'_>,
    mut hub: Box<dyn Object>,
    manager: &str,
    known: Option<Vec<ManagedFieldsEntry>>,
) -> Outcome<Box<dyn Object>> {
    let endpoint = write.endpoint;
    let requested = take_entries(&mut *hub);
    let now = write.environment.time();
    let compared = || -> Outcome<Vec<ManagedFieldsEntry>> {
        let new = tree(endpoint, &*hub)?;
        let fields = with_endpoint(endpoint, None, |through, followed| {
            through.update(&followed.empty, &new, &[], told(&requested, false), manager, now)
        });
        Ok(fields.unwrap_or_default())
    };
    let listed = || {
        with_endpoint(endpoint, None, |through, followed| {
            let short = followed.created.as_ref().filter(|_| requested.is_empty() && followed.from_hub)?;
            through.create(short, &*hub, manager, now)
        })
        .flatten()
    };
    let fields = match known.or_else(listed) {
        Some(fields) => {
            debug_assert!(
                compared().is_ok_and(|compared| same_but_times(&compared, &fields)),
                "the fields of a new {} are listed otherwise than compared",
                endpoint.kind
            );
            fields
        }
        None => compared()?,
    };
    set(&mut *hub, fields);
    Ok(hub)
}

/// Whether entries say the same, though not at the same time.
fn same_but_times(some: &[ManagedFieldsEntry], others: &[ManagedFieldsEntry]) -> bool {
    let timeless = |entry: &ManagedFieldsEntry| ManagedFieldsEntry { time: None, ..entry.clone() };
    some.iter().map(timeless).eq(others.iter().map(timeless))
}

fn told(entries: &[ManagedFieldsEntry], reset: bool) -> RequestedFields<'_> {
    match entries {
        [] if reset => RequestedFields::Reset,
        [] => RequestedFields::Absent,
        entries => RequestedFields::Entries(entries),
    }
}

fn set(hub: &mut dyn Object, fields: Vec<ManagedFieldsEntry>) {
    let mut fields = Some(fields);
    hub.edit_metadata(&mut |meta| meta.managed_fields = fields.take().unwrap_or_default());
}

/// A changed object, whose changed fields belong to who changed them.
pub(crate) fn updated(
    write: Write<'_>,
    mut new: Box<dyn Object>,
    old: &dyn Object,
    manager: &str,
    subresource: Option<&str>,
    reset: bool,
) -> Outcome<Box<dyn Object>> {
    let endpoint = write.endpoint;
    let requested = take_entries(&mut *new);
    let metadata = old.metadata();
    let live = metadata.as_deref().map(|metadata| metadata.managed_fields.as_slice()).unwrap_or_default();
    let (old_tree, new_tree) = (tree(endpoint, old)?, tree(endpoint, &*new)?);
    let now = write.environment.time();
    let mut fields = with_endpoint(endpoint, subresource, |through, _| {
        through.update(&old_tree, &new_tree, live, told(&requested, reset), manager, now)
    })
    .unwrap_or_default();
    if same(&old_tree, &new_tree) {
        apply::keep_times(live, &mut fields);
    }
    set(&mut *new, fields);
    Ok(new)
}

/// Whether two objects differ in nothing but the revision.
fn same(old: &Json, new: &Json) -> bool {
    fn without<'t>(tree: Option<&'t Json>, left_out: &str) -> impl Iterator<Item = (&'t String, &'t Json)> {
        tree.and_then(Json::as_object).into_iter().flatten().filter(move |(name, _)| *name != left_out)
    }
    without(Some(old), "metadata").eq(without(Some(new), "metadata"))
        && without(old.get("metadata"), "resourceVersion").eq(without(new.get("metadata"), "resourceVersion"))
}

/// What applying a configuration to an object gives, or why it can't be applied; to none, if there is no object yet.
pub(crate) fn applied(
    write: Write<'_>,
    old: Option<&dyn Object>,
    config: &Json,
    manager: &str,
    force: bool,
    subresource: Option<&str>,
) -> Outcome<Result<Applied, ApplyError>> {
    let endpoint = write.endpoint;
    let live = old.map(|old| tree(endpoint, old)).transpose()?;
    let fields = old.map(entries).unwrap_or_default();
    let now = write.environment.time();
    let applied = with_endpoint(endpoint, subresource, |through, followed| {
        through.apply(live.as_ref().unwrap_or(&followed.empty), config, &fields, manager, force, now)
    });
    applied.ok_or_else(|| Failure::internal("the kind has no fields to apply"))
}
