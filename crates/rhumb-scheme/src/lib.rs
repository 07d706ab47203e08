//! The Scheme: registry of groups, versions and kinds with their Rust types, defaults, conversions and validation.
//!
//! Register with a [`SchemeBuilder`], freeze, then ask the [`Scheme`]:
//!
//! - new objects by kind, kinds of objects, versions by priority;
//! - conversion through the hub ([`Convert`], [`Scope`], [`GroupVersioner`]);
//! - defaults and validation of a type wherever it stands in an object;
//! - [`mapper`]: between kinds and the resources in URLs;
//! - [`openapi`]: the models that documents and `explain` show.
//!
//! It neither reads nor writes bytes: that is `rhumb-codec`. `docs/scheme.md` in the repository is the guide.

mod builder;
mod conversions;
mod convert;
mod defaulting;
mod derived;
mod group_version;
mod hub_form;
pub mod mapper;
pub mod openapi;
mod reach;
pub mod registered;
mod roles;
mod scheme;
mod type_map;
mod unstructured;
pub mod validation;
mod versioner;

pub use builder::{Install, RegisterError, SchemeBuilder};
pub use convert::{Convert, ConvertError, Scope};
pub use rhumb_meta::{Object, downcast};
pub use roles::{ObjectConvertor, ObjectCreater, ObjectDefaulter, ObjectTyper};
pub use scheme::{ConversionKind, FieldLabelFn, KnownType, NotRegistered, Scheme};
pub use unstructured::{Unstructured, UnstructuredList};
pub use versioner::{GroupVersioner, Others, ToGroups, ToInternal, ToNone};

/// Items that derived code uses; not part of the API.
#[doc(hidden)]
pub mod private {
    pub use crate::derived::{Between, Each, Passage, Way, Whole};
}
