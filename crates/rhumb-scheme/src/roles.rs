//! Traits for the Scheme's capabilities, which can be passed separately.

use std::borrow::Cow;

use rhumb_meta::{GroupVersionKind, Object};

use crate::convert::ConvertError;
use crate::scheme::{NotRegistered, Scheme};
use crate::versioner::GroupVersioner;

/// Creates objects by kind.
pub trait ObjectCreater {
    /// Creates a new object of a kind.
    ///
    /// # Errors
    /// If the kind is not known.
    fn new_object(&self, gvk: &GroupVersionKind) -> Result<Box<dyn Object>, NotRegistered>;
}

/// Returns the kinds of objects.
pub trait ObjectTyper {
    /// Returns the kinds of an object and whether it is unversioned.
    ///
    /// # Errors
    /// If its type is not known.
    fn object_kinds(&self, object: &dyn Object)
    -> Result<(Cow<'_, [GroupVersionKind]>, bool), NotRegistered>;
    /// Reports whether a kind is known.
    fn recognizes(&self, gvk: &GroupVersionKind) -> bool;
}

/// Sets defaults.
pub trait ObjectDefaulter {
    /// Fills in the defaults of an object.
    fn default(&self, object: &mut dyn Object);
}

/// Converts objects between versions.
pub trait ObjectConvertor {
    /// Returns the object in the version that the target picks, without copying it.
    ///
    /// # Errors
    /// If the target has no such kind, or the conversion fails.
    fn move_to_version(
        &self,
        object: Box<dyn Object>,
        target: &dyn GroupVersioner,
    ) -> Result<Box<dyn Object>, ConvertError>;
    /// Returns a field label of a selector in its internal form.
    ///
    /// # Errors
    /// If objects of the kind can't be selected by that field.
    fn convert_field_label(
        &self,
        gvk: &GroupVersionKind,
        label: &str,
        value: &str,
    ) -> Result<(String, String), ConvertError>;
}

impl ObjectCreater for Scheme {
    fn new_object(&self, gvk: &GroupVersionKind) -> Result<Box<dyn Object>, NotRegistered> {
        Scheme::new_object(self, gvk)
    }
}

impl ObjectTyper for Scheme {
    fn object_kinds(
        &self,
        object: &dyn Object,
    ) -> Result<(Cow<'_, [GroupVersionKind]>, bool), NotRegistered> {
        Scheme::object_kinds(self, object)
    }
    fn recognizes(&self, gvk: &GroupVersionKind) -> bool {
        Scheme::recognizes(self, gvk)
    }
}

impl ObjectDefaulter for Scheme {
    fn default(&self, object: &mut dyn Object) {
        Scheme::default(self, object);
    }
}

impl ObjectConvertor for Scheme {
    fn move_to_version(
        &self,
        object: Box<dyn Object>,
        target: &dyn GroupVersioner,
    ) -> Result<Box<dyn Object>, ConvertError> {
        Scheme::move_to_version(self, object, target)
    }
    fn convert_field_label(
        &self,
        gvk: &GroupVersionKind,
        label: &str,
        value: &str,
    ) -> Result<(String, String), ConvertError> {
        Scheme::convert_field_label(self, gvk, label, value)
    }
}
