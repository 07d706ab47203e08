//! Entry point of writes: an endpoint for a kind in a version, or for a subresource.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rhumb_meta::Time;
use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_schema::text::is_printable;
use serde_json::Value;

use super::check::Duplicates;
use super::conflict::ApplyError;
use super::filter::Filter;
use super::last_applied::{self, KUBECTL};
use super::managers::{Manager, ManagerId, Managers, Operation};
use super::schema::Type;
use super::set::FieldSet;
use super::updater::{Failure, Force, Updater, Versions};

/// Manager of fields that existed before the first apply.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";
/// Maximum length of a manager's name.
const MAX_NAME: usize = 128;

/// Paths that are never owned, because the server sets them or they are immutable.
pub(super) static STRIPPED: LazyLock<FieldSet> = LazyLock::new(|| {
    let mut set = FieldSet::of_fields(&[&["apiVersion"], &["kind"], &["metadata"]]);
    let metadata = [
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
    ];
    for name in metadata {
        set.unite(&FieldSet::of_fields(&[&["metadata", name]]));
    }
    set
});

/// A kind in a version, or a subresource of it.
///
/// Objects are given as trees in that version, best without `metadata.managedFields`: the entries stand
/// beside them, because a tree would lose their order. An object that does not exist yet is given as the
/// empty one.
#[derive(Clone, Copy)]
pub struct Endpoint<'a> {
    /// Schema of objects in this version.
    pub schema: Type<'a>,
    /// The version, `apps/v1`.
    pub api_version: &'a str,
    /// The kind.
    pub kind: &'a str,
    /// The subresource, empty for the object itself.
    pub subresource: &'a str,
    /// The tree of an object in which nothing is set: what a new object of the kind encodes to, or only its
    /// version and kind for a custom resource.
    pub empty: &'a Value,
    /// Fields that the strategy resets, by version.
    pub filters: &'a BTreeMap<String, Filter>,
    /// The other versions.
    pub versions: &'a dyn Versions,
}

/// Managed fields in a request.
#[derive(Clone, Copy, Debug)]
pub enum RequestedFields<'a> {
    /// Absent: those of the live object are kept.
    Absent,
    /// An empty list, which asks to forget them.
    Reset,
    /// These. One entry with nothing in it asks to forget them, too.
    Entries(&'a [ManagedFieldsEntry]),
}

/// Result of an apply.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The object, without managed fields and before defaults.
    pub object: Value,
    /// Managed fields of the result.
    pub managed_fields: Vec<ManagedFieldsEntry>,
    /// Whether there is anything to write. If not, the object keeps its resource version.
    pub changed: bool,
}

/// Returns the name of who sent a request: what it called itself, or the first part of its user agent.
pub fn manager_name(field_manager: &str, user_agent: &str) -> String {
    if !field_manager.is_empty() {
        return field_manager.to_owned();
    }
    let mut name = String::new();
    for character in user_agent.split('/').next().unwrap_or_default().chars() {
        if !is_printable(character) {
            continue;
        }
        if name.len() + character.len_utf8() > MAX_NAME {
            break;
        }
        name.push(character);
    }
    name
}

/// Keeps the times of the old entries in new ones if nothing but times is different, and says whether that is so. To
/// be asked when the rest of the object is equal, so that no write is made for a time alone.
pub fn keep_times(old: &[ManagedFieldsEntry], new: &mut [ManagedFieldsEntry]) -> bool {
    let same = |old: &ManagedFieldsEntry, new: &ManagedFieldsEntry| {
        old.manager == new.manager
            && old.operation == new.operation
            && old.api_version == new.api_version
            && old.fields_type == new.fields_type
            && old.fields_v1 == new.fields_v1
            && old.subresource == new.subresource
    };
    if old.len() != new.len() || !old.iter().zip(new.iter()).all(|(old, new)| same(old, new)) {
        return false;
    }
    for (old, new) in old.iter().zip(new) {
        new.time = old.time;
    }
    true
}

impl<'a> Endpoint<'a> {
    fn updater(&self) -> Updater<'a> {
        Updater { ty: self.schema, version: self.api_version, filters: self.filters, versions: self.versions }
    }

    /// Returns the managed fields of an object after a create, update or patch made it from the live one (the empty
    /// one if it is new). If they can't be told, there are none, as in Kubernetes: a write never fails for their sake.
    pub fn update(
        &self,
        live: &Value,
        new: &Value,
        live_fields: &[ManagedFieldsEntry],
        requested: RequestedFields<'_>,
        manager: &str,
        now: Time,
    ) -> Vec<ManagedFieldsEntry> {
        let mut managers = self.starting_point(live_fields, requested);
        let exists = text(live, "/metadata/uid").is_some_and(|uid| !uid.is_empty());
        if managers.is_empty() && exists {
            // Nobody was followed before, so following only this one would say too much about it.
            return Vec::new();
        }
        let shaped =
            |object| self.schema.is_table() || self.schema.check(object, Duplicates::Allowed).is_empty();
        if !shaped(new) || !shaped(live) {
            return Vec::new();
        }
        match self.track(live, new, &mut managers, manager, now) {
            Ok(()) => managers.encode(),
            Err(_) => Vec::new(),
        }
    }

    /// Returns the managers that hold before an update: those of the request, or else of the live object.
    fn starting_point(&self, live: &[ManagedFieldsEntry], requested: RequestedFields<'_>) -> Managers {
        let live = || Managers::decode(live).unwrap_or_default();
        match requested {
            _ if !self.subresource.is_empty() => live(),
            RequestedFields::Absent | RequestedFields::Entries([]) => live(),
            RequestedFields::Reset => Managers::default(),
            RequestedFields::Entries([entry]) if *entry == ManagedFieldsEntry::default() => {
                Managers::default()
            }
            RequestedFields::Entries(entries) => match Managers::decode(entries) {
                Ok(managers) if !managers.is_empty() => managers,
                _ => live(),
            },
        }
    }

    fn track(
        &self,
        live: &Value,
        new: &Value,
        managers: &mut Managers,
        manager: &str,
        now: Time,
    ) -> Result<(), Failure> {
        let mut set = self.updater().update(live, new, managers)?;
        set.subtract(&STRIPPED);
        if !set.is_empty() {
            let id = ManagerId::new(manager, Operation::Update, self.api_version, self.subresource);
            match managers.get_mut(&id) {
                Some(known) => {
                    known.set.unite(&set);
                    known.time = Some(now);
                }
                None => {
                    let version = self.api_version.to_owned();
                    managers.set(Manager { id, version, set, time: Some(now) });
                }
            }
        }
        managers.cap();
        Ok(())
    }

    /// Applies a configuration to the live object (the empty one if there is none).
    ///
    /// # Errors
    /// If the configuration is not one of this kind, or others own what it would change and `force` is not
    /// set.
    pub fn apply(
        &self,
        live: &Value,
        config: &Value,
        live_fields: &[ManagedFieldsEntry],
        manager: &str,
        force: bool,
        now: Time,
    ) -> Result<Applied, ApplyError> {
        let before = Managers::decode(live_fields)
            .map_err(|error| ApplyError::Failed(format!("failed to decode managed fields: {error}")))?;
        self.check_kind(config)?;
        let force = if force { Force::Yes } else { Force::No };
        let mut outcome = self.merge(live, config, &before, manager, force, now);
        if manager == KUBECTL
            && let Err(ApplyError::Conflicts(conflicts)) = &outcome
            && let Some(allowed) = last_applied::taken_over(&self.schema, self.api_version, live)
        {
            outcome = match last_applied::remaining(conflicts, &allowed) {
                Some(left) => Err(ApplyError::Conflicts(left)),
                None => self.merge(live, config, &before, manager, Force::Yes, now),
            };
        }
        let (merged, managers) = outcome?;
        let unchanged = merged.is_none();
        let mut object = merged.unwrap_or_else(|| live.clone());
        if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
            metadata.remove("managedFields");
        }
        if manager == KUBECTL {
            last_applied::refresh(&mut object, config);
        }
        let annotation = "/metadata/annotations";
        let changed = !unchanged || object.pointer(annotation) != live.pointer(annotation);
        let managed_fields = managers.encode();
        let changed = changed || managed_fields != live_fields;
        Ok(Applied { object, managed_fields, changed })
    }

    /// Returns the merged object, if it is another than the live one, and the managers.
    fn merge(
        &self,
        live: &Value,
        config: &Value,
        before: &Managers,
        manager: &str,
        force: Force,
        now: Time,
    ) -> Result<(Option<Value>, Managers), ApplyError> {
        let failed = |failure| match failure {
            Failure::Conflicts(conflicts) => ApplyError::Conflicts(conflicts),
            Failure::Other(message) => ApplyError::Failed(message),
        };
        let mut managers = before.clone();
        if managers.is_empty() {
            self.track(self.empty, live, &mut managers, BEFORE_FIRST_APPLY, now).map_err(failed)?;
        }
        if config.pointer("/metadata/managedFields").is_some_and(Value::is_array) {
            return Err(ApplyError::BadRequest("metadata.managedFields must be nil".to_owned()));
        }
        self.check_shape(config, "patch", Duplicates::Refused)?;
        if !self.schema.is_table() {
            self.check_shape(live, "live", Duplicates::Allowed)?;
        }
        let id = ManagerId::new(manager, Operation::Apply, self.api_version, self.subresource);
        let merged = self.updater().apply(live, config, &mut managers, &id, force).map_err(failed)?;
        if let Some(manager) = managers.get_mut(&id) {
            manager.set.subtract(&STRIPPED);
            if merged.is_some() {
                manager.time = Some(now);
            }
        }
        managers.drop_idle();
        Ok((merged, managers))
    }

    fn check_kind(&self, config: &Value) -> Result<(), ApplyError> {
        let (version, kind) = (text(config, "/apiVersion"), text(config, "/kind"));
        if version == Some(self.api_version) && kind == Some(self.kind) {
            return Ok(());
        }
        let kind = gvk(version.unwrap_or_default(), kind.unwrap_or_default());
        Err(ApplyError::BadRequest(format!("invalid object type: {kind}")))
    }

    fn check_shape(&self, object: &Value, what: &str, duplicates: Duplicates) -> Result<(), ApplyError> {
        let faults = self.schema.check(object, duplicates);
        if faults.is_empty() {
            return Ok(());
        }
        let namespace = text(object, "/metadata/namespace").unwrap_or_default();
        let name = text(object, "/metadata/name").unwrap_or_default();
        let kind = gvk(self.api_version, self.kind);
        let faults = faults.text();
        Err(ApplyError::Failed(format!(
            "failed to create typed {what} object ({namespace}/{name}; {kind}): {faults}"
        )))
    }

    /// Returns the part of an object that a manager applied through this endpoint, ready to be changed and applied
    /// again. `None` if it applied nothing.
    pub fn extract(&self, object: &Value, fields: &[ManagedFieldsEntry], manager: &str) -> Option<Value> {
        let entry = fields.iter().find(|entry| {
            entry.manager == manager && entry.operation == "Apply" && entry.subresource == self.subresource
        })?;
        let set = FieldSet::from_json(entry.fields_v1.as_ref()?.0.as_bytes()).ok()?;
        let mut part = self.schema.extract(object, &set.leaves());
        let fields = part.as_object_mut()?;
        fields.insert("apiVersion".to_owned(), self.api_version.into());
        fields.insert("kind".to_owned(), self.kind.into());
        Some(part)
    }
}

fn text<'v>(object: &'v Value, pointer: &str) -> Option<&'v str> {
    object.pointer(pointer)?.as_str()
}

/// Formats a version and kind as Kubernetes prints them.
fn gvk(api_version: &str, kind: &str) -> String {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    format!("{group}/{version}, Kind={kind}")
}
