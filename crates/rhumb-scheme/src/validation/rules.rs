//! Validation rules of a kind for create and update.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use rhumb_meta::{GroupVersion, Object};

use super::FieldErrors;
use crate::type_map::TypeMap;

/// Context of a validation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Context<'a> {
    /// The group and version that the request came in.
    pub request_version: &'a GroupVersion,
}

impl<'a> Context<'a> {
    /// Creates the context of a request in a version.
    pub fn new(request_version: &'a GroupVersion) -> Self {
        Context { request_version }
    }
}

/// Validates a new object.
pub type CreateRule<T> = fn(&T, &Context, &mut FieldErrors);

/// Validates an update against the old object.
pub type UpdateRule<T> = fn(new: &T, old: &T, &Context, &mut FieldErrors);

/// Validation rules of one hub type.
#[derive(Clone, Debug)]
pub struct Rules<T> {
    create: CreateRule<T>,
    update: Option<UpdateRule<T>>,
    subresources: BTreeMap<&'static str, UpdateRule<T>>,
}

impl<T: Object> Rules<T> {
    /// Creates rules with validation of new objects.
    pub fn create(rule: CreateRule<T>) -> Self {
        Rules { create: rule, update: None, subresources: BTreeMap::new() }
    }

    /// Sets the validation of updates; by default that of new objects applies.
    #[must_use]
    pub fn update(mut self, rule: UpdateRule<T>) -> Self {
        self.update = Some(rule);
        self
    }

    /// Sets the validation of updates through a subresource; by default that of the object applies.
    #[must_use]
    pub fn on(mut self, subresource: &'static str, rule: UpdateRule<T>) -> Self {
        self.subresources.insert(subresource, rule);
        self
    }
}

/// Type-erased rules.
trait AnyRules: Send + Sync {
    fn check_create(&self, object: &dyn Object, context: &Context, errors: &mut FieldErrors);
    fn check_update(
        &self,
        new: &dyn Object,
        old: &dyn Object,
        subresource: Option<&str>,
        context: &Context,
        errors: &mut FieldErrors,
    );
}

impl<T: Object> AnyRules for Rules<T> {
    fn check_create(&self, object: &dyn Object, context: &Context, errors: &mut FieldErrors) {
        if let Some(object) = object.downcast_ref::<T>() {
            (self.create)(object, context, errors);
        }
    }

    fn check_update(
        &self,
        new: &dyn Object,
        old: &dyn Object,
        subresource: Option<&str>,
        context: &Context,
        errors: &mut FieldErrors,
    ) {
        let (Some(new), Some(old)) = (new.downcast_ref::<T>(), old.downcast_ref::<T>()) else { return };
        let special = subresource.and_then(|name| self.subresources.get(name)).copied();
        match special.or(self.update) {
            Some(rule) => rule(new, old, context, errors),
            None => (self.create)(new, context, errors),
        }
    }
}

/// Rules of all types.
#[derive(Default)]
pub(crate) struct AllRules {
    by_type: TypeMap<Box<dyn AnyRules>>,
}

impl AllRules {
    /// Registers rules; false, and nothing changes, if the type has some already.
    pub(crate) fn add<T: Object>(&mut self, rules: Rules<T>) -> bool {
        match self.by_type.entry(TypeId::of::<T>()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(Box::new(rules));
                true
            }
        }
    }

    fn of(&self, object: &dyn Object) -> Option<&dyn AnyRules> {
        self.by_type.get(&(object as &dyn Any).type_id()).map(AsRef::as_ref)
    }

    pub(crate) fn contains(&self, object: &dyn Object) -> bool {
        self.of(object).is_some()
    }

    pub(crate) fn check_create(&self, object: &dyn Object, context: &Context, errors: &mut FieldErrors) {
        if let Some(rules) = self.of(object) {
            rules.check_create(object, context, errors);
        }
    }

    pub(crate) fn check_update(
        &self,
        new: &dyn Object,
        old: &dyn Object,
        subresource: Option<&str>,
        context: &Context,
        errors: &mut FieldErrors,
    ) {
        if let Some(rules) = self.of(new) {
            rules.check_update(new, old, subresource, context, errors);
        }
    }
}
