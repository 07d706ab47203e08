//! Names and values of the Kubernetes API, without I/O.
//!
//! - [`names`] and [`version`]: groups, versions, kinds, resources and their order.
//! - [`v1`]: the types of `meta.k8s.io/v1` that every object and every answer uses; [`apidiscovery`].
//! - [`Quantity`], [`IntOrString`], [`Time`], [`MicroTime`], [`Duration`]: values with rules of their own.
//! - [`labels`], [`fields`]: selectors. [`validation`]: what names may look like. [`url`]. [`civil`]: dates.
//! - [`Object`]: any API object behind one trait. [`Resource`]: where a server has the objects of a type.

// The derives name this crate by its name, in here as well.
extern crate self as rhumb_meta;

pub mod apidiscovery;
pub mod civil;
mod duration;
pub mod fields;
pub mod human;
mod int_or_string;
pub mod labels;
mod leaves;
pub mod names;
mod object;
mod quantity;
mod resource;
mod time;
pub mod url;
pub mod v1;
pub mod validation;
pub mod version;

pub use duration::{Duration, ParseDurationError};
pub use int_or_string::{IntOrString, Rounding, ScaledValueError};
pub use leaves::FieldsV1;
pub use names::{
    GroupKind, GroupResource, GroupVersion, GroupVersionKind, GroupVersionResource, GroupVersions, INTERNAL,
};
pub use object::{Identity, Object, downcast};
pub use quantity::{Format, ParseQuantityError, Quantity, Scale};
pub use resource::{Resource, Scope};
pub use time::{MicroTime, ParseTimeError, Time};
pub use v1::{ListMeta, ObjectMeta, TypeMeta};
