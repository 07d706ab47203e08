//! Common strategy: clients write the spec, controllers the status, and each is kept by writes of the other.

use rhumb_meta::ObjectMeta;

use crate::context::Context;
use crate::metadata::reset_metadata_for_status;

/// Kinds with a spec.
pub(crate) trait HasSpec {
    type Spec: Clone + PartialEq;
    fn spec(&self) -> &Self::Spec;
    fn set_spec(&mut self, spec: Self::Spec);
    fn meta(&self) -> &ObjectMeta;
    fn meta_mut(&mut self) -> &mut ObjectMeta;
}

/// Kinds with spec and status.
pub(crate) trait HasStatus: HasSpec {
    type Status: Clone + Default;
    fn status(&self) -> &Self::Status;
    fn set_status(&mut self, status: Self::Status);
}

/// Says that types have a spec.
macro_rules! has_spec {
    ($($kind:ty: $spec:ty),* $(,)?) => {$(
        impl $crate::parts::HasSpec for $kind {
            type Spec = $spec;
            fn spec(&self) -> &$spec {
                &self.spec
            }
            fn set_spec(&mut self, spec: $spec) {
                self.spec = spec;
            }
            fn meta(&self) -> &rhumb_meta::ObjectMeta {
                &self.metadata
            }
            fn meta_mut(&mut self) -> &mut rhumb_meta::ObjectMeta {
                &mut self.metadata
            }
        }
    )*};
}

/// Says that types have a spec and a status.
macro_rules! has_status {
    ($($kind:ty: $spec:ty, $status:ty);* $(;)?) => {$(
        $crate::parts::has_spec!($kind: $spec);
        impl $crate::parts::HasStatus for $kind {
            type Status = $status;
            fn status(&self) -> &$status {
                &self.status
            }
            fn set_status(&mut self, status: $status) {
                self.status = status;
            }
        }
    )*};
}

pub(crate) use {has_spec, has_status};

/// Clears the status of a new object.
pub(crate) fn fresh<T: HasStatus>(object: &mut T, _: &Context) {
    object.set_status(T::Status::default());
}

/// Clears the status of a new object and sets its generation to 1.
pub(crate) fn fresh_counted<T: HasStatus>(object: &mut T, context: &Context) {
    fresh(object, context);
    first(object, context);
}

/// Sets the generation of a new object to 1.
pub(crate) fn first<T: HasSpec>(object: &mut T, _: &Context) {
    object.meta_mut().generation = 1;
}

/// Keeps the old status.
pub(crate) fn keep_status<T: HasStatus>(new: &mut T, old: &T, _: &Context) {
    new.set_status(old.status().clone());
}

/// Keeps the old status and increments the generation if the spec changes.
pub(crate) fn keep_status_counted<T: HasStatus>(new: &mut T, old: &T, context: &Context) {
    keep_status(new, old, context);
    count(new, old, context);
}

/// Increments the generation if the spec changes.
pub(crate) fn count<T: HasSpec>(new: &mut T, old: &T, _: &Context) {
    if new.spec() != old.spec() {
        next(new.meta_mut(), old.meta());
    }
}

/// Increments the generation.
pub(crate) fn next(new: &mut ObjectMeta, old: &ObjectMeta) {
    new.generation = old.generation.saturating_add(1);
}

/// Keeps the old spec.
pub(crate) fn keep_spec<T: HasStatus>(new: &mut T, old: &T, _: &Context) {
    new.set_spec(old.spec().clone());
}

/// Keeps the old spec and metadata.
pub(crate) fn keep_spec_and_metadata<T: HasStatus>(new: &mut T, old: &T, context: &Context) {
    keep_spec(new, old, context);
    reset_metadata_for_status(new.meta_mut(), old.meta());
}
