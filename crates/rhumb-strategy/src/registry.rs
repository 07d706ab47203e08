//! Registry of strategies by hub type.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rhumb_api::autoscaling::v1::Scale;
use rhumb_meta::v1::DeleteOptions;
use rhumb_meta::{GroupKind, GroupVersion, Object};

use crate::context::Context;
use crate::customary::{Customary, StatusWritten};
use crate::error::RegisterError;
use crate::facts::Facts;
use crate::metadata::{keep_generation, keep_system_metadata};
use crate::reset::ResetPath;
use crate::scale::ScalingError;
use crate::strategy::Strategy;

/// Type-erased strategy.
pub(crate) trait AnyStrategy: Send + Sync {
    fn facts(&self) -> Facts;
    fn begin_create(&self, object: &mut dyn Object);
    fn begin_update(&self, new: &mut dyn Object, old: &dyn Object);
    fn prepare_create(&self, object: &mut dyn Object, context: &Context) -> Vec<String>;
    fn prepare_update(&self, new: &mut dyn Object, old: &dyn Object, part: Option<&str>, context: &Context);
    fn canonicalize(&self, object: &mut dyn Object);
    fn on_read(&self, object: &mut dyn Object);
    fn warnings_create(&self, object: &dyn Object) -> Vec<String>;
    fn warnings_update(&self, new: &dyn Object, old: &dyn Object, part: Option<&str>) -> Vec<String>;
    fn reset_fields(&self, version: &GroupVersion, part: Option<&str>) -> &'static [ResetPath];
    fn check_graceful_delete(&self, object: &dyn Object, options: &mut DeleteOptions) -> bool;
    fn scale(&self, object: &dyn Object) -> Option<Result<Scale, ScalingError>>;
    fn set_scale(&self, object: &mut dyn Object, scale: &Scale) -> bool;
}

impl<T: Object> AnyStrategy for Strategy<T> {
    fn facts(&self) -> Facts {
        self.facts
    }

    fn begin_create(&self, object: &mut dyn Object) {
        if let (Some(begin), Some(object)) = (self.begin_create, object.downcast_mut::<T>()) {
            begin(object);
        }
    }

    fn begin_update(&self, new: &mut dyn Object, old: &dyn Object) {
        if let (Some(begin), Some(new), Some(old)) =
            (self.begin_update, new.downcast_mut::<T>(), old.downcast_ref::<T>())
        {
            begin(new, old);
        }
    }

    fn prepare_create(&self, object: &mut dyn Object, context: &Context) -> Vec<String> {
        let Some(object) = object.downcast_mut::<T>() else { return Vec::new() };
        let warnings = self.warn_unprepared.map(|warn| warn(object)).unwrap_or_default();
        if let Some(prepare) = self.create {
            prepare(object, context);
        }
        warnings
    }

    fn prepare_update(&self, new: &mut dyn Object, old: &dyn Object, part: Option<&str>, context: &Context) {
        let (Some(new), Some(old)) = (new.downcast_mut::<T>(), old.downcast_ref::<T>()) else { return };
        let part = part.and_then(|name| self.parts.get(name)).map(|part| part.prepare);
        if let Some(prepare) = part.or(self.update) {
            prepare(new, old, context);
        }
    }

    fn canonicalize(&self, object: &mut dyn Object) {
        if let (Some(canonicalize), Some(object)) = (self.canonicalize, object.downcast_mut::<T>()) {
            canonicalize(object);
        }
    }

    fn on_read(&self, object: &mut dyn Object) {
        if let (Some(on_read), Some(object)) = (self.on_read, object.downcast_mut::<T>()) {
            on_read(object);
        }
    }

    fn warnings_create(&self, object: &dyn Object) -> Vec<String> {
        match (self.warn_create, object.downcast_ref::<T>()) {
            (Some(warn), Some(object)) => warn(object),
            _ => Vec::new(),
        }
    }

    fn warnings_update(&self, new: &dyn Object, old: &dyn Object, part: Option<&str>) -> Vec<String> {
        let (Some(new), Some(old)) = (new.downcast_ref::<T>(), old.downcast_ref::<T>()) else {
            return Vec::new();
        };
        let warn = match part.and_then(|name| self.parts.get(name)) {
            Some(part) => part.warnings,
            None => self.warn_update,
        };
        warn.map(|warn| warn(new, old)).unwrap_or_default()
    }

    fn reset_fields(&self, version: &GroupVersion, part: Option<&str>) -> &'static [ResetPath] {
        let resets = match part {
            Some(name) => self.parts.get(name).and_then(|part| part.resets),
            None => self.resets,
        };
        resets.map(|resets| resets.of(version)).unwrap_or_default()
    }

    fn check_graceful_delete(&self, object: &dyn Object, options: &mut DeleteOptions) -> bool {
        match (self.grace, object.downcast_ref::<T>()) {
            (Some(grace), Some(object)) => grace(object, options),
            _ => false,
        }
    }

    fn scale(&self, object: &dyn Object) -> Option<Result<Scale, ScalingError>> {
        let (scaling, object) = (self.scaling.as_ref()?, object.downcast_ref::<T>()?);
        Some((scaling.get)(object))
    }

    fn set_scale(&self, object: &mut dyn Object, scale: &Scale) -> bool {
        match (&self.scaling, object.downcast_mut::<T>()) {
            (Some(scaling), Some(object)) => {
                (scaling.set)(object, scale);
                true
            }
            _ => false,
        }
    }
}

/// Builder of [`Strategies`].
#[derive(Default)]
pub struct StrategiesBuilder {
    strategies: Strategies,
}

impl StrategiesBuilder {
    /// Registers a strategy.
    ///
    /// # Errors
    /// If the type or one of the kinds has one already; nothing changes then.
    pub fn add<T: Object>(&mut self, strategy: Strategy<T>) -> Result<&mut Self, RegisterError> {
        let Strategies { by_type, by_kind } = &mut self.strategies;
        if let Some(taken) = strategy.kinds.iter().find(|kind| by_kind.contains_key(kind)) {
            return Err(RegisterError::KindTaken(taken.clone()));
        }
        let Entry::Vacant(place) = by_type.entry(TypeId::of::<T>()) else {
            return Err(RegisterError::TypeTaken(type_name::<T>()));
        };
        let kinds = strategy.kinds.clone();
        let shared: Arc<dyn AnyStrategy> = Arc::new(strategy);
        place.insert(Arc::clone(&shared));
        by_kind.extend(kinds.into_iter().map(|kind| (kind, Arc::clone(&shared))));
        Ok(self)
    }

    /// Treats the objects of a kind as custom resources are treated, unless it has a strategy: the generation
    /// counts changes, and a status that is written apart is kept from those who write the rest. `hub` is any
    /// object of the kind's hub type.
    pub fn add_customary(&mut self, kind: &GroupKind, hub: &dyn Object, status: StatusWritten) -> &mut Self {
        let Strategies { by_type, by_kind } = &mut self.strategies;
        let id = (hub as &dyn Any).type_id();
        if !by_kind.contains_key(kind) && !by_type.contains_key(&id) {
            let shared: Arc<dyn AnyStrategy> = Arc::new(Customary { status });
            by_type.insert(id, Arc::clone(&shared));
            by_kind.insert(kind.clone(), shared);
        }
        self
    }

    /// Ends registration.
    pub fn freeze(self) -> Strategies {
        self.strategies
    }
}

/// Strategies of all kinds. Objects of other types change in their metadata only.
#[derive(Default)]
pub struct Strategies {
    by_type: HashMap<TypeId, Arc<dyn AnyStrategy>>,
    by_kind: HashMap<GroupKind, Arc<dyn AnyStrategy>>,
}

impl Strategies {
    /// Returns the strategies of the built-in groups.
    ///
    /// # Errors
    /// If two groups register one for the same kind, which a test rules out.
    pub fn built_in() -> Result<Self, RegisterError> {
        let mut builder = StrategiesBuilder::default();
        crate::install(&mut builder)?;
        Ok(builder.freeze())
    }

    fn of(&self, object: &dyn Object) -> Option<&dyn AnyStrategy> {
        self.by_type.get(&(object as &dyn Any).type_id()).map(AsRef::as_ref)
    }

    /// Reports whether a kind has a strategy.
    pub fn contains(&self, kind: &GroupKind) -> bool {
        self.by_kind.contains_key(kind)
    }

    /// Prepares a new object before addresses and ports are allocated.
    pub fn begin_create(&self, object: &mut dyn Object) {
        if let Some(strategy) = self.of(object) {
            strategy.begin_create(object);
        }
    }

    /// Prepares an update before addresses and ports are allocated.
    pub fn begin_update(&self, new: &mut dyn Object, old: &dyn Object) {
        if let Some(strategy) = self.of(new) {
            strategy.begin_update(new, old);
        }
    }

    /// Prepares an object that is to be made, whose name and UID it has already. Returns warnings that could
    /// not be found afterwards; they come before those of [`Strategies::warnings_create`].
    pub fn prepare_create(&self, object: &mut dyn Object, context: &Context) -> Vec<String> {
        self.of(object).map(|strategy| strategy.prepare_create(object, context)).unwrap_or_default()
    }

    /// Prepares the new form of an object. What a client can't change in any kind's metadata is taken from
    /// the old one: generation, identity and deletion.
    pub fn prepare_update(
        &self,
        new: &mut dyn Object,
        old: &dyn Object,
        subresource: Option<&str>,
        context: &Context,
    ) {
        keep_generation(new, old);
        if let Some(strategy) = self.of(new) {
            strategy.prepare_update(new, old, subresource, context);
        }
        keep_system_metadata(new, old);
    }

    /// Brings a valid object into the form that is stored.
    pub fn canonicalize(&self, object: &mut dyn Object) {
        if let Some(strategy) = self.of(object) {
            strategy.canonicalize(object);
        }
    }

    /// Fills in what servers of old left out of a stored object. Updates see the old object so, too.
    pub fn on_read(&self, object: &mut dyn Object) {
        if let Some(strategy) = self.of(object) {
            strategy.on_read(object);
        }
    }

    /// Returns the warnings about a valid, prepared new object.
    pub fn warnings_create(&self, object: &dyn Object) -> Vec<String> {
        self.of(object).map(|strategy| strategy.warnings_create(object)).unwrap_or_default()
    }

    /// Returns the warnings about a valid, prepared update.
    pub fn warnings_update(
        &self,
        new: &dyn Object,
        old: &dyn Object,
        subresource: Option<&str>,
    ) -> Vec<String> {
        self.of(new).map(|strategy| strategy.warnings_update(new, old, subresource)).unwrap_or_default()
    }

    /// Facts about a kind; those of custom resources, if it is no built-in one.
    pub fn facts(&self, kind: &GroupKind) -> Facts {
        self.by_kind.get(kind).map_or(Facts::CUSTOM, |strategy| strategy.facts())
    }

    /// Returns the fields that server-side apply leaves to the server.
    pub fn reset_fields(
        &self,
        kind: &GroupKind,
        version: &GroupVersion,
        subresource: Option<&str>,
    ) -> &'static [ResetPath] {
        let strategy = self.by_kind.get(kind);
        strategy.map(|strategy| strategy.reset_fields(version, subresource)).unwrap_or_default()
    }

    /// Reports whether an object may take time to shut down; the options then say how many seconds.
    pub fn check_graceful_delete(&self, object: &dyn Object, options: &mut DeleteOptions) -> bool {
        self.of(object).is_some_and(|strategy| strategy.check_graceful_delete(object, options))
    }

    /// Returns the scale of an object; none if its kind can't be scaled.
    pub fn scale(&self, object: &dyn Object) -> Option<Result<Scale, ScalingError>> {
        self.of(object)?.scale(object)
    }

    /// Scales an object: takes the wanted number and the resource version. False if objects of its kind
    /// can't be scaled.
    pub fn set_scale(&self, object: &mut dyn Object, scale: &Scale) -> bool {
        self.by_type
            .get(&(object as &dyn Any).type_id())
            .is_some_and(|strategy| strategy.set_scale(object, scale))
    }
}
