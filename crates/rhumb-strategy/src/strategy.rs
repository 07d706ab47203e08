//! Definition of a kind's strategy.

use std::collections::BTreeMap;

use rhumb_meta::v1::DeleteOptions;
use rhumb_meta::{GroupKind, GroupVersion, Object};

use crate::context::Context;
use crate::facts::{Facts, GarbageCollection, Generation};
use crate::reset::{ResetPath, Resets};
use crate::scale::Scaling;

/// Prepares a new object.
pub type PrepareCreate<T> = fn(&mut T, &Context);

/// Prepares an update, given the old object.
pub type PrepareUpdate<T> = fn(new: &mut T, old: &T, &Context);

/// Returns warnings about a new object.
pub type WarnCreate<T> = fn(&T) -> Vec<String>;

/// Returns warnings about an update.
pub type WarnUpdate<T> = fn(new: &T, old: &T) -> Vec<String>;

/// Strategy of a subresource's updates.
#[derive(Clone, Debug)]
pub struct Part<T> {
    pub(crate) prepare: PrepareUpdate<T>,
    pub(crate) warnings: Option<WarnUpdate<T>>,
    pub(crate) resets: Option<Resets>,
}

impl<T> Part<T> {
    /// Creates a subresource whose updates are prepared so. It warns of nothing.
    pub fn new(prepare: PrepareUpdate<T>) -> Self {
        Part { prepare, warnings: None, resets: None }
    }

    /// Sets what updates warn of.
    #[must_use]
    pub fn warn(mut self, warnings: WarnUpdate<T>) -> Self {
        self.warnings = Some(warnings);
        self
    }

    /// Sets the fields that apply leaves to the server, in these versions.
    #[must_use]
    pub fn resets(mut self, versions: &'static [&'static str], fields: &'static [ResetPath]) -> Self {
        self.resets = Some(Resets { versions, fields });
        self
    }
}

/// Strategy of one hub type.
#[derive(Clone, Debug)]
pub struct Strategy<T> {
    pub(crate) kinds: Vec<GroupKind>,
    pub(crate) facts: Facts,
    pub(crate) begin_create: Option<fn(&mut T)>,
    pub(crate) begin_update: Option<fn(new: &mut T, old: &T)>,
    pub(crate) create: Option<PrepareCreate<T>>,
    pub(crate) update: Option<PrepareUpdate<T>>,
    pub(crate) parts: BTreeMap<&'static str, Part<T>>,
    pub(crate) warn_unprepared: Option<WarnCreate<T>>,
    pub(crate) warn_create: Option<WarnCreate<T>>,
    pub(crate) warn_update: Option<WarnUpdate<T>>,
    pub(crate) canonicalize: Option<fn(&mut T)>,
    pub(crate) on_read: Option<fn(&mut T)>,
    pub(crate) resets: Option<Resets>,
    pub(crate) grace: Option<fn(&T, &mut DeleteOptions) -> bool>,
    pub(crate) scaling: Option<Scaling<T>>,
}

impl<T: Object> Strategy<T> {
    /// Creates a strategy that changes nothing.
    pub fn new(group: &'static str, kind: &'static str) -> Self {
        Strategy {
            kinds: vec![GroupKind::new(group, kind)],
            facts: Facts::USUAL,
            begin_create: None,
            begin_update: None,
            create: None,
            update: None,
            parts: BTreeMap::new(),
            warn_unprepared: None,
            warn_create: None,
            warn_update: None,
            canonicalize: None,
            on_read: None,
            resets: None,
            grace: None,
            scaling: None,
        }
    }

    /// Adds a group in which the same objects are served.
    #[must_use]
    pub fn also_in(mut self, group: &'static str) -> Self {
        if let Some(first) = self.kinds.first() {
            let kind = GroupKind::new(group, first.kind.clone());
            self.kinds.push(kind);
        }
        self
    }

    /// Sets what is done with new objects before the server gives out addresses and ports.
    #[must_use]
    pub fn begin_create(mut self, begin: fn(&mut T)) -> Self {
        self.begin_create = Some(begin);
        self
    }

    /// Sets what is done with changed objects before the server gives out addresses and ports.
    #[must_use]
    pub fn begin_update(mut self, begin: fn(new: &mut T, old: &T)) -> Self {
        self.begin_update = Some(begin);
        self
    }

    /// Sets how new objects are prepared.
    #[must_use]
    pub fn create(mut self, prepare: PrepareCreate<T>) -> Self {
        self.create = Some(prepare);
        self
    }

    /// Sets how changed objects are prepared.
    #[must_use]
    pub fn update(mut self, prepare: PrepareUpdate<T>) -> Self {
        self.update = Some(prepare);
        self
    }

    /// Sets what holds for a subresource. Those that aren't named here are treated as the object itself.
    #[must_use]
    pub fn on(mut self, subresource: &'static str, part: Part<T>) -> Self {
        self.parts.insert(subresource, part);
        self
    }

    /// Sets what new objects warn of that can't be seen once they are prepared.
    #[must_use]
    pub fn warn_unprepared(mut self, warnings: WarnCreate<T>) -> Self {
        self.warn_unprepared = Some(warnings);
        self
    }

    /// Sets what new objects warn of.
    #[must_use]
    pub fn warn_create(mut self, warnings: WarnCreate<T>) -> Self {
        self.warn_create = Some(warnings);
        self
    }

    /// Sets what changes warn of.
    #[must_use]
    pub fn warn_update(mut self, warnings: WarnUpdate<T>) -> Self {
        self.warn_update = Some(warnings);
        self
    }

    /// Sets how valid objects are brought into the form that is stored.
    #[must_use]
    pub fn canonicalize(mut self, canonicalize: fn(&mut T)) -> Self {
        self.canonicalize = Some(canonicalize);
        self
    }

    /// Sets what is done with objects that were stored by older servers.
    #[must_use]
    pub fn on_read(mut self, on_read: fn(&mut T)) -> Self {
        self.on_read = Some(on_read);
        self
    }

    /// Sets the fields that apply leaves to the server, in these versions.
    #[must_use]
    pub fn resets(mut self, versions: &'static [&'static str], fields: &'static [ResetPath]) -> Self {
        self.resets = Some(Resets { versions, fields });
        self
    }

    /// Says how long an object that is deleted may take, and whether it may take time at all.
    #[must_use]
    pub fn grace(mut self, grace: fn(&T, &mut DeleteOptions) -> bool) -> Self {
        self.facts.graceful_deletion = true;
        self.grace = Some(grace);
        self
    }

    /// Sets how objects are scaled.
    #[must_use]
    pub fn scaling(mut self, scaling: Scaling<T>) -> Self {
        self.scaling = Some(scaling);
        self
    }

    /// Allows updates to create missing objects.
    #[must_use]
    pub fn create_on_update(mut self) -> Self {
        self.facts.create_on_update = true;
        self
    }

    /// Requires a resource version in updates.
    #[must_use]
    pub fn conditional_update(mut self) -> Self {
        self.facts.unconditional_update = false;
        self
    }

    /// Declares that conversion neither adds nor drops fields.
    #[must_use]
    pub fn same_fields(mut self) -> Self {
        self.facts.same_fields = true;
        self
    }

    /// Sets how the generation counts.
    #[must_use]
    pub fn generation(mut self, generation: Generation) -> Self {
        self.facts.generation = generation;
        self
    }

    /// Versions in which dependents stay by default when an object is deleted.
    #[must_use]
    pub fn orphans_in(mut self, versions: &'static [GroupVersion]) -> Self {
        self.facts.orphans_in = versions;
        self
    }

    /// Objects never own others.
    #[must_use]
    pub fn never_an_owner(mut self) -> Self {
        self.facts.garbage_collection = GarbageCollection::Unsupported;
        self
    }
}
