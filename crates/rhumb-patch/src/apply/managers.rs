//! Managers of an object: reads and writes `metadata.managedFields`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_meta::{FieldsV1, Time};
use rhumb_schema::text::{quoted, write_str};
use rhumb_schema::{RawJson, budget};

use super::fields_v1::FieldsError;
use super::set::FieldSet;

/// Maximum number of updaters with entries of their own; older ones share one entry.
const MAX_UPDATERS: usize = 10;
/// Manager of the shared entry.
const OLD_UPDATES: &str = "ancient-changes";

/// Operation of a manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Server-side apply.
    Apply,
    /// Any other write.
    Update,
}

impl Operation {
    /// Returns the value of the field.
    pub fn as_str(self) -> &'static str {
        match self {
            Operation::Apply => "Apply",
            Operation::Update => "Update",
        }
    }
}

/// Identity of a manager. The version is part of an updater's identity but not of an applier's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ManagerId {
    pub(super) name: String,
    pub(super) operation: Operation,
    /// Empty for appliers.
    pub(super) version: String,
    pub(super) subresource: String,
}

impl ManagerId {
    pub(super) fn new(name: &str, operation: Operation, version: &str, subresource: &str) -> Self {
        ManagerId {
            name: if name.is_empty() { "unknown" } else { name }.to_owned(),
            operation,
            version: if operation == Operation::Apply { "" } else { version }.to_owned(),
            subresource: subresource.to_owned(),
        }
    }

    /// Returns the text by which Kubernetes sorts managers.
    pub(super) fn sort_key(&self) -> Vec<u8> {
        let mut out = vec![b'{'];
        let fields = [
            ("manager", self.name.as_str()),
            ("operation", self.operation.as_str()),
            ("apiVersion", self.version.as_str()),
            ("subresource", self.subresource.as_str()),
        ];
        for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
            if out.len() > 1 {
                out.push(b',');
            }
            write_str(name, &mut out);
            out.push(b':');
            write_str(value, &mut out);
        }
        out.push(b'}');
        out
    }
}

/// A manager with its fields.
#[derive(Clone, Debug)]
pub(super) struct Manager {
    pub(super) id: ManagerId,
    /// The version its paths are named in.
    pub(super) version: String,
    pub(super) set: FieldSet,
    pub(super) time: Option<Time>,
}

/// Returns the entry of a manager, whose fields are given in their JSON form.
pub(super) fn entry(
    id: &ManagerId,
    version: &str,
    time: Option<Time>,
    fields: Vec<u8>,
) -> ManagedFieldsEntry {
    ManagedFieldsEntry {
        manager: id.name.clone(),
        operation: id.operation.as_str().to_owned(),
        api_version: version.to_owned(),
        time,
        fields_type: "FieldsV1".to_owned(),
        fields_v1: Some(FieldsV1(RawJson(fields))),
        subresource: id.subresource.clone(),
    }
}

/// Brings entries into their order: appliers first, then by time, those without one first, then by name, version and
/// subresource.
pub fn sort_entries(entries: &mut [ManagedFieldsEntry]) {
    let seconds = |entry: &ManagedFieldsEntry| entry.time.map_or(0, |time| time.unix_seconds());
    entries.sort_by(|a, b| {
        let operation = a.operation.cmp(&b.operation);
        operation
            .then_with(|| seconds(a).cmp(&seconds(b)))
            .then_with(|| a.manager.cmp(&b.manager))
            .then_with(|| a.api_version.cmp(&b.api_version))
            .then_with(|| a.subresource.cmp(&b.subresource))
    });
}

/// All managers of an object.
#[derive(Clone, Debug, Default)]
pub struct Managers {
    pub(super) all: Vec<Manager>,
}

/// Error of decoding an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManagersError {
    /// Unknown operation.
    Operation,
    /// Missing version.
    NoVersion,
    /// The entry at this place says in no form, or in one that is not known, how its fields are written.
    FieldsType(usize, String),
    /// Invalid fields.
    Fields(FieldsError),
}

impl fmt::Display for ManagersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ManagersError::Operation => f.write_str("operation must be `Apply` or `Update`"),
            ManagersError::NoVersion => f.write_str("apiVersion must not be empty"),
            ManagersError::FieldsType(at, name) if name.is_empty() => {
                write!(f, "missing fieldsType in managed fields entry {at}")
            }
            ManagersError::FieldsType(at, name) => {
                write!(f, "invalid fieldsType {} in managed fields entry {at}", quoted(name))
            }
            ManagersError::Fields(error) => write!(f, "error decoding set: {error}"),
        }
    }
}

impl std::error::Error for ManagersError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ManagersError::Fields(error) => Some(error),
            _ => None,
        }
    }
}

impl Managers {
    /// Reads the entries of an object.
    ///
    /// # Errors
    /// If one of them is not as the server writes them.
    pub fn decode(entries: &[ManagedFieldsEntry]) -> Result<Self, ManagersError> {
        let mut managers = Managers { all: Vec::with_capacity(entries.len() + 1) };
        let mut places = HashMap::with_capacity(entries.len());
        for (at, entry) in entries.iter().enumerate() {
            if budget::is_stopped() {
                break;
            }
            let operation = match entry.operation.as_str() {
                "Apply" => Operation::Apply,
                "Update" => Operation::Update,
                _ => return Err(ManagersError::Operation),
            };
            if entry.api_version.is_empty() {
                return Err(ManagersError::NoVersion);
            }
            if entry.fields_type != "FieldsV1" {
                return Err(ManagersError::FieldsType(at, entry.fields_type.clone()));
            }
            let json = entry.fields_v1.as_ref().map(|fields| fields.0.as_bytes()).unwrap_or_default();
            let set = FieldSet::from_json(json).map_err(ManagersError::Fields)?;
            let mut id = ManagerId::new(&entry.manager, operation, &entry.api_version, &entry.subresource);
            id.name.clone_from(&entry.manager);
            let version = if operation == Operation::Apply { "" } else { entry.api_version.as_str() };
            let place =
                places.entry((entry.manager.as_str(), operation, version, entry.subresource.as_str()));
            let place = *place.or_insert(managers.all.len());
            let manager = Manager { id, version: entry.api_version.clone(), set, time: entry.time };
            match managers.all.get_mut(place) {
                Some(known) => *known = manager,
                None => managers.all.push(manager),
            }
        }
        Ok(managers)
    }

    /// Writes the entries, in their order.
    pub fn encode(&self) -> Vec<ManagedFieldsEntry> {
        let entry =
            |manager: &Manager| entry(&manager.id, &manager.version, manager.time, manager.set.to_json());
        let mut entries: Vec<ManagedFieldsEntry> = self.all.iter().map(entry).collect();
        sort_entries(&mut entries);
        entries
    }

    /// Reports whether nobody owns anything, as far as is known.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the fields of a manager.
    pub fn fields(
        &self,
        name: &str,
        operation: Operation,
        version: &str,
        subresource: &str,
    ) -> Option<&FieldSet> {
        self.get(&ManagerId::new(name, operation, version, subresource)).map(|manager| &manager.set)
    }

    pub(super) fn get(&self, id: &ManagerId) -> Option<&Manager> {
        self.all.iter().find(|manager| manager.id == *id)
    }

    pub(super) fn get_mut(&mut self, id: &ManagerId) -> Option<&mut Manager> {
        self.all.iter_mut().find(|manager| manager.id == *id)
    }

    /// Puts a manager in the place of the one with its identity.
    pub(super) fn set(&mut self, manager: Manager) {
        match self.get_mut(&manager.id) {
            Some(known) => *known = manager,
            None => self.all.push(manager),
        }
    }

    /// Forgets those who own nothing.
    pub(super) fn drop_idle(&mut self) {
        self.all.retain(|manager| !manager.set.is_empty());
    }

    /// Merges the oldest updaters of a version until no more than ten are left.
    pub(super) fn cap(&mut self) {
        let all = self.all.iter().enumerate();
        let mut updaters: Vec<(i64, Vec<u8>, usize)> = all
            .filter(|(_, manager)| manager.id.operation == Operation::Update)
            .map(|(place, manager)| {
                let seconds = manager.time.map_or(0, |time| time.unix_seconds());
                (seconds, manager.id.sort_key(), place)
            })
            .collect();
        let mut count = updaters.len();
        if count <= MAX_UPDATERS {
            return;
        }
        updaters.sort();
        // By version, where the one is that the others are merged into, and those others.
        let bucket = |version: &str| ManagerId::new(OLD_UPDATES, Operation::Update, version, "");
        let mut buckets: HashMap<String, usize> = HashMap::new();
        for (_, _, place) in &updaters {
            if let Some(manager) = self.all.get(*place)
                && manager.id == bucket(&manager.id.version)
            {
                buckets.insert(manager.id.version.clone(), *place);
            }
        }
        let mut firsts: HashMap<String, usize> = HashMap::new();
        let mut merged: BTreeMap<usize, Vec<FieldSet>> = BTreeMap::new();
        let mut gone: HashSet<usize> = HashSet::new();
        for (_, _, place) in updaters {
            if count <= MAX_UPDATERS {
                break;
            }
            let Some(manager) = self.all.get_mut(place) else { continue };
            let version = manager.id.version.clone();
            let Some(first) = firsts.get(&version).copied() else {
                firsts.insert(version, place);
                continue;
            };
            count -= 1;
            let into = *buckets.entry(version).or_insert(first);
            if into == place {
                continue;
            }
            let (set, time) = (std::mem::take(&mut manager.set), manager.time);
            merged.entry(into).or_default().push(set);
            gone.insert(place);
            if let Some(into) = self.all.get_mut(into) {
                into.id = bucket(&into.id.version);
                into.time = time;
            }
        }
        for (into, sets) in merged {
            if let Some(into) = self.all.get_mut(into) {
                into.set = FieldSet::of_all(std::iter::once(&into.set).chain(&sets));
            }
        }
        let mut place = 0..;
        self.all.retain(|_| place.next().is_some_and(|place| !gone.contains(&place)));
    }
}
