//! Updates of managed fields and of the object by writes and applies.
//!
//! Managers name their fields in the version they used. What changed is therefore looked at once in every
//! version that a manager has; managers of versions that are no longer served are forgotten.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use rhumb_schema::budget;
use serde_json::Value;

use super::compare::Comparison;
use super::conflict::{Conflict, Conflicts};
use super::filter::Filter;
use super::items::same;
use super::managers::{Manager, ManagerId, Managers};
use super::schema::Type;
use super::set::FieldSet;

/// Served versions of a kind.
pub trait Versions {
    /// Returns the schema of a version.
    ///
    /// # Errors
    /// [`ConvertError::NoVersion`] if the version is not served and its managers are to be forgotten, as with
    /// the built-in kinds. Any other error fails the whole request, as with custom resources in Kubernetes.
    fn schema(&self, api_version: &str) -> Result<Type<'_>, ConvertError>;

    /// Returns the object as a version has it.
    ///
    /// # Errors
    /// If the version is not served, or the object has no form in it.
    fn convert(&self, object: &Value, api_version: &str) -> Result<Value, ConvertError>;
}

/// Error of converting an object to a version.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConvertError {
    /// The version is not served.
    NoVersion,
    /// The conversion failed, in these words.
    Failed(String),
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::NoVersion => f.write_str("the version is not served"),
            ConvertError::Failed(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ConvertError {}

/// Versions of a kind with only one.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneVersion;

impl Versions for OneVersion {
    fn schema(&self, _: &str) -> Result<Type<'_>, ConvertError> {
        Err(ConvertError::NoVersion)
    }

    fn convert(&self, _: &Value, _: &str) -> Result<Value, ConvertError> {
        Err(ConvertError::NoVersion)
    }
}

/// Error of updating managers.
#[derive(Debug)]
pub(super) enum Failure {
    Conflicts(Conflicts),
    Other(String),
}

/// Whether conflicts are forced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Force {
    Yes,
    No,
}

/// Context of a write.
#[derive(Clone, Copy)]
pub(super) struct Updater<'a> {
    pub(super) ty: Type<'a>,
    pub(super) version: &'a str,
    pub(super) filters: &'a BTreeMap<String, Filter>,
    pub(super) versions: &'a dyn Versions,
}

/// An object in one version.
#[derive(Clone)]
struct Versioned<'v> {
    tree: Cow<'v, Value>,
    version: String,
}

fn other(context: &str, error: impl fmt::Display) -> Failure {
    Failure::Other(format!("{context}: {error}"))
}

impl<'a> Updater<'a> {
    /// Returns the schema of a version; `None` if it is not served.
    fn schema(&self, version: &str) -> Result<Option<Type<'a>>, Failure> {
        if version == self.version {
            return Ok(Some(self.ty));
        }
        match self.versions.schema(version) {
            Ok(ty) => Ok(Some(ty)),
            Err(ConvertError::NoVersion) => Ok(None),
            Err(error) => Err(Failure::Other(error.to_string())),
        }
    }

    fn filter(&self, version: &str, set: &mut FieldSet) {
        if let Some(filter) = self.filters.get(version) {
            filter.apply(set);
        }
    }

    /// The object in a version and the type it has there; `None` if the version is not served.
    fn convert<'v>(
        &self,
        object: &Versioned<'v>,
        version: &str,
        what: &str,
    ) -> Result<Option<(Versioned<'v>, Type<'a>)>, Failure> {
        let Some(ty) = self.schema(version)? else { return Ok(None) };
        if object.version == version {
            return Ok(Some((object.clone(), ty)));
        }
        match self.versions.convert(&object.tree, version) {
            Ok(tree) => Ok(Some((Versioned { tree: Cow::Owned(tree), version: version.to_owned() }, ty))),
            Err(ConvertError::NoVersion) => Ok(None),
            Err(error) => Err(other(what, error)),
        }
    }

    fn compare(&self, ty: &Type<'_>, version: &str, old: &Value, new: &Value) -> Result<Comparison, Failure> {
        let mut comparison =
            ty.compare(old, new).map_err(|error| other("failed to compare objects", error))?;
        for set in [&mut comparison.removed, &mut comparison.modified, &mut comparison.added] {
            self.filter(version, set);
        }
        Ok(comparison)
    }

    /// Forgets managers of versions that are gone, and adapts the others to a changed schema.
    fn reconcile(&self, managers: &mut Managers) -> Result<(), Failure> {
        let mut kept = Vec::with_capacity(managers.all.len() + 1);
        for mut manager in std::mem::take(&mut managers.all) {
            if budget::is_stopped() {
                break;
            }
            if let Some(ty) = self.schema(&manager.version)? {
                ty.reconcile(&mut manager.set);
                kept.push(manager);
            }
        }
        managers.all = kept;
        Ok(())
    }

    /// Takes what changed from all managers but one, if that is allowed. Gives what changed in the endpoint's
    /// version.
    fn settle(
        &self,
        old: &Value,
        new: &Value,
        managers: &mut Managers,
        except: Option<&ManagerId>,
        force: Force,
    ) -> Result<Comparison, Failure> {
        let own = self.compare(&self.ty, self.version, old, new)?;
        let mut others: BTreeMap<String, Option<Comparison>> = BTreeMap::new();
        for manager in &managers.all {
            if manager.version != self.version
                && Some(&manager.id) != except
                && !others.contains_key(&manager.version)
            {
                let comparison = self.compare_in(&manager.version, old, new)?;
                others.insert(manager.version.clone(), comparison);
            }
        }
        let seen_by = |manager: &Manager| {
            if manager.version == self.version {
                Some(&own)
            } else {
                others.get(&manager.version).and_then(Option::as_ref)
            }
        };
        managers.all.retain(|manager| Some(&manager.id) == except || seen_by(manager).is_some());
        if force == Force::No {
            refuse_conflicts(managers, except, seen_by)?;
        }
        for manager in managers.all.iter_mut().filter(|manager| Some(&manager.id) != except) {
            if let Some(comparison) = seen_by(manager) {
                manager.set.subtract(&comparison.modified);
                manager.set.subtract(&comparison.added);
                manager.set.subtract(&comparison.removed);
            }
        }
        managers.drop_idle();
        Ok(own)
    }

    /// Compares objects in another version; `None` if it is not served.
    fn compare_in(&self, version: &str, old: &Value, new: &Value) -> Result<Option<Comparison>, Failure> {
        let versioned = |tree| Versioned { tree: Cow::Borrowed(tree), version: self.version.to_owned() };
        let old = self.convert(&versioned(old), version, "failed to convert old object")?;
        let new = self.convert(&versioned(new), version, "failed to convert new object")?;
        match (old, new) {
            (Some((old, ty)), Some((new, _))) => self.compare(&ty, version, &old.tree, &new.tree).map(Some),
            _ => Ok(None),
        }
    }

    /// Takes from all managers what a write changed, and gives what its sender now owns of it.
    pub(super) fn update(
        &self,
        old: &Value,
        new: &Value,
        managers: &mut Managers,
    ) -> Result<FieldSet, Failure> {
        self.reconcile(managers)?;
        let changes = self.settle(old, new, managers, None, Force::Yes)?;
        if changes.modified.is_empty() {
            return Ok(changes.added);
        }
        let mut set = changes.modified;
        set.unite(&changes.added);
        Ok(set)
    }

    /// Merges a configuration into the live object; `None` if that changes nothing.
    pub(super) fn apply(
        &self,
        live: &Value,
        config: &Value,
        managers: &mut Managers,
        id: &ManagerId,
        force: Force,
    ) -> Result<Option<Value>, Failure> {
        self.reconcile(managers)?;
        let merged = self.ty.merge(live, config).map_err(|error| other("failed to merge config", error))?;
        let last = managers.get(id).cloned();
        let mut set = self.ty.field_set(config);
        self.filter(self.version, &mut set);
        managers.set(Manager {
            id: id.clone(),
            version: self.version.to_owned(),
            set,
            time: last.as_ref().and_then(|last| last.time),
        });
        let new = match last.filter(|last| !last.set.is_empty()) {
            Some(last) => self.prune(merged, managers, &last).map_err(|failure| match failure {
                Failure::Other(error) => other("failed to prune fields", error),
                conflicts => conflicts,
            })?,
            None => merged,
        };
        self.settle(live, &new, managers, Some(id), force)?;
        Ok((!same(live, &new)).then_some(new))
    }

    /// Removes what the manager applied before and doesn't now, unless someone else owns it.
    fn prune(&self, merged: Value, managers: &Managers, last: &Manager) -> Result<Value, Failure> {
        let whole = Versioned { tree: Cow::Borrowed(&merged), version: self.version.to_owned() };
        let context = "failed to convert merged object to last applied version";
        let Some((converted, ty)) = self.convert(&whole, &last.version, context)? else { return Ok(merged) };
        let removed = ty.remove(&converted.tree, &ty.with_named_fields(&last.set));
        let pruned = Versioned { tree: Cow::Owned(removed), version: last.version.clone() };
        let pruned = self.keep_owned(&converted, pruned, managers)?;

        // Only what the manager itself owned may go.
        let context = "failed to convert pruned object to last applied version";
        let kept = match self.convert(&pruned, &last.version, context)? {
            None => converted,
            Some((pruned, _)) => {
                let mut gone = ty.with_named_fields(&ty.field_set(&converted.tree));
                gone.subtract(&ty.with_named_fields(&ty.field_set(&pruned.tree)));
                let gone = gone.intersection(&ty.with_named_fields(&last.set));
                let tree = Cow::Owned(ty.remove(&converted.tree, &gone));
                Versioned { tree, version: converted.version }
            }
        };
        let back = self.convert(&kept, self.version, "failed to convert pruned object")?;
        Ok(back.map_or_else(|| merged.clone(), |(object, _)| object.tree.into_owned()))
    }

    /// Puts back what any manager owns, this one's new configuration among them.
    fn keep_owned<'v>(
        &self,
        merged: &Versioned<'v>,
        mut pruned: Versioned<'v>,
        managers: &Managers,
    ) -> Result<Versioned<'v>, Failure> {
        let mut by_version: BTreeMap<&str, Vec<&FieldSet>> = BTreeMap::new();
        for manager in &managers.all {
            by_version.entry(&manager.version).or_default().push(&manager.set);
        }
        // The version at hand comes first, because what was removed may be needed to convert at all.
        let first = by_version.remove_entry(merged.version.as_str());
        let mut merged = merged.clone();
        for (version, owned) in first.into_iter().chain(by_version) {
            let owned = FieldSet::of_all(owned);
            let context = format!("failed to convert merged object at version {version}");
            let Some((whole, ty)) = self.convert(&merged, version, &context)? else { continue };
            let context = format!("failed to convert pruned object at version {version}");
            let Some((part, _)) = self.convert(&pruned, version, &context)? else { continue };
            let mut gone = ty.with_named_fields(&ty.field_set(&whole.tree));
            let mut stays = ty.with_named_fields(&ty.field_set(&part.tree));
            stays.unite(&ty.with_named_fields(&owned));
            gone.subtract(&stays);
            let tree = Cow::Owned(ty.remove(&whole.tree, &gone));
            pruned = Versioned { tree, version: version.to_owned() };
            merged = whole;
        }
        Ok(pruned)
    }
}

fn refuse_conflicts<'c>(
    managers: &Managers,
    except: Option<&ManagerId>,
    seen_by: impl Fn(&Manager) -> Option<&'c Comparison>,
) -> Result<(), Failure> {
    let mut found: Vec<(Vec<u8>, Vec<Conflict>)> = Vec::new();
    for manager in managers.all.iter().filter(|manager| Some(&manager.id) != except) {
        let Some(comparison) = seen_by(manager) else { continue };
        if budget::is_stopped() {
            break;
        }
        let mut taken = manager.set.intersection(&comparison.modified);
        taken.unite(&manager.set.intersection(&comparison.added));
        let conflicts: Vec<Conflict> =
            taken.paths().into_iter().map(|path| Conflict { manager: manager.id.clone(), path }).collect();
        // Each tells its whole path, which may be much longer than what is different in it.
        if !budget::take(conflicts.iter().map(Conflict::size).sum()) {
            break;
        }
        if !conflicts.is_empty() {
            found.push((manager.id.sort_key(), conflicts));
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let all = found.into_iter().flat_map(|(_, conflicts)| conflicts).collect();
    Err(Failure::Conflicts(Conflicts(all)))
}
