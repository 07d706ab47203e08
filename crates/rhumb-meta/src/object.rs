//! `Object`: any API object.

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;

use rhumb_schema::Value;

use crate::labels::Selector;
use crate::names::GroupVersionKind;
use crate::v1::{ListMeta, ObjectMeta, TypeMeta};

/// Implements [`Object`] for a struct with `type_meta` and, mostly, `metadata`.
pub use rhumb_derive::Object;

/// An API object: typed, unstructured, or a list of either.
pub trait Object: Value + Debug {
    /// Returns the `apiVersion` and `kind` it carries; both empty when it is in its internal form.
    fn type_meta(&self) -> (&str, &str);
    /// Changes the `apiVersion` and `kind` it carries.
    fn set_type_meta(&mut self, api_version: &str, kind: &str);
    /// Returns a deep copy.
    fn clone_object(&self) -> Box<dyn Object>;
    /// Reports whether the other is of the same type and equal.
    fn equals(&self, other: &dyn Object) -> bool;

    /// Returns the object's metadata, if it has any.
    fn metadata(&self) -> Option<Cow<'_, ObjectMeta>> {
        None
    }
    /// Returns the object's identity and revision. Objects that would have to build their metadata have a shorter way
    /// to it.
    fn identity(&self) -> Identity<'_> {
        match self.metadata() {
            Some(Cow::Borrowed(metadata)) => Identity {
                namespace: Cow::Borrowed(&metadata.namespace),
                name: Cow::Borrowed(&metadata.name),
                resource_version: Cow::Borrowed(&metadata.resource_version),
            },
            Some(Cow::Owned(metadata)) => Identity {
                namespace: Cow::Owned(metadata.namespace),
                name: Cow::Owned(metadata.name),
                resource_version: Cow::Owned(metadata.resource_version),
            },
            None => Identity::default(),
        }
    }
    /// Reports whether its labels are what the selector asks for.
    fn is_selected(&self, selector: &Selector) -> bool {
        self.metadata().is_some_and(|metadata| selector.matches(&metadata.labels))
    }
    /// Changes its metadata; false if it has none.
    fn edit_metadata(&mut self, _edit: &mut dyn FnMut(&mut ObjectMeta)) -> bool {
        false
    }
    /// Returns the list metadata, if the object is a list.
    fn list_metadata(&self) -> Option<Cow<'_, ListMeta>> {
        None
    }
    /// Changes its metadata as a list; false if it is none.
    fn edit_list_metadata(&mut self, _edit: &mut dyn FnMut(&mut ListMeta)) -> bool {
        false
    }
    /// Returns the objects in it, if it is a list of objects.
    fn items(&self) -> Option<Vec<&dyn Object>> {
        None
    }
    /// Takes the objects out of it, if it is a list of objects.
    fn take_items(&mut self) -> Option<Vec<Box<dyn Object>>> {
        None
    }
    /// Adds an object to it.
    ///
    /// # Errors
    /// The object itself, if this is no list of objects of that type.
    fn push_item(&mut self, item: Box<dyn Object>) -> Result<(), Box<dyn Object>> {
        Err(item)
    }
}

/// Identity and revision of an object among its kind. Missing parts are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity<'a> {
    /// The namespace it lives in.
    pub namespace: Cow<'a, str>,
    /// Name.
    pub name: Cow<'a, str>,
    /// The version that the server gave this state of it.
    pub resource_version: Cow<'a, str>,
}

impl dyn Object {
    /// Returns the group, version and kind it carries.
    pub fn gvk(&self) -> GroupVersionKind {
        let (api_version, kind) = self.type_meta();
        GroupVersionKind::from_api_version_and_kind(api_version, kind)
    }

    /// Changes the group, version and kind it carries.
    pub fn set_gvk(&mut self, gvk: &GroupVersionKind) {
        if !self.carries(gvk) {
            self.set_type_meta(&gvk.api_version(), &gvk.kind);
        }
    }

    /// Reports whether it carries a group, version and kind.
    pub fn carries(&self, gvk: &GroupVersionKind) -> bool {
        let (api_version, kind) = self.type_meta();
        gvk.kind == kind && gvk.has_api_version(api_version)
    }

    /// Returns the object as a type, if it is of that type.
    pub fn downcast_ref<T: Object>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }

    /// Returns the object as a type, to be written to, if it is of that type.
    pub fn downcast_mut<T: Object>(&mut self) -> Option<&mut T> {
        (self as &mut dyn Any).downcast_mut()
    }

    /// Reports whether the object is of a type.
    pub fn is<T: Object>(&self) -> bool {
        (self as &dyn Any).is::<T>()
    }

    /// Reports whether it is a list of objects.
    pub fn is_list(&self) -> bool {
        self.items().is_some()
    }
}

impl Clone for Box<dyn Object> {
    fn clone(&self) -> Self {
        (**self).clone_object()
    }
}

impl PartialEq for dyn Object {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other)
    }
}

/// Returns the object out of its box, if it is of the type.
///
/// # Errors
/// The box as it was, if it is not.
pub fn downcast<T: Object>(object: Box<dyn Object>) -> Result<T, Box<dyn Object>> {
    if !object.is::<T>() {
        return Err(object);
    }
    match (object as Box<dyn Any>).downcast::<T>() {
        Ok(typed) => Ok(*typed),
        // The type was asked for just above.
        Err(_) => unreachable!("the object changed its type"),
    }
}

impl TypeMeta {
    /// Sets both names, reusing the memory of the old ones.
    pub fn set(&mut self, api_version: &str, kind: &str) {
        self.api_version.clear();
        self.api_version.push_str(api_version);
        self.kind.clear();
        self.kind.push_str(kind);
    }
}
